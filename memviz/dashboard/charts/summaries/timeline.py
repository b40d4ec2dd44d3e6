"""The summary over the requests: how large it was, when and why it changed, and what it stood for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.palette import FIXED_MARGINS, PART_COLORS, TURN_TITLE
from memviz.dashboard.charts.summaries.marks import (
    MARKS,
    RULED,
    bar_width,
    lacks_summarizer,
    tooltip,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import (
    axis_ticks,
    axis_title,
    last_place,
    turn_partings,
)
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import axis_of, name_of, request_turns
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    compaction_events,
    grows_a_list,
    never_summarizes,
    tokens_in_force,
)
from memviz.metrics.summaries.request_sizes import request_sizes

MAX_LAYERS = 200
"""Entries of a list that are parted by a line; more would be nothing but lines."""
FEW_EVENTS = 40
UPPER, LOWER = (0.5, 0.96), (0.0, 0.36)
SUMMARY, MESSAGES = PART_COLORS["summary"], PART_COLORS["history"]
SUMMARY_FILL = "rgba(141, 107, 219, 0.22)"
Trace = dict[str, Any]


def summary_timeline(run: Run, selected: int | None = None) -> go.Figure:
    """Two rows over the same requests. Above, the tokens of the summary in force, a mark for each event; below, the
    messages that each version stands for, or of an accumulating list the tokens of each entry. Point ids
    (customdata) are event numbers; event ``selected`` is marked."""
    events, is_list = compaction_events(run), grows_a_list(run)
    ruled = never_summarizes(run) and not run.space.summaries.versions
    sizes = [
        request_sizes(event.compaction, run).after_tokens
        if ruled
        else tokens_in_force(run, event)
        for event in events
    ]
    lower = (
        _entries(run, events)
        if is_list
        else [*_covered(run, events), *_ruled(run, events), _conversation(run)]
    )
    in_force = [] if ruled else _in_force(run, events, sizes)
    traces = [
        *in_force,
        *_layers(run, events, is_list),
        *_marks(run, events, sizes),
        *lower,
    ]
    layout = _layout(
        run,
        events,
        selected,
        is_list,
        "Tokens of the first request after each change" if ruled else "",
    )
    if not any(sizes):
        layout["yaxis"] |= {
            "range": [-0.08, 1],
            "tickvals": [0],
        }  # nothing but failed attempts, all at zero
    return figure_over_turns(traces, layout)


def _last_place(run: Run, events: Sequence[CompactionEvent]) -> float:
    return max(
        [last_place(axis_of([run]))] * bool(run.requests)
        + [event.place for event in events[-1:]],
        default=1,
    )


def _in_force(
    run: Run, events: Sequence[CompactionEvent], sizes: Sequence[int]
) -> Iterator[Trace]:
    if any(sizes):
        yield {
            "type": "scatter",
            "mode": "lines",
            "fill": "tozeroy",
            "hoverinfo": "skip",
            "showlegend": False,
            "x": np.array(
                [*(event.place for event in events), _last_place(run, events) + 0.5]
            ),
            "y": np.array([*sizes, sizes[-1]]),
            "line": {"shape": "hv", "width": 2, "color": SUMMARY},
            "fillcolor": SUMMARY_FILL,
            "name": "tokens in force",
        }


def _layers(
    run: Run, events: Sequence[CompactionEvent], is_list: bool
) -> Iterator[Trace]:
    """A line on top of every entry, from when it came to the end."""
    written = [event for event in events if event.version]
    if (
        not is_list
        or len(written) > MAX_LAYERS
        or any(event.base for event in written)
        or run.earlier_settings
    ):
        return
    end = _last_place(run, events) + 0.5
    tops = [
        run.space.summaries.tokens(0, number) for number in range(1, len(written) + 1)
    ]
    yield {
        "type": "scatter",
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
        "name": "entries",
        "x": np.array([x for event in written for x in (event.place, end, np.nan)]),
        "y": np.array([y for top in tops for y in (top, top, np.nan)]),
        "line": {"width": 0.7, "color": SUMMARY},
    }


def _marks(
    run: Run, events: Sequence[CompactionEvent], sizes: Sequence[int]
) -> Iterator[Trace]:
    """One trace for each kind of event, so that the legend names them."""
    for what, mark in MARKS.items():
        mine = [event for event in events if event.what is what]
        if mine:
            yield {
                "type": "scatter",
                "mode": "markers",
                "name": mark.name,
                "showlegend": True,
                "x": np.array([event.place for event in mine]),
                "y": np.array([sizes[event.number] for event in mine]),
                "marker": {
                    "symbol": mark.symbol,
                    "color": mark.color,
                    "size": 12 if len(events) <= FEW_EVENTS else 7,
                },
                "unselected": {"marker": {"opacity": 0.9}},
                "customdata": [event.number for event in mine],
                "text": Texts(mine, partial(tooltip, run)),
                "hoverinfo": "text",
                "cliponaxis": False,
            }


def _covered(run: Run, events: Sequence[CompactionEvent]) -> Iterator[Trace]:
    """For each version, which messages the summary before it had replaced and which it newly took in."""
    written = [event for event in events if event.version]
    if not written:
        return
    spans = [
        (event.version.covers, event.version.added)
        for event in written
        if event.version
    ]
    before = [
        (covers.start, max(0, added.start - covers.start)) for covers, added in spans
    ]
    names = (
        ("replaced by the summary before", SUMMARY, before),
        ("newly taken in", MESSAGES, [(added.start, len(added)) for _, added in spans]),
    )
    for name, color, bars in names:
        yield {
            "type": "bar",
            "name": name,
            "yaxis": "y2",
            "showlegend": True,
            "x": np.array([event.place for event in written]),
            "base": np.array([start for start, _ in bars]),
            "y": np.array([size for _, size in bars]),
            "width": bar_width(events),
            "marker": {"color": color, "line": {"width": 0}},
            "customdata": [event.number for event in written],
            "text": [tooltip(run, event) for event in written],
            "hoverinfo": "text",
            "textposition": "none",
            "unselected": {"marker": {"opacity": 1}},
        }


def _ruled(run: Run, events: Sequence[CompactionEvent]) -> Iterator[Trace]:
    """Which messages a rule cleared, shortened or dropped."""
    for what in RULED:
        mine = [
            event
            for event in events
            if event.what is what and not lacks_summarizer(event.compaction)
        ]
        if mine:
            spans = [event.compaction.summarized for event in mine]
            yield {
                "type": "bar",
                "name": MARKS[what].name,
                "yaxis": "y2",
                "showlegend": False,
                "x": np.array([event.place for event in mine]),
                "base": np.array([span.start for span in spans]),
                "y": np.array([len(span) for span in spans]),
                "width": bar_width(events),
                "marker": {"color": MARKS[what].color, "line": {"width": 0}},
                "customdata": [event.number for event in mine],
                "text": Texts(mine, partial(tooltip, run)),
                "hoverinfo": "text",
                "textposition": "none",
                "unselected": {"marker": {"opacity": 1}},
            }


def _conversation(run: Run) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "yaxis": "y2",
        "name": "messages so far",
        "showlegend": True,
        "x": axis_of([run]).places(request_turns(run)),
        "y": run.columns.lengths,
        "line": {"width": 1.5, "dash": "dot", "color": PART_COLORS["system"]},
        **_words_so_far(run),
    }


def _words_so_far(run: Run) -> Trace:
    if not run.has_calls:
        return {"hovertemplate": "turn %{x}: %{y:,} messages so far<extra></extra>"}
    return {
        "hovertemplate": "%{text}: %{y:,} messages so far<extra></extra>",
        "text": Texts(run.requests, lambda record: name_of(run, record)),
    }


def _entries(run: Run, events: Sequence[CompactionEvent]) -> Iterator[Trace]:
    written = [event for event in events if event.version]
    if written:
        yield {
            "type": "bar",
            "name": "tokens of each entry",
            "yaxis": "y2",
            "showlegend": False,
            "x": np.array([event.place for event in written]),
            "y": np.array([event.version.tokens for event in written if event.version]),
            "width": bar_width(events),
            "marker": {"color": SUMMARY, "line": {"width": 0}},
            "customdata": [event.number for event in written],
            "text": [tooltip(run, event) for event in written],
            "hoverinfo": "text",
            "textposition": "none",
            "unselected": {"marker": {"opacity": 1}},
        }


def _layout(
    run: Run,
    events: Sequence[CompactionEvent],
    selected: int | None,
    is_list: bool,
    ruled: str = "",
) -> dict[str, Any]:
    last, requests = _last_place(run, events), axis_of([run])
    above = (
        "Tokens of the whole list of summaries"
        if is_list
        else "Tokens of the summary in force"
    )
    below = (
        "Tokens of each entry" if is_list else "Messages that each version stands for"
    )
    above, below = (
        (ruled, "Messages that each change is about") if ruled else (above, below)
    )
    axis = {
        "automargin": False,
        "rangemode": "tozero",
        "tickformat": ",d",
        "nticks": 5,
    }
    failed = any(event.what is CompactionOutcome.FAILED for event in events)
    return {
        "xaxis": {
            "automargin": False,
            "title": {**TURN_TITLE, "text": axis_title(requests)},
            "range": [0.4, last + 0.8],
            "anchor": "y2",
            **axis_ticks(requests, range(1, int(last) + 1)),
        },
        "yaxis": {**axis, "title": {"text": "tokens"}, "domain": UPPER},
        "yaxis2": {
            **axis,
            "title": {"text": "tokens" if is_list else "message"},
            "domain": LOWER,
        },
        "annotations": [_row_title(above, UPPER), _row_title(below, LOWER)],
        "shapes": [
            *turn_partings(requests, rows=("y", "y2")),
            *([] if selected is None else _selected_lines(events[selected])),
        ],
        "barmode": "overlay",
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
        "height": 390,
        "legend": {
            "orientation": "h",
            "yanchor": "top",
            "y": -0.18,
            "x": 0,
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "showlegend": not is_list or failed,
        "margin": {**FIXED_MARGINS, "t": 20},
        "uirevision": "summaries",
    }


def _row_title(text: str, domain: tuple[float, float]) -> dict[str, Any]:
    return {
        "text": f"<b>{text}</b>",
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "yref": "paper",
        "y": domain[1],
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 14},
    }


def _selected_lines(event: CompactionEvent) -> list[dict[str, Any]]:
    line = {"width": 1.5, "dash": "dot", "color": PART_COLORS["system"]}
    place = {
        "type": "line",
        "x0": event.place,
        "x1": event.place,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": line,
    }
    return [{**place, "yref": f"{axis} domain"} for axis in ("y", "y2")]
