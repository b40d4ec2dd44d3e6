"""Which share of the input was read from the prompt cache, one line a setting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    TURN_TITLE,
    setting_color,
    setting_dash,
    with_legend,
)
from memviz.dashboard.charts.text import escaped, legend_name
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, last_place, parted
from memviz.metrics.requests.request_axis import RequestAxis, request_names

HEIGHT_PIXELS = 330


def cache_hits(costs: Sequence[SettingCost]) -> go.Figure:
    """The chart, a point a request."""
    axis = RequestAxis.of(one.cost.traffic.turns for one in costs)
    layout = {
        "title": {"text": "Input read from the cache", "font": {"size": 16}},
        "xaxis": {
            "automargin": False,
            "title": {**TURN_TITLE, "text": axis_title(axis)},
            "range": [0.4, last_place(axis) + 0.8],
            **axis_ticks(axis),
        },
        "yaxis": {
            "automargin": False,
            "title": {"text": "share of the input tokens"},
            "range": [-0.03, 1.09],
            "tickformat": ".0%",
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "zeroline": False,
        },
        "showlegend": len(costs) > 1,
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.32,
            "x": 0,
            "groupclick": "togglegroup",
        },
        **parted(axis),
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": with_legend(HEIGHT_PIXELS, len(costs)),
        "margin": FIXED_MARGINS,
        "uirevision": "cache-hits",
    }
    return figure_over_turns([_curve(one, axis) for one in costs], layout)


def _curve(one: SettingCost, axis: RequestAxis) -> dict[str, Any]:
    sent, index = one.cost.traffic, one.setting.index
    asked = np.flatnonzero(sent.input_tokens)
    columns = (
        sent.turns,
        sent.input_tokens,
        one.cost.cached_tokens,
        sent.shared_tokens,
    )
    turns, read, cached, shared = (column[asked] for column in columns)
    names = request_names(sent.turns)
    rows = list(
        zip(
            [names[at] for at in asked],
            *(column.tolist() for column in (read, cached, shared)),
            strict=True,
        )
    )
    return {
        "type": "scatter",
        "x": axis.places(sent.turns)[asked],
        "y": cached / read,
        "mode": "lines+markers",
        "name": legend_name(one.label),
        "legendgroup": str(index),
        "marker": {
            "opacity": 0 if len(turns) > 1 else 1,
            "size": 9,
            "color": setting_color(index),
        },
        "line": {
            "color": setting_color(index),
            "dash": setting_dash(index),
            "width": 2.5,
        },
        "text": Texts(rows, partial(_words, one.label)),
        "hoverinfo": "text",
    }


def _words(label: str, row: tuple[str, int, int, int]) -> str:
    name, read, cached, shared = row
    return (
        f"<b>{escaped(label)}</b><br>{name}: <b>{cached / read:.0%}</b> read from the cache, "
        f"{cached:,} of {read:,} input tokens<br>{shared:,} stood at the start of the request before as well"
    )
