"""Tokens sent with each request, one line a setting, and where each summarization fired."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from memviz.core.context import SUMMARY_NOT_ASKED
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part, line, marks, pending_marker, picture
from memviz.dashboard.charts.palette import (
    FIXED_MARGINS,
    NOTE_PIXELS,
    PART_TITLES,
    SettingRun,
)
from memviz.dashboard.charts.requests.limit_brackets import (
    BRACKET_PLACES,
    FITS_UP_TO,
    bracket_notes,
    bracket_traces,
)
from memviz.dashboard.charts.requests.line_ends import (
    LineEnd,
    PlacedSetting,
    line_ends,
    name_notes,
    names_pixels,
)
from memviz.dashboard.charts.requests.marks_above import ROW_PIXELS, marks_above
from memviz.dashboard.charts.requests.token_axis import (
    Window,
    find_far_larger,
    token_axis,
)
from memviz.dashboard.charts.requests.token_marks import compaction_marks, recall_marks
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
from memviz.metrics.requests.request_axis import RequestAxis, make_axis

if TYPE_CHECKING:
    from memviz.transcripts.base import RecordedEvent

MAX_CLICKABLE = 100
"""Up to here every point can be clicked; beyond, invisible markers would make drawing slow."""
PENDING_PIXELS = 12
POINT_PIXELS = 6
UNDER_MARK_PIXELS = 18
"""The size of the invisible points of a line. Where the pointer is on two points Plotly takes the smaller one: a mark,
not the point under it."""
MARGINS = {**FIXED_MARGINS, "l": 70, "t": 16, "b": 44}
_LAYOUT: Part = {
    "showlegend": False,
    "hoverlabel": {"align": "left", "font": {"size": NOTE_PIXELS}},
}
_PENDING = noop("{words}<br>pending: nobody has answered it, it counts nowhere")
_PENDING_NOT_ASKED = noop(
    "{words}<br>pending: nobody has answered it, it counts nowhere. It would be sent with another summary: "
    "no model was paid for one that nobody needs yet"
)
_FLAGS = {
    "over_budget": noop("over budget"),
    "orphaned_tool_message": noop("orphaned tool message"),
    "partial_reply": noop("partial reply"),
}
_KINDS = {"recall": noop("the model recalled"), "thinking": noop("the model thought")}


def tokens_per_turn(
    settings: Sequence[SettingRun],
    *,
    height: int = height_pixels.TOKENS,
    recorded: Sequence[RecordedEvent] = (),
    turns: range | None = None,
    window: Window | None = None,
    magnified: bool = False,
) -> go.Figure:
    """Return the chart, ``height`` pixels high: one scale for all settings, each named at
    the end of its line. Point ids (customdata) read ``"<line number>:<turn>"``, those of a
    turn's earlier calls ``"<line number>:<turn>:<call>"``.

    ``recorded`` is what the conversation's own program did to its memory. ``turns`` is the
    part that is drawn: fewer turns in more detail. ``window``: tokens are given as percent
    of it. ``magnified``: settings far larger than the others leave the picture, so that
    the others fill it.
    """
    axis = make_axis(setting.run for setting in settings)
    placed = []
    for number, setting in enumerate(settings):
        placed.append(PlacedSetting(setting, number, axis))
    traces = _traces(placed, window, has_pending=turns is None)
    # A part of the conversation does not show where the lines end.
    ends = line_ends(placed) if turns is None else []
    left_out = find_far_larger(settings) if magnified else frozenset()
    top_tokens = _top_tokens(traces, ends, left_out)
    traces += bracket_traces(ends, top_tokens)
    places = _places_shown(settings, axis, turns)
    above = marks_above(placed, recorded, axis, places)
    # What stands above the picture and beside it makes it smaller, and names are placed within what is left.
    top_pixels = max(MARGINS["t"], ROW_PIXELS * above.rows + 12)
    right_pixels = max(MARGINS["r"], names_pixels(ends))
    picture_pixels = height - top_pixels - MARGINS["b"]
    notes = above.names + bracket_notes(ends, top_tokens)
    notes += name_notes(ends, top_tokens, picture_pixels)
    return picture(
        traces,
        xaxis=_x_axis(axis, places, ends),
        yaxis=token_axis(top_tokens, window),
        shapes=turn_partings(axis, places) + above.lines,
        annotations=notes,
        height=height,
        **_LAYOUT,
        margin={**MARGINS, "t": top_pixels, "r": right_pixels},
        uirevision=f"tokens {magnified}",
    )


def _places_shown(
    settings: Sequence[SettingRun], axis: RequestAxis, turns: range | None
) -> range:
    """Return the places of ``turns``, else all, with that of a pending request."""
    if turns is not None:
        return places_of(axis, turns)
    has_pending = any(setting.run.pending for setting in settings)
    return range(1, last_place(axis) + 1 + has_pending)


def _x_axis(axis: RequestAxis, shown: range, ends: Sequence[LineEnd]) -> Part:
    x_axis = turns_axis(axis, shown, title={"text": axis_title(axis), "standoff": 8})
    if any(end.bracket for end in ends):
        x_axis["range"][1] += 2 * BRACKET_PLACES * last_place(axis)
    return x_axis


def _top_tokens(
    traces: Sequence[Part], ends: Sequence[LineEnd], left_out: frozenset[int]
) -> float:
    """Return the highest point that the picture shows: of all lines and marks but those
    of the settings ``left_out``, and of brackets that are not far above them."""
    heights = [
        np.nanmax(trace["y"])
        for trace in traces
        if len(trace["y"]) and int(trace["legendgroup"]) not in left_out
    ]
    top = float(max(heights, default=0))
    limits = [end.bracket.high_tokens for end in ends if end.bracket is not None]
    fitting = [tokens for tokens in limits if tokens <= FITS_UP_TO * top]
    return max([top, *fitting])


def _traces(
    placed: Sequence[PlacedSetting], window: Window | None, *, has_pending: bool
) -> list[Part]:
    """Return all traces, the undermost first: the lines of all settings, then their marks."""
    layers = [_layers(setting_line, window) for setting_line in placed]
    traces = []
    for layer_of_all in zip(*layers, strict=True):
        for layer_of_setting in layer_of_all:
            traces += layer_of_setting
    sizes = [setting_line.setting.run.columns.largest for setting_line in placed]
    for setting_line in placed:
        traces += recall_marks(setting_line, max(sizes))
    if has_pending:
        for setting_line in placed:
            traces += _pending_mark(setting_line, window)
    return traces


def _layers(placed: PlacedSetting, window: Window | None) -> tuple[list[Part], ...]:
    """Return the traces of a setting that no other one changes. They are kept with its
    run: mostly only one of the settings changes, and the rest is drawn as before."""
    setting = placed.setting
    # Where turns have several calls, the other settings move the places of this one.
    steps = None if placed.axis.is_by_turn else placed.axis.lasts.tobytes()

    def draw() -> tuple[list[Part], ...]:
        return [_token_line(placed, window)], compaction_marks(placed)

    key = (_layers, setting.label, setting.index, placed.number, steps, window)
    return setting.run.once(key, draw, is_picture=True)


def _token_line(placed: PlacedSetting, window: Window | None) -> Part:
    run = placed.setting.run
    x = placed.places
    sizes: int | list[int] = POINT_PIXELS
    ids = None
    mode = "lines"
    if len(x) <= MAX_CLICKABLE:
        mode = "lines+markers"
        ids = [placed.id_of(index) for index in range(len(x))]
        sizes = []
        for record in run.requests:
            has_mark = record.compactions or record.parts.recalled
            sizes.append(UNDER_MARK_PIXELS if has_mark else POINT_PIXELS)
    return line(
        placed.setting,
        x,
        run.columns.totals,
        Texts(run.requests, partial(_request_tooltip, placed.setting, window)),
        width=3,
        dot=sizes,
        mode=mode,
        customdata=ids,
        **placed.group,
    )


def _pending_mark(placed: PlacedSetting, window: Window | None) -> list[Part]:
    """Return the request that nobody has answered yet, as a hollow point behind all others: it counts nowhere."""
    pending = placed.setting.run.pending
    if pending is None:
        return []
    is_unasked = SUMMARY_NOT_ASKED in pending.flags
    tooltip = _(
        _PENDING_NOT_ASKED if is_unasked else _PENDING,
        words=_request_tooltip(placed.setting, window, pending),
    )
    x = np.array([int(placed.axis.lasts[-1]) + 1])
    y = np.array([pending.total_tokens])
    marker = pending_marker(placed.setting, PENDING_PIXELS)
    return [marks(x, y, [tooltip], marker, **placed.group)]


def _request_tooltip(
    setting: SettingRun, window: Window | None, record: TurnRecord
) -> str:
    lines = [f"<b>{escape_text(setting.label)}</b>"]
    lines.append(
        _(
            "{request}: <b>{tokens}</b> sent",
            request=name_of(setting.run, record),
            tokens=counted(record.total_tokens, "token"),
        )
    )
    if window is not None:
        lines.append(
            _(
                "{share} of {window}",
                share=window.share(record.total_tokens),
                window=escape_text(window.name),
            )
        )
    for part, part_tokens in record.tokens.items():
        if part_tokens:
            lines.append(f"{_(PART_TITLES[part])}: {part_tokens:,}")
    lines += [_(_FLAGS.get(flag, flag)) for flag in record.flags]
    if record.kind != "answer":
        lines.append(_(_KINDS[record.kind]))
    return "<br>".join(lines)
