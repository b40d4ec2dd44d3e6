"""Where summarizations happened on the fate map: a mark above the cells, and a thin line down where they are few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.charts.palette import FAILURE_COLOR, SUMMARIZATION_LINE
from memviz.charts.setting_run import SettingRun
from memviz.charts.summaries.marks import compaction_tooltip, request_mark
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import Grid
from memviz.metrics.requests.request_axis import RequestAxis, request_turns
from memviz.text.wording import message_number

MOST_LINES_SHARE = 0.5
"""Summarizations in more than this share of the columns have no lines: they would cover the map."""
MOST_LINES_OF_SMALL = 8
CHARS_A_LINE = 46
"""Three maps stand side by side, and a tooltip does not leave its own."""
MOST_TOLD = 2
"""Summarizations at one place that a tooltip tells in full."""


class Mark(NamedTuple):
    """The summarizations between two columns, and what was cleared, shortened or dropped by a rule. ``x`` is the left
    edge of the first column they changed."""

    x: float
    compactions: tuple[Compaction, ...]

    @property
    def failed(self) -> bool:
        """Whether any of them failed."""
        return any(compaction.error is not None for compaction in self.compactions)

    @property
    def symbol(self) -> str:
        """A failure's, else that of a summarization, else that of the last thing that happened."""
        symbols = [
            look.symbol
            for look in map(request_mark, self.compactions)
            if look is not None
        ]
        return (
            "x" if self.failed else "diamond" if "diamond" in symbols else symbols[-1]
        )

    @property
    def color(self) -> str:
        """The colour of mark and line: darker for a summarization, whose violet is that of the cells."""
        colors = {
            look.symbol: look.color
            for look in map(request_mark, self.compactions)
            if look is not None
        }
        return SUMMARIZATION_LINE if self.symbol == "diamond" else colors[self.symbol]


def marks(
    setting: SettingRun, cells: Grid, y: float, *, is_small: bool = False
) -> Iterator[dict[str, Any]]:
    """Traces of the marks, drawn at height ``y``, and of the lines below those that are not too many; a map that
    ``is_small`` has room for fewer of them."""
    found = places(setting.run, cells)
    if not found:
        return
    most_lines = min(
        MOST_LINES_SHARE * len(cells.columns),
        MOST_LINES_OF_SMALL if is_small else len(cells.columns),
    )
    dense = len(found) > most_lines
    for color in dict.fromkeys(
        (SUMMARIZATION_LINE, FAILURE_COLOR, *(mark.color for mark in found))
    ):
        alike = [mark for mark in found if mark.color == color]
        if alike and len(alike if color == FAILURE_COLOR else found) <= most_lines:
            yield _lines(alike, y, color)
    yield {
        "type": "scatter",
        "mode": "markers",
        "x": [mark.x for mark in found],
        "y": [y] * len(found),
        "marker": {
            "symbol": [mark.symbol for mark in found],
            "size": 8 if not dense else 5 if cells.view.in_full else 3,
            "color": [mark.color for mark in found],
            "line": {"width": 0},
        },
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "text": [_tooltip(setting, mark) for mark in found],
        "hoverinfo": "text",
        "cliponaxis": False,
        "name": "summarizations",
    }


def places(run: Run, cells: Grid) -> list[Mark]:
    """The marks of ``cells``: each summarization stands before the first request it changed, those after the last
    request behind it. What was dropped because there was no summarizer is none."""
    found: dict[float, list[Compaction]] = {}
    start, size = cells.view.requests.start, cells.view.requests_per_cell
    for place, compaction in _with_places(run):
        if request_mark(compaction) is not None and place in range(
            start, cells.view.requests.stop + 1
        ):
            found.setdefault(start + (place - start) // size * size - 0.5, []).append(
                compaction
            )
    return [
        Mark(min(x, cells.view.requests.stop - 0.5), tuple(found[x]))
        for x in sorted(found)
    ]


def _with_places(run: Run) -> Iterator[tuple[int, Compaction]]:
    turns = request_turns(run)
    axis = RequestAxis.of([turns])
    places = axis.places(turns)
    for number, made in run.requests.compactions():
        for compaction in made:
            yield int(places[number]), compaction
    for turn, compaction in run.unsent:
        yield axis.last(turn) + 1, compaction


def _lines(found: Sequence[Mark], top: float, color: str) -> dict[str, Any]:
    """Down to the newest message that was there."""
    bottoms = [
        message_number(max(compaction.after_message for compaction in mark.compactions))
        + 0.5
        for mark in found
    ]
    return {
        "type": "scatter",
        "mode": "lines",
        "hoverinfo": "skip",
        "line": {"width": 1, "color": color},
        "x": [value for mark in found for value in (mark.x, mark.x, None)],
        "y": [value for bottom in bottoms for value in (top, bottom, None)],
    }


def _tooltip(setting: SettingRun, mark: Mark) -> str:
    told = sorted(mark.compactions, key=lambda compaction: compaction.error is None)[
        :MOST_TOLD
    ]
    texts = [
        compaction_tooltip(setting.label, compaction, CHARS_A_LINE, setting.run)
        for compaction in told
    ]
    more = len(mark.compactions) - len(told)
    head, *_ = texts[0].partition("<br>")
    bodies = [text.partition("<br>")[2] for text in texts]
    return "<br>".join([head, *bodies, *([f"and {more:,} more"] if more else [])])
