"""Which share of the facts stated so far each request could still know, one line a setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.charts.figure import figure
from memviz.charts.kept import Kept, Measure
from memviz.charts.knowledge_words import known_words
from memviz.charts.palette import FIXED_MARGINS, PART_COLORS, faded, setting_color, setting_dash, turn_ticks
from memviz.charts.retention_marks import summarization_marks
from memviz.charts.text import escaped

Shares = NDArray[np.float64]
GREY = PART_COLORS["system"]
POINT_PIXELS = 11
"""Of two points at one place Plotly shows the smaller one's tooltip, and that has to be the summarization's."""


class Bounds(NamedTuple):
    """Shares [requests] between which every strategy moves: of a request that holds all messages, and of what
    is found by chance (the lowest and the highest of the settings), ``None`` where that is not known."""

    turns: NDArray[np.int64]
    ceiling: Shares
    chance: tuple[Shares, Shares] | None = None


def retention_curve(
    kept: Sequence[Kept], bounds: Bounds | None = None, measure: Measure = Measure.RETAINED
) -> go.Figure:
    """The chart. Shares are of the facts that were stated by then; before the first one there is no line."""
    last = max((record.turn for one in kept for record in one.run.turns[-1:]), default=1)
    traces = [*_bounds(bounds), *(_curve(one, measure) for one in kept)]
    traces += [trace for one in kept for trace in summarization_marks(one, measure)]
    layout = {
        "title": {"text": "Facts that the model could still know", "font": {"size": 16}},
        "xaxis": {"automargin": False, "title": {"text": "turn"}, "range": [0.4, last + 0.8], **turn_ticks(last)},
        "yaxis": {"automargin": False, "title": {"text": "share of the facts stated so far"}, "range": [-0.03, 1.09],
                  "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1], "zeroline": False},
        "showlegend": len(kept) > 1,
        "legend": {"orientation": "h", "yanchor": "top", "y": -0.16, "x": 0, "groupclick": "togglegroup"},
        "annotations": list(_bound_labels(bounds)),
        "hovermode": "closest", "hoverlabel": {"align": "left"}, "height": 440, "margin": FIXED_MARGINS,
        "uirevision": "retention",
    }  # fmt: skip
    return figure(traces, layout)


def _curve(one: Kept, measure: Measure) -> dict[str, Any]:
    line, kept = one.line, one.retention
    return {
        "type": "scatter", "x": kept.turns, "y": kept.share(measure.of(kept)),
        "name": escaped(line.label), "legendgroup": str(line.index), "mode": "lines+markers",
        "marker": {"opacity": 0 if len(kept.turns) > 1 else 1, "size": POINT_PIXELS,
                   "color": setting_color(line.index)},
        "line": {"color": setting_color(line.index), "dash": setting_dash(line.index), "width": 2.5},
        "text": list(_tooltips(one, measure)), "hoverinfo": "text",
    }  # fmt: skip


def _tooltips(one: Kept, measure: Measure) -> Iterator[str]:
    kept, head = one.retention, f"<b>{escaped(one.line.label)}</b><br>"
    born, held = kept.born.sum(axis=1).tolist(), measure.of(kept).sum(axis=1).tolist()
    what = "an answer is contained" if measure is Measure.CONTAINED else "all messages that state it are sent"
    for words, stated, found in zip(known_words(kept), born, held, strict=True):
        more = "" if measure is Measure.RETAINED or not stated else (
            f"<br>of {found:,} of them {what} ({found / stated:.0%})"
        )  # fmt: skip
        yield head + words + more


def _bounds(bounds: Bounds | None) -> Iterator[dict[str, Any]]:
    if bounds is None:
        return
    thin = {"type": "scatter", "mode": "lines", "x": bounds.turns, "hoverinfo": "skip", "showlegend": False}
    line = {"width": 1, "color": GREY, "dash": "dot"}
    yield {**thin, "y": bounds.ceiling, "name": "ceiling", "line": line}
    if bounds.chance is not None:
        low, high = bounds.chance
        yield {**thin, "y": low, "name": "least by chance", "line": {**line, "width": 0}}
        yield {**thin, "y": high, "name": "most by chance", "line": line, "fill": "tonexty",
               "fillcolor": faded(GREY, 0.18)}  # fmt: skip


def _bound_labels(bounds: Bounds | None) -> Iterator[dict[str, Any]]:
    """A word at the right end of each bound."""
    if bounds is None:
        return
    ends = [("all messages sent", bounds.ceiling)]
    if bounds.chance is not None:
        ends.append(("found by chance", bounds.chance[1]))
    for text, shares in ends:
        there = shares[~np.isnan(shares)]
        if there.size:
            yield {
                "text": text, "x": 1, "xref": "paper", "xanchor": "right", "y": float(there[-1]), "yanchor": "bottom",
                "showarrow": False, "font": {"size": 11, "color": GREY},
            }  # fmt: skip
