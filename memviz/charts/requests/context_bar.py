"""How full the context is: the share of each part against the budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from memviz.charts.figure import figure
from memviz.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES

MAX_BUDGET_SHARE = 4
"""A budget further away than so many times the request is not drawn: it would only squeeze the bar."""


def context_bar(tokens: Mapping[str, int], budget_tokens: int | None = None) -> go.Figure:
    """One bar of the request's parts; the budget, if there is one, as a line."""
    total = sum(tokens.values())
    near = budget_tokens is not None and budget_tokens <= MAX_BUDGET_SHARE * total
    return figure(
        [_share(part, tokens[part], total) for part in PART_ORDER if tokens.get(part)],
        {
            "barmode": "stack", "bargap": 0.1, "height": 140, "showlegend": False, "uirevision": "bar",
            "xaxis": {"title": {"text": "tokens in the last request"}, "tickformat": ",d"},
            "yaxis": {"visible": False}, "margin": {"l": 10, "r": 10, "t": 20, "b": 45},
            "shapes": [_budget_line(budget_tokens)] if near else [],
            "annotations": [_budget_label(budget_tokens)] if near else [],
        },
    )  # fmt: skip


def _share(part: str, tokens: int, total: int) -> dict[str, Any]:
    tooltip = f"{PART_TITLES[part]}: {tokens:,} tokens, {tokens / total:.0%} of the request"
    return {
        "type": "bar",
        "x": [tokens],
        "y": [""],
        "orientation": "h",
        "name": PART_TITLES[part],
        "marker": {"color": PART_COLORS[part], "line": {"width": 0}},
        "hovertemplate": tooltip + "<extra></extra>",
    }


def _budget_line(budget: int | None) -> dict[str, Any]:
    line = {"width": 2, "dash": "dot", "color": PART_COLORS["system"]}
    return {"type": "line", "x0": budget, "x1": budget, "y0": 0, "y1": 1, "yref": "y domain", "line": line}


def _budget_label(budget: int | None) -> dict[str, Any]:
    return {
        "text": f"budget {budget:,}", "x": budget, "y": 1, "yref": "y domain", "xanchor": "left", "yanchor": "top",
        "showarrow": False,
    }  # fmt: skip
