"""Measures over one parameter: a panel a measure, a line a strategy that has the parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.figure import figure
from memviz.dashboard.charts.sweeps.measure_axis import measure_axis
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.parameter_axis import (
    Axis,
    each_once,
    told,
    values_axis,
    values_of,
)
from memviz.dashboard.charts.sweeps.points import GREY, RING_PIXELS
from memviz.dashboard.charts.sweeps.scatter import FONT_PIXELS, LEGEND
from memviz.dashboard.charts.sweeps.setting_words import (
    measure_words,
    rows_by_setting,
    setting_tooltip,
)
from memviz.dashboard.charts.sweeps.strategy_marks import StrategyMark, strategy_marks
from memviz.dashboard.charts.text import escaped

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over

PANEL_PIXELS, GAP_PIXELS = 150, 34
TITLE_PIXELS = 40
MARGINS = {"l": 76, "r": 14, "t": 72, "b": 56}


@dataclass(frozen=True, eq=False)
class _Line:
    """One line: its rows, in the order of the parameter, and its look."""

    mark: StrategyMark
    rows: DataFrame


def setting_lines(
    table: DataFrame,
    x: Axis,
    measures: Sequence[str],
    *,
    by: Axis | None = None,
    thresholds: Mapping[str, float] | None = None,
    chosen: int | None = None,
    recommended: int | None = None,
    over: Over = "median",
    aside: DataFrame | None = None,
    strategies: Sequence[str] = (),
    title: str | None = None,
    knee: float | None = None,
) -> go.Figure:
    """One panel for each of ``measures``, one below the other, over the values of the parameter ``x``.

    ``table`` holds rows of ``Sweep.by_setting(over)``, ``aside`` the same summed up the other way; strategies without
    this parameter are left out. A line is a strategy, or, with ``by``, one value of a second parameter of one strategy.
    ``thresholds`` are drawn dashed, by measure, and a dotted line through all panels marks the ``knee``, a value of
    ``x``. An empty ``title`` takes no room. Points carry the number of their setting (customdata). Raises
    ValueError where two settings of a line have the same ``x``.
    """
    margins = MARGINS if title != "" else {**MARGINS, "t": MARGINS["t"] - TITLE_PIXELS}
    there = (table if x.name in table else table.assign(**{x.name: np.nan})).dropna(
        subset=[x.name]
    )
    each_once(there, (x, by) if by else (x,))
    lines, limits = _lines(there, x, by, strategies), thresholds or {}
    height = len(measures) * PANEL_PIXELS + (len(measures) - 1) * GAP_PIXELS
    traces = [
        trace
        for panel, name in enumerate(measures)
        for trace in _panel(
            lines,
            x,
            name,
            panel + 1,
            (rows_by_setting(aside), over),
            (recommended, chosen),
        )
    ]
    layout: dict[str, Any] = {
        "title": {
            "text": escaped(f"What {x.name} changes" if title is None else title),
            "font": {"size": 16},
            "yref": "container",
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 14},
        },
        "xaxis": {
            **values_axis(x, values_of(there, x)),
            "anchor": f"y{len(measures)}" if len(measures) > 1 else "y",
        },
        "shapes": [
            _threshold(limits[name], panel + 1)
            for panel, name in enumerate(measures)
            if name in limits
        ],
        "annotations": [],
        "legend": LEGEND,
        "showlegend": len(lines) > 1
        or any(_has(lines, one) for one in (recommended, chosen)),
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": height + margins["t"] + margins["b"] + 40,
        "margin": margins,
        "uirevision": f"lines {x.name}",
    }
    for panel, name in enumerate(measures):
        top = 1 - panel * (PANEL_PIXELS + GAP_PIXELS) / height
        values = there[name].to_numpy(dtype=float)
        layout[f"yaxis{panel + 1}"] = {
            **measure_axis(name, values, (limits[name],) if name in limits else ()),
            "automargin": False,
            "domain": [max(0.0, top - PANEL_PIXELS / height), top],
            "zeroline": False,
            "nticks": 5,
        }
        layout["annotations"] += _panel_words(name, top, limits.get(name))
    if knee is not None:
        layout["shapes"].append(_knee_line(knee))
        foot = 1 - PANEL_PIXELS / height
        layout["annotations"].append(
            _knee_words(knee, foot, is_log=layout["xaxis"]["type"] == "log")
        )
    return figure(traces, layout)


def _has(lines: Sequence[_Line], setting: int | None) -> bool:
    return setting is not None and any(
        (line.rows["setting"] == setting).any() for line in lines
    )


def _knee_line(knee: float) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "x0": knee,
        "x1": knee,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"width": 1.5, "dash": "dot", "color": GREY},
    }


def _knee_words(knee: float, foot: float, *, is_log: bool) -> dict[str, Any]:
    """At the foot of the first panel, where a curve that rises leaves room."""
    return {
        "text": f"bends at {knee:g}",
        "x": log10(knee) if is_log else knee,
        "xref": "x",
        "xanchor": "left",
        "xshift": 4,
        "y": foot,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": FONT_PIXELS, "color": GREY},
    }


def _lines(
    table: DataFrame, x: Axis, by: Axis | None, strategies: Sequence[str]
) -> list[_Line]:
    ordered = table.sort_values(x.name)
    if by is None:
        marks = strategy_marks(table, strategies)
        return [_Line(mark, ordered[ordered["strategy"] == mark.id]) for mark in marks]
    return [
        _Line(
            StrategyMark(str(value), told(by, value), index),
            ordered[ordered[by.name] == value],
        )
        for index, value in enumerate(values_of(table, by))
    ]


def _panel(
    lines: Sequence[_Line],
    x: Axis,
    measure: str,
    number: int,
    aside: tuple[dict[int, dict[str, Any]], Over],
    marked: tuple[int | None, int | None],
) -> Iterator[dict[str, Any]]:
    axis = {"xaxis": "x", "yaxis": "y" if number == 1 else f"y{number}"}
    for setting, name, symbol in zip(
        marked, ("Recommended", "Chosen"), ("circle-open", "square-open"), strict=True
    ):
        for line in lines:
            found = line.rows[line.rows["setting"] == setting]
            if len(found) and found[measure].notna().all():
                yield {
                    "type": "scatter",
                    "mode": "markers",
                    **axis,
                    "x": found[x.name].to_numpy(dtype=float),
                    "y": found[measure].to_numpy(dtype=float),
                    "name": name,
                    "legendgroup": name,
                    "showlegend": number == 1,
                    "hoverinfo": "skip",
                    "unselected": {"marker": {"opacity": 1}},
                    "marker": {
                        "symbol": symbol,
                        "size": RING_PIXELS - 3,
                        "color": GREY,
                        "line": {"width": 2.5, "color": GREY},
                    },
                }
    for line in lines:
        rows, mark = rows_by_setting(line.rows), line.mark
        yield {
            "type": "scatter",
            "mode": "lines+markers",
            **axis,
            "x": line.rows[x.name].to_numpy(dtype=float),
            "y": line.rows[measure].to_numpy(dtype=float),
            "name": escaped(mark.title),
            "legendgroup": mark.id,
            "showlegend": number == 1 and len(lines) > 1,
            "line": {"color": mark.color, "dash": mark.dash, "width": 2},
            "marker": {"color": mark.color, "symbol": mark.shape, "size": 8},
            "unselected": {"marker": {"opacity": 1}},
            "customdata": list(rows),
            "hoverinfo": "text",
            "text": [
                setting_tooltip(
                    row, aside[0].get(setting), aside[1], measure_words(row, measure)
                )
                for setting, row in rows.items()
            ],
        }


def _threshold(value: float, panel: int) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y" if panel == 1 else f"y{panel}",
        "y0": value,
        "y1": value,
        "line": {"width": 1, "dash": "dash", "color": GREY},
    }


def _panel_words(
    measure: str, top: float, threshold: float | None
) -> list[dict[str, Any]]:
    """What a panel shows, above it, and what is asked for."""
    words = WORDS[measure]
    text = f"<b>{words.title}</b>" + (
        "" if words.axis_title == words.title else f" ({words.unit})"
    )
    if threshold is not None:
        text += f", {'at most' if words.less_is_better else 'at least'} {words.shown(threshold)}"
    return [
        {
            "text": text,
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": top,
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": FONT_PIXELS},
        }
    ]
