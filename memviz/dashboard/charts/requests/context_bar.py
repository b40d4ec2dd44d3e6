"""How full the context is: the share of each part, and what counts toward the limit against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from memviz.core.text.wording import counted
from memviz.dashboard.charts.figure import figure
from memviz.dashboard.charts.palette import PART_COLORS, PART_ORDER, PART_TITLES, faded
from memviz.metrics.requests.limits import Limit

MAX_LIMIT_SHARE = 4
"""A limit further away than so many times the request is not drawn: it would only squeeze the bar."""
PALE = 0.4
CHAR_PIXELS, NARROW_PIXELS = 6.5, 290
"""Of a letter of the limit's label, and of the bar where the page is narrowest."""


def context_bar(tokens: Mapping[str, int], limit: Limit | None = None) -> go.Figure:
    """One bar of the request's parts; the limit, if there is one, as a line. What counts toward it begins at 0, the
    rest, pale, stands behind that."""
    total = sum(tokens.values())
    near = (
        limit if limit is not None and limit.tokens <= MAX_LIMIT_SHARE * total else None
    )
    order = (
        PART_ORDER
        if limit is None
        else sorted(PART_ORDER, key=lambda part: part not in limit.parts)
    )
    longest = max(total, near.tokens if near else 0)
    return figure(
        [
            _share(part, tokens[part], total, limit)
            for part in order
            if tokens.get(part)
        ],
        {
            "barmode": "stack",
            "bargap": 0.1,
            "height": 140,
            "showlegend": False,
            "uirevision": "bar",
            "xaxis": {
                "title": {"text": "tokens in the last request"},
                "tickformat": ",d",
                "range": [0, 1.02 * longest],
            },
            "yaxis": {"visible": False},
            "margin": {"l": 10, "r": 10, "t": 28, "b": 45},
            "shapes": [_limit_line(near.tokens)] if near else [],
            "annotations": [_limit_label(near, longest)] if near else [],
        },
    )


def _share(part: str, tokens: int, total: int, limit: Limit | None) -> dict[str, Any]:
    counts = limit is None or part in limit.parts
    besides = "" if counts else "<br>does not count toward the limit"
    tooltip = f"{PART_TITLES[part]}: {counted(tokens, 'token')}, {tokens / total:.0%} of the request{besides}"
    return {
        "type": "bar",
        "x": [tokens],
        "y": [""],
        "orientation": "h",
        "name": PART_TITLES[part],
        "marker": {
            "color": PART_COLORS[part] if counts else faded(PART_COLORS[part], PALE),
            "line": {"width": 0},
        },
        "hovertemplate": tooltip + "<extra></extra>",
    }


def _limit_line(tokens: int) -> dict[str, Any]:
    line = {"width": 2, "dash": "dot", "color": PART_COLORS["system"]}
    return {
        "type": "line",
        "x0": tokens,
        "x1": tokens,
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        "line": line,
    }


def _limit_label(limit: Limit, longest: int) -> dict[str, Any]:
    """Above the bar, beside the line; where neither side has room for it, over the line, up to the bar's right end."""
    label, at = limit.words, limit.tokens / longest
    share = len(label) * CHAR_PIXELS / NARROW_PIXELS
    beside = at >= share or 1 - at >= share
    return {
        "text": label,
        "x": limit.tokens if beside else 1,
        "xref": "x" if beside else "paper",
        "y": 1,
        "yref": "y domain",
        "yanchor": "bottom",
        "showarrow": False,
        "xanchor": "left" if at + share <= 1 else "right",
    }
