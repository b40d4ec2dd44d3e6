"""What each request of one setting is made of, as stacked areas."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from memviz.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES, turn_ticks
from memviz.engine.run import Run


def composition(run: Run, turn: int | None = None) -> go.Figure:
    """Tokens of each part over the turns; ``turn`` is marked. Parts that are never sent are left out."""
    figure = go.Figure()
    turns = np.array([record.turn for record in run.turns])
    for part in PART_ORDER:
        tokens = np.array([record.tokens.get(part, 0) for record in run.turns])
        if not tokens.any():
            continue
        figure.add_trace(
            go.Scatter(
                x=turns,
                y=tokens,
                name=PART_TITLES[part],
                mode="lines",
                stackgroup="parts",
                line={"width": 0.5, "color": PART_COLORS[part]},
                fillcolor=PART_COLORS[part],
                hovertemplate="%{y:,} tokens",
            )
        )
    if turn is not None:
        figure.add_vline(x=turn, line={"width": 1, "color": "#8A929C", "dash": "dot"})
    return figure.update_layout(
        title={"text": "What each request is made of", "font": {"size": 16}},
        xaxis={"title": "turn", **turn_ticks(len(turns)), "unifiedhovertitle": {"text": "turn %{x}"}},
        yaxis={"title": "tokens sent", "rangemode": "tozero", "tickformat": ",d"},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0, "traceorder": "normal"},
        hovermode="x unified", height=420, margin={"l": 10, "r": 10, "t": 50, "b": 10}, uirevision="composition",
    )  # fmt: skip
