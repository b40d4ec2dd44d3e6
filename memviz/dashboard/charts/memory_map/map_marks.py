"""The marks of compactions above the cells of a fate map, with thin lines down where they are few."""

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
from memviz.dashboard.charts.palette import (
    FAILURE_COLOR,
    SUMMARIZATION_LINE,
    SettingRun,
)
from memviz.dashboard.charts.summaries.marks import (
    MarkedCompaction,
    compaction_tooltip,
    marked_compactions,
)
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import Grid
from memviz.metrics.requests.request_axis import RequestAxis, list_request_turns

MOST_LINES_SHARE = 0.5
"""Summarizations in more than this share of the columns have no lines: they would cover the map."""
_MARKS: Part = {"cliponaxis": False, "name": "summarizations", **LOOK_STAYS}
MOST_LINES_OF_SMALL = 8
CHARS_A_MAP_LINE = 46
"""Three maps stand side by side, and a tooltip does not leave its own."""
MOST_TOLD = 2
"""Summarizations at one place that a tooltip tells in full."""


class MapMark(NamedTuple):
    """The summarizations between two columns, and what was cleared, shortened or dropped by a rule."""

    x: float
    """The left edge of the first column they changed."""
    compactions: tuple[Compaction, ...]
    symbol: str
    color: str


def fate_marks(
    setting: SettingRun, cells: Grid, y: float, *, is_small: bool
) -> Iterator[Part]:
    """Yield the marks, at height ``y``, and the lines below those that are not too many; a map that ``is_small`` has
    room for fewer of them."""
    drawn_marks = map_marks(setting.run, cells)
    if not drawn_marks:
        return
    most_lines = MOST_LINES_SHARE * len(cells.columns)
    if is_small:
        most_lines = min(most_lines, MOST_LINES_OF_SMALL)
    is_dense = len(drawn_marks) > most_lines
    own_colors = [mark.color for mark in drawn_marks]
    # One trace a colour. Failures have their lines also where all together would be too many.
    for color in dict.fromkeys((SUMMARIZATION_LINE, FAILURE_COLOR, *own_colors)):
        alike = [mark for mark in drawn_marks if mark.color == color]
        counted = alike if color == FAILURE_COLOR else drawn_marks
        if alike and len(counted) <= most_lines:
            yield _lines(alike, y, color)
    pixels = 8
    if is_dense:
        pixels = 5 if cells.view.in_full else 3
    marker = {
        "symbol": [mark.symbol for mark in drawn_marks],
        "size": pixels,
        "color": own_colors,
        "line": {"width": 0},
    }
    yield marks(
        [mark.x for mark in drawn_marks],
        [y] * len(drawn_marks),
        [_tooltip(setting, mark) for mark in drawn_marks],
        marker,
        **_MARKS,
    )


def map_marks(run: Run, cells: Grid) -> list[MapMark]:
    """Return the marks of ``cells``: each summarization stands before the first request it changed, those after the
    last request behind it. What was dropped because there was no summarizer is none."""
    requests_shown = cells.view.requests
    size = cells.view.requests_per_cell
    axis = RequestAxis.of([list_request_turns(run)])
    by_edge: dict[float, list[MarkedCompaction]] = {}
    for marked in marked_compactions(run, axis):
        place = ceil(marked.place)
        if requests_shown.start <= place <= requests_shown.stop:
            column = (place - requests_shown.start) // size
            edge = min(requests_shown.start + column * size, requests_shown.stop) - 0.5
            by_edge.setdefault(edge, []).append(marked)
    return [_mark(edge, by_edge[edge]) for edge in sorted(by_edge)]


def _mark(x: float, together: Sequence[MarkedCompaction]) -> MapMark:
    """Return the mark of a failure, else that of a summarization, else that of the last thing that happened."""
    look_by_symbol = {marked.look.symbol: marked.look for marked in together}
    look = together[-1].look
    # The diamond of a summarization, and over that the cross of a failure.
    for symbol in ("diamond", "x"):
        look = look_by_symbol.get(symbol, look)
    compactions = tuple(marked.compaction for marked in together)
    return MapMark(x, compactions, look.symbol, look.strong_color)


def _lines(drawn_marks: Sequence[MapMark], top: float, color: str) -> Part:
    """Return lines down to the newest message that was there."""
    lines = []
    for mark in drawn_marks:
        newest = max(compaction.after_message for compaction in mark.compactions)
        lines.append((mark.x, top, mark.x, message_number(newest) + 0.5))
    return path(*segments(lines, None), stroke(1, color=color))


def _tooltip(setting: SettingRun, mark: MapMark) -> str:
    failures_first = sorted(mark.compactions, key=lambda each: each.error is None)
    compactions = failures_first[:MOST_TOLD]
    lines: list[str] = []
    for compaction in compactions:
        text = compaction_tooltip(
            setting.label, compaction, setting.run, CHARS_A_MAP_LINE
        )
        head, _break, body = text.partition("<br>")
        lines += [body] if lines else [head, body]
    more = len(mark.compactions) - len(compactions)
    if more:
        lines.append(_("and {more:,} more", more=more))
    return "<br>".join(lines)
