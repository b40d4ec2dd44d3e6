"""Marks on the lines of tokens: where a compaction fired, and what was recalled."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memviz.core.text.wording import counted, turn_list
from memviz.core.translation import _
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.grammar import (
    Part,
    marks,
    note_on_top,
    path,
    rule_down,
    segments,
    stroke,
)
from memviz.dashboard.charts.palette import NOTE_PIXELS, PART_COLORS
from memviz.dashboard.charts.requests.line_ends import PlacedSetting
from memviz.dashboard.charts.summaries.marks import (
    MarkedCompaction,
    compaction_tooltip,
    marked_compactions,
    marker_of,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.words import shorten
from memviz.dashboard.words.requests import name_of
from memviz.engine.recall_tokens import recalled_tokens
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, request_turns
from memviz.metrics.summaries.events import request_sizes

if TYPE_CHECKING:
    from memviz.transcripts.base import RecordedEvent

MAX_TURNS_NAMED = 6
RECALL_LIFT_SHARE = 0.06
"""The distance above its request from which the triangle of a recall points down at it, as a share of the largest
request: the diamond of a summarization and the ring of the selection have the place itself."""
MOST_RECALLS_NAMED = 12
RECALL_LABEL_SHARE = 0.2
"""More recalls are not labelled, nor one that is nearer to the label before than this share of the requests."""
MOST_LARGE_MARKS = 200
"""More marks than this side by side would cover their line."""
LOOKS = ((25, (14, 3.5)), (60, (10, 2.0)), (10**9, (8, 1.2)))
"""Up to so many marks of a setting: pixels of a mark and of its drop line. Few are seen from the back of a room."""
DENSE_PIXELS = 6
RECALL_PIXELS = 22
_UNSELECTED = {"marker": {"opacity": 0.9}}
_LABEL_FONT = {"size": NOTE_PIXELS, "color": "#1A1A1A"}


class _Change(NamedTuple):
    """The effect of a compaction on the first request that it changed."""

    marked: MarkedCompaction
    before: int
    """Tokens that the request would have been."""
    after: int
    """Tokens that it was."""
    id: str


def compaction_marks(placed: PlacedSetting) -> list[Part]:
    """Return a mark at the first request that each compaction changed, and a line down to it from what that request
    would have been."""
    run = placed.setting.run
    marked_of_run = marked_compactions(run, placed.axis)
    if not marked_of_run:
        return []
    changes = [_change(placed, marked) for marked in marked_of_run]
    name = escaped(placed.setting.label)
    # A summary a request, or hundreds of them: small marks, no drop lines.
    most_large = min(MOST_LARGE_MARKS, 0.5 * max(1, len(run.requests)))
    is_dense = len(changes) > most_large
    size, width = next(look for most, look in LOOKS if len(changes) <= most)

    def tooltip(marked: MarkedCompaction) -> str:
        return compaction_tooltip(placed.setting.label, marked.compaction, run=run)

    points = marks(
        np.array([marked.place for marked in marked_of_run]),
        np.array([change.after for change in changes]),
        Texts(marked_of_run, tooltip),
        marker_of(
            marked_of_run,
            DENSE_PIXELS if is_dense else size,
            stroke(1, color=placed.setting.color),
        ),
        unselected=_UNSELECTED,
        customdata=[change.id for change in changes],
        name=f"{name} summarizations",
        **placed.group,
    )
    if is_dense:
        return [points]
    drops = _drops(changes, width, name=f"{name} before and after", **placed.group)
    return [drops, points]


def _drops(changes: Sequence[_Change], width: float, **about: Any) -> Part:
    """Return the lines from what a request would have been to what it was."""
    lines = []
    for change in changes:
        x = change.marked.place
        lines.append((x, change.before, x, change.after))
    x_values, tokens = segments(lines, np.nan)
    line = stroke(width, color=PART_COLORS["summary"])
    return path(np.array(x_values), np.array(tokens), line, **about)


def _change(placed: PlacedSetting, marked: MarkedCompaction) -> _Change:
    run = placed.setting.run
    sizes = request_sizes(marked.compaction, run)
    before = max(sizes)  # no line up where the summary is larger
    after = sizes.after_tokens
    if marked.request is not None:
        return _Change(marked, before, after, placed.id_of(marked.request))
    if run.turns and marked.turn < run.turns[-1].turn:
        # Another setting went on: it stands beside the line.
        behind = np.searchsorted(run.columns.turns, marked.turn, "right")
        before = int(run.columns.totals[behind - 1])
        after = before
    return _Change(marked, before, after, f"{placed.number}:{marked.turn}")


def recall_marks(placed: PlacedSetting, largest_tokens: int) -> list[Part]:
    """Return a triangle above each request that earlier messages were brought back into,
    pointing down at it. ``largest_tokens``: the largest request of the chart."""
    setting = placed.setting
    requests = setting.run.requests
    numbers = _recalls(setting.run)
    if not numbers:
        return []
    records = [requests[at] for at in numbers]
    lift = RECALL_LIFT_SHARE * largest_tokens
    marker = {
        "symbol": "triangle-down",
        "size": RECALL_PIXELS,
        "color": PART_COLORS["recalled"],
        "line": stroke(1.5, color=setting.color),
    }
    triangles = marks(
        placed.places[numbers],
        np.array([record.total_tokens + lift for record in records]),
        [_recall_tooltip(setting.run, setting.label, record) for record in records],
        marker,
        unselected=_UNSELECTED,
        customdata=[placed.id_of(at) for at in numbers],
        name=f"{escaped(setting.label)} recalls",
        **placed.group,
    )
    return [triangles]


def _recalls(run: Run) -> list[int]:
    """The requests that somebody brought something back into; what a strategy looks up by itself is its curve."""
    numbers = run.requests.with_recalls()
    if not run.strategy.looks_up:
        return numbers
    return [at for at in numbers if run.requests[at].recalled is not None]


def _recall_tooltip(run: Run, label: str, record: TurnRecord) -> str:
    recalled = record.parts.recalled
    turns = sorted({record.memory.log.turn_number(position) for position in recalled})
    return _(
        "<b>{setting}</b><br><b>recalled</b> {messages} of {turns} into {request}<br>"
        "+{tokens}, {total_tokens:,} in all",
        setting=escaped(label),
        messages=counted(recalled, "message"),
        turns=turn_list(turns, MAX_TURNS_NAMED),
        request=name_of(run, record),
        tokens=counted(recalled_tokens(record), "token"),
        total_tokens=record.total_tokens,
    )


def recall_labels(
    placed: Sequence[PlacedSetting], shown: range, above_pixels: int
) -> list[Part]:
    """Return notes above the picture that say how much the recalls added, where there is
    room beside each other. ``above_pixels``: what stands between them and the picture."""
    recalls = []
    for setting_line in placed:
        run = setting_line.setting.run
        for at in _recalls(run):
            tokens = recalled_tokens(run.requests[at])
            place = int(setting_line.places[at])
            recalls.append((place, -tokens, setting_line.number))
    if len(recalls) > MOST_RECALLS_NAMED:
        return []
    labels: list[Part] = []
    for place, less_tokens, _number in sorted(recalls):
        # At one request the largest one is named.
        least_gap = RECALL_LABEL_SHARE * len(shown)
        if labels and place - labels[-1]["x"] < least_gap:
            continue  # its tooltip says it
        label = note_on_top(
            _("<b>+{tokens} recalled</b>", tokens=counted(-less_tokens, "token")),
            place,
            yshift=above_pixels,
            # Away from the nearer edge, which would cut it.
            xanchor="left" if place - shown.start <= len(shown) / 2 else "right",
            font=_LABEL_FONT,
            bgcolor=PART_COLORS["recalled"],
        )
        labels.append(label)
    return labels


LABEL_CHARS = 34
ROW_PIXELS = 18
MOST_ROWS = 3
CHAR_PIXELS = 7
NARROW_PIXELS = 260
"""The width of a letter of a label, and of the axis of the narrowest chart, that beside the talk."""
RIGHT_SHARE = 0.4
"""From this share of the axis on there is more room left of a line: the axis' own margin counts too."""
MAX_RECORDED = 60
"""More recorded marks would hide the lines; the page lists all of them."""
TRIANGLE = "▼"
_RECORDED_LINE = stroke(1, "dot", PART_COLORS["summary"])
_TRIANGLE_FONT = {"color": PART_COLORS["summary"], "size": 14}


