"""Marks on the lines of tokens: where a compaction fired, and what was recalled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from memviz.core.text.wording import counted, turn_list
from memviz.core.translation import _
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part, marks, path, segments, stroke
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.requests.line_ends import PlacedSetting
from memviz.dashboard.charts.summaries.marks import (
    MarkedCompaction,
    compaction_tooltip,
    marked_compactions,
    marker_of,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.words.requests import name_of
from memviz.engine.recall_tokens import count_recalled_tokens
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.summaries.events import count_request_sizes

MAX_TURNS_NAMED = 6
RECALL_LIFT_SHARE = 0.06
"""The distance above its request from which the triangle of a recall points down at it, as a share of the largest
request: the diamond of a summarization and the ring of the selection have the place itself."""
MOST_LARGE_MARKS = 200
"""More marks than this side by side would cover their line."""
LOOKS = ((25, (14, 3.5)), (60, (10, 2.0)), (10**9, (8, 1.2)))
"""Up to so many marks of a setting: pixels of a mark and of its drop line. Few are seen from the back of a room."""
DENSE_PIXELS = 6
RECALL_PIXELS = 22
_UNSELECTED = {"marker": {"opacity": 0.9}}


class _Change(NamedTuple):
    """The effect of a compaction on the first request that it changed."""

    place: float
    tokens_before: int
    """Of the request as it would have been."""
    tokens_after: int
    """Of the request as it was."""
    id: str
    """The id of the mark, as that of a point."""


def compaction_marks(placed: PlacedSetting) -> list[Part]:
    """Return a mark at the first request that each compaction changed, and a line down to it from what that request
    would have been."""
    run = placed.setting.run
    marked_of_run = marked_compactions(run, placed.axis)
    if not marked_of_run:
        return []
    changes = [_change(placed, marked) for marked in marked_of_run]
    # A summary a request, or hundreds of them: small marks, no drop lines.
    most_large = min(MOST_LARGE_MARKS, 0.5 * max(1, len(run.requests)))
    is_dense = len(changes) > most_large
    pixels, drop_pixels = _look_of(len(changes))
    if is_dense:
        pixels = DENSE_PIXELS
    label = placed.setting.label
    name = escape_text(label)

    def tooltip(marked: MarkedCompaction) -> str:
        return compaction_tooltip(label, marked.compaction, run)

    points = marks(
        np.array([change.place for change in changes]),
        np.array([change.tokens_after for change in changes]),
        Texts(marked_of_run, tooltip),
        marker_of(marked_of_run, pixels, stroke(1, color=placed.setting.color)),
        unselected=_UNSELECTED,
        customdata=[change.id for change in changes],
        name=f"{name} summarizations",
        **placed.group,
    )
    if is_dense:
        return [points]
    drops = _drops(
        changes, drop_pixels, name=f"{name} before and after", **placed.group
    )
    return [drops, points]


def _look_of(changes: int) -> tuple[int, float]:
    """Return the pixels of a mark and of its drop line, where a setting has so many."""
    for most_changes, look in LOOKS:
        if changes <= most_changes:
            return look
    return LOOKS[-1][1]


def _drops(changes: Sequence[_Change], width: float, **about: Any) -> Part:
    """Return the lines from what a request would have been to what it was."""
    lines = []
    for change in changes:
        x = change.place
        lines.append((x, change.tokens_before, x, change.tokens_after))
    x_values, tokens = segments(lines, np.nan)
    line = stroke(width, color=PART_COLORS["summary"])
    return path(np.array(x_values), np.array(tokens), line, **about)


def _change(placed: PlacedSetting, marked: MarkedCompaction) -> _Change:
    run = placed.setting.run
    sizes = count_request_sizes(marked.compaction, run)
    before = max(sizes)  # no line up where the summary is larger
    after = sizes.after_tokens
    if marked.request is not None:
        id = placed.id_of(marked.request)
        return _Change(marked.place, before, after, id)
    if run.turns and marked.turn < run.turns[-1].turn:
        # Another setting went on: it stands beside the line.
        behind = np.searchsorted(run.columns.turns, marked.turn, "right")
        before = int(run.columns.totals[behind - 1])
        after = before
    return _Change(marked.place, before, after, f"{placed.number}:{marked.turn}")


def recall_marks(placed: PlacedSetting, largest_tokens: int) -> list[Part]:
    """Return a triangle above each request that earlier messages were brought back into,
    pointing down at it. ``largest_tokens``: the largest request of the chart."""
    setting = placed.setting
    requests = setting.run.requests
    numbers = recalls_of(setting.run)
    if not numbers:
        return []
    records = [requests[number] for number in numbers]
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
        customdata=[placed.id_of(number) for number in numbers],
        name=f"{escape_text(setting.label)} recalls",
        **placed.group,
    )
    return [triangles]


def recalls_of(run: Run) -> list[int]:
    """Return the numbers of the requests that somebody brought something back into; what a strategy looks up by itself
    is its curve."""
    numbers = run.requests.numbers_with_recalls()
    if not run.strategy.looks_up:
        return numbers
    return [number for number in numbers if run.requests[number].recalled is not None]


def _recall_tooltip(run: Run, label: str, record: TurnRecord) -> str:
    recalled = record.parts.recalled
    turns = sorted({record.memory.log.turn_number(position) for position in recalled})
    return _(
        "<b>{setting}</b><br><b>recalled</b> {messages} of {turns} into {request}<br>"
        "+{tokens}, {total_tokens:,} in all",
        setting=escape_text(label),
        messages=counted(recalled, "message"),
        turns=turn_list(turns, MAX_TURNS_NAMED),
        request=name_of(run, record),
        tokens=counted(count_recalled_tokens(record), "token"),
        total_tokens=record.total_tokens,
    )
