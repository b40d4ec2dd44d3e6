"""What each setting costs over the requests, one line a setting, with and without the prompt cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import RequestPlace, request_name
from memviz.dashboard.charts.cost.frame import framed
from memviz.dashboard.charts.cost.setting_cost import Amounts, SettingCost, Unit, View
from memviz.dashboard.charts.cost.words import turn_words
from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    NOTE_PIXELS,
    PART_COLORS,
    TURN_TITLE,
    faded,
    setting_color,
    setting_dash,
    with_legend,
)
from memviz.dashboard.charts.text import escaped, legend_name
from memviz.dashboard.charts.turn_axis import (
    axis_ticks,
    axis_title,
    last_place,
    request_ids,
    turn_partings,
)
from memviz.metrics.requests.request_axis import Places, RequestAxis

UNCACHED_OPACITY = 0.75
HEIGHT_PIXELS = 320
MARGINS = {**FIXED_MARGINS, "t": 40}
HEADROOM = 1.08
"""The picture is so much higher than what has to fit into it."""
GREY = PART_COLORS["system"]
LEGEND_FROM, LEGEND_OVER_LABEL_FROM = 1.01, 1.13
"""Where the legend begins, of the height; higher above the label of the break-even, which stands over the picture,
where the line of the selected turn does not cross it."""


class BreakEven(NamedTuple):
    """From ``request`` on the setting ``cheaper`` has cost less in total than ``dearer``."""

    request: RequestPlace
    cheaper: SettingCost
    dearer: SettingCost


def cost_curve(
    costs: Sequence[SettingCost],
    view: View = View.SO_FAR,
    *,
    unit: Unit = Unit.USD,
    uncached: bool = True,
    break_even: BreakEven | None = None,
) -> go.Figure:
    """The chart. A violet band under a line is the summarizer's part of it. ``uncached`` adds what a setting would
    cost without a cache, where that is something else. A setting with an unknown price has no line in dollars. Point
    ids (customdata) read ``"<number of the setting>:<turn>"``, those of a turn's earlier calls
    ``"<number of the setting>:<turn>:<call>"``."""
    axis = RequestAxis.of(one.cost.turns for one in costs)
    traces = [
        trace
        for number, one in enumerate(costs)
        for trace in _traces(one, number, view, unit, uncached, axis)
    ]
    money = (
        {"tickprefix": "$", "tickformat": ",.9~f"}
        if unit is Unit.USD
        else {"tickformat": ",d"}
    )
    step = "a turn" if axis.is_by_turn else "a request"
    each = f" {step}" if view is View.EACH_STEP else " in total"
    last, mark = (
        last_place(axis),
        break_even if view is View.SO_FAR else None,
    )  # it is about totals
    frame = framed(costs, view, unit, uncached=uncached)
    layout = {
        "xaxis": {
            "automargin": False,
            "title": {**TURN_TITLE, "text": axis_title(axis)},
            "range": [0.4, last + 0.8],
            **axis_ticks(axis),
        },
        "yaxis": {
            "automargin": False,
            "title": {"text": unit.value + each},
            "rangemode": "tozero",
            "exponentformat": "none",
            **money,
            **({"range": [0, HEADROOM * frame.top]} if frame.above else {}),
        },
        "showlegend": len(costs) > 1,
        "legend": {
            "orientation": "h",
            "yanchor": "bottom",
            "x": -0.1,
            "y": LEGEND_FROM if mark is None else LEGEND_OVER_LABEL_FROM,
            "groupclick": "togglegroup",
        },
        "shapes": [*turn_partings(axis), *_mark(mark, axis)],
        "annotations": [*_mark_label(mark, axis)],
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": with_legend(HEIGHT_PIXELS, len(costs)),
        "margin": MARGINS,
        "uirevision": f"cost-{view.name}-{unit.name}",
    }
    return figure_over_turns(traces, layout)


def _traces(
    one: SettingCost,
    number: int,
    view: View,
    unit: Unit,
    uncached: bool,
    axis: RequestAxis,
) -> Iterator[dict[str, Any]]:
    amounts = one.amounts(view, unit)
    if amounts is None:
        return
    (main, summarizer), x = amounts, axis.places(one.cost.turns)
    without = one.uncached(view) if uncached and unit is Unit.USD else None
    if without is not None and one.cost.cached_tokens.any():
        yield _thin(one, number, x, without, "without the cache") | {
            "opacity": UNCACHED_OPACITY
        }
    has_band = bool(summarizer.any())
    if has_band:
        yield _thin(one, number, x, main, "without the summarizer") | {
            "line": {"width": 0}
        }
    yield _line(one, number, x, main + summarizer, has_band)


def _thin(
    one: SettingCost, number: int, x: Places, amounts: Amounts, what: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": amounts,
        "hoverinfo": "skip",
        "name": f"{escaped(one.label)} {what}",
        "showlegend": False,
        "legendgroup": str(number),
        "line": {
            "color": setting_color(one.setting.index),
            "dash": "dot",
            "width": 1.4,
        },
    }


def _line(
    one: SettingCost, number: int, x: Places, amounts: Amounts, has_band: bool
) -> dict[str, Any]:
    index = one.setting.index
    band = (
        {"fill": "tonexty", "fillcolor": faded(PART_COLORS["summary"], 0.3)}
        if has_band
        else {}
    )
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": np.asarray(amounts),
        "name": legend_name(one.label),
        "legendgroup": str(number),
        "customdata": [f"{number}:{point}" for point in request_ids(one.cost.turns)],
        "text": turn_words(one),
        "hoverinfo": "text",
        "marker": {
            "opacity": 0 if len(x) > 1 else 1,
            "size": 9,
            "color": setting_color(index),
        },
        "line": {
            "color": setting_color(index),
            "dash": setting_dash(index),
            "width": 2.5,
        },
        **band,
    }


def _mark(break_even: BreakEven | None, axis: RequestAxis) -> Iterator[dict[str, Any]]:
    if break_even is not None:
        at = axis.place_of(break_even.request)
        yield {
            "type": "line",
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "x0": at,
            "x1": at,
            "layer": "below",
            "line": {"width": 1, "dash": "dot", "color": GREY},
        }


def _mark_label(
    break_even: BreakEven | None, axis: RequestAxis
) -> Iterator[dict[str, Any]]:
    if break_even is not None:
        at = axis.place_of(break_even.request)
        is_right = at > last_place(axis) / 2
        yield {
            "text": f"{request_name(*break_even.request)}: break-even",
            "x": at,
            "y": 1,
            "yref": "paper",
            "xanchor": "right" if is_right else "left",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": NOTE_PIXELS},
        }
