"""A bar for work that takes long, and none for what does not."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def work() -> None:
    """Three of a thousand turns are done; the checkbox finishes."""
    import streamlit as st

    from memviz.dashboard.ui.controls.jobs import ProgressBar

    bar = ProgressBar()
    bar(0.003, "turn 3 of 1,000")
    if st.checkbox("finish"):
        bar.close()


def bars(session: AppTest) -> list[tuple[float, str]]:
    return [(bar.proto.value, bar.proto.text) for bar in session.get("progress")]


def test_short_work_shows_no_bar() -> None:
    assert bars(AppTest.from_function(work).run()) == []


def test_long_work_shows_how_far_it_is_until_it_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memviz.dashboard.ui.controls.jobs.FRAME_SECONDS", 0)
    session = AppTest.from_function(work).run()
    assert [text for _, text in bars(session)] == ["turn 3 of 1,000"]
    session.checkbox[0].check().run()
    assert bars(session) == []
