"""The small charts of how a summary changed, each with a sentence on how to read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.summaries.evolution import (
    carried_over,
    compression,
    nesting,
    word_origins,
)
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, axis_of
from memviz.metrics.summaries.events import grows_a_list
from memviz.metrics.summaries.evolution import VersionFacts


class _Chart(NamedTuple):
    draw: Callable[[Sequence[VersionFacts], RequestAxis], go.Figure]
    title: str
    caption: str
    help: str
    finding: Callable[[VersionFacts], str]


COMPRESSION = _Chart(
    compression,
    "How much shorter than its sources?",
    "Source tokens for each token of the summary.",
    "All messages it stands for: their tokens, for each token of the summary. While a summary keeps its size this "
    "grows with every version: the same room for more and more. What it was made of: the messages newly taken in and "
    "the summary before, so the work of this one summarization.",
    lambda last: f"{last.compression:.0f} tokens of messages for each of its tokens",
)
CARRIED = _Chart(
    carried_over,
    "How much of the last version survived?",
    "Where the violet line is low, most of the last version was given up. What was given up is gone for good.",
    "Words are compared in order, as under What changed above. Kept: the share of the last version's words that this "
    "one still has. New: the share of this version's words that the last one did not have.",
    lambda last: (
        "nothing came before it"
        if last.carried_share is None
        else f"{last.carried_share:.0%} of the words of the version before it kept"
    ),
)
ORIGIN = _Chart(
    word_origins,
    "Where do its words come from?",
    "Neither: words in none of its sources, invented or reworded.",
    "Different content words of each version, compared by number, name and word stem; function words do not count. "
    "A word found in both sources counts as the last version's.",
    lambda last: f"{last.origin.nowhere:,} words found in nothing that its writer read",
)
NESTING = _Chart(
    nesting,
    "How often was its oldest content summarized?",
    "A summary is made from the summary before it. Each time something can get lost or twisted.",
    "How many summarizations the oldest content of each version has been through. A grey ring marks a version whose "
    "text holds the heading of an earlier summary: that one was copied into it, not summarized.",
    lambda last: (
        f"its oldest content went through {counted(last.generation, 'summarization')}"
    ),
)


def evolution_charts(run: Run, facts: Sequence[VersionFacts]) -> None:
    """The charts, two a row. Entries of a list replace nothing, so nothing of them lives on or nests."""
    st.header("How it changed from version to version", anchor=False)
    axis = axis_of([run])
    charts = (
        [COMPRESSION, ORIGIN]
        if grows_a_list(run)
        else [COMPRESSION, CARRIED, ORIGIN, NESTING]
    )
    for row in zip(charts[::2], charts[1::2], strict=True):
        for column, chart in zip(st.columns(2, gap="large"), row, strict=True):
            with column:
                st.markdown(f"**{chart.title}**", help=chart.help)
                st.plotly_chart(
                    chart.draw(facts, axis),
                    config=CONFIG,
                    key=f"summaries-{chart.draw.__name__}",
                    alt=f"{chart.title} Of the newest version: {chart.finding(facts[-1])}.",
                )
                st.caption(chart.caption)
