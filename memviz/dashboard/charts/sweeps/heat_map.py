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

from memviz.dashboard.charts.figure import figure
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.sweeps.measure_axis import (
    counts_by_ratio,
    round_numbers,
    ticks,
)
from memviz.dashboard.charts.sweeps.measure_words import WORDS, MeasureWords, inline
from memviz.dashboard.charts.sweeps.parameter_axis import (
    Axis,
    axis_title,
    each_once,
    told,
    value_words,
    values_of,
)
from memviz.dashboard.charts.sweeps.setting_words import (
    measure_words,
    rows_by_setting,
    setting_tooltip,
)
from memviz.dashboard.charts.sweeps.strategy_marks import title_of
from memviz.dashboard.charts.text import escaped

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over

SCALE = "Cividis"
"""Even steps of lightness, the same for eyes without red or green cones; its bright end is always the good one."""
MOST_WRITTEN = 150
"""Up to so many cells have their value written into them."""
DARK_BELOW = 0.47
"""Share of the scale from its dark end up to which white is read better on it than black."""
CELL_PIXELS, WIDEST_PIXELS = 46, 1100
LEAST_ROWS = 3
"""A map of fewer rows is as high as one of so many, so that the name of the axis has room."""
MARGINS = {"l": 76, "r": 10, "t": 46, "b": 56}
COLORBAR_TICKS = 5


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
    over: Over = "median",
    aside: DataFrame | None = None,
    title: str | None = None,
) -> go.Figure:
    """The map of ``measure`` over the parameters ``x`` and ``y``.

    ``table`` holds rows of ``Sweep.by_setting(over)`` of one strategy; ``aside`` the same summed up the other way.
    Bright cells are good ones: cheap, or with much retained. ``chosen`` and ``recommended`` are numbers of settings.
    Points carry the number of their setting (customdata), -1 where none was measured. Raises ValueError where two
    settings fall into one cell.
    """
    each_once(table, (x, y))
    words, cells = WORDS[measure], _map(table, x, y, measure)
    heading = (
        title
        or f"{title_of(table['label'].iloc[0]) if len(table) else 'No setting'}: {inline(words.axis_title)}"
    )
    rows, columns = cells.values.shape
    layout = {
        "title": {"text": escaped(heading), "font": {"size": 16}},
        "xaxis": _axis(x, cells.x),
        "yaxis": _axis(y, cells.y),
        "shapes": [*_frame(cells, chosen, "dot"), *_frame(cells, recommended, "solid")],
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "hoverdistance": max(20, WIDEST_PIXELS // (2 * max(columns, 1))),
        "margin": MARGINS,
        "height": max(LEAST_ROWS, rows) * CELL_PIXELS + MARGINS["t"] + MARGINS["b"],
        "uirevision": f"map {x.name} {y.name} {measure}",
    }
    others = rows_by_setting(aside)
    tooltips = {
        number: setting_tooltip(
            row, others.get(number), over, measure_words(row, measure)
        )
        for number, row in rows_by_setting(table).items()
    }
    return figure([*_heatmaps(cells, words), _points(cells, x, y, tooltips)], layout)


def _map(table: DataFrame, x: Axis, y: Axis, measure: str) -> _Map:
    columns, rows = values_of(table, x), values_of(table, y)
    settings, values = (
        np.full((len(rows), len(columns)), -1),
        np.full((len(rows), len(columns)), np.nan),
    )
    for row in table.dropna(subset=[x.name, y.name]).to_dict("records"):
        at = rows.index(row[y.name]), columns.index(row[x.name])
        settings[at], values[at] = row["setting"], row[measure]
    return _Map(columns, rows, settings, values)


def _axis(axis: Axis, values: list[Any]) -> dict[str, Any]:
    return {
        "automargin": True,
        "title": {"text": escaped(axis_title(axis))},
        "showgrid": False,
        "zeroline": False,
        "tickmode": "array",
        "tickvals": list(range(len(values))),
        "ticktext": [*map(value_words, values)],
        "range": [-0.5, max(len(values), 1) - 0.5],
    }


def _heatmaps(cells: _Map, words: MeasureWords) -> Iterator[dict[str, Any]]:
    """The cells: those whose value is written in black, and those in white."""
    by_ratio = not words.is_share and counts_by_ratio(cells.values)
    shown = np.log10(cells.values) if by_ratio else cells.values
    known = shown[np.isfinite(shown)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
    brightness = (high - shown if words.less_is_better else shown - low) / (high - low)
    values = {
        "type": "heatmap",
        "zmin": low,
        "zmax": high,
        "colorscale": SCALE,
        "reversescale": words.less_is_better,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
    }
    for color, there in (
        ("#FFFFFF", brightness < DARK_BELOW),
        ("#000000", brightness >= DARK_BELOW),
    ):
        yield {
            **values,
            "z": np.where(there, shown, np.nan),
            "textfont": {"color": color},
            **_written(cells, words, there),
            "showscale": color == "#FFFFFF" and bool(known.size),
            "colorbar": {
                "thickness": 12,
                "outlinewidth": 0,
                **_colorbar_ticks(words, low, high, by_ratio),
            },
        }


def _written(
    cells: _Map, words: MeasureWords, there: NDArray[np.bool_]
) -> dict[str, Any]:
    """The values in the cells. Plotly fits the longest text of a trace into its cells: with an empty line above and
    below it becomes no larger than other text, and padding makes both traces alike."""
    if cells.values.size > MOST_WRITTEN:
        return {}
    texts = [[words.shown(value) for value in row] for row in cells.values.tolist()]
    longest = max((len(text) for row in texts for text in row), default=0)
    written = [
        [
            f" <br>{(text if here else '').center(longest)}<br> "
            for text, here in zip(row, places, strict=True)
        ]
        for row, places in zip(texts, there.tolist(), strict=True)
    ]
    return {"text": written, "texttemplate": "%{text}"}


def _colorbar_ticks(
    words: MeasureWords, low: float, high: float, by_ratio: bool
) -> dict[str, Any]:
    if not by_ratio:
        return {"nticks": COLORBAR_TICKS, **ticks(words, high - low)}
    values = round_numbers(low, high)
    return {
        "tickvals": np.log10(values).tolist(),
        "ticktext": [words.shown(value) for value in values],
    }


def _points(cells: _Map, x: Axis, y: Axis, words: dict[int, str]) -> dict[str, Any]:
    """A point on every cell, that of a setting that was not measured, too."""
    rows_at, columns_at = np.indices(cells.settings.shape).reshape(2, -1)
    numbers = cells.settings.ravel().tolist()
    tooltips = [
        words[number]
        if number >= 0
        else f"{escaped(told(x, cells.x[column]))}<br>{escaped(told(y, cells.y[row]))}<br>Not measured."
        for number, row, column in zip(
            numbers, rows_at.tolist(), columns_at.tolist(), strict=True
        )
    ]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": columns_at,
        "y": rows_at,
        "customdata": numbers,
        "marker": {"opacity": 0, "size": 1, "color": "rgba(0,0,0,0)"},
        "text": ["" if number >= 0 else "–" for number in numbers],
        "textposition": "middle center",
        "textfont": {"color": PART_COLORS["system"]},
        "hovertext": tooltips,
        "hoverinfo": "text",
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "name": "settings",
    }


def _frame(cells: _Map, setting: int | None, dash: str) -> Iterator[dict[str, Any]]:
    """A white frame within a black one: it is seen on every colour of the scale, on a light page and on a dark one."""
    for row, column in (
        np.argwhere(cells.settings == setting).tolist()
        if setting is not None and setting >= 0
        else []
    ):
        place = {
            "x0": column - 0.48,
            "x1": column + 0.48,
            "y0": row - 0.46,
            "y1": row + 0.46,
        }
        for width, color, dashed in ((6, "#000000", "solid"), (2.5, "#FFFFFF", dash)):
            yield {
                "type": "rect",
                **place,
                "line": {"width": width, "color": color, "dash": dashed},
            }
