"""All settings of a sweep, one point each: cost against the facts they keep, with the front of those that no other
setting beats; or against their largest request, where no facts are known."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text
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
from memviz.dashboard.charts.sweeps.setting_words import (
    MEDIANS,
    SettingWords,
    beaten_words,
    rows_by_setting,
    too_large_words,
)
from memviz.tuning.pareto import find_winners

if TYPE_CHECKING:
    from pandas import DataFrame

MARGINS = {"r": 14, "t": 50, "b": 50}
_UNBEATEN = -1
_NOT_COMPARED = -2
"""In an array of winners: the setting that no other one beats, and the one that takes no part."""
_AXIS = {"automargin": True, "zeroline": False}
_LAYOUT: Part = {
    "over_turns": False,
    "legend": SETTINGS_LEGEND,
    "height": height_pixels.PARETO,
}


@dataclass(frozen=True)
class _Upwards:
    """The measure that the chart shows upwards."""

    measure: str
    title: str
    heading: str
    left_pixels: int
    """The room for its numbers."""
    revision: str

    def limit_key(self, limit: float) -> Part:
        """Return the entry of the legend that says what the line at the ``limit`` asks for: at the line itself, points
        and names would cover the words."""
        words = _("At most {limit:,.0f} tokens", limit=limit)
        if self.measure == "retention":
            words = _("At least {share}", share=percent(limit))
        return legend_entry(words, mode="lines", line=stroke(1.5, "dash"))


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
"""The measure where no facts are known. Then no setting is called better than another one: the cheapest and smallest
requests are those that forget most."""


def pareto_chart(
    table: DataFrame,
    measure: str,
    *,
    chosen: int | None = None,
    recommended: int | None = None,
    min_retention: float | None = None,
    max_peak_tokens: float | None = None,
    writer: SettingWords = MEDIANS,
    strategies: Sequence[str] = (),
    title: str | None = None,
) -> go.Figure:
    """Return cost (``measure``: "usd" or "all_tokens") to the right, and the share of facts kept upwards, or the
    largest request where no facts are known; one point a setting, with its number as customdata.

    ``table`` holds rows of ``Sweep.by_setting(over)``, about which ``writer`` writes. ``chosen`` and ``recommended``
    are numbers of settings. Settings below ``min_retention`` (0 to 1) lie under a dashed line; those with a request
    over ``max_peak_tokens`` are hollow. ``strategies`` keeps colours in place
    (:func:`memviz.dashboard.charts.sweeps.points.strategy_marks`).
    """
    upwards = _SIZES
    limit = max_peak_tokens
    if table["retention"].notna().any():
        upwards = _FACTS
        limit = min_retention
    limits = () if limit is None else (limit,)
    most_tokens = np.inf if max_peak_tokens is None else max_peak_tokens
    winners = _winners(table, measure, upwards)
    tooltips = _tooltips(table, measure, winners, most_tokens, writer)
    points = _points(table, measure, upwards, winners, tooltips, most_tokens)
    x_axis = measure_axis(measure, points.x)
    y_axis = measure_axis(upwards.measure, points.y, limits)

    # Later traces lie over earlier ones: the points are on top. Then the legend is filled.
    traces = []
    if upwards is _FACTS:
        traces.append(_front(points, x_axis))
    traces += rings(points, chosen, recommended)
    traces += point_traces(points, strategy_marks(table, strategies))
    if (winners >= 0).any():
        traces.append(pale_key())
    if points.hollow.any():
        traces.append(hollow_key(most_tokens))
    traces += map(upwards.limit_key, limits)
    if title is None:
        title = _(upwards.heading)
    x_title = {"text": WORDS[measure].axis_title}
    y_title = {"text": _(upwards.title)}
    return picture(
        traces,
        title=heading(escape_text(title)),
        xaxis={**_AXIS, "title": x_title, **x_axis},
        yaxis={**_AXIS, "automargin": False, "title": y_title, **y_axis},
        shapes=[rule_across(at, stroke(1, "dash"), yref="y") for at in limits],
        annotations=recommended_name(points, recommended, x_axis, y_axis),
        margin={**MARGINS, "l": upwards.left_pixels},
        uirevision=f"{upwards.revision} {measure}",
        **_LAYOUT,
    )


def _points(
    table: DataFrame,
    measure: str,
    upwards: _Upwards,
    winners: NDArray[np.int64],
    tooltips: Sequence[str],
    most_tokens: float,
) -> Points:
    """Return a point for each setting: pale where another one beats it, hollow where a request has too many tokens."""
    return Points(
        _column(table, measure),
        _column(table, upwards.measure),
        table["setting"].to_numpy(dtype=np.int64),
        table["strategy"].to_numpy(dtype=object),
        tooltips,
        pale=winners != _UNBEATEN,
        hollow=_column(table, "peak_tokens") > most_tokens,
    )


def _winners(table: DataFrame, measure: str, upwards: _Upwards) -> NDArray[np.int64]:
    """Return of each setting the row of the one that beats it, or a negative number where none does. A setting that
    could not be run over every conversation beats no other one."""
    if upwards is _SIZES:
        return np.full(len(table), _UNBEATEN)
    rows = rows_by_setting(table).values()
    is_complete = np.array([not row.get("failed", 0) for row in rows], dtype=bool)
    # Without a share a setting wins nowhere.
    shares = np.where(is_complete, _column(table, "retention"), np.nan)
    winners = find_winners(_column(table, measure), shares)
    return np.where(is_complete | (winners >= 0), winners, _NOT_COMPARED)


def _tooltips(
    table: DataFrame,
    measure: str,
    winners: NDArray[np.int64],
    most_tokens: float,
    writer: SettingWords,
) -> list[str]:
    rows = list(rows_by_setting(table).values())
    tooltips = []
    for row, winner in zip(rows, winners.tolist(), strict=True):
        more = []
        if row["peak_tokens"] > most_tokens:
            more.append(too_large_words(row, most_tokens))
        if winner >= 0:
            more.append(beaten_words(row, rows[winner], measure))
        tooltips.append(writer.tooltip(row, *more))
    return tooltips


def _column(table: DataFrame, name: str) -> NDArray[np.float64]:
    return table[name].to_numpy(dtype=float)


def _front(points: Points, x_axis: Part) -> Part:
    """Return the line of the largest share that each cost can buy: a step up at every setting on the front, and on to
    the right end."""
    front = np.flatnonzero(~points.pale & points.drawn)
    cheapest_first = front[np.argsort(points.x[front], kind="stable")]
    x = points.x[cheapest_first]
    y = points.y[cheapest_first]
    if front.size:
        # The range of a logarithmic axis is in powers of ten, the data of a line are not.
        end = x_axis["range"][1]
        if x_axis["type"] == "log":
            end = 10.0**end
        x = np.append(x, end)
        y = np.append(y, y[-1])
    steps = {"shape": "hv", "width": 1.5, "color": GREY}
    return path(x, y, steps, name=_("Best trade-offs"))


def pareto_finding(table: DataFrame, measure: str) -> str:
    """Return the best trade-offs in one sentence: how many there are, and the two ends."""
    ends = table[table["front"]].sort_values([measure, "setting"]).to_dict("records")
    settings = counted(table, "setting")
    if not ends:
        return _(
            "None of {settings} has both a cost and facts kept.", settings=settings
        )
    cheapest = _end_words(ends[0], measure)
    if len(ends) == 1:
        return _(
            "Of {settings} {best} is best in both cost and facts kept.",
            settings=settings,
            best=cheapest,
        )
    return _(
        "Of {settings:,} settings {best:,} are the best trade-offs, from {cheapest} to {dearest}.",
        settings=len(table),
        best=len(ends),
        cheapest=cheapest,
        dearest=_end_words(ends[-1], measure),
    )


def _end_words(row: Mapping[Hashable, Any], measure: str) -> str:
    return _(
        "{setting} ({cost}, {share} of the facts)",
        setting=row["label"],
        cost=WORDS[measure].shown(row[measure]),
        share=percent(row["retention"]),
    )
