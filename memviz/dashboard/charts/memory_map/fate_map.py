"""The fate of every message at every request, as a map: one column a request, one row a message.

The cells are a heatmap. Streamlit tells of clicks on scattered points only, so a point lies on every cell; all but
one of them are never drawn (``maxdisplayed``), yet each can be pointed at and clicked. What a tooltip says about its
row and its column stands once, as the name of that value on a second pair of axes, and not in every cell. The request
that nobody has answered yet is a hollow column behind all others: it counts nowhere.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.text.wording import message_number
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    GREY,
    INVISIBLE,
    STAYS_UNDRAWN,
    UNDRAWN,
    Part,
    box,
    heat,
    marks,
    note,
    note_at_left,
    pending_marker,
    picture,
    stroke,
)
from memviz.dashboard.charts.memory_map.fate_words import (
    cell_words,
    column_words,
    pending_words,
    row_words,
)
from memviz.dashboard.charts.memory_map.map_marks import fate_marks
from memviz.dashboard.charts.palette import (
    FEW_TURNS,
    STEP_COLORS,
    STEP_TITLES,
    SettingRun,
    fade_color,
    turn_ticks,
)
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, turn_partings
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import Grid, View, build_grid
from memviz.metrics.memory_map.fate_map import build_fate_map, encode_pending_fates
from memviz.metrics.memory_map.stretches import STEPS
from memviz.metrics.requests.request_axis import RequestAxis

CHAR_PIXELS = 7
"""The room beside the axis for each character of the largest number of a message."""
ROW_PIXELS = 18
"""The height of a row at most."""
STRIP_PIXELS = 18
"""The room above the rows for the marks of summarizations."""
WIDEST_PIXELS = 1000
HOVER_PIXELS = 20
"""The widest map, and the distance from its point at which a cell can be pointed at at least (Plotly's own number)."""
MOST_COLUMNS_WITH_GAPS = 60
ROW_PIXELS_WITH_GAPS = 4
"""Up to so many columns, and from so high a row on, cells are drawn apart."""
NAME_PIXELS = 14
LARGE_TICKS = 12
PARTING = fade_color(GREY, 0.6)
PENDING_WIDTH = 0.7
"""The part of a column that is between the outlines of the pending request."""
PENDING_PIXELS = 9
OUTLINE_PIXELS = 2
OWN_CLICKS = "own-clicks"
"""Marks points whose click says a setting, a turn and a message, so that nothing else may say it."""
BOTTOM_PIXELS = 44
RIGHT_PIXELS = 4
MANY_MAPS = 4
SMALL_LINES = 4
SMALL_LINE_CHARS = 15

_BARE = {"showgrid": False, "zeroline": False, "automargin": False}
_OF_WORDS = {**_BARE, "showticklabels": False, "ticks": "", "hoverformat": ".1f"}
_OF_REQUESTS = {**_BARE, "ticks": ""}
_OF_MESSAGES = {**_BARE, "labelalias": {"0": ""}}
_OVER_X = {**_OF_WORDS, "overlaying": "x", "matches": "x"}
_OVER_Y = {**_OF_WORDS, "overlaying": "y", "matches": "y"}
_OVER_PARTING = {"layer": "above", "line": {"width": 1, "color": PARTING}}
_OUTLINE = {
    "xref": "x",
    "yref": "y",
    "layer": "above",
    "name": "pending",
    "fillcolor": INVISIBLE,
}
_LAYOUT: Part = {"over_turns": False, "showlegend": False, "dragmode": "zoom"}
_NAME: Part = {
    "yref": "paper",
    "yanchor": "top",
    "font": {"size": NAME_PIXELS},
    "align": "left",
}
_POINT = {
    "type": "scatter",
    "mode": "markers",
    "xaxis": "x2",
    "yaxis": "y2",
    "marker": {**UNDRAWN, "maxdisplayed": 1},
    **STAYS_UNDRAWN,
    "meta": OWN_CLICKS,
}
_COLORSCALE = [
    [edge / len(STEPS), color]
    for code, color in enumerate(STEP_COLORS)
    for edge in (code, code + 1)
]


class MapSize(NamedTuple):
    """The size of a map."""

    rows_pixels: int
    """The height of all rows at most: each has a whole number of pixels, so that they look alike."""
    line_chars: int
    """The characters of a line of the name."""
    lines: int
    """The lines of the name at most."""
    left_pixels: int
    """The room beside the numbers of messages."""
    most_ticks: int | None = None
    """The ticks of the axis of turns, of a map that has not the width of a page."""

    @property
    def top_pixels(self) -> int:
        """The room for the name."""
        return 22 + (self.lines - 1) * (NAME_PIXELS + 5)

    def margin(self, view: View) -> Part:
        """Return the room around the cells, at the left as wide as the numbers of messages need."""
        digits = len(f"{view.positions.stop:,}")
        return {
            "l": self.left_pixels + CHAR_PIXELS * digits,
            "r": RIGHT_PIXELS,
            "t": self.top_pixels,
            "b": BOTTOM_PIXELS,
        }


LARGE = MapSize(
    rows_pixels=height_pixels.MAP_ROWS, line_chars=44, lines=2, left_pixels=44
)
"""For a map that has the width of a page."""


def size_beside_others(labels: Sequence[str]) -> MapSize:
    """Return the size of maps that are seen at once, one for each label: up to three stand side by side, more in two
    rows."""
    chars = LARGE.line_chars if len(labels) == 1 else SMALL_LINE_CHARS
    most_lines = max(len(wrap(label, chars)) for label in labels)
    pixels = height_pixels.MAP_ROWS_BESIDE_OTHERS
    if len(labels) >= MANY_MAPS:
        pixels = height_pixels.MAP_ROWS_BESIDE_MANY
    return MapSize(pixels, chars, min(SMALL_LINES, most_lines), 34, most_ticks=4)


def draw_fate_map(setting: SettingRun, view: View, size: MapSize = LARGE) -> go.Figure:
    """Return the map of one setting over ``view``. Points carry the place of the request (x) and the number of the
    message (y, 1-based) of the middle of their cell."""
    fates = build_fate_map(setting.run)
    cells = build_grid(fates, view)
    axis = RequestAxis.of([fates.turns])
    row_pixels = max(1, min(ROW_PIXELS, size.rows_pixels // len(cells.rows)))
    rows_pixels = row_pixels * len(cells.rows) + STRIP_PIXELS
    # The axis of messages counts from 1 and downwards: the strip is at smaller numbers.
    top = view.positions.start + 0.5
    bottom = top + len(cells.rows) * view.messages_per_cell
    strip_messages = STRIP_PIXELS / row_pixels * view.messages_per_cell
    middle_of_strip = top - strip_messages / 2
    stop = view.requests.start + len(cells.columns) * view.requests_per_cell
    right = stop - 0.5
    traces = [
        _heatmap(cells, row_pixels),
        *_points(setting, cells),
        *fate_marks(setting, cells, middle_of_strip, is_small=size is not LARGE),
    ]
    shapes = _partings(axis, view)
    if setting.run.pending is not None and _shows_end(axis, view):
        # The request that nobody has answered is one more column, behind all others.
        middle = stop + (view.requests_per_cell - 1) / 2
        right += view.requests_per_cell
        shapes += _pending_outlines(setting.run, view, middle)
        traces.append(_pending_mark(setting, middle, middle_of_strip))

    margin = size.margin(view)
    layout = _axes_of_places(axis, view, size, right, (bottom, top - strip_messages))
    layout |= _axes_of_words(setting.run, cells)
    if shapes:
        layout["shapes"] = shapes
    return picture(
        traces,
        annotations=[_name(setting, size, margin["l"]), *_first_number(view)],
        hoverdistance=_hover_pixels(cells),
        height=rows_pixels + margin["t"] + margin["b"],
        margin=margin,
        uirevision=repr(view),
        **_LAYOUT,
        **layout,
    )


def _shows_end(axis: RequestAxis, view: View) -> bool:
    return view.requests.stop > int(axis.lasts[-1])


def _hover_pixels(cells: Grid) -> int:
    """Return how far from the middle of a cell its tooltip is shown: half of a column."""
    half_column = WIDEST_PIXELS // (2 * max(1, len(cells.columns)))
    return max(HOVER_PIXELS, half_column)


def _axes_of_places(
    axis: RequestAxis, view: View, size: MapSize, right: float, y_range: Sequence[float]
) -> dict[str, Any]:
    """Return the axes that are seen: requests up to ``right``, and messages, of which the
    first is on top."""
    x_axis = {
        **_OF_REQUESTS,
        "title": {"text": _title(axis, size), "standoff": 6},
        "range": [view.requests.start - 0.5, right],
        **_ticks(axis, view.requests, size),
    }
    y_axis = {
        **_OF_MESSAGES,
        "title": {"text": _("message")},
        "range": list(y_range),
        **turn_ticks(len(view.positions)),
    }
    return {"xaxis": x_axis, "yaxis": y_axis}


def _axes_of_words(run: Run, cells: Grid) -> dict[str, Any]:
    """Return axes that nobody sees. Their labels are the words of columns and rows, from
    which tooltips are made."""
    return {
        "xaxis2": {**_OVER_X, "labelalias": column_words(run, cells)},
        "yaxis2": {**_OVER_Y, "labelalias": row_words(run, cells)},
    }


def _title(axis: RequestAxis, size: MapSize) -> str:
    """Return the title of the axis of requests."""
    if size.most_ticks is not None:
        # A narrow map has no room to say what a column is.
        return _("request of turn")
    return axis_title(axis, _("request of turn"), _("column"))


def _partings(axis: RequestAxis, view: View) -> list[Part]:
    """Return the lines between turns, which lie over the cells: below them they could not be seen."""
    if view.requests_per_cell > 1:
        # A cell may hold several turns.
        return []
    return [{**line, **_OVER_PARTING} for line in turn_partings(axis, view.requests)]


def _ticks(axis: RequestAxis, shown: range, size: MapSize) -> Part:
    """Return the ticks of the axis of requests: numbers of turns, as many as there is room for."""
    if size.most_ticks is None or not axis.is_by_turn:
        return axis_ticks(axis, shown, size.most_ticks or LARGE_TICKS)
    turns = len(shown)
    ticks = {**turn_ticks(turns), "nticks": size.most_ticks, "tickangle": 0}
    if turns <= FEW_TURNS:
        # Of few turns the ticks of the page have a step of their own, for which a narrow map has no room.
        for step in (1, 2, 5):
            if turns <= step * size.most_ticks + 4:
                ticks["dtick"] = step
                break
    return ticks


def _first_number(view: View) -> Iterator[Part]:
    """Yield the number of the first message, where the ticks are round numbers and there is none for it."""
    first = message_number(view.positions.start)
    if len(view.positions) > FEW_TURNS and first == 1:
        place = {"xref": "paper", "xanchor": "right", "xshift": -3}
        yield note(f"{first}", 0, first, **place, yref="y", yanchor="middle")


def _name(setting: SettingRun, size: MapSize, left_pixels: int) -> Part:
    """Return the name above the map. It is a note: of a title with several lines Plotly shifts the first one out of the
    picture."""
    lines = wrap(setting.label, size.line_chars, max_lines=size.lines, placeholder="…")
    swatch = f'<span style="color:{setting.color}">■</span>'
    return note_at_left(
        f"{swatch} <b>{'<br>'.join(map(escape_text, lines))}</b>",
        1,
        xshift=-left_pixels,
        yshift=size.top_pixels,
        **_NAME,
    )


def _heatmap(cells: Grid, row_pixels: int) -> Part:
    has_few_columns = len(cells.columns) <= MOST_COLUMNS_WITH_GAPS
    gap = int(has_few_columns and row_pixels >= ROW_PIXELS_WITH_GAPS)
    width = cells.view.requests_per_cell
    height = cells.view.messages_per_cell
    return heat(
        cells.codes,
        -0.5,
        len(STEPS) - 0.5,
        _COLORSCALE,
        gap,
        x0=cells.view.requests.start + (width - 1) / 2,
        dx=width,
        y0=message_number(cells.rows[0].start) + (height - 1) / 2,
        dy=height,
        showscale=False,
    )


def _points(setting: SettingRun, cells: Grid) -> Iterator[Part]:
    """Yield a point on every cell, one trace for each fate that occurs."""
    view = cells.view
    first_message = message_number(cells.rows[0].start)
    # Code 0 is a message that is not yet there, of which nothing can be said.
    for code in np.unique(cells.codes[cells.codes > 0]):
        rows, columns = np.nonzero(cells.codes == code)
        words, numbers = cell_words(setting.run, cells, int(code), rows, columns)
        template = "%{y}<br>" + words + _("<br>at the request of %{x}<extra></extra>")
        yield {
            **_POINT,
            "x": _middles(view.requests.start, view.requests_per_cell, columns),
            "y": _middles(first_message, view.messages_per_cell, rows),
            "name": _(STEP_TITLES[code]),
            "customdata": numbers,
            "hovertemplate": template,
        }


def _middles(
    first: int, size: int, places: NDArray[np.intp]
) -> NDArray[np.uint16 | np.float32]:
    """Return the middles of the cells at these ``places``, of ``size`` requests or messages each."""
    middles = first + places * size + (size - 1) / 2
    # Cells of an odd size have whole numbers in their middle, which take half as many bytes on a page.
    return middles.astype(np.uint16 if size % 2 else np.float32)


def _pending_outlines(run: Run, view: View, middle: float) -> Iterator[Part]:
    """Yield an outline for each stretch of messages of one fate, in the colour of that fate."""
    positions = view.positions
    half = PENDING_WIDTH * view.requests_per_cell / 2
    codes = encode_pending_fates(run)[positions.start : positions.stop].astype(np.int64)
    # A stretch begins wherever the code changes; -1 at both ends is no code, so that the first and the last one count.
    edges = np.flatnonzero(np.diff(np.r_[-1, codes, -1])).tolist()
    top = positions.start + 0.5
    for start, stop in pairwise(edges):
        if codes[start]:
            edge = stroke(OUTLINE_PIXELS, color=STEP_COLORS[codes[start]])
            x = (middle - half, middle + half)
            yield box(x, (top + start, top + stop), line=edge, **_OUTLINE)


def _pending_mark(setting: SettingRun, x: float, y: float) -> Part:
    """Return the hollow point above the column, which says what it is."""
    marker = pending_marker(setting, PENDING_PIXELS)
    words = pending_words(setting.run)
    return marks([x], [y], [words], marker, name="pending", showlegend=False)
