"""Where the facts stated so far stood at every request of one setting, as stacked areas."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.retention.knowledge_words import (
    KNOWLEDGE_COLORS,
    KNOWLEDGE_TITLES,
    PATTERNS,
    SHOWN,
    known_words,
)
from memviz.dashboard.charts.retention.life_lines import MARGINS
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, last_place, parted
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.metrics.retention.knowledge import Knowledge, Retention

HEIGHT_PIXELS = 240


def knowledge_split(retention: Retention) -> go.Figure:
    """Numbers of facts by where they stood; the stack is as high as there were facts. States that never occur
    are left out. The requests have the places that they have in
    :func:`memviz.dashboard.charts.retention.life_lines.life_lines_of`."""
    counts = {state: (retention.states == state).sum(axis=1) for state in SHOWN}
    axis = RequestAxis.of([retention.turns])
    most = int(retention.born.sum(axis=1).max(initial=1))
    layout = {
        "xaxis": {
            "automargin": False,
            "title": {"text": axis_title(axis), "standoff": 8},
            "range": [0.4, last_place(axis) + 0.8],
            **axis_ticks(axis),
        },
        "yaxis": {
            "automargin": False,
            "title": {"text": "facts stated so far"},
            "range": [0, most * 1.04],
            "tickformat": ",d",
            "dtick": 1 if most <= 4 else None,
            "nticks": 5,
        },
        **parted(axis),
        "showlegend": False,
        "hovermode": "x",
        "hoverlabel": {"align": "left"},
        "height": HEIGHT_PIXELS,
        "margin": {**MARGINS, "t": 8, "b": 44},
        "uirevision": "split",
    }
    areas = [
        _area(state, retention, counts[state]) for state in SHOWN if counts[state].any()
    ]
    return figure_over_turns([*areas, _sentences(retention)], layout)


def _area(state: Knowledge, retention: Retention, counts: Any) -> dict[str, Any]:
    """Steps that are as wide as a request, half before and half behind it."""
    places = retention.places
    return {
        "type": "scatter",
        "mode": "lines",
        "stackgroup": "facts",
        "name": KNOWLEDGE_TITLES[state],
        "x": np.concatenate((places[:1] - 0.5, places, places[-1:] + 0.5)),
        "y": np.concatenate((counts[:1], counts, counts[-1:])),
        "line": {"width": 0, "shape": "hvh", "color": KNOWLEDGE_COLORS[state]},
        "fillcolor": KNOWLEDGE_COLORS[state],
        "hoverinfo": "skip",
        **({"fillpattern": {"shape": PATTERNS[state]}} if state in PATTERNS else {}),
    }


def _sentences(retention: Retention) -> dict[str, Any]:
    """What a request says when one points at it, on top of its stack."""
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": {"opacity": 0, "size": 1},
        "name": "facts",
        "x": retention.places,
        "y": retention.born.sum(axis=1),
        "text": known_words(retention),
        "hoverinfo": "text",
    }
