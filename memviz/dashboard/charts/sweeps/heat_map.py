"""One measure over two parameters of one strategy, as a map with one cell a setting.

Streamlit tells of clicks on scattered points only, so a point that is never drawn lies on every cell (as in
:mod:`memviz.dashboard.charts.memory_map.fate_map`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    CELL_SCALE,
    GREY,
    STAYS_UNDRAWN,
    UNDRAWN,
    WHITE_BELOW,
    Part,
    box,
    category_axis,
    heading,
    heat,
    legend_entry,
    marks,
    picture,
    stroke,
)
from memviz.dashboard.charts.sweeps.axes import (
    Axis,
    axis_title,
    axis_value_words,
    counts_by_ratio,
    require_one_setting_a_place,
    round_numbers,
    ticks,
    value_words,
    values_of,
)
from memviz.dashboard.charts.sweeps.measure_words import WORDS, MeasureWords, inline
from memviz.dashboard.charts.sweeps.points import SETTINGS_LEGEND, title_of
from memviz.dashboard.charts.sweeps.setting_words import (
    MEDIANS,
    SettingWords,
    measure_words,
    rows_by_setting,
)

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_WRITTEN = 150
"""Up to so many cells have their value written into them."""
WIDEST_PIXELS = 1100
"""The widest map."""
PLOTLY_HOVER_PIXELS = 20
"""The distance from a point at which Plotly shows its tooltip by itself."""
LEAST_ROWS = 3
"""A map of fewer rows is as high as one of so many, so that the name of the axis has room."""
MARGINS = {"l": 76, "r": 10, "t": 46, "b": 56}
LEGEND_PIXELS = 40
COLORBAR_TICKS = 5
_WHITE = "#FFFFFF"
_BLACK = "#000000"
_COLORBAR = {"thickness": 12, "outlinewidth": 0}
_LAYOUT: Part = {"over_turns": False, "legend": SETTINGS_LEGEND}
_POINT: Part = {
    "mode": "markers+text",
    "textposition": "middle center",
    "textfont": {"color": GREY},
    **STAYS_UNDRAWN,
    "name": "settings",
    "showlegend": False,
}


@dataclass(frozen=True, eq=False)
class _Map:
    """The cells [values of y x values of x]: numbers of settings (-1: none) and values of the measure (NaN: none)."""

    x: list[Any]
    y: list[Any]
    settings: NDArray[np.int64]
    values: NDArray[np.float64]


def setting_map(
    table: DataFrame,
    x: Axis,
    y: Axis,
    measure: str,
    *,
    chosen: int | None = None,
    recommended: int | None = None,
    writer: SettingWords = MEDIANS,
) -> go.Figure:
    """Return ``measure`` over the parameters ``x`` and ``y``, one cell a setting.

    ``table`` holds rows of ``Sweep.by_setting(over)`` of one strategy, about which ``writer`` writes. Bright cells are
    good ones: cheap, or with much retained. ``chosen`` and ``recommended`` are numbers of settings. Points carry the
    number of their setting (customdata), -1 where none was measured. Raises ValueError where two settings fall into one
    cell.
    """
    require_one_setting_a_place(table, (x, y))
    words = WORDS[measure]
    cells = _map(table, x, y, measure)
    strategy = title_of(table["label"].iloc[0]) if len(table) else _("No setting")
    title = _("{title}: {answer}", title=strategy, answer=inline(words.axis_title))
    tooltips = {}
    for number, row in rows_by_setting(table).items():
        tooltips[number] = writer.tooltip(row, *measure_words(row, measure))
    frames, keys = _frames_and_keys(cells, chosen, recommended)
    rows, columns = cells.values.shape
    rows_pixels = max(LEAST_ROWS, rows) * height_pixels.CELL
    foot_pixels = MARGINS["b"]
    if keys:
        foot_pixels += LEGEND_PIXELS
    # A point is reached from anywhere in its cell, in the widest picture too.
    half_column_pixels = WIDEST_PIXELS // (2 * max(columns, 1))
    return picture(
        [*_heatmaps(cells, words), _points(cells, x, y, tooltips), *keys],
        **_LAYOUT,
        title=heading(escape_text(title)),
        xaxis=_axis(x, cells.x),
        yaxis=_axis(y, cells.y),
        shapes=frames,
        showlegend=bool(keys),
        hoverdistance=max(PLOTLY_HOVER_PIXELS, half_column_pixels),
        margin={**MARGINS, "b": foot_pixels},
        height=rows_pixels + MARGINS["t"] + foot_pixels,
        uirevision=f"map {x.name} {y.name} {measure}",
    )


def _map(table: DataFrame, x: Axis, y: Axis, measure: str) -> _Map:
    columns = values_of(table, x)
    rows = values_of(table, y)
    settings = np.full((len(rows), len(columns)), -1)
    values = np.full(settings.shape, np.nan)
    for row in table.dropna(subset=[x.name, y.name]).to_dict("records"):
        cell = rows.index(row[y.name]), columns.index(row[x.name])
        settings[cell] = row["setting"]
        values[cell] = row[measure]
    return _Map(columns, rows, settings, values)


def _axis(axis: Axis, values: list[Any]) -> Part:
    title = {"text": escape_text(axis_title(axis))}
    names = list(map(value_words, values))
    return category_axis(names, automargin=True, title=title, showgrid=False)


def _heatmaps(cells: _Map, words: MeasureWords) -> Iterator[Part]:
    """Yield the cells whose value is written in white, then those in black: a trace has letters of one colour."""
    by_ratio = not words.is_share and counts_by_ratio(cells.values)
    levels = np.log10(cells.values) if by_ratio else cells.values
    finite = levels[np.isfinite(levels)]
    low, high = _ends_of_scale(finite)
    brightness = (levels - low) / (high - low)
    if words.less_is_better:
        brightness = (high - levels) / (high - low)
    colorbar = {**_COLORBAR, **_colorbar_ticks(words, low, high, by_ratio)}
    # A cell without a value is NaN, which is neither below nor above: it belongs to none.
    is_dark = brightness < WHITE_BELOW
    is_bright = brightness >= WHITE_BELOW
    for letters, is_member in ((_WHITE, is_dark), (_BLACK, is_bright)):
        yield heat(
            np.where(is_member, levels, np.nan),
            low,
            high,
            CELL_SCALE,
            2,
            reversescale=words.less_is_better,
            textfont={"color": letters},
            # One of the two shows the scale for both.
            showscale=letters == _WHITE and bool(finite.size),
            colorbar=colorbar,
            **_cell_texts(cells, words, is_member),
        )


def _ends_of_scale(levels: NDArray[np.float64]) -> tuple[float, float]:
    """Return the levels of the darkest and of the brightest colour. A single level stands in the middle of its
    scale."""
    if not levels.size:
        return 0.0, 1.0
    low = float(levels.min())
    high = float(levels.max())
    if low >= high:
        return low - 0.5, high + 0.5
    return low, high


def _cell_texts(cells: _Map, words: MeasureWords, is_member: NDArray[np.bool_]) -> Part:
    """Return the values in the cells of one trace. Plotly fits the longest text of a trace into its cells: with an
    empty line above and below it becomes no larger than other text, and padding makes both traces alike."""
    if cells.values.size > MOST_WRITTEN:
        return {}
    texts = [list(map(words.shown, row)) for row in cells.values.tolist()]
    lengths = [len(text) for row in texts for text in row]
    longest = max(lengths, default=0)
    rows = []
    for texts_of_row, members in zip(texts, is_member.tolist(), strict=True):
        row = []
        for text, is_own in zip(texts_of_row, members, strict=True):
            own_text = text if is_own else ""
            row.append(f" <br>{own_text.center(longest)}<br> ")
        rows.append(row)
    return {"text": rows, "texttemplate": "%{text}"}


def _colorbar_ticks(
    words: MeasureWords, low: float, high: float, by_ratio: bool
) -> Part:
    if not by_ratio:
        return {"nticks": COLORBAR_TICKS, **ticks(words, high - low)}
    values = round_numbers(low, high)
    texts = [words.shown(value) for value in values]
    return {"tickvals": np.log10(values).tolist(), "ticktext": texts}


def _points(cells: _Map, x: Axis, y: Axis, tooltip_of: dict[int, str]) -> Part:
    """Return a point on every cell, with a dash on those whose setting was not measured."""
    rows, columns = np.indices(cells.settings.shape).reshape(2, -1)
    settings = cells.settings.ravel().tolist()
    tooltips = []
    signs = []
    for setting, row, column in zip(settings, rows, columns, strict=True):
        if setting >= 0:
            tooltips.append(tooltip_of[setting])
            signs.append("")
        else:
            across = axis_value_words(x, cells.x[column])
            up = axis_value_words(y, cells.y[row])
            lines = [escape_text(across), escape_text(up), _("Not measured.")]
            tooltips.append("<br>".join(lines))
            signs.append("–")
    about = {"customdata": settings, "hovertext": tooltips}
    return marks(columns, rows, signs, UNDRAWN, **about, **_POINT)


def _frames_and_keys(
    cells: _Map, chosen: int | None, recommended: int | None
) -> tuple[list[Part], list[Part]]:
    """Return the frames of these two settings, and their entries of the legend."""
    frames = []
    keys = []
    for name, setting, dash in (
        (_("Chosen"), chosen, "dot"),
        (_("Recommended"), recommended, "solid"),
    ):
        boxes = list(_frame(cells, setting, dash))
        frames += boxes
        if boxes:
            keys.append(legend_entry(name, mode="lines", line=stroke(2.5, dash)))
    return frames, keys


def _frame(cells: _Map, setting: int | None, dash: str) -> Iterator[Part]:
    """Yield a white frame within a black one, which is seen on every colour of the scale, on a light page and on a dark
    one."""
    # Cells without a setting have the number -1, which is nobody's choice.
    if setting is None or setting < 0:
        return
    for row, column in np.argwhere(cells.settings == setting).tolist():
        x = (column - 0.48, column + 0.48)
        y = (row - 0.46, row + 0.46)
        yield box(x, y, line=stroke(6, "solid", _BLACK))
        yield box(x, y, line=stroke(2.5, dash, _WHITE))
