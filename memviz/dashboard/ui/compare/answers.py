"""One answer and where the model had it from."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memviz.core.text.wording import counted, message_number, turn_list
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.block_html import block_html
from memviz.dashboard.ui.controls.grounds import author_badge
from memviz.dashboard.ui.controls.inspector import BadgeColor
from memviz.dashboard.ui.controls.message_html import prose, stripe
from memviz.dashboard.ui.controls.request_changes import recalled_html
from memviz.dashboard.ui.shell.text import plain, shortened
from memviz.engine.assembly import whole
from memviz.engine.recall_tokens import recalled_tokens, stating_turns
from memviz.engine.records import TurnRecord
from memviz.metrics.answers import AnswerSource
from memviz.metrics.summaries.authors import author_of

BEFORE_CHARS_SHOWN = 120
SOURCES: dict[str | None, tuple[BadgeColor, str, str]] = {
    "verbatim": (
        "blue",
        "word for word",
        "An earlier message was sent word for word, and the answer is in it.",
    ),
    "recalled": (
        "orange",
        "recalled",
        "A message was brought back for this request, and the answer is in it.",
    ),
    "summary": (
        "violet",
        "in the summary",
        "The answer is in the summary that was sent.",
    ),
    "system": ("gray", "system prompt", "The answer is in the system prompt."),
    None: (
        "gray",
        "not in context",
        "Nothing that was sent with this request holds the answer.",
    ),
}


def answer_card(
    setting: SettingRun,
    record: TurnRecord,
    source: AnswerSource,
    draw_way_back: Callable[[], object] | None = None,
    reply_before: str | None = None,
) -> None:
    """The answer under one setting, its source, and what was sent for it. ``draw_way_back`` draws what may help where
    nothing that was sent holds the answer; ``reply_before`` is the answer that was given before it helped. What was
    recalled stands above the answer, with the sign that recalls have on the charts: cause and effect."""
    with st.container(border=True):
        st.html(stripe(setting.index))
        st.markdown(f"**{plain(setting.label)}**")
        if record.parts.recalled:
            st.html(
                recalled_html(recalled_into(record, is_again=reply_before is not None))
            )
            if reply_before:
                st.caption(
                    f"Before: {plain(shortened(reply_before, BEFORE_CHARS_SHOWN))}"
                )
        prose(record.reply or "")
        color, name, help = SOURCES[source.kind]
        with st.container(horizontal=True, gap="xsmall"):
            st.badge(name, color=color, help=help)
            if record.facts is not None:
                author_badge(
                    author_of(record.facts.model, recorded=record.facts.recorded),
                    record.facts.model,
                )
        if source.quote:
            st.caption(f"{_where(record, source)}{plain(source.quote)}")
        if record.parts.recalled:
            with st.expander("What was recalled", icon=":material/history:"):
                st.html(
                    "".join(
                        block_html(one, record)
                        for one in record.context.blocks
                        if one.kind == "recalled"
                    )
                )
        if source.kind is None and draw_way_back is not None:
            draw_way_back()
        st.caption(_had(record))


def recalled_into(record: TurnRecord, *, is_again: bool = False) -> str:
    """What was recalled into the request of an answer, and how large that request was without it and is with it.
    ``is_again``: the question had been asked without it."""
    turns = turn_list(stating_turns(record.memory.log, record.parts.recalled))
    more = recalled_tokens(record)
    size = (
        f"{record.total_tokens - more:,} → {record.total_tokens:,} tokens (+{more:,})"
    )
    return (
        f"Asked again with {turns}: {size}"
        if is_again
        else f"With {turns} recalled: {size}"
    )


def _where(record: TurnRecord, source: AnswerSource) -> str:
    if source.position is None:
        return ""
    turn = record.memory.log.turn_number(source.position)
    return f"Message {message_number(source.position):,}" + (
        f" of turn {turn:,}: " if turn else ": "
    )


def _had(record: TurnRecord) -> str:
    """What it had in its context, in a line."""
    parts = record.parts
    sent = sum(len(positions) for positions in parts.history) - len(parts.restored)
    verbatim = sum(
        len(set(positions) - set(parts.input))
        for positions in whole(record.memory.space, parts)
    )
    summarized = sum(
        len(covered)
        for covered in record.memory.space.summaries.covered(
            parts.summaries.start, parts.summaries.stop
        )
    )
    had = [
        f"{record.sent_tokens:,} tokens sent",
        f"{counted(verbatim, 'message')} word for word",
    ]
    if sent > verbatim:
        had.append(f"{sent - verbatim:,} cleared or shortened")
    if summarized:
        had.append(f"{summarized:,} in summaries")
    if parts.recalled:
        had.append(f"{len(parts.recalled):,} recalled")
    if len(record.requests) > 1:
        had.append(counted(len(record.requests), "call"))
    return " · ".join(had)
