"""Tokens sent with each request, one line a setting, and where each summarization fired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from memviz.charts.figure import figure_over_turns
from memviz.charts.palette import (
    FIXED_MARGINS,
    PART_COLORS,
    PART_TITLES,
    setting_color,
    setting_dash,
)
from memviz.charts.requests.limit_lines import limit_lines, limit_names
from memviz.charts.requests.panels import (
    FONT_PIXELS,
    in_strip,
    strip_names,
    strip_of,
    y_axes,
)
from memviz.charts.requests.recorded_marks import recorded_marks
from memviz.charts.requests.setting_marks import ROW_PIXELS, setting_marks
from memviz.charts.requests.window_share import Window
from memviz.charts.setting_run import SettingRun
from memviz.charts.summaries.compaction_tooltip import compaction_tooltip
from memviz.charts.summaries.marks import Mark, request_mark
from memviz.charts.text import escaped, legend_name
from memviz.charts.thinning import Texts
from memviz.charts.turn_axis import (
    axis_ticks,
    axis_title,
    last_place,
    places_of,
    request_id,
    turn_partings,
)
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import recalled_tokens
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_axis import (
    Places,
    RequestAxis,
    axis_of,
    name_of,
    request_turns,
)
from memviz.metrics.summaries.request_sizes import request_sizes
from memviz.text.wording import counted, turn_list

if TYPE_CHECKING:
    from memviz.transcripts.base import RecordedEvent

MAX_CLICKABLE = 100
"""Up to here every point can be clicked; beyond, invisible markers would make drawing slow."""
MAX_TURNS_NAMED = 6
RECALL_LIFT_SHARE = 0.13
"""How far above its request the triangle of a recall points down at it, as a share of the panel's largest request: the
diamond of a summarization and the ring of the selection have the place itself."""
MOST_RECALLS_NAMED, RECALL_LABEL_SHARE = 12, 0.2
"""More recalls are not labelled, nor one that is nearer to the label before than this share of the requests."""
MOST_LARGE_MARKS = 200
"""More marks than this side by side would cover their line."""
LOOKS = ((25, (14, 3.5)), (60, (10, 2.0)), (10**9, (8, 1.2)))
"""Up to so many marks of a setting: pixels of a mark and of its drop line. Few are seen from the back of a room."""
DENSE_PIXELS, RECALL_PIXELS = 6, 22
PENDING_PIXELS = 12
POINT_PIXELS, UNDER_MARK_PIXELS = 6, 18
"""Of the invisible points of a line. Of two that the pointer is on Plotly takes the smaller one: a mark, not the point
under it."""
LEAST_OFF_PIXELS = 160
"""Of a chart's height, what its legend, its axis and the names of its settings take: the rest is the picture."""
MARGINS = {**FIXED_MARGINS, "l": 70, "t": 30, "b": 44}


