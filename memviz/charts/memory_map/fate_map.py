"""What became of every message at every request, as a map: one column a turn, one row a message.

The cells are a heatmap. Streamlit tells of clicks on scattered points only, so a point lies on every cell; all but
one of them are never drawn (``maxdisplayed``), yet each can be pointed at and clicked. What a tooltip says about its
row and its column stands once, as the name of that value on a second pair of axes, and not in every cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.charts.figure import figure
from memviz.charts.memory_map.fate_marks import marks
from memviz.charts.memory_map.fate_words import cell_words, column_words, row_words
from memviz.charts.palette import STEP_COLORS, STEP_TITLES, setting_color, turn_ticks
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.charts.text import escaped, label_lines
from memviz.metrics.memory_map.fate_grid import Grid, View, grid
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.steps import STEPS
from memviz.text.wording import message_number

MARGINS = {"l": 64, "r": 4, "t": 40, "b": 52}
FIVE_DIGITS, DIGIT_PIXELS = 10_000, 14
"""Numbers of messages with five digits need more room beside the axis."""
ROWS_PIXELS = 400
"""The height of all rows at most; each has a whole number of pixels, so that they look alike."""
ROW_PIXELS = 18
"""The height of a row at most."""
STRIP_PIXELS = 18
"""The room above the rows for the marks of summarizations."""
WIDEST_PIXELS, HOVER_PIXELS = 1000, 20
"""How wide a map can become, and how far from its point a cell can be pointed at at least (Plotly's own number)."""
MOST_WITH_GAPS = 60, 100
"""Columns and rows up to which cells are drawn apart."""
LABEL_CHARS = 44
TITLE_LINES, LINE_PIXELS = 2, 20
"""The margin has room for so many lines of a title; each further one makes it taller."""


def map_of(setting: SettingRun, view: View) -> go.Figure:
    """The map of one setting over ``view``. Points carry the turn (x) and the number of the message (y, 1-based)
    of the middle of their cell."""
    cells = grid(fate_map(setting.run), view)
    row_pixels = max(1, min(ROW_PIXELS, ROWS_PIXELS // len(cells.rows)))
    first, strip = view.positions.start + 0.5, STRIP_PIXELS / row_pixels * view.messages_per_cell
    x_range = [view.turns.start - 0.5, view.turns.start + len(cells.columns) * view.turns_per_cell - 0.5]
    y_range = [first + len(cells.rows) * view.messages_per_cell, first - strip]
    pixels = row_pixels * len(cells.rows) + STRIP_PIXELS
    margins = {**MARGINS, "l": MARGINS["l"] + (view.positions.stop >= FIVE_DIGITS) * DIGIT_PIXELS,
               "t": MARGINS["t"] + max(0, len(_title_lines(setting)) - TITLE_LINES) * LINE_PIXELS}  # fmt: skip
    behind = {"showgrid": False, "zeroline": False, "automargin": False}
    words = {**behind, "showticklabels": False, "ticks": "", "hoverformat": ".1f"}
    layout = {
        "title": {"text": _title(setting), "font": {"size": 15},
                  "x": 0, "xanchor": "left", "y": 0.97, "yanchor": "top"},
        "xaxis": {**behind, "title": {"text": "request of turn"}, "range": x_range,
                  **turn_ticks(len(view.turns))},
        "yaxis": {**behind, "title": {"text": "message"}, "range": y_range,
                  "labelalias": {"0": ""}, **turn_ticks(len(view.positions))},
        "xaxis2": {**words, "overlaying": "x", "matches": "x", "labelalias": column_words(setting.run, cells)},
        "yaxis2": {**words, "overlaying": "y", "matches": "y", "labelalias": row_words(setting.run, cells)},
        "showlegend": False, "hovermode": "closest", "hoverlabel": {"align": "left"}, "dragmode": "zoom",
        "hoverdistance": max(HOVER_PIXELS, WIDEST_PIXELS // (2 * len(cells.columns))),
        "height": pixels + margins["t"] + margins["b"], "margin": margins, "uirevision": repr(view),
    }  # fmt: skip
    return figure([_heatmap(cells), *_points(setting, cells), *marks(setting, cells, first - strip / 2)], layout)


def _title_lines(setting: SettingRun) -> list[str]:
    return label_lines(setting.label, LABEL_CHARS)


def _title(setting: SettingRun) -> str:
    label = "<br>".join(map(escaped, _title_lines(setting)))
    return f'<span style="color:{setting_color(setting.index)}">■</span> <b>{label}</b>'


def _heatmap(cells: Grid) -> dict[str, Any]:
    steps = len(STEPS)
    apart = (len(cells.columns) <= MOST_WITH_GAPS[0], len(cells.rows) <= MOST_WITH_GAPS[1])
    colors = [[at / steps, color] for code, color in enumerate(STEP_COLORS) for at in (code, code + 1)]
    return {
        "type": "heatmap", "z": cells.codes, "zmin": -0.5, "zmax": steps - 0.5, "colorscale": colors,
        "x0": cells.columns[0].start + (cells.view.turns_per_cell - 1) / 2, "dx": cells.view.turns_per_cell,
        "y0": message_number(cells.rows[0].start) + (cells.view.messages_per_cell - 1) / 2,
        "dy": cells.view.messages_per_cell,
        "xgap": int(apart[0]), "ygap": int(apart[1]), "showscale": False, "hoverinfo": "skip",
    }  # fmt: skip


def _points(setting: SettingRun, cells: Grid) -> Iterator[dict[str, Any]]:
    """A point on every cell, one trace for each thing that can have become of a message."""
    for code in np.unique(cells.codes[cells.codes > 0]):
        rows, columns = np.nonzero(cells.codes == code)
        words, numbers = cell_words(setting.run, cells, int(code), rows, columns)
        yield {
            "type": "scatter",
            "x": _middles(cells.columns[0].start, cells.view.turns_per_cell, columns),
            "y": _middles(message_number(cells.rows[0].start), cells.view.messages_per_cell, rows),
            "xaxis": "x2",
            "yaxis": "y2",
            "mode": "markers",
            "marker": {"opacity": 0, "size": 1, "maxdisplayed": 1, "color": "rgba(0,0,0,0)"},
            "selected": {"marker": {"opacity": 0}},
            "unselected": {"marker": {"opacity": 0}},
            "name": STEP_TITLES[code],
            "customdata": numbers,
            "hovertemplate": f"%{{y}}<br>{words}<br>at the request of %{{x}}<extra></extra>",
        }


def _middles(first: int, size: int, places: NDArray[np.intp]) -> NDArray[Any]:
    middles = first + places * size + (size - 1) / 2
    return middles.astype(np.uint16) if size % 2 else middles.astype(np.float32)
