"""All settings of a sweep, one point each: what they cost against what they keep, with the front of those that no other
one beats; and where no facts are known, against how large their requests become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.text.wording import counted
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
from memviz.dashboard.charts.sweeps.axes import measure_axis
from memviz.dashboard.charts.sweeps.callout import callout
from memviz.dashboard.charts.sweeps.measure_words import WORDS, percent
from memviz.dashboard.charts.sweeps.points import (
    SETTINGS_LEGEND,
    Points,
    hollow_key,
    pale_key,
    point_traces,
    rings,
    strategy_marks,
)
from memviz.dashboard.charts.sweeps.setting_words import (
    SettingWords,
    beaten_words,
    rows_by_setting,
    too_large_words,
)
from memviz.dashboard.charts.text import escaped
from memviz.tuning.pareto import beaten_by

if TYPE_CHECKING:
    from pandas import DataFrame

    from memviz.tuning.constraints import Over

TITLE = "What each setting costs, and what it keeps"
PEAK_TITLE = "What each setting costs, and how large its requests become"
MARGINS = {"r": 14, "t": 50, "b": 50}


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
    """
    rows = list(rows_by_setting(table).values())
    is_compared = np.array([not row.get("failed", 0) for row in rows], dtype=bool)
    gains = np.where(is_compared, _column(table, "retention"), np.nan)
    winners = beaten_by(_column(table, measure), gains)
    is_beaten = winners >= 0
    beaten = []
    for row, winner in zip(rows, winners.tolist(), strict=True):
        is_first = winner < 0
        beaten.append("" if is_first else beaten_words(row, rows[winner], measure))
    tooltips = _tooltips(table, SettingWords.of(aside, over), max_peak_tokens, beaten)
    pale = is_beaten | ~is_compared
    points = _points(table, measure, "retention", tooltips, pale, max_peak_tokens)
    x_axis = measure_axis(measure, points.x)
    keys = [pale_key()] if is_beaten.any() else []
    limit_words = ""
    if min_retention is not None:
        limit_words = f"At least {percent(min_retention)}"
    return _chart(
        table,
        points,
        measure,
        "retention",
        y_title="facts kept (%)",
        behind=[_front(points, x_axis)],
        keys=keys,
        chosen=chosen,
        recommended=recommended,
        max_peak_tokens=max_peak_tokens,
        limit=min_retention,
        limit_words=limit_words,
        strategies=strategies,
        title=title,
        height=height,
        left_pixels=64,
        uirevision=f"pareto {measure}",
    )


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
    title: str = PEAK_TITLE,
    height: int = 500,
) -> go.Figure:
    """Return cost (``measure``: "usd" or "all_tokens") to the right, tokens of the largest request upwards; one point a
    setting. No point is called better than another one: the cheapest and smallest requests are those that forget most.
    The other arguments are those of :func:`pareto_chart`.
    """
    tooltips = _tooltips(table, SettingWords.of(aside, over), max_peak_tokens)
    pale = np.zeros(len(table), dtype=bool)
    points = _points(table, measure, "peak_tokens", tooltips, pale, max_peak_tokens)
    limit_words = ""
    if max_peak_tokens is not None:
        limit_words = f"At most {max_peak_tokens:,.0f} tokens"
    return _chart(
        table,
        points,
        measure,
        "peak_tokens",
        y_title="largest request (tokens)",
        chosen=chosen,
        recommended=recommended,
        max_peak_tokens=max_peak_tokens,
        limit=max_peak_tokens,
        limit_words=limit_words,
        strategies=strategies,
        title=title,
        height=height,
        left_pixels=80,
        uirevision=f"peak {measure}",
    )


def _column(table: DataFrame, name: str) -> NDArray[np.float64]:
    return table[name].to_numpy(dtype=float)


def _tooltips(
    table: DataFrame,
    words: SettingWords,
    max_peak_tokens: float | None,
    more: Sequence[str] | None = None,
) -> list[str]:
    """Return what each setting says; ``more`` is a sentence for each, which may be empty."""
    told = []
    for at, row in enumerate(rows_by_setting(table).values()):
        sentences = []
        if max_peak_tokens is not None and row["peak_tokens"] > max_peak_tokens:
            sentences.append(too_large_words(row, max_peak_tokens))
        if more is not None and more[at]:
            sentences.append(more[at])
        told.append(words.tooltip(row, *sentences))
    return told


def _points(
    table: DataFrame,
    x: str,
    y: str,
    tooltips: Sequence[str],
    pale: NDArray[np.bool_],
    max_peak_tokens: float | None,
) -> Points:
    limit = np.inf if max_peak_tokens is None else max_peak_tokens
    return Points(
        _column(table, x),
        _column(table, y),
        table["setting"].to_numpy(dtype=np.int64),
        table["strategy"].to_numpy(dtype=object),
        tooltips,
        pale,
        _column(table, "peak_tokens") > limit,
    )


def _chart(
    table: DataFrame,
    points: Points,
    x: str,
    y: str,
    *,
    y_title: str,
    behind: Sequence[Part] = (),
    keys: Sequence[Part] = (),
    chosen: int | None,
    recommended: int | None,
    max_peak_tokens: float | None,
    limit: float | None,
    limit_words: str,
    strategies: Sequence[str],
    title: str,
    left_pixels: int,
    **layout: Any,
) -> go.Figure:
    """Return the points between two axes. ``keys`` are entries of the legend, ``limit`` is a line across the chart. Its
    words stand in the legend: at the line itself, points and names would cover them."""
    x_axis = measure_axis(x, points.x)
    y_axis = measure_axis(y, points.y, () if limit is None else (limit,))
    traces = [
        *behind,
        *rings(points, chosen, recommended),
        *point_traces(points, strategy_marks(table, strategies)),
        *keys,
    ]
    if max_peak_tokens is not None and points.hollow.any():
        traces.append(hollow_key(max_peak_tokens))
    shapes = []
    if limit is not None:
        dashed = stroke(1.5, "dash")
        traces.append(legend_entry(limit_words, mode="lines", line=dashed))
        shapes.append(rule_across(limit, stroke(1, "dash"), yref="y"))
    x_title = {"text": WORDS[x].axis_title}
    return picture(
        traces,
        over_turns=False,
        title=heading(escaped(title)),
        xaxis={"automargin": True, "zeroline": False, "title": x_title, **x_axis},
        yaxis={
            "automargin": False,
            "zeroline": False,
            "title": {"text": y_title},
            **y_axis,
        },
        shapes=shapes,
        annotations=callout(table, points, recommended, x_axis, y_axis, limit),
        legend=SETTINGS_LEGEND,
        margin={**MARGINS, "l": left_pixels},
        **layout,
    )


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
    return path(x, y, steps, name="Best trade-offs")


def pareto_finding(table: DataFrame, measure: str) -> str:
    """Return the best trade-offs in one sentence: how many there are, and the two ends."""
    ends = table[table["front"]].sort_values([measure, "setting"]).to_dict("records")
    settings = counted(len(table), "setting")
    if not ends:
        return f"None of {settings} has both a cost and facts kept."
    told = []
    for row in (ends[0], ends[-1]):
        cost = WORDS[measure].shown(row[measure])
        told.append(
            f"{row['label']} ({cost}, {percent(row['retention'])} of the facts)"
        )
    if len(ends) == 1:
        return f"Of {settings} {told[0]} is best in both cost and facts kept."
    return f"Of {len(table):,} settings {len(ends):,} are the best trade-offs, from {told[0]} to {told[1]}."
