"""Which share of the input was read from the prompt cache, one line a setting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.charts.cost.setting_cost import SettingCost
from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import FIXED_MARGINS, TURN_TITLE, setting_color, setting_dash, turn_ticks
from memviz.charts.text import escaped, legend_name
from memviz.charts.thinning import Texts

HEIGHT_PIXELS = 330


def cache_hits(costs: Sequence[SettingCost]) -> go.Figure:
    """The chart. Several requests of one turn count together."""
    last = max((int(one.cost.traffic.turns[-1]) for one in costs if one.cost.traffic.turns.size), default=1)
    layout = {
        "title": {"text": "Input read from the cache", "font": {"size": 16}},
        "xaxis": {"automargin": False, "title": TURN_TITLE, "range": [0.4, last + 0.8], **turn_ticks(last)},
        "yaxis": {"automargin": False, "title": {"text": "share of the input tokens"}, "range": [-0.03, 1.09],
                  "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1], "zeroline": False},
        "showlegend": len(costs) > 1,
        "legend": {"orientation": "h", "yanchor": "top", "y": -0.32, "x": 0, "groupclick": "togglegroup"},
        "hovermode": "closest", "hoverlabel": {"align": "left"}, "height": HEIGHT_PIXELS, "margin": FIXED_MARGINS,
        "uirevision": "cache-hits",
    }  # fmt: skip
    return figure_over_turns([_curve(one) for one in costs], layout)


def _curve(one: SettingCost) -> dict[str, Any]:
    sent, index = one.cost.traffic, one.setting.index
    by_turn = [np.bincount(sent.turns, weights=tokens).astype(np.int64)
               for tokens in (sent.input_tokens, one.cost.cached_tokens, sent.shared_tokens)]  # fmt: skip
    turns = np.flatnonzero(by_turn[0])
    read, cached, shared = (tokens[turns] for tokens in by_turn)
    rows = np.stack([turns, read, cached, shared], axis=1).tolist()
    return {
        "type": "scatter", "x": turns, "y": cached / read, "mode": "lines+markers",
        "name": legend_name(one.label), "legendgroup": str(index),
        "marker": {"opacity": 0 if len(turns) > 1 else 1, "size": 9, "color": setting_color(index)},
        "line": {"color": setting_color(index), "dash": setting_dash(index), "width": 2.5},
        "text": Texts(rows, partial(_words, one.label)),
        "hoverinfo": "text",
    }  # fmt: skip


def _words(label: str, row: Sequence[int]) -> str:
    turn, read, cached, shared = row
    return (
        f"<b>{escaped(label)}</b><br>turn {turn:,}: <b>{cached / read:.0%}</b> read from the cache, "
        f"{cached:,} of {read:,} input tokens<br>{shared:,} stood at the start of the request before as well"
    )
