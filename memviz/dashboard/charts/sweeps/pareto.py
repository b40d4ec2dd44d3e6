"""All settings of a sweep, one point each: what they cost against what they keep, with the front of those that no other
one beats; and where no facts are known, against how large their requests become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.grammar import (
    GREY,
    Part,
    heading,
    legend_entry,
    path,
    picture,
    rule_across,
    stroke,
)
from memviz.dashboard.charts.sweeps.axes import (
    SettingWords,
    beaten_words,
    measure_axis,
    rows_by_setting,
    too_large_words,
)
from memviz.dashboard.charts.sweeps.measure_words import WORDS, percent
from memviz.dashboard.charts.sweeps.points import (
    SETTINGS_LEGEND,
    Points,
    hollow_key,
    pale_key,
    point_traces,
    recommended_name,
    rings,
    strategy_marks,
)
from memviz.tuning.pareto import beaten_by

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over

MARGINS = {"r": 14, "t": 50, "b": 50}


class _Upwards(NamedTuple):
    """The measure that the chart shows upwards."""

    measure: str
    title: str
    heading: str
    left_pixels: int
    """The room for its numbers."""
    revision: str


_FACTS = _Upwards(
    "retention",
    noop("facts kept (%)"),
    noop("What each setting costs, and what it keeps"),
    64,
    "pareto",
)
_SIZES = _Upwards(
    "peak_tokens",
    noop("largest request (tokens)"),
    noop("What each setting costs, and how large its requests become"),
    80,
    "peak",
)


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
    title: str | None = None,
) -> go.Figure:
    """Return cost (``measure``: "usd" or "all_tokens") to the right, the share of facts kept upwards; one point a
    setting.

    ``table`` holds rows of ``Sweep.by_setting(over)``, ``aside`` the same settings
    summed up the other way, for the tooltips. ``chosen`` and ``recommended`` are
    numbers of settings. Settings below ``min_retention`` (0 to 1) lie under a dashed
    line; those with a request over ``max_peak_tokens`` are hollow. ``strategies`` keeps
    colours in place, see :func:`memviz.dashboard.charts.sweeps.points.strategy_marks`.
    The front is that of the settings in the table; what could not be run over every
    conversation, or has no cost or no facts, is not on it. Points carry the number of
    their setting (customdata).

    Where no facts are known, the tokens of the largest request stand upwards, and the line is at ``max_peak_tokens``.
    Then no point is called better than another one: the cheapest and smallest requests are those that forget most.
    """
    rows = list(rows_by_setting(table).values())
    winners = np.full(len(rows), -1)
    upwards = _SIZES
    limit = max_peak_tokens
    limit_words = "" if limit is None else _("At most {limit:,.0f} tokens", limit=limit)
    pale = winners >= 0
    if table["retention"].notna().any():
        upwards = _FACTS
        limit = min_retention
        limit_words = (
            "" if limit is None else _("At least {share}", share=percent(limit))
        )
        is_compared = np.array([not row.get("failed", 0) for row in rows], dtype=bool)
        gains = np.where(is_compared, _column(table, "retention"), np.nan)
        winners = beaten_by(_column(table, measure), gains)
        pale = (winners >= 0) | ~is_compared

    most_tokens = np.inf if max_peak_tokens is None else max_peak_tokens
    writer = SettingWords.of(aside, over)
    tooltips = []
    for row, winner in zip(rows, winners.tolist(), strict=True):
        more = []
        if row["peak_tokens"] > most_tokens:
            more.append(too_large_words(row, most_tokens))
        if winner >= 0:
            more.append(beaten_words(row, rows[winner], measure))
        tooltips.append(writer.tooltip(row, *more))
    points = Points(
        x=_column(table, measure),
        y=_column(table, upwards.measure),
        settings=table["setting"].to_numpy(dtype=np.int64),
        strategies=table["strategy"].to_numpy(dtype=object),
        tooltips=tooltips,
        pale=pale,
        hollow=_column(table, "peak_tokens") > most_tokens,
    )
    x_axis = measure_axis(measure, points.x)
    limits = () if limit is None else (limit,)
    y_axis = measure_axis(upwards.measure, points.y, limits)

    traces: list[Part] = []
    if upwards is _FACTS:
        traces.append(_front(points, x_axis))
    traces += rings(points, chosen, recommended)
    traces += point_traces(points, strategy_marks(table, strategies))
    if (winners >= 0).any():
        traces.append(pale_key())
    if points.hollow.any():
        traces.append(hollow_key(most_tokens))
    shapes = []
    if limit is not None:
        # Its words stand in the legend: at the line itself, points and names would cover them.
        dashed = stroke(1.5, "dash")
        traces.append(legend_entry(limit_words, mode="lines", line=dashed))
        shapes.append(rule_across(limit, stroke(1, "dash"), yref="y"))
    if title is None:
        title = _(upwards.heading)
    x_title = {"text": WORDS[measure].axis_title}
    y_look = {
        "automargin": False,
        "zeroline": False,
        "title": {"text": _(upwards.title)},
    }
    return picture(
        traces,
        over_turns=False,
        title=heading(escaped(title)),
        xaxis={"automargin": True, "zeroline": False, "title": x_title, **x_axis},
        yaxis={**y_look, **y_axis},
        shapes=shapes,
        annotations=recommended_name(points, recommended, x_axis, y_axis),
        legend=SETTINGS_LEGEND,
        margin={**MARGINS, "l": upwards.left_pixels},
        height=height_pixels.PARETO,
        uirevision=f"{upwards.revision} {measure}",
    )


def _column(table: DataFrame, name: str) -> NDArray[np.float64]:
    return table[name].to_numpy(dtype=float)


def _front(points: Points, x_axis: Part) -> Part:
    """Return the most that any amount keeps: a step up at every setting on the front, and on to the right end."""
    where = np.flatnonzero(~points.pale & points.drawn)
    where = where[np.argsort(points.x[where], kind="stable")]
    x = points.x[where]
    y = points.y[where]
    if where.size:
        end = x_axis["range"][1]
        x = np.append(x, 10.0**end if x_axis["type"] == "log" else end)
        y = np.append(y, y[-1])
    steps = {"shape": "hv", "width": 1.5, "color": GREY}
    return path(x, y, steps, name=_("Best trade-offs"))


def pareto_finding(table: DataFrame, measure: str) -> str:
    """Return the best trade-offs in one sentence: how many there are, and the two ends."""
    ends = table[table["front"]].sort_values([measure, "setting"]).to_dict("records")
    settings = counted(len(table), "setting")
    if not ends:
        return _(
            "None of {settings} has both a cost and facts kept.", settings=settings
        )
    told = []
    for row in (ends[0], ends[-1]):
        cost = WORDS[measure].shown(row[measure])
        told.append(
            _(
                "{setting} ({cost}, {share} of the facts)",
                setting=row["label"],
                cost=cost,
                share=percent(row["retention"]),
            )
        )
    if len(ends) == 1:
        return _(
            "Of {settings} {best} is best in both cost and facts kept.",
            settings=settings,
            best=told[0],
        )
    return _(
        "Of {settings:,} settings {best:,} are the best trade-offs, from {cheapest} to {dearest}.",
        settings=len(table),
        best=len(ends),
        cheapest=told[0],
        dearest=told[1],
    )
