"""How the events of a summary look, and what they say when one points at them."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from memviz.charts.palette import FAILURE_COLOR, PART_COLORS
from memviz.charts.text import escaped
from memviz.metrics.summaries.events import CompactionEvent, CompactionOutcome
from memviz.text.wording import dollars

FIRST_WORDS_CHARS = 160
TOOLTIP_CHARS = 70


class Mark(NamedTuple):
    """Shape and colour of one kind of event, and its name in the legend."""

    symbol: str
    color: str
    name: str


MARKS = {
    CompactionOutcome.SUMMARIZED: Mark("diamond", PART_COLORS["summary"], "summarized"),
    CompactionOutcome.THOUGHT: Mark("diamond-open-dot", PART_COLORS["summary"], "summarized by the chat model itself"),
    CompactionOutcome.REWORDED: Mark("square", PART_COLORS["summary"], "summarized, then reworded by the user"),
    CompactionOutcome.EDITED: Mark("square-open", PART_COLORS["summary"], "edited by the user"),
    CompactionOutcome.UNDONE: Mark("triangle-left", PART_COLORS["system"], "taken back by the user"),
    CompactionOutcome.SKIPPED: Mark("circle-open", PART_COLORS["system"], "skipped by the user"),
    CompactionOutcome.FAILED: Mark("x", FAILURE_COLOR, "failed"),
    CompactionOutcome.DROPPED: Mark("triangle-down-open", PART_COLORS["system"], "dropped without a summary"),
}


def bar_width(events: Sequence[CompactionEvent]) -> float:
    """Width in turns of one bar for each event: what the nearest two leave, but no slab where there are few."""
    turns = np.array([event.turns for event in events])
    return float(0.7 * np.diff(turns).min(initial=max(1.0, turns.max(initial=0) / 25)))


def tooltip(event: CompactionEvent) -> str:
    """What happened, why in numbers, and what it cost, as HTML for a hover label."""
    return "<br>".join([_head(event), *_why(event), *_result(event), *_first_words(event)])


def _head(event: CompactionEvent) -> str:
    where = f"turn {event.compaction.turn}, after message {event.compaction.after_message + 1}"
    name = f"version {event.version.version}" if event.version else MARKS[event.what].name
    return f"<b>{name}</b> · {where}"


def _why(event: CompactionEvent) -> list[str]:
    taken, reason = event.compaction.summarized, event.compaction.reason
    if not taken:
        return []
    messages = f"messages {taken.start + 1} to {taken.stop}" if len(taken) > 1 else f"message {taken.stop}"
    what = f"took in {messages}" if event.version else f"about {messages}"
    return [f"{what}, because {escaped(reason)}" if reason else what]


def _result(event: CompactionEvent) -> list[str]:
    compaction = event.compaction
    if compaction.error is not None:
        return [*map(escaped, wrap(compaction.error, TOOLTIP_CHARS)), "Nothing was lost."]
    lines = [f"sent content {compaction.tokens_before:,} → {compaction.tokens_after:,} tokens"]
    if event.version:
        lines.append(f"summary of {event.version.tokens:,} tokens for {len(event.version.covers):,} messages in all")
    if compaction.asked:
        cost = "" if compaction.cost is None else f", {dollars(compaction.cost)}"
        lines.append(
            f"summarizer {compaction.prompt_tokens:,} tokens in, {compaction.output_tokens:,} out, "
            f"{compaction.seconds:.2f} s{cost}"
        )
    return lines


def _first_words(event: CompactionEvent) -> list[str]:
    if event.version is None:
        return []
    lines = wrap(event.version.text[:FIRST_WORDS_CHARS], TOOLTIP_CHARS)
    more = "…" if len(event.version.text) > FIRST_WORDS_CHARS else ""
    return [f"<i>{'<br>'.join(map(escaped, lines))}{more}</i>"]
