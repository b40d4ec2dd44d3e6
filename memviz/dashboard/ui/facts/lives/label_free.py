"""What can be told of any conversation without labelled facts: rare words, and what tool calls needed."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from memviz.core.text.wording import counted, message_number
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.retention.knowledge_words import STATE_WORDS
from memviz.dashboard.charts.retention.survival_curve import (
    WORD,
    Lasting,
    half_lives,
    survival_curve,
)
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.known_facts import READ_MESSAGES
from memviz.dashboard.ui.controls.pickers import switch
from memviz.dashboard.ui.facts.retention_cache import (
    rare_words_of,
    survival_of,
    tool_argument_recall_of,
)
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain, shortened
from memviz.metrics.retention.tool_facts import (
    NeededArgument,
    ToolArgumentRecall,
)

ALL_KEY, READ_KEY = "retention-all-misses", "retention-read-all"
MOST_MISSES = 12
VALUE_CHARS = 60
MISSES_ALT = (
    "Values that a tool call used and that some setting did not send, one row a value"
)


def without_labels(settings: Sequence[SettingRun]) -> None:
    """Rare words and needed arguments, where there are any."""
    if not _is_wanted(len(settings[0].run.log)):
        return
    words = rare_words_of(settings[0].run.log)
    needed = [tool_argument_recall_of(setting.run) for setting in settings]
    if not words and not any(found.arguments for found in needed):
        st.caption(
            "No word here is said by one message alone, and no tool call used a value that was said before."
        )
        return
    if words:
        lasting = [
            Lasting(setting, survival_of(setting.run, words)) for setting in settings
        ]
        st.plotly_chart(
            survival_curve(lasting, "Rare words still there, by their age", WORD),
            key="retention-words",
            config=CONFIG,
            alt=f"Of {counted(len(words), 'rare word')} half are no longer sent after: {half_lives(lasting)}.",
        )
        st.caption(
            f"{counted(len(words), 'word')} that one message alone says, looked up in every later request: what of "
            "the wording is still there, whatever it means."
        )
    if any(found.arguments for found in needed):
        needed_values(settings, needed)


def _is_wanted(messages: int) -> bool:
    """Whether to read every message: at once, or of a long conversation when asked."""
    return messages <= READ_MESSAGES or switch(
        f"Look for rare words in all {messages:,} messages",
        key=READ_KEY,
        help="Takes up to a minute.",
    )


@st.fragment
def needed_values(
    settings: Sequence[SettingRun], needed: Sequence[ToolArgumentRecall]
) -> None:
    """Were the values that tool calls used still in the context?"""
    st.markdown("**What tool calls needed**")
    st.caption(
        "Values in the arguments of a tool call that the conversation had said before: an order number, a date. Had "
        "the model made the call under this setting, was the value in what it was sent?"
    )
    for column, setting, found in zip(
        st.columns(len(settings)), settings, needed, strict=True
    ):
        there = sum(argument.in_context for argument in found.arguments)
        share = "–" if found.share is None else f"{found.share:.0%}"
        column.metric(
            setting.label,
            share,
            help=f"{there:,} of {len(found.arguments):,} needed values were sent.",
        )
    missed = [
        row
        for row in zip(*(found.arguments for found in needed), strict=False)
        if not all(argument.in_context for argument in row)
    ]
    if not missed:
        st.caption("No setting missed any of them.")
        return
    shown = missed if widget_value(ALL_KEY) else missed[:MOST_MISSES]
    st.table(
        pd.DataFrame([_row(settings, row) for row in shown]),
        border="horizontal",
        hide_index=True,
        alt=MISSES_ALT,
    )
    if len(missed) > MOST_MISSES:
        st.toggle(f"Show all {len(missed):,} values that were missed", key=ALL_KEY)


def _row(
    settings: Sequence[SettingRun], arguments: Sequence[NeededArgument]
) -> dict[str, str]:
    first = arguments[0]
    return {
        "Turn": f"{first.turn:,}",
        "Tool": plain(first.tool),
        "Argument": plain(first.name),
        "Value": plain(shortened(first.value, VALUE_CHARS)),
        "Last said in message": f"{message_number(first.last_seen):,}",
        **{
            plain(setting.label): STATE_WORDS[argument.source]
            for setting, argument in zip(settings, arguments, strict=True)
        },
    }