def tokens_per_turn(
    settings: Sequence[SettingRun],
    *,
    height: int = 460,
    recorded: Sequence[RecordedEvent] = (),
    turns: range | None = None,
    window: Window | None = None,
) -> go.Figure:
    """The chart, ``height`` pixels high. Point ids (customdata) read ``"<line number>:<turn>"``, those of a turn's
    earlier calls ``"<line number>:<turn>:<call>"``. ``recorded`` is what the conversation's own program did to its
    memory. ``turns`` is the part that is drawn: fewer turns in more detail. ``window``: tokens are given as percent of
    it. Settings far larger than the others stand
    in a strip of their own scale (:mod:`memviz.charts.requests.panels`)."""
    strip, axis = strip_of(settings), axis_of(setting.run for setting in settings)
    layers = [
        _layers(setting, number, axis, window)
        for number, setting in enumerate(settings)
    ]
    traces = [
        trace for layer in zip(*layers, strict=True) for part in layer for trace in part
    ]
    traces += [
        trace
        for number, setting in enumerate(settings)
        for trace in _recalls(setting, number, lift(settings, number, strip), axis)
    ]
    if turns is None:
        traces += [
            trace
            for number, one in enumerate(settings)
            for trace in _pending(one, number, axis, window)
        ]
    named = strip_names(settings, strip, axis)
    traces = [{**trace, **in_strip(trace, strip, named)} for trace in traces]
    has_pending = any(
        setting.shown and setting.run.pending is not None for setting in settings
    )
    shown = (
        range(1, last_place(axis) + 1 + has_pending)
        if turns is None
        else places_of(axis, turns)
    )
    marks, mark_labels = (
        recorded_marks(settings[0].run, recorded, axis) if settings else ([], [])
    )
    switches = [
        setting_marks(setting.run, axis) for setting in settings if setting.shown
    ]
    marks = [
        *turn_partings(axis, shown, ("y", "y2") if strip else ("y",)),
        *marks,
        *(line for each in switches for line in each.lines),
    ]
    mark_labels = [*mark_labels, *(label for each in switches for label in each.labels)]
    above_pixels = ROW_PIXELS * max((each.rows for each in switches), default=0)
    limits = limit_names(settings, strip)
    layout = {
        "xaxis": {
            "automargin": False,
            "title": {
                "text": axis_title(axis),
                "font": {"size": FONT_PIXELS},
                "standoff": 8,
            },
            "tickfont": {"size": FONT_PIXELS},
            "range": [shown.start - 0.6, shown.stop - 0.2],
            **axis_ticks(axis, shown),
        },
        **y_axes(settings, strip, has_note=bool(limits), window=window),
        "showlegend": len(settings)
        > 1,  # one setting is named beside the chart already
        "legend": {
            "orientation": "h",
            "yanchor": "bottom",
            "x": -0.1,
            "y": 1.01 + above_pixels / (height - LEAST_OFF_PIXELS),
            "groupclick": "togglegroup",
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": FONT_PIXELS},
        },  # the topmost tick is partly below it
        "shapes": marks,
        "annotations": [
            *mark_labels,
            *limits,
            *named.values(),
            *recall_labels(settings, strip, shown, axis),
        ],
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "font": {"size": FONT_PIXELS}},
        "height": height,
        "margin": {**MARGINS, "t": max(MARGINS["t"], above_pixels + 12)},
        "uirevision": "tokens",
    }
    return figure_over_turns(traces, layout)


def _layers(
    setting: SettingRun, number: int, axis: RequestAxis, window: Window | None
) -> tuple[list[dict[str, Any]], ...]:
    """The traces of a setting that no other one changes, the undermost first. They are kept with its run: mostly only
    one of the settings changes, and the rest is drawn as before."""
    steps = None if axis.is_by_turn else axis.lasts.tobytes()
    what = (_layers, setting.label, setting.index, setting.shown, number, steps, window)
    return setting.run.once(
        what,
        lambda: (
            [_tokens(setting, number, axis, window)],
            limit_lines(setting, number, axis),
            _triggers(setting, number, axis),
        ),
        is_picture=True,
    )


def _tokens(
    setting: SettingRun, number: int, axis: RequestAxis, window: Window | None
) -> dict[str, Any]:
    requests, x = setting.run.requests, axis.places(request_turns(setting.run))
    clickable = len(x) <= MAX_CLICKABLE
    return {
        "type": "scatter",
        "x": x,
        "y": setting.run.columns.totals,
        "name": legend_name(setting.label),
        "legendgroup": str(number),
        "visible": True if setting.shown else "legendonly",
        "mode": "lines+markers" if clickable else "lines",
        "marker": {
            "opacity": 0 if len(x) > 1 else 1,
            "color": setting_color(setting.index),
            "size": [
                UNDER_MARK_PIXELS
                if record.compactions or record.parts.recalled
                else POINT_PIXELS
                for record in requests
            ]
            if clickable
            else POINT_PIXELS,
        },
        "line": {
            "color": setting_color(setting.index),
            "dash": setting_dash(setting.index),
            "width": 3,
        },
        "customdata": [
            f"{number}:{request_id(setting.run, at)}" for at in range(len(x))
        ]
        if clickable
        else None,
        "text": Texts(requests, partial(_request_tooltip, setting, window)),
        "hoverinfo": "text",
    }


