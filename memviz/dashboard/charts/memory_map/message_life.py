"""The fate of one message under every setting: a bar of fates for each, over the requests."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from memviz.core.translation import _
from memviz.dashboard.charts.figure import escaped, label_lines
from memviz.dashboard.charts.grammar import Part, bars, note_at_left, picture
from memviz.dashboard.charts.memory_map.fate_words import span_words
from memviz.dashboard.charts.palette import STEP_COLORS, setting_color
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, parted
from memviz.metrics.memory_map.fate_map import Span, fate_map
from memviz.metrics.memory_map.stretches import code_of
from memviz.metrics.requests.request_axis import RequestAxis, axis_of

BAR_PIXELS = 42
AXIS_PIXELS = 44
LINE_PIXELS = 34
LABEL_CHARS = 60


class _Bar(NamedTuple):
    row: int
    first: int
    last: int
    span: Span


def message_life(
    settings: Sequence[SettingRun], position: int, last_turn: int
) -> go.Figure:
    """Return the bars of the message at log position ``position``, up to ``last_turn``."""
    axis = axis_of(setting.run for setting in settings)
    last = axis.last(last_turn)
    found: list[_Bar] = []
    names = []
    most_lines = 1
    for row, setting in enumerate(settings):
        if position < len(setting.run.log):
            found += _bars_of(setting, row, position, axis)
        lines = label_lines(setting.label, LABEL_CHARS)
        names.append(_name(setting, row, lines))
        most_lines = max(most_lines, len(lines))
    row_pixels = BAR_PIXELS + LINE_PIXELS * (most_lines - 1)
    x_axis = {
        "title": {"text": axis_title(axis, _("request of turn")), "standoff": 6},
        "range": [0.5, last + 0.5],
        "showgrid": False,
        "zeroline": False,
        "automargin": False,
        **axis_ticks(axis, range(1, last + 1)),
    }
    y_range = [len(settings) - 0.5, -0.75]
    return picture(
        [_drawn(found)] if found else [],
        over_turns=False,
        xaxis=x_axis,
        yaxis={"visible": False, "range": y_range, "fixedrange": True},
        annotations=names,
        **parted(axis),
        bargap=0,
        barmode="overlay",
        showlegend=False,
        height=row_pixels * len(settings) + AXIS_PIXELS,
        margin={"l": 8, "r": 8, "t": 4, "b": AXIS_PIXELS},
        uirevision="life",
    )


def _bars_of(
    setting: SettingRun, row: int, position: int, axis: RequestAxis
) -> Iterator[_Bar]:
    """The bars of one setting, on an axis that may have other runs on it."""
    fates = fate_map(setting.run)
    places = axis.places(fates.turns).tolist()
    for span in fates.life(position):
        first = places[fates.number_at(span.first_place)]
        last = places[fates.number_at(span.last_place)]
        yield _Bar(row, first, last, span)


def _drawn(found: Sequence[_Bar]) -> Part:
    colors = []
    for one in found:
        colors.append(STEP_COLORS[code_of(one.span.fate, one.span.generation)])
    return bars(
        [one.last - one.first + 1 for one in found],
        [one.row for one in found],
        colors,
        orientation="h",
        width=0.45,
        base=[one.first - 0.5 for one in found],
        hovertext=[span_words(one.span) for one in found],
        hoverinfo="text",
    )


def _name(setting: SettingRun, row: int, lines: Sequence[str]) -> Part:
    """Return the name of a setting above its bar."""
    swatch = f'<span style="color:{setting_color(setting.index)}">■</span>'
    label = "<br>".join(map(escaped, lines))
    return note_at_left(f"{swatch} {label}", row - 0.25, align="left")
