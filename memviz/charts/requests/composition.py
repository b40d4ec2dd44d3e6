"""What each request of one setting is made of, as stacked areas."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import FIXED_MARGINS, PART_COLORS, PART_ORDER, PART_TITLES, turn_ticks
from memviz.engine.run import Run

IntArray = npt.NDArray[np.int_]


def composition(run: Run, turn: int | None = None) -> go.Figure:
    """Tokens of each part over the turns; ``turn`` is marked. Parts that are never sent are left out."""
    turns = np.array([record.turn for record in run.turns])
    tokens = {part: np.array([record.tokens.get(part, 0) for record in run.turns]) for part in PART_ORDER}
    return figure_over_turns(
        [_area(part, turns, tokens[part]) for part in PART_ORDER if tokens[part].any()],
        {
            "title": {"text": "What each request is made of", "font": {"size": 16}},
            "xaxis": {"automargin": False, "title": {"text": "turn"}, "unifiedhovertitle": {"text": "turn %{x}"},
                      **turn_ticks(len(turns))},
            "yaxis": {"automargin": False, "title": {"text": "tokens sent"}, "rangemode": "tozero", "tickformat": ",d"},
            "legend": {"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0, "traceorder": "normal"},
            "shapes": [] if turn is None else [_mark(turn)],
            "hovermode": "x unified", "height": 420, "margin": FIXED_MARGINS, "uirevision": "composition",
        },
    )  # fmt: skip


def _area(part: str, turns: IntArray, tokens: IntArray) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": turns,
        "y": tokens,
        "name": PART_TITLES[part],
        "mode": "lines",
        "stackgroup": "parts",
        "line": {"width": 0.5, "color": PART_COLORS[part]},
        "fillcolor": PART_COLORS[part],
        "hovertemplate": "%{y:,} tokens",
    }


def _mark(turn: int) -> dict[str, Any]:
    line = {"width": 1, "color": "#8A929C", "dash": "dot"}
    return {"type": "line", "x0": turn, "x1": turn, "y0": 0, "y1": 1, "yref": "y domain", "line": line}