class NamedMarks(NamedTuple):
    """Marks whose names stand above the picture, as parts of the layout."""

    lines: list[Part]
    """The lines from the names down through the picture."""
    labels: list[Part]
    rows: int
    """The number of rows that the names take."""


def setting_marks(run: Run, axis: RequestAxis) -> NamedMarks:
    """Return a line before the first turn of each setting but the first, with its name above the picture, on the side
    where there is more room. Names that would lie on each other stand in rows; where there are too many, the newest
    do."""
    last = max(1, axis.last(run.turns[-1].turn) if run.turns else 1)
    lines = []
    labels = []
    leftmost: list[float] = []  # of each row, from below, where its first name begins
    for setting in reversed(run.earlier_settings):
        label = run.strategy_at(setting.last_turn + 1).label
        x = axis.last(setting.last_turn) + 0.5
        lines.append(rule_down(x, stroke(1.5, "dash"), layer="below"))
        name = f"{shorten(label, LABEL_CHARS)} →"
        is_left = x > RIGHT_SHARE * last
        steps = len(name) * CHAR_PIXELS / NARROW_PIXELS * last
        begin, end = (x - steps, x) if is_left else (x, x + steps)
        free = [row for row, end_of_row in enumerate(leftmost) if end <= end_of_row]
        row = free[0] if free else len(leftmost)
        if row == MOST_ROWS:
            continue  # the talk names it
        leftmost[row : row + 1] = [begin]
        since = _(
            "From turn {turn:,} on the chat was held under:",
            turn=setting.last_turn + 1,
        )
        note = note_on_top(
            escaped(name),
            x,
            yshift=row * ROW_PIXELS,
            xanchor="right" if is_left else "left",
            hovertext=f"{since}<br>{escaped(label)}",
        )
        labels.append(note)
    return NamedMarks(lines[::-1], labels[::-1], len(leftmost))


