"""What each setting of a sweep costs and what it keeps, and the front: the settings that no other one beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from memviz.charts.figure import figure
from memviz.charts.sweeps.callout import callout
from memviz.charts.sweeps.measure_axis import measure_axis
from memviz.charts.sweeps.measure_words import WORDS, percent
from memviz.charts.sweeps.points import (
    GREY,
    Points,
    hollow_key,
    pale_key,
    point_traces,
    rings,
)
from memviz.charts.sweeps.setting_words import beaten_words, rows_by_setting, setting_tooltip, too_large_words
from memviz.charts.sweeps.strategy_marks import strategy_marks
from memviz.charts.text import escaped
from memviz.tuning.pareto import beaten_by

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over

MARGINS = {"l": 64, "r": 14, "t": 50, "b": 50}
LEGEND = {"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0, "groupclick": "togglegroup",
          "itemwidth": 30, "font": {"size": 12}}  # fmt: skip
"""At the lower end of the figure, however many lines it takes."""
TITLE = "What each setting costs, and what it keeps"


def pareto_chart(
    table: DataFrame,
    measure: str,
    *,
    chosen: int | None = None,
    recommended: int | None = None,
    min_retention: float | None = None,
    max_peak_tokens: float | None = None,
    over: Over = "median",
    aside: DataFrame | None = None,
    strategies: Sequence[str] = (),
    title: str = TITLE,
    height: int = 500,
) -> go.Figure:
    """Cost (``measure``: "usd" or "all_tokens") to the right, the share of facts kept upwards; one point a setting.

    ``table`` holds rows of ``Sweep.by_setting(over)``, ``aside`` the same settings summed up the other way, for the
    tooltips. ``chosen`` and ``recommended`` are numbers of settings. Settings below ``min_retention`` (0 to 1) lie
    under a dashed line; those with a request over ``max_peak_tokens`` are hollow. ``strategies`` keeps colours in
    place, see :func:`memviz.charts.sweeps.strategy_marks.strategy_marks`. The front is that of the settings in the
    table; what could not be run over every conversation, or has no cost or no facts, is not on it. Points carry the
    number of their setting (customdata).
    """
    points, winners = _points(table, measure, max_peak_tokens, over, aside)
    x_axis = measure_axis(measure, points.x)
    y_axis = measure_axis("retention", points.y, () if min_retention is None else (min_retention,))
    marks = strategy_marks(table, strategies)
    traces = [_front(points, x_axis), *rings(points, chosen, recommended), *point_traces(points, marks)]
    traces += [pale_key()] if (winners >= 0).any() else []
    traces += [hollow_key(max_peak_tokens)] if max_peak_tokens is not None and points.hollow.any() else []
    layout = {
        "title": {"text": escaped(title), "font": {"size": 16}},
        "xaxis": {"automargin": True, "title": {"text": WORDS[measure].axis_title}, "zeroline": False, **x_axis},
        "yaxis": {"automargin": False, "title": {"text": "facts kept (% of those stated so far)"}, "zeroline": False,
                  **y_axis},
        "shapes": [threshold_line(min_retention)] if min_retention is not None else [],
        "annotations": [
            *([_threshold_label(min_retention)] if min_retention is not None else []),
            *callout(table, points, recommended, x_axis, y_axis),
        ],
        "legend": LEGEND,
        "hovermode": "closest", "hoverlabel": {"align": "left"}, "height": height, "margin": MARGINS,
        "uirevision": f"pareto {measure}",
    }  # fmt: skip
    return figure(traces, layout)


def _points(
    table: DataFrame, measure: str, max_peak_tokens: float | None, over: Over, aside: DataFrame | None
) -> tuple[Points, Any]:
    """The points, and for each the place of the one that beats it (-1: none)."""
    rows, others = list(rows_by_setting(table).values()), rows_by_setting(aside)
    costs, gains = (table[name].to_numpy(dtype=float) for name in (measure, "retention"))
    compared = np.array([not row.get("failed", 0) for row in rows], dtype=bool)
    winners = beaten_by(costs, np.where(compared, gains, np.nan))
    hollow = table["peak_tokens"].to_numpy(dtype=float) > (np.inf if max_peak_tokens is None else max_peak_tokens)
    tooltips = [
        setting_tooltip(row, others.get(row["setting"]), over, (
            *([too_large_words(row, max_peak_tokens)] if max_peak_tokens is not None and hollow[at] else []),
            *([beaten_words(row, rows[winner], measure)] if winner >= 0 else []),
        )) for at, (row, winner) in enumerate(zip(rows, winners.tolist(), strict=True))
    ]  # fmt: skip
    points = Points(
        costs, gains, table["setting"].to_numpy(dtype=np.int64), table["strategy"].to_numpy(dtype=object), tooltips,
        (winners >= 0) | ~compared, hollow,
    )  # fmt: skip
    return points, winners


def _front(points: Points, x_axis: dict[str, Any]) -> dict[str, Any]:
    """The most that any amount keeps: a step up at every setting on the front, and on to the right end."""
    where = np.flatnonzero(~points.pale & np.isfinite(points.x) & np.isfinite(points.y))
    where = where[np.argsort(points.x[where], kind="stable")]
    end = x_axis["range"][1]
    ends = [10.0**end if x_axis["type"] == "log" else end] if where.size else []
    return {
        "type": "scatter", "mode": "lines", "x": np.array([*points.x[where], *ends]),
        "y": np.array([*points.y[where], *points.y[where][-1:]]),
        "line": {"shape": "hv", "width": 1.5, "color": GREY}, "hoverinfo": "skip",
        "name": "Front: none is better",
    }  # fmt: skip


def threshold_line(value: float, axis: str = "y") -> dict[str, Any]:
    """A thin dashed line across the chart."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": axis, "y0": value, "y1": value,
            "line": {"width": 1, "dash": "dash", "color": GREY}}  # fmt: skip


def _threshold_label(min_retention: float) -> dict[str, Any]:
    return {
        "text": f"at least {percent(min_retention)}", "x": 0, "xref": "paper", "xanchor": "left",
        "y": min_retention, "yanchor": "bottom", "showarrow": False, "font": {"size": 11, "color": GREY},
    }  # fmt: skip
