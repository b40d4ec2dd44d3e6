"""The page of facts with facts of the visitor's own."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

import memviz
from memviz.storage.store import Store
from tests.pages.driving import open_page, sentences


def told(session: AppTest) -> str:
    """All sentences of the page, without escapes."""
    return "\n".join(
        sentences([*session.markdown, *session.caption, *session.info])
    ).replace("\u2060", "")


def save(
    database: Path,
    *messages: str,
    title: str = "Short",
    probes: tuple[memviz.Probe, ...] = (),
) -> str:
    said = tuple(
        memviz.Message(("user", "assistant")[n % 2], text)
        for n, text in enumerate(messages)
    )
    return Store(database).add_conversation(
        memviz.Transcript(said, title=title, probes=probes)
    )


def opened(conversation: str) -> AppTest:
    return open_page("retention", conversation=conversation)
