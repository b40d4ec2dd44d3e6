"""What each setting of a sweep costs and how large its requests become: the chart where no facts are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.sweeps.callout import callout
from memviz.dashboard.charts.sweeps.measure_axis import measure_axis
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.points import (
    Points,
    hollow_key,
    point_traces,
    rings,
)
from memviz.dashboard.charts.sweeps.scatter import Limit, scatter
from memviz.dashboard.charts.sweeps.setting_words import (
    rows_by_setting,
    setting_tooltip,
    too_large_words,
)
from memviz.dashboard.charts.sweeps.strategy_marks import strategy_marks

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.results import Over

TITLE = "What each setting costs, and how large its requests become"


def cost_and_peak_chart(
    table: DataFrame,
    measure: str,
    *,
    chosen: int | None = None,
    recommended: int | None = None,
    max_peak_tokens: float | None = None,
    over: Over = "median",
    aside: DataFrame | None = None,
    strategies: Sequence[str] = (),
    title: str = TITLE,
    height: int = 500,
) -> go.Figure:
    """Cost (``measure``: "usd" or "all_tokens") to the right, tokens of the largest request upwards; one point a
    setting. No point is called better than another one: the cheapest and smallest requests are those that forget most.
    The other arguments are those of :func:`memviz.dashboard.charts.sweeps.pareto.pareto_chart`.
    """
    limit = np.inf if max_peak_tokens is None else max_peak_tokens
    points = _points(table, measure, limit, over, aside)
    x_axis = measure_axis(measure, points.x)
    y_axis = measure_axis(
        "peak_tokens", points.y, () if max_peak_tokens is None else (max_peak_tokens,)
    )
    traces = [
        *rings(points, chosen, recommended),
        *point_traces(points, strategy_marks(table, strategies)),
    ]
    traces += [hollow_key(limit)] if points.hollow.any() else []
    return scatter(
        traces,
        {"title": {"text": WORDS[measure].axis_title}, **x_axis},
        {"title": {"text": "largest request (tokens)"}, **y_axis},
        None
        if max_peak_tokens is None
        else Limit(limit, f"At most {limit:,.0f} tokens"),
        callout(table, points, recommended, x_axis, y_axis, max_peak_tokens),
        left_pixels=80,
        title=title,
        height=height,
        uirevision=f"peak {measure}",
    )


def _points(
    table: DataFrame, measure: str, limit: float, over: Over, aside: DataFrame | None
) -> Points:
    rows, others = rows_by_setting(table).values(), rows_by_setting(aside)
    peaks = table["peak_tokens"].to_numpy(dtype=float)
    hollow = peaks > limit
    tooltips = [
        setting_tooltip(
            row,
            others.get(row["setting"]),
            over,
            (too_large_words(row, limit),) if large else (),
        )
        for row, large in zip(rows, hollow.tolist(), strict=True)
    ]
    return Points(
        table[measure].to_numpy(dtype=float),
        peaks,
        table["setting"].to_numpy(dtype=np.int64),
        table["strategy"].to_numpy(dtype=object),
        tooltips,
        np.zeros(len(table), dtype=bool),
        hollow,
    )
