"""Tokens sent with each request, one line a setting, and where each summarization fired."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.core.text.wording import counted
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import INVISIBLE, Part, line, marks, picture
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    NOTE_PIXELS,
    PART_TITLES,
    setting_color,
)
from memviz.dashboard.charts.requests.limit_lines import limit_lines, limit_names
from memviz.dashboard.charts.requests.panels import (
    Panels,
    PlacedSetting,
    Window,
    strip_names,
    y_axes,
)
from memviz.dashboard.charts.requests.token_marks import (
    ROW_PIXELS,
    compaction_marks,
    recall_labels,
    recall_marks,
    recorded_marks,
    setting_marks,
)
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.text import escaped
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import (
    axis_title,
    last_place,
    places_of,
    turn_partings,
    turns_axis,
)
from memviz.dashboard.words.requests import name_of
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_axis import axis_of

if TYPE_CHECKING:
    from memviz.transcripts.base import RecordedEvent

MAX_CLICKABLE = 100
"""Up to here every point can be clicked; beyond, invisible markers would make drawing slow."""
PENDING_PIXELS = 12
POINT_PIXELS = 6
UNDER_MARK_PIXELS = 18
"""Of the invisible points of a line. Of two that the pointer is on Plotly takes the smaller one: a mark, not the point
under it."""
LEAST_OFF_PIXELS = 160
"""Of a chart's height, what its legend, its axis and the names of its settings take: the rest is the picture."""
MARGINS = {**FIXED_MARGINS, "l": 70, "t": 30, "b": 44}
_LEGEND = {
    "orientation": "h",
    "yanchor": "bottom",
    "x": -0.1,
    "groupclick": "togglegroup",
    "bgcolor": INVISIBLE,  # the topmost tick is partly below it
}
_KINDS = {"recall": "the model recalled", "thinking": "the model thought"}


def tokens_per_turn(
    settings: Sequence[SettingRun],
    *,
    height: int = height_pixels.TOKENS,
    recorded: Sequence[RecordedEvent] = (),
    turns: range | None = None,
    window: Window | None = None,
) -> go.Figure:
    """Return the chart, ``height`` pixels high. Point ids (customdata) read ``"<line number>:<turn>"``, those of a
    turn's earlier calls ``"<line number>:<turn>:<call>"``. ``recorded`` is what the conversation's own program did to
    its memory. ``turns`` is the part that is drawn: fewer turns in more detail. ``window``: tokens are given as percent
    of it. Settings far larger than the others stand in a strip of their own scale
    (:mod:`memviz.dashboard.charts.requests.panels`)."""
    axis = axis_of(setting.run for setting in settings)
    panels = Panels.of(settings)
    placed = [PlacedSetting(one, number, axis) for number, one in enumerate(settings)]
    named = strip_names(panels, axis)
    traces = _traces(placed, panels, window, has_pending=turns is None)
    if turns is None:
        has_pending = any(one.shown and one.run.pending for one in settings)
        shown = range(1, last_place(axis) + 1 + has_pending)
    else:
        shown = places_of(axis, turns)

    shapes = turn_partings(axis, shown, panels.rows)
    notes: list[Part] = []
    name_rows = 0
    if settings:
        lines, labels = recorded_marks(settings[0].run, recorded, axis)
        shapes += lines
        notes += labels
    for setting in settings:
        if setting.shown:
            switches = setting_marks(setting.run, axis)
            shapes += switches.lines
            notes += switches.labels
            name_rows = max(name_rows, switches.rows)
    limits = limit_names(panels)
    notes += [*limits, *named.values(), *recall_labels(placed, panels, shown)]

    names_pixels = ROW_PIXELS * name_rows
    legend_from = 1.01 + names_pixels / (height - LEAST_OFF_PIXELS)
    return picture(
        [panels.placed(trace, named) for trace in traces],
        xaxis=turns_axis(axis, shown, title={"text": axis_title(axis), "standoff": 8}),
        **y_axes(panels, has_note=bool(limits), window=window),
        showlegend=len(settings) > 1,  # one setting is named beside the chart already
        legend={**_LEGEND, "y": legend_from},
        shapes=shapes,
        annotations=notes,
        hoverlabel={"align": "left", "font": {"size": NOTE_PIXELS}},
        height=height,
        margin={**MARGINS, "t": max(MARGINS["t"], names_pixels + 12)},
        uirevision="tokens",
    )


