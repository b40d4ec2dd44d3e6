"""The look and the place of compactions on all charts, and what they say when one points at them.

On the fate map they are a mark above the cells, and a thin line down where they are few.
"""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from memviz.core.text.wording import counted, dollars, seconds_words
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part
from memviz.dashboard.charts.palette import (
    FAILURE_COLOR,
    OPAQUE_COLOR,
    PART_COLORS,
    SHORTENED_COLOR,
    SUMMARIZATION_LINE,
)
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, list_request_turns
from memviz.metrics.requests.traffic import count_broken_cache_tokens
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    judge_outcome,
)


class Mark(NamedTuple):
    """Shape and colour of one kind of event, its name in the legend, and the same shape as a character."""

    symbol: str
    color: str
    name: str
    character: str = "◆"

    @property
    def strong_color(self) -> str:
        """The colour of the mark over cells and bars: darker for a summarization, whose violet is theirs."""
        return SUMMARIZATION_LINE if self.symbol == "diamond" else self.color


MARKS = {
    CompactionOutcome.SUMMARIZED: Mark(
        "diamond", PART_COLORS["summary"], noop("summarized")
    ),
    CompactionOutcome.THOUGHT: Mark(
        "diamond-open-dot",
        PART_COLORS["summary"],
        noop("summarized by the chat model itself"),
    ),
    CompactionOutcome.REWORDED: Mark(
        "square", PART_COLORS["summary"], noop("summarized, then reworded by the user")
    ),
    CompactionOutcome.EDITED: Mark(
        "square-open", PART_COLORS["summary"], noop("edited by the user")
    ),
    CompactionOutcome.UNDONE: Mark(
        "triangle-left", PART_COLORS["system"], noop("taken back by the user")
    ),
    CompactionOutcome.SKIPPED: Mark(
        "circle-open", PART_COLORS["system"], noop("skipped by the user")
    ),
    CompactionOutcome.FAILED: Mark("x", FAILURE_COLOR, "failed", "✖"),
    CompactionOutcome.DROPPED: Mark(
        "triangle-down-open",
        PART_COLORS["system"],
        noop("dropped without a summary"),
        "▽",
    ),
    CompactionOutcome.CLEARED: Mark(
        "circle", PART_COLORS["tools"], noop("tool results cleared"), "●"
    ),
    CompactionOutcome.SHORTENED: Mark(
        "triangle-up", SHORTENED_COLOR, noop("messages shortened"), "▲"
    ),
    CompactionOutcome.SEALED: Mark(
        "diamond-wide", OPAQUE_COLOR, noop("put into a block nobody can read")
    ),
}

RULED = (
    CompactionOutcome.CLEARED,
    CompactionOutcome.SHORTENED,
    CompactionOutcome.DROPPED,
)
"""The acts of rules without a summarizer."""

_TITLES = {
    CompactionOutcome.SUMMARIZED: noop("A summarization"),
    CompactionOutcome.FAILED: noop("A summarization that failed"),
}

FIRST_WORDS_CHARS = 80

CHARS_A_LINE = 70

RULED_KINDS = ("cleared", "shortened", "evicted")

MOST_PRICED = 2_000
"""Compactions of a run: for more it takes seconds to say what each cost the prompt cache."""


class MarkedCompaction(NamedTuple):
    """A compaction that has a mark on charts of requests."""

    compaction: Compaction
    look: Mark
    place: float
    """The place of the first request that it changed; half a step behind the last one of its turn where it changed
    none."""
    turn: int
    request: int | None
    """The number of that request."""


def marked_compactions(run: Run, axis: RequestAxis) -> list[MarkedCompaction]:
    """Return the compactions of a run that have a mark, those of requests first."""
    turns = list_request_turns(run).tolist()
    places = axis.places(turns).tolist()
    marked = []
    for request, compactions in run.requests.compactions():
        place = float(places[request])
        for compaction in compactions:
            look = request_mark(compaction)
            if look is not None:
                turn = turns[request]
                mark = MarkedCompaction(compaction, look, place, turn, request)
                marked.append(mark)
    # Of no request: it came at the end, or another setting went on.
    for turn, compaction in run.unsent:
        look = request_mark(compaction)
        if look is not None:
            place = axis.last(turn) + 0.5
            marked.append(MarkedCompaction(compaction, look, place, turn, None))
    return marked


def marker_of(compactions: Sequence[MarkedCompaction], pixels: int, edge: Part) -> Part:
    """Return the look of the points of these compactions, of ``pixels``, with an ``edge``."""
    return {
        "symbol": [marked.look.symbol for marked in compactions],
        "size": pixels,
        "color": [marked.look.color for marked in compactions],
        "line": edge,
    }


