"""Replays with a summarizer behind an address."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.driving import token_lines


def replayed(session: AppTest) -> bool:
    """Whether all three settings are there, from the first turn to the last."""
    assert not session.error
    lines = token_lines(session)
    return [len(line) for line in lines.values()] == [46] * 3 and not any(
        "first" in name for name in lines
    )
