"""One answer and where the model had it from."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.recall_tokens import recalled_tokens, stating_turns
from memviz.engine.records import TurnRecord
from memviz.metrics.answers.source import AnswerSource
from memviz.text.wording import counted, message_number, turn_list
from memviz.ui.controls.inspector import BadgeColor, block_html
from memviz.ui.controls.legend import stripe
from memviz.ui.shell.text import plain

SOURCES: dict[str | None, tuple[BadgeColor, str, str]] = {
    "verbatim": ("blue", "word for word", "An earlier message was sent word for word, and the answer is in it."),
    "recalled": (
        "orange",
        "recalled",
        "A message was brought back for this request, and the answer is in it.",
    ),
    "summary": ("violet", "in the summary", "The answer is in the summary that was sent."),
    "system": ("gray", "system prompt", "The answer is in the system prompt."),
    None: ("gray", "not in context", "Nothing that was sent with this request holds the answer."),
}


def answer_card(
    setting: SettingRun, record: TurnRecord, source: AnswerSource, draw_way_back: Callable[[], object] | None = None
) -> None:
    """The answer under one setting, its source, and what was sent for it. ``draw_way_back`` draws what may help where
    nothing that was sent holds the answer."""
    with st.container(border=True):
        st.html(stripe(setting.index))
        st.markdown(f"**{plain(setting.label)}**")
        st.text(record.reply)
        color, name, help = SOURCES[source.kind]
        st.badge(name, color=color, help=help)
        if source.quote:
            st.caption(f"{_where(record, source)}{plain(source.quote)}")
        if record.parts.recalled:
            st.caption(recalled_into(record))
            st.html("".join(block_html(one, record) for one in record.context.blocks if one.kind == "recalled"))
        if source.kind is None and draw_way_back is not None:
            draw_way_back()
        st.caption(_had(record))


def recalled_into(record: TurnRecord) -> str:
    """What was recalled into a question to a setting, where that was put, and what it added."""
    turns = turn_list(stating_turns(record.memory.log, record.parts.recalled))
    more = f"+{recalled_tokens(record):,} tokens"
    return f"With the question, after turn {record.turn - 1:,}, came {turns} once more: {more}."


def _where(record: TurnRecord, source: AnswerSource) -> str:
    if source.position is None:
        return ""
    turn = record.memory.log.turn_number(source.position)
    return f"Message {message_number(source.position):,}" + (f" of turn {turn:,}: " if turn else ": ")


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