def _traces(
    placed: Sequence[PlacedSetting],
    panels: Panels,
    window: Window | None,
    *,
    has_pending: bool,
) -> list[Part]:
    """Return all traces, the undermost first: the lines of all settings, their limits, their marks."""
    layers = [_layers(one, window) for one in placed]
    traces: list[Part] = []
    for alike in zip(*layers, strict=True):
        for part in alike:
            traces += part
    for one in placed:
        traces += recall_marks(one, panels)
    if has_pending:
        for one in placed:
            traces += _pending_mark(one, window)
    return traces


def _layers(one: PlacedSetting, window: Window | None) -> tuple[list[Part], ...]:
    """Return the traces of a setting that no other one changes. They are kept with its run: mostly only one of the
    settings changes, and the rest is drawn as before."""
    setting = one.setting
    steps = None if one.axis.is_by_turn else one.axis.lasts.tobytes()
    look = (setting.label, setting.index, setting.shown)

    def draw() -> tuple[list[Part], ...]:
        return [_token_line(one, window)], limit_lines(one), compaction_marks(one)

    key = (_layers, *look, one.number, steps, window)
    return setting.run.once(key, draw, is_picture=True)


def _token_line(one: PlacedSetting, window: Window | None) -> Part:
    run = one.setting.run
    x = one.places
    sizes: int | list[int] = POINT_PIXELS
    ids = None
    mode = "lines"
    if len(x) <= MAX_CLICKABLE:
        mode = "lines+markers"
        ids = [one.id_of(at) for at in range(len(x))]
        has_mark = [
            bool(each.compactions or each.parts.recalled) for each in run.requests
        ]
        sizes = [UNDER_MARK_PIXELS if has else POINT_PIXELS for has in has_mark]
    return line(
        one.setting,
        x,
        run.columns.totals,
        Texts(run.requests, partial(_request_tooltip, one.setting, window)),
        width=3,
        dot=sizes,
        mode=mode,
        customdata=ids,
        **one.visible,
    )


def _pending_mark(one: PlacedSetting, window: Window | None) -> list[Part]:
    """Return the request that nobody has answered yet, as a hollow point behind all others: it counts nowhere."""
    pending = one.setting.run.pending
    if pending is None:
        return []
    words = _request_tooltip(one.setting, window, pending)
    marker = {
        "symbol": "circle-open",
        "size": PENDING_PIXELS,
        "color": setting_color(one.setting.index),
        "line": {"width": 2},
    }
    point = marks(
        np.array([int(one.axis.lasts[-1]) + 1]),
        np.array([pending.total_tokens]),
        [f"{words}<br>pending: nobody has answered it, it counts nowhere"],
        marker,
        **one.beside_its_line,
    )
    return [point]


def _request_tooltip(
    setting: SettingRun, window: Window | None, record: TurnRecord
) -> str:
    tokens = counted(record.total_tokens, "token")
    lines = [f"<b>{escaped(setting.label)}</b>"]
    lines.append(f"{name_of(setting.run, record)}: <b>{tokens}</b> sent")
    if window is not None:
        share = window.share(record.total_tokens)
        lines.append(f"{share} of {escaped(window.name)}")
    for part, part_tokens in record.tokens.items():
        if part_tokens:
            lines.append(f"{PART_TITLES[part]}: {part_tokens:,}")
    lines += [flag.replace("_", " ") for flag in record.flags]
    if record.kind != "answer":
        lines.append(_KINDS[record.kind])
    return "<br>".join(lines)
