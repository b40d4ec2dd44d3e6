"""One answer and where the model had it from."""

from __future__ import annotations

import streamlit as st

from memviz.engine.records import TurnRecord
from memviz.metrics.answers.source import AnswerSource
from memviz.text.wording import counted, message_number
from memviz.ui.controls.inspector import BadgeColor
from memviz.ui.shell.text import plain

SOURCES: dict[str | None, tuple[BadgeColor, str, str]] = {
    "verbatim": ("blue", "verbatim", "An earlier message was sent word for word, and the answer is in it."),
    "recalled": (
        "orange",
        "recalled",
        "A message was brought back for this request, and the answer is in it.",
    ),
    "summary": ("violet", "in the summary", "The answer is in the summary that was sent."),
    "system": ("gray", "system prompt", "The answer is in the system prompt."),
    None: ("gray", "not in context", "Nothing that was sent with this request holds the answer."),
}


def answer_card(label: str, record: TurnRecord, source: AnswerSource) -> None:
    """The answer under one setting, its source, and what was sent for it."""
    with st.container(border=True):
        st.markdown(f"**{plain(label)}**")
        st.text(record.reply)
        color, name, help = SOURCES[source.kind]
        st.badge(name, color=color, help=help)
        if source.quote:
            where = f"Message {message_number(source.position):,}: " if source.position is not None else ""
            st.caption(f"{where}{plain(source.quote)}")
        st.caption(_had(record))


def _had(record: TurnRecord) -> str:
    """What it had in its context, in a line."""
    parts = record.parts
    verbatim = sum(len(part) for part in parts.history)
    summarized = sum(len(covered) for covered in record.memory.space.summaries.covered(
        parts.summaries.start, parts.summaries.stop))  # fmt: skip
    had = [f"{record.sent_tokens:,} tokens sent", f"{counted(verbatim, 'message')} word for word"]
    if summarized:
        had.append(f"{summarized:,} in summaries")
    if parts.recalled:
        had.append(f"{len(parts.recalled):,} recalled")
    if record.calls:
        had.append(counted(len(record.calls) + 1, "call"))
    return " · ".join(had)
