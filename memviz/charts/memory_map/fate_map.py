"""What became of every message at every request, as a map: one column a request, one row a message.

The cells are a heatmap. Streamlit tells of clicks on scattered points only, so a point lies on every cell; all but
one of them are never drawn (``maxdisplayed``), yet each can be pointed at and clicked. What a tooltip says about its
row and its column stands once, as the name of that value on a second pair of axes, and not in every cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.charts.figure import figure
from memviz.charts.memory_map.fate_marks import marks
from memviz.charts.memory_map.fate_words import cell_words, column_words, row_words
from memviz.charts.memory_map.pending_column import PendingColumn
from memviz.charts.palette import (
    FEW_TURNS,
    NOTE_PIXELS,
    PART_COLORS,
    STEP_COLORS,
    STEP_TITLES,
    faded,
    setting_color,
    turn_ticks,
)
from memviz.charts.setting_run import SettingRun
from memviz.charts.text import escaped
from memviz.charts.turn_axis import axis_ticks, axis_title, turn_partings
from memviz.metrics.memory_map.fate_grid import Grid, View, grid
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.steps import STEPS
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.text.wording import message_number

CHAR_PIXELS = 7
"""The room beside the axis for each character of the largest number of a message."""
ROW_PIXELS = 18
"""The height of a row at most."""
STRIP_PIXELS = 18
"""The room above the rows for the marks of summarizations."""
WIDEST_PIXELS, HOVER_PIXELS = 1000, 20
"""How wide a map can become, and how far from its point a cell can be pointed at at least (Plotly's own number)."""
MOST_COLUMNS_WITH_GAPS, ROW_PIXELS_WITH_GAPS = 60, 4
"""Up to so many columns, and from so high a row on, cells are drawn apart."""
NAME_PIXELS = 14
LARGE_TICKS = 12
PARTING = faded(PART_COLORS["system"], 0.6)


class MapSize(NamedTuple):
    """How large a map is drawn. ``rows_pixels`` is the height of all rows at most: each has a whole number of pixels,
    so that they look alike. A name has at most so many ``lines`` of ``line_chars``. ``left_pixels`` are beside the
    numbers of messages, whose axis has a title only if ``names_messages``; ``most_ticks`` are on the axis of turns."""

    rows_pixels: int
    line_chars: int
    lines: int
    left_pixels: int
    names_messages: bool
    most_ticks: int | None = None

    @property
    def top_pixels(self) -> int:
        """The room for the name."""
        return 22 + (self.lines - 1) * (NAME_PIXELS + 5)


OWN_CLICKS = "own-clicks"
"""Marks points whose click says a setting, a turn and a message, so that nothing else may say it."""
BOTTOM_PIXELS, RIGHT_PIXELS = 44, 4
LARGE = MapSize(
    rows_pixels=400, line_chars=44, lines=2, left_pixels=44, names_messages=True
)
"""For a map that has the width of a page."""
SMALL_ROWS_PIXELS, SMALLEST_ROWS_PIXELS, MANY_MAPS = 200, 160, 4
SMALL_LINES = 4


def beside_others(labels: Sequence[str]) -> MapSize:
    """The size of maps that are seen at once, one for each label: up to three stand side by side, more in two rows."""
    many, chars = len(labels) >= MANY_MAPS, LARGE.line_chars if len(labels) == 1 else 15
    lines = min(SMALL_LINES, max(len(wrap(label, chars)) for label in labels))
    return MapSize(
        SMALLEST_ROWS_PIXELS if many else SMALL_ROWS_PIXELS,
        chars,
        lines,
        34,
        names_messages=True,
        most_ticks=4,
    )


def map_of(setting: SettingRun, view: View, size: MapSize = LARGE) -> go.Figure:
    """The map of one setting over ``view``. Points carry the place of the request (x) and the number of the message
    (y, 1-based) of the middle of their cell."""
    fates = fate_map(setting.run)
    cells, axis = grid(fates, view), RequestAxis.of([fates.turns])
    row_pixels = max(1, min(ROW_PIXELS, size.rows_pixels // len(cells.rows)))
    first, strip = (
        view.positions.start + 0.5,
        STRIP_PIXELS / row_pixels * view.messages_per_cell,
    )
    stop = view.requests.start + len(cells.columns) * view.requests_per_cell
    pending = PendingColumn.of(setting.run, view, stop, int(axis.lasts[-1]))
    x_range = [
        view.requests.start - 0.5,
        stop - 0.5 + (view.requests_per_cell if pending else 0),
    ]
    shapes = [*_parted(axis, view), *(pending.outlines() if pending else ())]
    y_range = [first + len(cells.rows) * view.messages_per_cell, first - strip]
    pixels = row_pixels * len(cells.rows) + STRIP_PIXELS
    left = size.left_pixels + CHAR_PIXELS * len(f"{view.positions.stop:,}")
    margins = {"l": left, "r": RIGHT_PIXELS, "t": size.top_pixels, "b": BOTTOM_PIXELS}
    behind = {"showgrid": False, "zeroline": False, "automargin": False}
    words = {**behind, "showticklabels": False, "ticks": "", "hoverformat": ".1f"}
    layout = {
        "annotations": [_name(setting, size, left), *_first_number(view)],
        "xaxis": {
            **behind,
            "title": {"text": _title(axis, size), "standoff": 6},
            "range": x_range,
            "ticks": "",
            **_ticks(axis, view.requests, size),
        },
        "yaxis": {
            **behind,
            "title": {"text": "message" if size.names_messages else ""},
            "range": y_range,
            "labelalias": {"0": ""},
            **turn_ticks(len(view.positions)),
        },
        "xaxis2": {
            **words,
            "overlaying": "x",
            "matches": "x",
            "labelalias": column_words(setting.run, cells),
        },
        "yaxis2": {
            **words,
            "overlaying": "y",
            "matches": "y",
            "labelalias": row_words(setting.run, cells),
        },
        **({"shapes": shapes} if shapes else {}),
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "dragmode": "zoom",
        "hoverdistance": max(
            HOVER_PIXELS, WIDEST_PIXELS // (2 * max(1, len(cells.columns)))
        ),
        "height": pixels + margins["t"] + margins["b"],
        "margin": margins,
        "uirevision": repr(view),
    }
    return figure(
        [
            _heatmap(cells, row_pixels),
            *_points(setting, cells),
            *marks(setting, cells, first - strip / 2, is_small=size is not LARGE),
            *(
                [pending.mark(first - strip / 2, setting_color(setting.index))]
                if pending
                else ()
            ),
        ],
        layout,
    )


def _title(axis: RequestAxis, size: MapSize) -> str:
    """A narrow map has no room to say what a column is."""
    return (
        "request of turn"
        if size.most_ticks is not None
        else axis_title(axis, "request of turn", "column")
    )


def _parted(axis: RequestAxis, view: View) -> list[dict[str, Any]]:
    """Lines between turns lie over the cells: below them they could not be seen. Wide cells hold several turns."""
    lines = turn_partings(axis, view.requests) if view.requests_per_cell == 1 else []
    over = {"layer": "above", "line": {"width": 1, "color": PARTING}}
    return [{**line, **over} for line in lines]


def _ticks(axis: RequestAxis, shown: range, size: MapSize) -> dict[str, Any]:
    """Numbers of turns that there is room for."""
    turns = len(shown)
    if size.most_ticks is None or not axis.is_by_turn:
        return axis_ticks(axis, shown, size.most_ticks or LARGE_TICKS)
    steps = (
        {
            "dtick": next(
                step for step in (1, 2, 5) if turns <= step * size.most_ticks + 4
            )
        }
        if turns <= 12
        else {}
    )
    return {**turn_ticks(turns), "nticks": size.most_ticks, "tickangle": 0, **steps}


def _first_number(view: View) -> Iterator[dict[str, Any]]:
    """The number of the first message, where the ticks are round numbers and there is none for it."""
    first = message_number(view.positions.start)
    if len(view.positions) > FEW_TURNS and first == 1:
        yield {
            "text": f"{first}",
            "showarrow": False,
            "xref": "paper",
            "x": 0,
            "xanchor": "right",
            "xshift": -3,
            "yref": "y",
            "y": first,
            "yanchor": "middle",
            "font": {"size": NOTE_PIXELS},
        }


def _name(setting: SettingRun, size: MapSize, left: int) -> dict[str, Any]:
    """The name above the map. It is a note, because of a title Plotly shifts the first of several lines out of the
    picture."""
    lines = wrap(setting.label, size.line_chars, max_lines=size.lines, placeholder="…")
    label = "<br>".join(map(escaped, lines))
    return {
        "text": f'<span style="color:{setting_color(setting.index)}">■</span> <b>{label}</b>',
        "showarrow": False,
        "font": {"size": NAME_PIXELS},
        "align": "left",
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "xshift": -left,
        "yref": "paper",
        "y": 1,
        "yanchor": "top",
        "yshift": size.top_pixels,
    }


def _heatmap(cells: Grid, row_pixels: int) -> dict[str, Any]:
    steps = len(STEPS)
    apart = (
        len(cells.columns) <= MOST_COLUMNS_WITH_GAPS
        and row_pixels >= ROW_PIXELS_WITH_GAPS
    )
    colors = [
        [at / steps, color]
        for code, color in enumerate(STEP_COLORS)
        for at in (code, code + 1)
    ]
    return {
        "type": "heatmap",
        "z": cells.codes,
        "zmin": -0.5,
        "zmax": steps - 0.5,
        "colorscale": colors,
        "x0": cells.view.requests.start + (cells.view.requests_per_cell - 1) / 2,
        "dx": cells.view.requests_per_cell,
        "y0": message_number(cells.rows[0].start)
        + (cells.view.messages_per_cell - 1) / 2,
        "dy": cells.view.messages_per_cell,
        "xgap": int(apart),
        "ygap": int(apart),
        "showscale": False,
        "hoverinfo": "skip",
    }


def _points(setting: SettingRun, cells: Grid) -> Iterator[dict[str, Any]]:
    """A point on every cell, one trace for each thing that can have become of a message."""
    for code in np.unique(cells.codes[cells.codes > 0]):
        rows, columns = np.nonzero(cells.codes == code)
        words, numbers = cell_words(setting.run, cells, int(code), rows, columns)
        yield {
            "type": "scatter",
            "x": _middles(
                cells.view.requests.start, cells.view.requests_per_cell, columns
            ),
            "y": _middles(
                message_number(cells.rows[0].start), cells.view.messages_per_cell, rows
            ),
            "xaxis": "x2",
            "yaxis": "y2",
            "mode": "markers",
            "marker": {
                "opacity": 0,
                "size": 1,
                "maxdisplayed": 1,
                "color": "rgba(0,0,0,0)",
            },
            "selected": {"marker": {"opacity": 0}},
            "unselected": {"marker": {"opacity": 0}},
            "name": STEP_TITLES[code],
            "customdata": numbers,
            "meta": OWN_CLICKS,
            "hovertemplate": f"%{{y}}<br>{words}<br>at the request of %{{x}}<extra></extra>",
        }


def _middles(first: int, size: int, places: NDArray[np.intp]) -> NDArray[Any]:
    middles = first + places * size + (size - 1) / 2
    return middles.astype(np.uint16) if size % 2 else middles.astype(np.float32)
