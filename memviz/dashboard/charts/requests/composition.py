"""What each request of one setting is made of, as stacked areas: what counts toward its limit below, in full colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    PART_COLORS,
    PART_ORDER,
    PART_TITLES,
    TURN_TITLE,
    faded,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, turn_partings
from memviz.engine.run import Run
from memviz.metrics.requests.limits import Limit, limit_of
from memviz.metrics.requests.request_axis import axis_of, name_of, request_turns

IntArray = npt.NDArray[np.int_]


FITS_UP_TO = 1.5
"""A limit that is further away than so many times the largest request is not drawn: it would squeeze the areas."""
PALE = 0.4
TITLE_PIXELS = 84
"""The title, and below it what the line says."""


def composition(run: Run, turn: int | None = None) -> go.Figure:
    """Tokens of each part over the requests; the last one of ``turn`` is marked. Parts that are never sent are left
    out. Where the setting has a token limit, the parts that count toward it stand at the bottom, against its line, and
    the others, pale, on top of them."""
    limit, largest = limit_of(run.strategy), run.columns.largest
    order = (
        PART_ORDER
        if limit is None
        else sorted(PART_ORDER, key=lambda part: part not in limit.parts)
    )
    drawn = (
        [limit] if limit is not None and limit.tokens <= FITS_UP_TO * largest else []
    )
    axis, turns = axis_of([run]), request_turns(run)
    places = axis.places(turns)
    tokens = run.columns.tokens
    return figure_over_turns(
        [
            *([] if axis.is_by_turn else [_names(run, places)]),
            *(
                _area(
                    part,
                    places,
                    tokens[part],
                    counts=limit is None or part in limit.parts,
                )
                for part in order
                if tokens[part].any()
            ),
        ],
        {
            "title": {"text": "What each request is made of", "font": {"size": 16}},
            "xaxis": {
                "automargin": False,
                "title": {**TURN_TITLE, "text": axis_title(axis)},
                "unifiedhovertitle": {"text": "turn %{x}" if axis.is_by_turn else " "},
                **axis_ticks(axis),
            },
            "yaxis": {
                "automargin": False,
                "title": {"text": "tokens sent"},
                "rangemode": "tozero",
                "tickformat": ",d",
            },
            "legend": {
                "orientation": "h",
                "yanchor": "top",
                "y": -0.2,
                "x": 0,
                "traceorder": "normal",
            },
            "shapes": [
                *turn_partings(axis),
                *map(_limit_line, drawn),
                *([] if turn is None else [_mark(axis.last(turn))]),
            ],
            "annotations": list(map(_limit_label, drawn)),
            "hovermode": "x unified",
            "height": 420,
            "uirevision": "composition",
            "margin": {**FIXED_MARGINS, "t": TITLE_PIXELS},
        },
    )


def _names(run: Run, places: IntArray) -> dict[str, Any]:
    """Says which request one points at, as the first line of the tooltip: its title can hold nothing but the place. A
    part of no tokens, so that it is thinned out with the others."""
    return {
        "type": "scatter",
        "x": places,
        "y": np.zeros(len(places), dtype=int),
        "name": "request",
        "mode": "lines",
        "stackgroup": "parts",
        "line": {"width": 0},
        "showlegend": False,
        "text": Texts(
            run.requests, lambda one: f"{name_of(run, one)}: {one.total_tokens:,}"
        ),
        "hovertemplate": "<b>%{text} tokens</b><extra></extra>",
    }


def _area(
    part: str, places: IntArray, tokens: IntArray, *, counts: bool
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": places,
        "y": tokens,
        "name": PART_TITLES[part],
        "mode": "lines",
        "stackgroup": "parts",
        "line": {"width": 0.5, "color": PART_COLORS[part]},
        "fillcolor": PART_COLORS[part] if counts else faded(PART_COLORS[part], PALE),
        "hovertemplate": "%{y:,} tokens",
    }


def _limit_line(limit: Limit) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": limit.tokens,
        "y1": limit.tokens,
        "line": {"width": 2, "color": PART_COLORS["system"], "dash": "dash"},
    }


def _limit_label(limit: Limit) -> dict[str, Any]:
    """Above the picture: on the areas it could not be read, and in the legend it would push the names apart."""
    return {
        "text": f"<b>- -</b> {limit.words}<br>(pale parts do not count)",
        "align": "left",
        "showarrow": False,
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "font": {"size": 13},
    }


def _mark(place: int) -> dict[str, Any]:
    line = {"width": 1, "color": "#8A929C", "dash": "dot"}
    return {
        "type": "line",
        "x0": place,
        "x1": place,
        "y0": 0,
        "y1": 1,
        "yref": "y domain",
        "line": line,
    }