def request_mark(compaction: Compaction) -> Mark | None:
    """Return how a compaction looks on charts of requests. ``None`` for what has no mark there: what the user declined,
    and what was dropped because there was no summarizer."""
    if compaction.error is not None:
        return MARKS[CompactionOutcome.FAILED]
    if compaction.summary is not None:
        return MARKS[CompactionOutcome.SUMMARIZED]
    outcome = judge_outcome(compaction)
    if outcome in RULED and not lacks_summarizer(compaction):
        return MARKS[outcome]
    return None


def marks_of(compactions: Iterable[Compaction]) -> list[Mark]:
    """Return the marks of these compactions on charts of requests, each once, with the titles of a legend."""
    occurring = set(map(request_mark, compactions))
    titled = []
    for outcome in (*_TITLES, *RULED):
        mark = MARKS[outcome]
        if mark in occurring:
            title = _(_TITLES.get(outcome, mark.name.capitalize()))
            titled.append(mark._replace(name=title))
    return titled


def lacks_summarizer(compaction: Compaction) -> bool:
    """Return whether messages were dropped because there is no summarizer, and not by a rule."""
    return (
        compaction.dropped
        and compaction.strategy.drops_without_summarizer
        and not compaction.model
    )


def bar_width(events: Sequence[CompactionEvent]) -> float:
    """Return the width in requests of one bar for each event: what the nearest two leave, but no slab where there are
    few."""
    places = np.array([event.place for event in events])
    widest = max(1.0, places.max(initial=0) / 25)
    return float(0.7 * np.diff(places).min(initial=widest))


def compaction_tooltip(
    label: str, compaction: Compaction, run: Run, line_chars: int = CHARS_A_LINE
) -> str:
    """Return what a compaction of ``run`` did, for a hover label: the ``label`` of the setting, what happened where and
    why, its result, and the first words of the summary."""
    lines = [
        f"<b>{escape_text(label)}</b>",
        *_describe_event_lines(compaction, run, line_chars),
    ]
    return "<br>".join([*lines, *_quote_summary_beginning(compaction, line_chars)])


def event_tooltip(run: Run, event: CompactionEvent) -> str:
    """Return what happened, why in numbers, and what it cost, as HTML for a hover label."""
    compaction = event.compaction
    lines = [*_describe_event_lines(compaction, run, CHARS_A_LINE)]
    if event.version:
        words = _(
            "version {number}: a text of {own} for {whole} in all",
            number=event.version.version,
            own=counted(event.version.tokens, "token"),
            whole=counted(event.version.covers, "message"),
        )
        lines.append(words)
    if compaction.asked and compaction.error is None:
        lines.append(_call_words(compaction))
    return "<br>".join([*lines, *_quote_summary_beginning(compaction, CHARS_A_LINE)])


def _call_words(compaction: Compaction) -> str:
    took = _("played from a recording")
    if compaction.seconds is not None:
        took = seconds_words(compaction.seconds)
    words = _(
        "summarizer {read} in, {output_tokens:,} out, {took}",
        read=counted(compaction.prompt_tokens, "token"),
        output_tokens=compaction.output_tokens,
        took=took,
    )
    return words if compaction.cost is None else f"{words}, {dollars(compaction.cost)}"


def _describe_event_lines(
    compaction: Compaction, run: Run, width: int
) -> Iterator[str]:
    """Yield lines that say what happened where and why, and with which result."""
    words = compaction_words(compaction, run)
    yield f"<b>{_wrap_lines(words.what, width)}</b>"
    cache = cache_words(compaction, run)
    for line in (words.where, words.why, words.result, cache):
        if line:
            yield _wrap_lines(line, width)


def cache_words(compaction: Compaction, run: Run) -> str:
    """Return what clearing, shortening or dropping messages by a rule cost the prompt cache; empty where it cost
    nothing, and of runs so long that nobody waits for it."""
    if compaction.kind not in RULED_KINDS or len(run.compactions) > MOST_PRICED:
        return ""
    tokens = count_broken_cache_tokens(run)[run.number_of(compaction)]
    if not tokens:
        return ""
    return _("It broke {tokens} of the prompt cache", tokens=counted(tokens, "token"))


def _quote_summary_beginning(compaction: Compaction, width: int) -> Iterator[str]:
    """Yield the beginning of the summary, if there is one."""
    text = compaction.summary or ""
    if text:
        more = "…" if len(text) > FIRST_WORDS_CHARS else ""
        yield f"<i>{_wrap_lines(text[:FIRST_WORDS_CHARS], width)}{more}</i>"


def _wrap_lines(text: str, width: int) -> str:
    is_one_line = len(text) <= width and text.isprintable() and text == text.strip()
    # Most texts are, and to wrap one takes longer than to write it.
    lines = [text] if is_one_line else wrap(text, width)
    return "<br>".join(map(escape_text, lines))
