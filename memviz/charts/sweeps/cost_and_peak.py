"""What each setting of a sweep costs and how large its requests become: the chart where no facts are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.charts.figure import figure
from memviz.charts.sweeps.callout import callout
from memviz.charts.sweeps.measure_axis import measure_axis
from memviz.charts.sweeps.measure_words import WORDS
from memviz.charts.sweeps.pareto import LEGEND, MARGINS, threshold_line
from memviz.charts.sweeps.points import GREY, Points, hollow_key, point_traces, rings
from memviz.charts.sweeps.setting_words import rows_by_setting, setting_tooltip, too_large_words
from memviz.charts.sweeps.strategy_marks import strategy_marks
from memviz.charts.text import escaped

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
    The other arguments are those of :func:`memviz.charts.sweeps.pareto.pareto_chart`.
    """
    limit = np.inf if max_peak_tokens is None else max_peak_tokens
    points = _points(table, measure, limit, over, aside)
    x_axis = measure_axis(measure, points.x)
    y_axis = measure_axis("peak_tokens", points.y, () if max_peak_tokens is None else (max_peak_tokens,))
    traces = [*rings(points, chosen, recommended), *point_traces(points, strategy_marks(table, strategies))]
    traces += [hollow_key(limit)] if points.hollow.any() else []
    label = {"text": f"at most {limit:,.0f} tokens", "x": 0, "xref": "paper", "xanchor": "left", "yanchor": "bottom",
             "y": np.log10(limit) if y_axis["type"] == "log" and limit > 0 else limit, "showarrow": False,
             "font": {"size": 11, "color": GREY}}  # fmt: skip
    limits = max_peak_tokens is not None
    layout = {
        "title": {"text": escaped(title), "font": {"size": 16}},
        "xaxis": {"automargin": True, "title": {"text": WORDS[measure].axis_title}, "zeroline": False, **x_axis},
        "yaxis": {"automargin": False, "title": {"text": "tokens of the largest request"}, "zeroline": False,
                  **y_axis},
        "shapes": [threshold_line(limit)] if limits else [],
        "annotations": [*([label] if limits else []), *callout(table, points, recommended, x_axis, y_axis)],
        "legend": LEGEND, "hovermode": "closest", "hoverlabel": {"align": "left"}, "height": height,
        "margin": {**MARGINS, "l": 80}, "uirevision": f"peak {measure}",
    }  # fmt: skip
    return figure(traces, layout)


def _points(table: DataFrame, measure: str, limit: float, over: Over, aside: DataFrame | None) -> Points:
    rows, others = rows_by_setting(table).values(), rows_by_setting(aside)
    peaks = table["peak_tokens"].to_numpy(dtype=float)
    hollow = peaks > limit
    tooltips = [
        setting_tooltip(row, others.get(row["setting"]), over, (too_large_words(row, limit),) if large else ())
        for row, large in zip(rows, hollow.tolist(), strict=True)
    ]
    return Points(
        table[measure].to_numpy(dtype=float), peaks, table["setting"].to_numpy(dtype=np.int64),
        table["strategy"].to_numpy(dtype=object), tooltips, np.zeros(len(table), dtype=bool), hollow,
    )  # fmt: skip
