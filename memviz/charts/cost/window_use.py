"""How much of the model's context window each request takes, one line a setting."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.charts.cost.setting_cost import SettingCost
from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import (
    FIXED_MARGINS,
    NOTE_PIXELS,
    PART_COLORS,
    TURN_TITLE,
    setting_color,
    setting_dash,
)
from memviz.charts.text import escaped, legend_name
from memviz.charts.turn_axis import axis_ticks, axis_title, last_place, turn_partings
from memviz.metrics.requests.request_axis import RequestAxis, calls_of
from memviz.metrics.requests.requests_sent import Tokens
from memviz.metrics.requests.traffic import Traffic
from memviz.text.wording import request_name

HEIGHT_PIXELS = 330
FITS_UP_TO = 3
"""A window of more than so many times the largest request is not drawn: it would only squeeze the picture."""
PACE_TURNS = 20
"""The turns at the end that say how fast requests grow."""
FEWEST_TURNS = 3
GREY = PART_COLORS["system"]


def window_use(costs: Sequence[SettingCost], window_tokens: int | None) -> go.Figure:
    """The chart; the window is a dashed line where it fits into the picture."""
    axis = RequestAxis.of(one.cost.traffic.turns for one in costs)
    window = window_tokens if window_tokens and window_fits(costs, window_tokens) else None
    layout = {
        "title": {"text": "Tokens of each request", "font": {"size": 16}},
        "xaxis": {"automargin": False, "title": {**TURN_TITLE, "text": axis_title(axis)},
                  "range": [0.4, last_place(axis) + 0.8], **axis_ticks(axis)},
        "yaxis": {"automargin": False, "title": {"text": "input tokens"}, "rangemode": "tozero", "tickformat": ",d",
                  "exponentformat": "none"},
        "showlegend": len(costs) > 1,
        "legend": {"orientation": "h", "yanchor": "top", "y": -0.32, "x": 0, "groupclick": "togglegroup"},
        "shapes": [*turn_partings(axis), *([_window_line(window)] if window else [])],
        "annotations": [_window_label(window)] if window else [],
        "hovermode": "closest", "hoverlabel": {"align": "left"}, "height": HEIGHT_PIXELS, "margin": FIXED_MARGINS,
        "uirevision": "window-use",
    }  # fmt: skip
    return figure_over_turns([_curve(one, window_tokens, axis) for one in costs], layout)


def largest_request(costs: Sequence[SettingCost]) -> int:
    """Tokens of the largest of all requests; 0 if there is none."""
    return max((int(one.cost.traffic.input_tokens.max(initial=0)) for one in costs), default=0)


def window_fits(costs: Sequence[SettingCost], window_tokens: int) -> bool:
    """Whether the window is drawn."""
    return window_tokens <= FITS_UP_TO * largest_request(costs)


def projected_overflow_turn(traffic: Traffic, window_tokens: int) -> int | None:
    """The turn in which requests would pass ``window_tokens`` if they went on growing in a straight line as over the
    last 20 turns; ``None`` where they do not grow, or after fewer than 3 turns. Only sensible for requests that
    nothing ever shortens."""
    turns, tokens = _by_turn(traffic)
    if len(turns) < FEWEST_TURNS:
        return None
    first_turn, last_turn = int(turns[-PACE_TURNS:][0]), int(turns[-1])
    start_tokens, tokens_a_turn = _line_through(turns[-PACE_TURNS:] - first_turn, tokens[-PACE_TURNS:])
    if tokens_a_turn <= 0:
        return None
    return max(first_turn + floor((window_tokens - start_tokens) / tokens_a_turn) + 1, last_turn + 1)


def _line_through(x: Tokens, y: Tokens) -> tuple[Fraction, Fraction]:
    """Start and slope of the line of least squares, exactly: floats would make a level line rise by a hair."""
    size, x_sum, y_sum = len(x), int(x.sum()), int(y.sum())
    slope = Fraction(size * int((x * y).sum()) - x_sum * y_sum, size * int((x * x).sum()) - x_sum * x_sum)
    return (y_sum - slope * x_sum) / size, slope


def _by_turn(traffic: Traffic) -> tuple[Tokens, Tokens]:
    """The turns with a request, and the largest of each."""
    turns, starts = np.unique(traffic.turns, return_index=True)
    return turns, np.maximum.reduceat(traffic.input_tokens, starts) if turns.size else traffic.input_tokens


def _curve(one: SettingCost, window_tokens: int | None, axis: RequestAxis) -> dict[str, Any]:
    sent, index = one.cost.traffic, one.setting.index
    turns, tokens, calls = sent.turns, sent.input_tokens, calls_of(sent.turns)
    head = f"<b>{escaped(one.label)}</b><br>"
    shares = [f", {number / window_tokens:.1%} of the context window" if window_tokens else ""
              for number in tokens.tolist()]  # fmt: skip
    return {
        "type": "scatter", "x": axis.places(turns), "y": tokens, "mode": "lines+markers",
        "name": legend_name(one.label),
        "legendgroup": str(index), "hoverinfo": "text",
        "marker": {"opacity": 0 if len(turns) > 1 else 1, "size": 9, "color": setting_color(index)},
        "line": {"color": setting_color(index), "dash": setting_dash(index), "width": 2.5},
        "text": [f"{head}{request_name(turn, call)}: <b>{number:,} tokens</b>{share}"
                 for turn, call, number, share
                 in zip(turns.tolist(), calls.tolist(), tokens.tolist(), shares, strict=True)],
    }  # fmt: skip


def _window_line(window_tokens: int) -> dict[str, Any]:
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": window_tokens, "y1": window_tokens,
            "layer": "below", "line": {"width": 1, "dash": "dash", "color": GREY}}  # fmt: skip


def _window_label(window_tokens: int) -> dict[str, Any]:
    return {
        "text": f"context window {window_tokens:,}", "font": {"size": NOTE_PIXELS},
        "showarrow": False, "xref": "paper", "x": 0, "xanchor": "left", "y": window_tokens, "yanchor": "bottom",
    }  # fmt: skip