def recorded_marks(
    run: Run, events: Sequence[RecordedEvent], axis: RequestAxis
) -> tuple[list[Part], list[Part]]:
    """Return shapes and notes for the layout: one line between two requests of ``run`` for each event, with a
    tooltip."""
    lines = []
    labels = []
    for event in events[:MAX_RECORDED]:
        x = _place(run, event, axis)
        words = _recorded_words(event)
        lines.append(rule_down(x, _RECORDED_LINE))
        labels.append(note_on_top(TRIANGLE, x, font=_TRIANGLE_FONT, hovertext=words))
    return lines, labels


def _place(run: Run, event: RecordedEvent, axis: RequestAxis) -> float:
    """Return the place between the request that the last message before the event belongs to, as input or reply, and
    the next one."""
    before = min(event.after_message, len(run.log)) - 1
    turn = run.log.turn_number(before) if before >= 0 else 0
    number = bisect_right(run.requests, before, key=lambda record: record.log_length)
    if before >= 0 and run.log[before].role == "assistant":
        number -= 1
    is_there = 0 <= number < len(run.requests)
    if axis.is_by_turn or not is_there or run.requests[number].turn != turn:
        return axis.last(turn) + 0.5
    return float(axis.places(request_turns(run))[number]) + 0.5


def _recorded_words(event: RecordedEvent) -> str:
    words = _("Recorded in the imported file:<br>its own program kept a summary here")
    if event.kind == "compaction":
        words = _("Recorded in the imported file:<br>its own program compacted here")
    if event.reason:
        words += f" ({escaped(event.reason[:60])})"
    if event.tokens_before is not None:
        words += _(
            "<br>{tokens_before:,} tokens before", tokens_before=event.tokens_before
        )
    if event.tokens_after is not None:
        words += _("<br>{tokens_after:,} tokens after", tokens_after=event.tokens_after)
    return words
