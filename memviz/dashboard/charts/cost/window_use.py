"""How much of the model's context window each request takes, one line a setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from memviz.dashboard.charts.cost.setting_cost import SettingCost
from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    NOTE_PIXELS,
    PART_COLORS,
    TURN_TITLE,
    setting_color,
    setting_dash,
    with_legend,
)
from memviz.dashboard.charts.text import escaped, legend_name
from memviz.dashboard.charts.turn_axis import (
    axis_ticks,
    axis_title,
    last_place,
    turn_partings,
)
from memviz.metrics.requests.request_axis import RequestAxis, request_names

HEIGHT_PIXELS = 330
FITS_UP_TO = 3
"""A window of more than so many times the largest request is not drawn: it would only squeeze the picture."""
GREY = PART_COLORS["system"]


def window_use(costs: Sequence[SettingCost], window_tokens: int | None) -> go.Figure:
    """The chart; the window is a dashed line where it fits into the picture."""
    axis = RequestAxis.of(one.cost.traffic.turns for one in costs)
    window = (
        window_tokens if window_tokens and window_fits(costs, window_tokens) else None
    )
    layout = {
        "title": {"text": "Tokens of each request", "font": {"size": 16}},
        "xaxis": {
            "automargin": False,
            "title": {**TURN_TITLE, "text": axis_title(axis)},
            "range": [0.4, last_place(axis) + 0.8],
            **axis_ticks(axis),
        },
        "yaxis": {
            "automargin": False,
            "title": {"text": "input tokens"},
            "rangemode": "tozero",
            "tickformat": ",d",
            "exponentformat": "none",
        },
        "showlegend": len(costs) > 1,
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.32,
            "x": 0,
            "groupclick": "togglegroup",
        },
        "shapes": [*turn_partings(axis), *([_window_line(window)] if window else [])],
        "annotations": [_window_label(window)] if window else [],
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": with_legend(HEIGHT_PIXELS, len(costs)),
        "margin": FIXED_MARGINS,
        "uirevision": "window-use",
    }
    return figure_over_turns(
        [_curve(one, window_tokens, axis) for one in costs], layout
    )


def largest_request(costs: Sequence[SettingCost]) -> int:
    """Tokens of the largest of all requests; 0 if there is none."""
    return max(
        (int(one.cost.traffic.input_tokens.max(initial=0)) for one in costs), default=0
    )


def window_fits(costs: Sequence[SettingCost], window_tokens: int) -> bool:
    """Whether the window is drawn."""
    return window_tokens <= FITS_UP_TO * largest_request(costs)


def _curve(
    one: SettingCost, window_tokens: int | None, axis: RequestAxis
) -> dict[str, Any]:
    sent, index = one.cost.traffic, one.setting.index
    turns, tokens = sent.turns, sent.input_tokens
    head = f"<b>{escaped(one.label)}</b><br>"
    shares = [
        f", {number / window_tokens:.1%} of the context window" if window_tokens else ""
        for number in tokens.tolist()
    ]
    return {
        "type": "scatter",
        "x": axis.places(turns),
        "y": tokens,
        "mode": "lines+markers",
        "name": legend_name(one.label),
        "legendgroup": str(index),
        "hoverinfo": "text",
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
        "text": [
            f"{head}{name}: <b>{number:,} tokens</b>{share}"
            for name, number, share in zip(
                request_names(turns), tokens.tolist(), shares, strict=True
            )
        ],
    }


def _window_line(window_tokens: int) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": window_tokens,
        "y1": window_tokens,
        "layer": "below",
        "line": {"width": 1, "dash": "dash", "color": GREY},
    }


def _window_label(window_tokens: int) -> dict[str, Any]:
    return {
        "text": f"context window {window_tokens:,}",
        "font": {"size": NOTE_PIXELS},
        "showarrow": False,
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "y": window_tokens,
        "yanchor": "bottom",
    }
