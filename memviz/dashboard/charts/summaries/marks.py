"""How the events of a summary look, and what they say when one points at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from memviz.core.text.wording import counted, dollars, seconds_words
from memviz.dashboard.charts.palette import FAILURE_COLOR, PART_COLORS, SHORTENED_COLOR
from memviz.dashboard.charts.summaries.compaction_tooltip import first_words, happened
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    outcome_of,
)


class Mark(NamedTuple):
    """Shape and colour of one kind of event, its name in the legend, and the same shape as a character."""

    symbol: str
    color: str
    name: str
    character: str = "◆"


MARKS = {
    CompactionOutcome.SUMMARIZED: Mark("diamond", PART_COLORS["summary"], "summarized"),
    CompactionOutcome.THOUGHT: Mark(
        "diamond-open-dot",
        PART_COLORS["summary"],
        "summarized by the chat model itself",
    ),
    CompactionOutcome.REWORDED: Mark(
        "square", PART_COLORS["summary"], "summarized, then reworded by the user"
    ),
    CompactionOutcome.EDITED: Mark(
        "square-open", PART_COLORS["summary"], "edited by the user"
    ),
    CompactionOutcome.UNDONE: Mark(
        "triangle-left", PART_COLORS["system"], "taken back by the user"
    ),
    CompactionOutcome.SKIPPED: Mark(
        "circle-open", PART_COLORS["system"], "skipped by the user"
    ),
    CompactionOutcome.FAILED: Mark("x", FAILURE_COLOR, "failed", "✖"),
    CompactionOutcome.DROPPED: Mark(
        "triangle-down-open", PART_COLORS["system"], "dropped without a summary", "▽"
    ),
    CompactionOutcome.CLEARED: Mark(
        "circle", PART_COLORS["tools"], "tool results cleared", "●"
    ),
    CompactionOutcome.SHORTENED: Mark(
        "triangle-up", SHORTENED_COLOR, "messages shortened", "▲"
    ),
}
RULED = (
    CompactionOutcome.CLEARED,
    CompactionOutcome.SHORTENED,
    CompactionOutcome.DROPPED,
)
"""What rules do without a summarizer."""


def request_mark(compaction: Compaction) -> Mark | None:
    """How a compaction looks on charts of requests. ``None`` for what has no mark there: what the user declined, and
    what was dropped because there was no summarizer."""
    if compaction.error is not None:
        return MARKS[CompactionOutcome.FAILED]
    if compaction.summary is not None:
        return MARKS[CompactionOutcome.SUMMARIZED]
    outcome = outcome_of(compaction)
    return (
        MARKS[outcome]
        if outcome in RULED and not lacks_summarizer(compaction)
        else None
    )


def marks_of(compactions: Iterable[Compaction]) -> list[Mark]:
    """The marks of these compactions on charts of requests, each once, with the titles of a legend."""
    looks = {
        look.symbol
        for compaction in compactions
        if (look := request_mark(compaction)) is not None
    }
    outcomes = (CompactionOutcome.SUMMARIZED, CompactionOutcome.FAILED, *RULED)
    found = (
        (outcome, MARKS[outcome])
        for outcome in outcomes
        if MARKS[outcome].symbol in looks
    )
    return [
        mark._replace(name=_TITLES.get(outcome, mark.name.capitalize()))
        for outcome, mark in found
    ]


_TITLES = {
    CompactionOutcome.SUMMARIZED: "A summarization",
    CompactionOutcome.FAILED: "A summarization that failed",
}


def lacks_summarizer(compaction: Compaction) -> bool:
    """Whether messages were dropped because there is no summarizer, and not by a rule."""
    return (
        compaction.dropped
        and compaction.strategy.drops_without_summarizer
        and not compaction.model
    )


def bar_width(events: Sequence[CompactionEvent]) -> float:
    """Width in requests of one bar for each event: what the nearest two leave, but no slab where there are few."""
    places = np.array([event.place for event in events])
    return float(
        0.7 * np.diff(places).min(initial=max(1.0, places.max(initial=0) / 25))
    )


def tooltip(run: Run, event: CompactionEvent) -> str:
    """What happened, why in numbers, and what it cost, as HTML for a hover label."""
    lines = [
        *happened(event.compaction, run=run),
        *_version(event),
        *_call(event.compaction),
        *first_words(event.compaction),
    ]
    return "<br>".join(lines)


def _version(event: CompactionEvent) -> Iterator[str]:
    if event.version:
        own, whole = event.version.tokens, counted(len(event.version.covers), "message")
        yield f"version {event.version.version}: a text of {counted(own, 'token')} for {whole} in all"


def _call(compaction: Compaction) -> Iterator[str]:
    if compaction.asked and compaction.error is None:
        cost = "" if compaction.cost is None else f", {dollars(compaction.cost)}"
        is_known = compaction.seconds is not None
        took = (
            seconds_words(compaction.seconds) if is_known else "played from a recording"
        )
        yield (
            f"summarizer {counted(compaction.prompt_tokens, 'token')} in, {compaction.output_tokens:,} out, "
            f"{took}{cost}"
        )
