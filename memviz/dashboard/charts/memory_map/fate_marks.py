"""The summarizations on the fate map: a mark above the cells, and a thin line down where they are few."""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from memviz.core.text.wording import message_number
from memviz.core.translation import _
from memviz.dashboard.charts.grammar import (
    LOOK_STAYS,
    Part,
    marks,
    path,
    segments,
    stroke,
)
from memviz.dashboard.charts.palette import FAILURE_COLOR, SUMMARIZATION_LINE
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.summaries.marks import (
    MarkedCompaction,
    compaction_tooltip,
    marked_compactions,
)
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import Grid
from memviz.metrics.requests.request_axis import RequestAxis, request_turns

MOST_LINES_SHARE = 0.5
"""Summarizations in more than this share of the columns have no lines: they would cover the map."""
MOST_LINES_OF_SMALL = 8
CHARS_A_LINE = 46
"""Three maps stand side by side, and a tooltip does not leave its own."""
MOST_TOLD = 2
"""Summarizations at one place that a tooltip tells in full."""


class Mark(NamedTuple):
    """The summarizations between two columns, and what was cleared, shortened or dropped by a rule."""

    x: float
    """The left edge of the first column they changed."""
    compactions: tuple[Compaction, ...]
    symbol: str
    color: str


def fate_marks(
    setting: SettingRun, cells: Grid, y: float, *, is_small: bool = False
) -> Iterator[Part]:
    """Yield the marks, at height ``y``, and the lines below those that are not too many; a map that ``is_small`` has
    room for fewer of them."""
    found = places(setting.run, cells)
    if not found:
        return
    most_lines = MOST_LINES_SHARE * len(cells.columns)
    if is_small:
        most_lines = min(most_lines, MOST_LINES_OF_SMALL)
    is_dense = len(found) > most_lines
    own_colors = [mark.color for mark in found]
    for color in dict.fromkeys((SUMMARIZATION_LINE, FAILURE_COLOR, *own_colors)):
        alike = [mark for mark in found if mark.color == color]
        counted = alike if color == FAILURE_COLOR else found
        if alike and len(counted) <= most_lines:
            yield _lines(alike, y, color)
    pixels = 8
    if is_dense:
        pixels = 5 if cells.view.in_full else 3
    marker = {
        "symbol": [mark.symbol for mark in found],
        "size": pixels,
        "color": own_colors,
        "line": {"width": 0},
    }
    yield marks(
        [mark.x for mark in found],
        [y] * len(found),
        [_tooltip(setting, mark) for mark in found],
        marker,
        cliponaxis=False,
        name="summarizations",
        **LOOK_STAYS,
    )


def places(run: Run, cells: Grid) -> list[Mark]:
    """Return the marks of ``cells``: each summarization stands before the first request it changed, those after the
    last request behind it. What was dropped because there was no summarizer is none."""
    shown = cells.view.requests
    size = cells.view.requests_per_cell
    axis = RequestAxis.of([request_turns(run)])
    found: dict[float, list[MarkedCompaction]] = {}
    for marked in marked_compactions(run, axis):
        place = ceil(marked.place)
        if shown.start <= place <= shown.stop:
            column = (place - shown.start) // size
            left = shown.start + column * size - 0.5
            found.setdefault(left, []).append(marked)
    last = shown.stop - 0.5
    return [_mark(min(left, last), found[left]) for left in sorted(found)]


def _mark(x: float, made: Sequence[MarkedCompaction]) -> Mark:
    """Return the mark of a failure, else that of a summarization, else that of the last thing that happened."""
    looks = {one.look.symbol: one.look for one in made}
    look = made[-1].look
    for weightier in ("diamond", "x"):
        look = looks.get(weightier, look)
    compactions = tuple(one.compaction for one in made)
    return Mark(x, compactions, look.symbol, look.strong_color)


def _lines(found: Sequence[Mark], top: float, color: str) -> Part:
    """Return lines down to the newest message that was there."""
    lines = []
    for mark in found:
        newest = max(compaction.after_message for compaction in mark.compactions)
        lines.append((mark.x, top, mark.x, message_number(newest) + 0.5))
    return path(*segments(lines, None), stroke(1, color=color))


def _tooltip(setting: SettingRun, mark: Mark) -> str:
    failures_first = sorted(mark.compactions, key=lambda one: one.error is None)
    told = failures_first[:MOST_TOLD]
    lines: list[str] = []
    for compaction in told:
        text = compaction_tooltip(setting.label, compaction, CHARS_A_LINE, setting.run)
        head, _break, body = text.partition("<br>")
        lines += [body] if lines else [head, body]
    more = len(mark.compactions) - len(told)
    if more:
        lines.append(_("and {more:,} more", more=more))
    return "<br>".join(lines)
