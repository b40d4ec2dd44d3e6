"""How full the context is: the share of each part against the budget."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from memviz.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES

MAX_BUDGET_SHARE = 4
"""A budget further away than so many times the request is not drawn: it would only squeeze the bar."""


def context_bar(tokens: Mapping[str, int], budget_tokens: int | None = None) -> go.Figure:
    """One bar of the request's parts; the budget, if there is one, as a line."""
    total = sum(tokens.values())
    figure = go.Figure()
    for part in PART_ORDER:
        share = tokens.get(part, 0)
        tooltip = f"{PART_TITLES[part]}: {share:,} tokens, {share / max(1, total):.0%} of the request"
        if share:
            figure.add_trace(
                go.Bar(
                    x=[share],
                    y=[""],
                    orientation="h",
                    name=PART_TITLES[part],
                    marker={"color": PART_COLORS[part], "line": {"width": 0}},
                    hovertemplate=tooltip + "<extra></extra>",
                )
            )
    if budget_tokens is not None and budget_tokens <= MAX_BUDGET_SHARE * total:
        figure.add_vline(
            x=budget_tokens,
            line={"width": 2, "dash": "dot", "color": PART_COLORS["system"]},
            annotation={"text": f"budget {budget_tokens:,}"},
        )
    return figure.update_layout(
        barmode="stack", bargap=0.1, height=140, showlegend=False, uirevision="bar",
        xaxis={"title": "tokens in the last request", "tickformat": ",d"}, yaxis={"visible": False},
        margin={"l": 10, "r": 10, "t": 20, "b": 45},
    )  # fmt: skip
