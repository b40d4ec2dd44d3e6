"""Which share of the facts stated so far each request could still know, one line a setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import (
    FIXED_MARGINS,
    PART_COLORS,
    TURN_TITLE,
    faded,
    setting_color,
    setting_dash,
    with_legend,
)
from memviz.charts.retention.knowledge_words import known_words
from memviz.charts.retention.result import Measure, RetentionResult
from memviz.charts.summaries.marks import compaction_tooltip, request_mark
from memviz.charts.text import escaped, legend_name
from memviz.charts.thinning import Texts
from memviz.charts.turn_axis import (
    axis_ticks,
    axis_title,
    last_place,
    parted,
    request_ids,
)
from memviz.engine.compaction import Compaction
from memviz.metrics.requests.request_axis import RequestAxis, axis_of, request_turns
from memviz.text.wording import counted

MOST_NAMED = 3
"""Facts that the tooltip of a summarization names; of more it says how many."""

MOST_LARGE = 40
"""More marks than this, or at more than every other request, are small: large ones would hide their line."""


class _Mark(NamedTuple):
    x: float
    request: tuple[int, ...]
    share: float
    compaction: Compaction
    number: int


def summarization_marks(
    one: RetentionResult, place: int, measure: Measure, axis: RequestAxis
) -> Iterator[dict[str, Any]]:
    """A mark at the first request that each compaction changed, see
    :func:`memviz.charts.summaries.marks.request_mark`; ``place`` is that of the setting on the chart."""
    found = [mark for mark in _places(one, measure, axis) if not np.isnan(mark.share)]
    if not found:
        return
    dense = len(found) > min(MOST_LARGE, 0.5 * len(one.run.requests))
    looks = [
        look for mark in found if (look := request_mark(mark.compaction)) is not None
    ]
    yield {
        "type": "scatter",
        "mode": "markers",
        "legendgroup": str(one.setting.index),
        "showlegend": False,
        "x": np.array([mark.x for mark in found]),
        "y": np.array([mark.share for mark in found]),
        "marker": {
            "symbol": [look.symbol for look in looks],
            "size": 6 if dense else 11,
            "color": [look.color for look in looks],
            "line": {
                "width": 1 if dense else 1.5,
                "color": setting_color(one.setting.index),
            },
        },
        "text": Texts(found, partial(_mark_tooltip, one)),
        "hoverinfo": "text",
        "customdata": [
            [place, mark.request[0], mark.number, *mark.request[1:]] for mark in found
        ],
        "unselected": {"marker": {"opacity": 1}},
        "name": escaped(one.setting.label) + " summarizations",
    }


def _places(
    one: RetentionResult, measure: Measure, axis: RequestAxis
) -> Iterator[_Mark]:
    shares, run = one.retention.share(measure.of(one.retention)), one.run
    turns = request_turns(run)
    places, requests = axis.places(turns).tolist(), _requests(turns.tolist())
    for row, record in enumerate(run.requests):
        for compaction in record.compactions:
            if request_mark(compaction) is not None:
                number = run.number_of(compaction)
                yield _Mark(
                    float(places[row]),
                    requests[row],
                    float(shares[row]),
                    compaction,
                    number,
                )
    rows = {
        record.turn: row for row, record in enumerate(run.requests)
    }  # the last one of each turn
    for turn, compaction in run.unsent:
        if request_mark(compaction) is not None and turn in rows:
            share = float(shares[rows[turn]])
            yield _Mark(
                axis.last(turn) + 0.5,
                (turn,),
                share,
                compaction,
                run.number_of(compaction),
            )


def _requests(turns: Sequence[int]) -> list[tuple[int, ...]]:
    """Of every request its turn, and also its call unless it is the last one of its turn."""
    return [tuple(map(int, name.split(":"))) for name in request_ids(turns)]


def _mark_tooltip(one: RetentionResult, mark: _Mark) -> str:
    """Why it was, and which facts it cost."""
    probes = one.retention.probes
    lost = [
        probes[probe].answers[:1]
        for (probe, _), by in one.losses.items()
        if by == mark.number
    ]
    told = compaction_tooltip(one.setting.label, mark.compaction, run=one.run)
    if not lost:
        return told
    names = ", ".join(
        escaped(answer[0]) if answer else "?" for answer in lost[:MOST_NAMED]
    )
    more = f" and {len(lost) - MOST_NAMED:,} more" if len(lost) > MOST_NAMED else ""
    return f"{told}<br><b>{counted(len(lost), 'fact')} lost here:</b> {names}{more}"


Shares = NDArray[np.float64]
GREY = PART_COLORS["system"]
POINT_PIXELS = 12
"""Of two points at one place Plotly shows the smaller one's tooltip, and that has to be the summarization's."""


class Bounds(NamedTuple):
    """Shares [requests] between which every strategy moves: of a request that holds all messages, and of what
    is found by chance (the lowest and the highest of the settings), ``None`` where that is not known. ``turns`` is the
    turn of each request."""

    turns: NDArray[np.int64]
    ceiling: Shares
    chance: tuple[Shares, Shares] | None = None


def retention_curve(
    kept: Sequence[RetentionResult],
    bounds: Bounds | None = None,
    measure: Measure = Measure.RETAINED,
) -> go.Figure:
    """The chart. Shares are of the facts that were stated by then; before the first one there is no line. Points carry
    the place of their setting in ``kept``, their turn and the number of their summarization, -1 for none, and those of
    a turn's earlier calls the call (customdata)."""
    axis = axis_of(one.run for one in kept)
    traces = [
        *_bounds(bounds, axis),
        *(_curve(one, place, measure, axis) for place, one in enumerate(kept)),
    ]
    traces += [
        trace
        for place, one in enumerate(kept)
        for trace in summarization_marks(one, place, measure, axis)
    ]
    layout = {
        "title": {
            "text": "Facts that the model could still know",
            "font": {"size": 16},
        },
        "xaxis": {
            "automargin": False,
            "title": {**TURN_TITLE, "text": axis_title(axis)},
            "range": [0.4, last_place(axis) + 0.8],
            **axis_ticks(axis),
        },
        "yaxis": {
            "automargin": False,
            "title": {"text": "share of the facts stated so far"},
            "range": [-0.03, 1.09],
            "tickformat": ".0%",
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "zeroline": False,
        },
        "showlegend": len(kept) > 1,
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.18,
            "x": 0,
            "groupclick": "togglegroup",
        },
        **parted(axis),
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": with_legend(440, len(kept)),
        "margin": FIXED_MARGINS,
        "uirevision": "retention",
    }
    return figure_over_turns(traces, layout)