def _pending(
    setting: SettingRun, number: int, axis: RequestAxis, window: Window | None
) -> list[dict[str, Any]]:
    """The request that nobody has answered yet, as a hollow point behind all others: it counts nowhere."""
    pending = setting.run.pending
    if pending is None:
        return []
    return [
        {
            "type": "scatter",
            "x": np.array([int(axis.lasts[-1]) + 1]),
            "y": np.array([pending.total_tokens]),
            "mode": "markers",
            "marker": {
                "symbol": "circle-open",
                "size": PENDING_PIXELS,
                "color": setting_color(setting.index),
                "line": {"width": 2},
            },
            "legendgroup": str(number),
            "showlegend": False,
            "visible": True if setting.shown else "legendonly",
            "text": [
                f"{_request_tooltip(setting, window, pending)}<br>pending: nobody has answered it, it counts nowhere"
            ],
            "hoverinfo": "text",
        }
    ]


def _request_tooltip(
    setting: SettingRun, window: Window | None, record: TurnRecord
) -> str:
    parts = [
        f"{PART_TITLES[part]}: {tokens:,}"
        for part, tokens in record.tokens.items()
        if tokens
    ]
    flags = [flag.replace("_", " ") for flag in record.flags]
    if record.kind != "answer":
        flags.append(
            {"recall": "the model recalled", "thinking": "the model thought"}[
                record.kind
            ]
        )
    head = f"<b>{escaped(setting.label)}</b><br>{name_of(setting.run, record)}: "
    head += f"<b>{counted(record.total_tokens, 'token')}</b> sent"
    share = (
        []
        if window is None
        else [f"{window.share(record.total_tokens)} of {escaped(window.name)}"]
    )
    return "<br>".join([head, *share, *parts, *flags])


def _triggers(
    setting: SettingRun, number: int, axis: RequestAxis
) -> list[dict[str, Any]]:
    marks = [mark for mark in _marks(setting, number, axis) if mark is not None]
    if not marks:
        return []
    # A summary a request, or hundreds of them: small marks, no drop lines.
    dense = len(marks) > min(MOST_LARGE_MARKS, 0.5 * max(1, len(setting.run.requests)))
    size, stroke = next(look for most, look in LOOKS if len(marks) <= most)
    shared = {
        "legendgroup": str(number),
        "showlegend": False,
        "visible": True if setting.shown else "legendonly",
    }
    points = {
        "type": "scatter",
        "x": np.array([mark.x for mark in marks]),
        "y": np.array([mark.after for mark in marks]),
        "mode": "markers",
        "marker": {
            "symbol": [mark.look.symbol for mark in marks],
            "size": DENSE_PIXELS if dense else size,
            "color": [mark.look.color for mark in marks],
            "line": {"width": 1, "color": setting_color(setting.index)},
        },
        "unselected": {"marker": {"opacity": 0.9}},
        "customdata": [mark.id for mark in marks],
        "text": Texts(
            marks,
            lambda mark: compaction_tooltip(
                mark.label, mark.compaction, run=setting.run
            ),
        ),
        "hoverinfo": "text",
        "name": escaped(setting.label) + " summarizations",
        **shared,
    }
    if dense:
        return [points]
    drops = {
        "type": "scatter",
        "x": np.array([x for mark in marks for x in (mark.x, mark.x, np.nan)]),
        "y": np.array([y for mark in marks for y in (mark.before, mark.after, np.nan)]),
        "mode": "lines",
        "line": {"width": stroke, "color": PART_COLORS["summary"]},
        "hoverinfo": "skip",
        "name": escaped(setting.label) + " before and after",
        **shared,
    }
    return [drops, points]


def lift(settings: Sequence[SettingRun], number: int, strip: frozenset[int]) -> float:
    """How many tokens above its request the triangle of a recall of setting ``number`` stands."""
    beside = [
        one
        for place, one in enumerate(settings)
        if (place in strip) == (number in strip)
    ]
    return RECALL_LIFT_SHARE * max(
        (one.run.columns.largest for one in beside), default=0
    )


