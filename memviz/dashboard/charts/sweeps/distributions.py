"""The distribution of a measure over many conversations: a row of quantiles for each setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text, label_lines
from memviz.dashboard.charts.grammar import (
    LOOK_STAYS,
    Part,
    marks,
    note_at_left,
    path,
    picture,
    stroke,
)
from memviz.dashboard.charts.palette import setting_color
from memviz.dashboard.charts.sweeps.axes import measure_axis
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.setting_words import Row, rows_by_setting

if TYPE_CHECKING:
    from pandas import DataFrame

MARGINS = {"l": 14, "r": 14, "t": 56, "b": 8}
_ON_TOP = {"side": "top", "showgrid": True, "zeroline": False}
"""The axis stands above the rows, which may be more than a window shows."""
_UNSEEN = {"visible": False, "fixedrange": True}
_LAYOUT: Part = {"over_turns": False, "showlegend": False, "margin": MARGINS}
QUANTILES = ("p10", "p25", "median", "p75", "p90")
_MEDIAN = {
    "symbol": "line-ns-open",
    "size": 16,  # a larger one would touch a name above it
    "opacity": [0, 0, 1, 0, 0],
}
"""Of the quantiles only the median is seen; the others are there to be pointed at."""
MOST_FINDINGS = 6
"""Settings that the sentence for those who do not see the picture names."""
LABEL_CHARS = 60
"""The longest name above a row."""


def distribution_rows(table: DataFrame, measure: str) -> go.Figure:
    """Return one row a setting: a thin line from the 10th to the 90th percentile of its conversations, a thick one over
    the half in the middle, and a mark at the median.

    ``table`` is that of ``FleetSweep.distributions(measure)``. A setting of which nothing is known has no row.
    """
    words = WORDS[measure]
    measured = table.dropna(subset=["median"])
    traces: list[Part] = []
    names = []
    for place, row in enumerate(rows_by_setting(measured).values()):
        traces += _row_of(row, -place, measure)
        names.append(_name_of(row, -place, measure))
    values = measured[list(QUANTILES)].to_numpy(dtype=float).ravel()
    title = _("{measure}, each conversation", measure=words.axis_title)
    rows_pixels = height_pixels.DISTRIBUTION_ROW * len(measured)
    x_axis = {**measure_axis(measure, values), "title": {"text": title}}
    return picture(
        traces,
        xaxis={**x_axis, **_ON_TOP},
        yaxis={**_UNSEEN, "range": [0.35 - len(measured), 0.75]},
        annotations=names,
        height=rows_pixels + MARGINS["t"] + MARGINS["b"],
        uirevision=measure,
        **_LAYOUT,
    )


def _row_of(row: Row, y: int, measure: str) -> Iterator[Part]:
    color = setting_color(int(row["setting"]))
    level = [y, y]
    yield path([row["p10"], row["p90"]], level, stroke(2.5, color=color))
    yield path([row["p25"], row["p75"]], level, stroke(12, color=color), opacity=0.55)
    places = [row[quantile] for quantile in QUANTILES]
    tooltips = [_tooltip(row, measure)] * len(places)
    marker = {**_MEDIAN, "color": color, "line": stroke(4, color=color)}
    yield marks(places, [y] * len(places), tooltips, marker, **LOOK_STAYS)


def _name_of(row: Row, y: int, measure: str) -> Part:
    """Return the name of a setting with its median, above its row: ``Window 10 · median 93%``."""
    label = label_lines(str(row["label"]), LABEL_CHARS)[0]
    median = WORDS[measure].shown(row["median"])
    words = _("{setting} · median {value}", setting=escape_text(label), value=median)
    return note_at_left(words, y, yshift=12)


def _tooltip(row: Row, measure: str) -> str:
    values = {name: WORDS[measure].shown(row[name]) for name in (*QUANTILES, "mean")}
    return _(
        "<b>{setting}</b><br>Half of the conversations: {p25} to {p75}<br>8 of 10: {p10} to {p90}"
        "<br>Median {median}, mean {mean}",
        setting=escape_text(str(row["label"])),
        **values,
    )


def distributions_finding(table: DataFrame, measure: str) -> str:
    """Return the medians of the first settings: ``Facts kept, in the median conversation: Window 10 93%, Buffer
    100%.``"""
    words = WORDS[measure]
    first = table.dropna(subset=["median"]).head(MOST_FINDINGS)
    medians = []
    for row in rows_by_setting(first).values():
        medians.append(f"{row['label']} {words.shown(row['median'])}")
    return _(
        "{measure}, in the median conversation: {settings}.",
        measure=words.title,
        settings=listed(medians),
    )