def _curve(
    one: RetentionResult, place: int, measure: Measure, axis: RequestAxis
) -> dict[str, Any]:
    setting, kept = one.setting, one.retention
    return {
        "type": "scatter",
        "x": axis.places(kept.turns),
        "y": kept.share(measure.of(kept)),
        "name": legend_name(setting.label),
        "legendgroup": str(setting.index),
        "mode": "lines+markers",
        "marker": {
            "opacity": 0 if len(kept.turns) > 1 else 1,
            "size": POINT_PIXELS,
            "color": setting_color(setting.index),
        },
        "line": {
            "color": setting_color(setting.index),
            "dash": setting_dash(setting.index),
            "width": 2.5,
        },
        "text": list(_tooltips(one, measure)),
        "hoverinfo": "text",
        "customdata": [
            [place, turn, -1, *call] for turn, *call in _requests(kept.turns.tolist())
        ],
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
    }


def _tooltips(one: RetentionResult, measure: Measure) -> Iterator[str]:
    kept, head = one.retention, f"<b>{escaped(one.setting.label)}</b><br>"
    born, held = kept.born.sum(axis=1).tolist(), measure.of(kept).sum(axis=1).tolist()
    what = (
        "an answer is contained"
        if measure is Measure.CONTAINED
        else "all messages that state it are sent"
    )
    for words, stated, found in zip(known_words(kept), born, held, strict=True):
        more = (
            ""
            if measure is Measure.RETAINED or not stated
            else (f"<br>of {found:,} of them {what} ({found / stated:.0%})")
        )
        yield head + words + more


def _bounds(bounds: Bounds | None, axis: RequestAxis) -> Iterator[dict[str, Any]]:
    if bounds is None:
        return
    thin = {
        "type": "scatter",
        "mode": "lines",
        "x": axis.places(bounds.turns),
        "hoverinfo": "skip",
        "showlegend": False,
    }
    setting = {"width": 1, "color": GREY, "dash": "dot"}
    yield {**thin, "y": bounds.ceiling, "name": "ceiling", "line": setting}
    if bounds.chance is not None:
        low, high = bounds.chance
        yield {
            **thin,
            "y": low,
            "name": "least by chance",
            "line": {**setting, "width": 0},
        }
        yield {
            **thin,
            "y": high,
            "name": "most by chance",
            "line": setting,
            "fill": "tonexty",
            "fillcolor": faded(GREY, 0.18),
        }
