"""The life of one message: a bar of fates for every setting, over the requests."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from memviz.core.text.wording import listed, message_number
from memviz.core.translation import _
from memviz.dashboard.charts.figure import escape_text, label_lines
from memviz.dashboard.charts.grammar import Part, bars, note_at_left, picture
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS, span_words
from memviz.dashboard.charts.palette import STEP_COLORS, SettingRun
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, parting_layout
from memviz.metrics.memory_map.fate_map import Span, build_fate_map
from memviz.metrics.memory_map.stretches import encode_fate
from memviz.metrics.requests.request_axis import RequestAxis, make_axis

BAR_PIXELS = 42
AXIS_PIXELS = 44
LINE_PIXELS = 34
LABEL_CHARS = 60
_BARE = {"showgrid": False, "zeroline": False, "automargin": False}
_LAYOUT: Part = {
    "over_turns": False,
    "bargap": 0,
    "barmode": "overlay",
    "showlegend": False,
    "margin": {"l": 8, "r": 8, "t": 4, "b": AXIS_PIXELS},
    "uirevision": "life",
}


def life_finding(settings: Sequence[SettingRun], position: int) -> str:
    """Return what became of one message in the end, under every setting."""
    lives = []
    for setting in settings:
        life = build_fate_map(setting.run).life(position)
        if life:
            lives.append(f"{setting.label} {_(FATE_WORDS[life[-1].fate])}")
    return _(
        "Message {number:,} at the last request: {fates}.",
        number=message_number(position),
        fates=listed(lives) or _("never sent"),
    )


class _Bar(NamedTuple):
    """A stretch of the life of the message under one setting, on an axis that may have other runs on it."""

    row: int
    first: int
    last: int
    span: Span


def message_life(
    settings: Sequence[SettingRun], position: int, last_turn: int
) -> go.Figure:
    """Return the bars of the message at log position ``position``, up to ``last_turn``."""
    axis = make_axis(setting.run for setting in settings)
    last_place = axis.last(last_turn)
    pieces: list[_Bar] = []
    names = []
    most_lines = 1
    for row, setting in enumerate(settings):
        pieces += _pieces_of_life(setting, position, row, axis)
        lines = label_lines(setting.label, LABEL_CHARS)
        swatch = f'<span style="color:{setting.color}">■</span>'
        label = "<br>".join(map(escape_text, lines))
        # Above the bar.
        names.append(note_at_left(f"{swatch} {label}", row - 0.25, align="left"))
        most_lines = max(most_lines, len(lines))
    # All rows are as high as the one whose name has the most lines.
    row_pixels = BAR_PIXELS + LINE_PIXELS * (most_lines - 1)
    x_axis = {
        **_BARE,
        "title": {"text": axis_title(axis, _("request of turn")), "standoff": 6},
        "range": [0.5, last_place + 0.5],
        **axis_ticks(axis, range(1, last_place + 1)),
    }
    y_range = [len(settings) - 0.5, -0.75]
    return picture(
        [_life_bars(pieces)] if pieces else [],
        xaxis=x_axis,
        yaxis={"visible": False, "range": y_range, "fixedrange": True},
        annotations=names,
        **parting_layout(axis),
        height=row_pixels * len(settings) + AXIS_PIXELS,
        **_LAYOUT,
    )


def _pieces_of_life(
    setting: SettingRun, position: int, row: int, axis: RequestAxis
) -> Iterator[_Bar]:
    """Yield the stretches of the message's life under one setting; none where the message is not in its log."""
    if position >= len(setting.run.log):
        return
    fates = build_fate_map(setting.run)
    # A span counts requests of its own run; the axis has a place for those of all runs.
    places = axis.places(fates.turns).tolist()
    for span in fates.life(position):
        first = places[fates.number_at(span.first_place)]
        last = places[fates.number_at(span.last_place)]
        yield _Bar(row, first, last, span)


def _life_bars(pieces: Sequence[_Bar]) -> Part:
    colors = []
    for bar in pieces:
        colors.append(STEP_COLORS[encode_fate(bar.span.fate, bar.span.generation)])
    return bars(
        [bar.last - bar.first + 1 for bar in pieces],
        [bar.row for bar in pieces],
        colors,
        orientation="h",
        width=0.45,
        base=[bar.first - 0.5 for bar in pieces],
        hovertext=[span_words(bar.span) for bar in pieces],
        hoverinfo="text",
    )
