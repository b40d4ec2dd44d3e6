"""What became of one message under every setting: a bar of fates for each, over the requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import plotly.graph_objects as go

from memviz.charts.figure import figure
from memviz.charts.memory_map.fate_words import span_words
from memviz.charts.palette import NOTE_PIXELS, STEP_COLORS, setting_color
from memviz.charts.setting_run import SettingRun
from memviz.charts.text import escaped, label_lines
from memviz.charts.turn_axis import axis_ticks, axis_title, parted
from memviz.metrics.memory_map.fate_map import Span, fate_map
from memviz.metrics.memory_map.steps import code_of
from memviz.metrics.requests.request_axis import RequestAxis, axis_of

BAR_PIXELS, AXIS_PIXELS = 42, 44
LINE_PIXELS, LABEL_CHARS = 24, 60


def message_life(
    settings: Sequence[SettingRun], position: int, last_turn: int
) -> go.Figure:
    """The bars of the message at log position ``position``, up to ``last_turn``."""
    axis = axis_of(setting.run for setting in settings)
    last = axis.last(last_turn)
    spans = [
        (place, span)
        for place, setting in enumerate(settings)
        for span in _life(setting, position)
    ]
    lines = max((len(_name_lines(setting)) for setting in settings), default=1)
    height = (BAR_PIXELS + LINE_PIXELS * (lines - 1)) * len(settings) + AXIS_PIXELS
    return figure(
        [_bars(settings, spans, axis)] if spans else [],
        {
            "xaxis": {
                "title": {"text": axis_title(axis, "request of turn"), "standoff": 6},
                "range": [0.5, last + 0.5],
                "showgrid": False,
                "zeroline": False,
                "automargin": False,
                **axis_ticks(axis, range(1, last + 1)),
            },
            "yaxis": {
                "visible": False,
                "range": [len(settings) - 0.5, -0.75],
                "fixedrange": True,
            },
            "annotations": [
                _name(setting, place) for place, setting in enumerate(settings)
            ],
            **parted(axis),
            "bargap": 0,
            "barmode": "overlay",
            "showlegend": False,
            "hovermode": "closest",
            "hoverlabel": {"align": "left"},
            "height": height,
            "margin": {"l": 8, "r": 8, "t": 4, "b": AXIS_PIXELS},
            "uirevision": "life",
        },
    )


def _life(setting: SettingRun, position: int) -> tuple[Span, ...]:
    return (
        fate_map(setting.run).life(position) if position < len(setting.run.log) else ()
    )


def _bars(
    settings: Sequence[SettingRun], spans: Sequence[tuple[int, Span]], axis: RequestAxis
) -> dict[str, Any]:
    edges = [
        edge
        for place, setting in enumerate(settings)
        for edge in _edges(setting, [span for at, span in spans if at == place], axis)
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "width": 0.45,
        "y": [place for place, _ in spans],
        "base": [first - 0.5 for first, _ in edges],
        "x": [last - first + 1 for first, last in edges],
        "marker": {
            "color": [
                STEP_COLORS[code_of(span.fate, span.generation)] for _, span in spans
            ],
            "line": {"width": 0},
        },
        "hovertext": [span_words(span) for _, span in spans],
        "hoverinfo": "text",
    }


def _edges(
    setting: SettingRun, spans: Sequence[Span], axis: RequestAxis
) -> Iterator[tuple[int, int]]:
    """The places of the first and of the last request of each bar, on an axis that may have other runs on it."""
    fates = fate_map(setting.run)
    places = axis.places(fates.turns).tolist()
    for span in spans:
        yield (
            places[fates.number_at(span.first_place)],
            places[fates.number_at(span.last_place)],
        )


def _name_lines(setting: SettingRun) -> list[str]:
    return label_lines(setting.label, LABEL_CHARS)


def _name(setting: SettingRun, place: int) -> dict[str, Any]:
    """The name of a setting above its bar."""
    label = "<br>".join(map(escaped, _name_lines(setting)))
    return {
        "text": f'<span style="color:{setting_color(setting.index)}">■</span> {label}',
        "showarrow": False,
        "align": "left",
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "y": place - 0.25,
        "yanchor": "bottom",
        "font": {"size": NOTE_PIXELS},
    }
