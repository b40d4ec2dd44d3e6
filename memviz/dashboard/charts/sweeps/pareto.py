"""What each setting of a sweep costs and what it keeps, and the front: the settings that no other one beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import counted
from memviz.dashboard.charts.sweeps.callout import callout
from memviz.dashboard.charts.sweeps.measure_axis import measure_axis
from memviz.dashboard.charts.sweeps.measure_words import WORDS, percent
from memviz.dashboard.charts.sweeps.points import (
    GREY,
    Points,
    hollow_key,
    pale_key,
    point_traces,
    rings,
)
from memviz.dashboard.charts.sweeps.scatter import Limit, scatter
from memviz.dashboard.charts.sweeps.setting_words import (
    beaten_words,
    rows_by_setting,
    setting_tooltip,
    too_large_words,
)
from memviz.dashboard.charts.sweeps.strategy_marks import strategy_marks
from memviz.tuning.pareto import beaten_by

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over

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

    ``table`` holds rows of ``Sweep.by_setting(over)``, ``aside`` the same settings
    summed up the other way, for the tooltips. ``chosen`` and ``recommended`` are
    numbers of settings. Settings below ``min_retention`` (0 to 1) lie under a dashed
    line; those with a request over ``max_peak_tokens`` are hollow. ``strategies`` keeps
    colours in place, see
    :func:`memviz.dashboard.charts.sweeps.strategy_marks.strategy_marks`. The front is
    that of the settings in the table; what could not be run over every conversation, or
    has no cost or no facts, is not on it. Points carry the number of their setting
    (customdata).
    """
    points, winners = _points(table, measure, max_peak_tokens, over, aside)
    x_axis = measure_axis(measure, points.x)
    y_axis = measure_axis(
        "retention", points.y, () if min_retention is None else (min_retention,)
    )
    marks = strategy_marks(table, strategies)
    traces = [
        _front(points, x_axis),
        *rings(points, chosen, recommended),
        *point_traces(points, marks),
    ]
    traces += [pale_key()] if (winners >= 0).any() else []
    traces += (
        [hollow_key(max_peak_tokens)]
        if max_peak_tokens is not None and points.hollow.any()
        else []
    )
    return scatter(
        traces,
        {"title": {"text": WORDS[measure].axis_title}, **x_axis},
        {"title": {"text": "facts kept (%)"}, **y_axis},
        None
        if min_retention is None
        else Limit(min_retention, f"At least {percent(min_retention)}"),
        callout(table, points, recommended, x_axis, y_axis, min_retention),
        left_pixels=64,
        title=title,
        height=height,
        uirevision=f"pareto {measure}",
    )


def _points(
    table: DataFrame,
    measure: str,
    max_peak_tokens: float | None,
    over: Over,
    aside: DataFrame | None,
) -> tuple[Points, Any]:
    """The points, and for each the place of the one that beats it (-1: none)."""
    rows, others = list(rows_by_setting(table).values()), rows_by_setting(aside)
    costs, gains = (
        table[name].to_numpy(dtype=float) for name in (measure, "retention")
    )
    compared = np.array([not row.get("failed", 0) for row in rows], dtype=bool)
    winners = beaten_by(costs, np.where(compared, gains, np.nan))
    hollow = table["peak_tokens"].to_numpy(dtype=float) > (
        np.inf if max_peak_tokens is None else max_peak_tokens
    )
    tooltips = [
        setting_tooltip(
            row,
            others.get(row["setting"]),
            over,
            (
                *(
                    [too_large_words(row, max_peak_tokens)]
                    if max_peak_tokens is not None and hollow[at]
                    else []
                ),
                *([beaten_words(row, rows[winner], measure)] if winner >= 0 else []),
            ),
        )
        for at, (row, winner) in enumerate(zip(rows, winners.tolist(), strict=True))
    ]
    points = Points(
        costs,
        gains,
        table["setting"].to_numpy(dtype=np.int64),
        table["strategy"].to_numpy(dtype=object),
        tooltips,
        (winners >= 0) | ~compared,
        hollow,
    )
    return points, winners


def _front(points: Points, x_axis: dict[str, Any]) -> dict[str, Any]:
    """The most that any amount keeps: a step up at every setting on the front, and on to the right end."""
    where = np.flatnonzero(~points.pale & np.isfinite(points.x) & np.isfinite(points.y))
    where = where[np.argsort(points.x[where], kind="stable")]
    end = x_axis["range"][1]
    ends = [10.0**end if x_axis["type"] == "log" else end] if where.size else []
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.array([*points.x[where], *ends]),
        "y": np.array([*points.y[where], *points.y[where][-1:]]),
        "line": {"shape": "hv", "width": 1.5, "color": GREY},
        "hoverinfo": "skip",
        "name": "Best trade-offs",
    }


def pareto_finding(table: DataFrame, measure: str) -> str:
    """The best trade-offs in one sentence: how many there are, and the two ends."""
    ends = table[table["front"]].sort_values([measure, "setting"]).to_dict("records")
    if not ends:
        return (
            f"None of {counted(len(table), 'setting')} has both a cost and facts kept."
        )
    told = [
        f"{row['label']} ({WORDS[measure].shown(row[measure])}, {percent(row['retention'])} of the facts)"
        for row in (ends[0], ends[-1])
    ]
    if len(ends) == 1:
        return f"Of {counted(len(table), 'setting')} {told[0]} is best in both cost and facts kept."
    return f"Of {len(table):,} settings {len(ends):,} are the best trade-offs, from {told[0]} to {told[1]}."