def _recalls(
    setting: SettingRun, number: int, lift: float, axis: RequestAxis
) -> list[dict[str, Any]]:
    """A triangle above each request that earlier messages were brought back into, pointing down at it."""
    requests = setting.run.requests
    numbers = requests.with_recalls()
    if not numbers:
        return []
    records = [requests[at] for at in numbers]
    return [
        {
            "type": "scatter",
            "x": axis.places(request_turns(setting.run))[numbers],
            "y": np.array([record.total_tokens + lift for record in records]),
            "mode": "markers",
            "marker": {
                "symbol": "triangle-down",
                "size": RECALL_PIXELS,
                "color": PART_COLORS["recalled"],
                "line": {"width": 1.5, "color": setting_color(setting.index)},
            },
            "unselected": {"marker": {"opacity": 0.9}},
            "customdata": [f"{number}:{request_id(setting.run, at)}" for at in numbers],
            "text": [_recall_tooltip(setting, record) for record in records],
            "hoverinfo": "text",
            "name": escaped(setting.label) + " recalls",
            "legendgroup": str(number),
            "showlegend": False,
            "visible": True if setting.shown else "legendonly",
        }
    ]


def recall_labels(
    settings: Sequence[SettingRun],
    strip: frozenset[int],
    shown: range,
    axis: RequestAxis,
) -> list[dict[str, Any]]:
    """Annotations that say how much the recalls added, where there is room above their triangles."""
    found = sorted(  # at one request the highest mark is labelled
        (int(places[at]), -record.total_tokens, recalled_tokens(record), number)
        for number, setting in enumerate(settings)
        if setting.shown
        for places in [axis.places(request_turns(setting.run))]
        for at in setting.run.requests.with_recalls()
        for record in [setting.run.requests[at]]
    )
    labels, named = [], list[int]()
    for place, below, tokens, number in found:
        if named and place - named[-1] < RECALL_LABEL_SHARE * last_place(axis):
            continue  # its tooltip says it
        named.append(place)
        side, way = (
            ("left", 1) if place - shown.start <= len(shown) / 2 else ("right", -1)
        )
        labels.append(
            {
                "text": f"<b>+{counted(tokens, 'token')} recalled</b>",
                "x": place,
                "y": -below + lift(settings, number, strip),
                "yref": "y2" if number in strip else "y",
                "xanchor": side,
                "xshift": way * 4,
                "yanchor": "bottom",
                "yshift": RECALL_PIXELS * 0.8,
                "showarrow": False,
                "font": {"size": FONT_PIXELS, "color": "#1A1A1A"},
                "bgcolor": PART_COLORS["recalled"],
                "borderpad": 3,
            }
        )
    return labels if len(found) <= MOST_RECALLS_NAMED else []


def _recall_tooltip(setting: SettingRun, record: TurnRecord) -> str:
    turns = sorted(
        {record.memory.log.turn_number(position) for position in record.parts.recalled}
    )
    return (
        f"<b>{escaped(setting.label)}</b><br><b>recalled</b> {counted(len(record.parts.recalled), 'message')} "
        f"of {turn_list(turns, MAX_TURNS_NAMED)} into {name_of(setting.run, record)}<br>"
        f"+{counted(recalled_tokens(record), 'token')}, {record.total_tokens:,} in all"
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    x: float
    before: int
    after: int
    look: Mark
    id: str
    label: str
    compaction: Compaction


def _marks(
    setting: SettingRun, number: int, axis: RequestAxis
) -> Iterator[_Mark | None]:
    """A mark at the first request that each summarization changed: from what that request would have
    been, down to what it was. Those that changed none stand half a step behind the last one of their setting."""
    run = setting.run
    places: Places = axis.places(request_turns(run))
    for at, made in run.requests.compactions():
        for compaction in made:
            yield _mark(
                setting, number, compaction, float(places[at]), request_id(run, at)
            )
    for turn, compaction in run.unsent:
        mark = _mark(setting, number, compaction, axis.last(turn) + 0.5, f"{turn}")
        if (
            mark is not None and run.turns and turn < run.turns[-1].turn
        ):  # another setting went on: it stands beside the line
            last = int(np.searchsorted(run.columns.turns, turn, "right")) - 1
            sent_tokens = int(run.columns.totals[last])
            mark = replace(mark, before=sent_tokens, after=sent_tokens)
        yield mark


def _mark(
    setting: SettingRun, number: int, compaction: Compaction, x: float, request: str
) -> _Mark | None:
    look = request_mark(compaction)
    if look is None:
        return None
    sizes = request_sizes(compaction, setting.run)
    return _Mark(
        x=x,
        before=max(sizes),  # no line up where the summary is larger
        after=sizes.after_tokens,
        look=look,
        id=f"{number}:{request}",
        label=setting.label,
        compaction=compaction,
    )
