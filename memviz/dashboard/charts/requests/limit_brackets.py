"""The limits of settings as brackets behind their last requests."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from memviz.core.translation import _
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.grammar import Part, note, path, stroke
from memviz.dashboard.charts.palette import NOTE_PIXELS, setting_color
from memviz.dashboard.charts.requests.line_ends import LineEnd
from memviz.dashboard.words.requests import limit_rule

FITS_UP_TO = 1.25
"""A bracket is drawn if it ends below so many times the largest request of all: a higher
one would only squeeze the picture. Its words say the limit all the same."""
BRACKET_PLACES = 0.03
"""The distance of a bracket from the last request, as a share of all places."""
CAP_SHARE = 0.35
"""Half of the width of a bracket's ends, as a share of that distance."""
LABEL_SHARE = 0.06
"""Words above brackets are so far from each other, as a share of the picture's height."""
LABEL_LEFT_PIXELS = 8
"""From the middle of a bracket to the left edge of the word above it."""


def bracket_notes(ends: Iterable[LineEnd], top_tokens: float) -> list[Part]:
    """Return the word above each bracket that is drawn, between the last request and the
    names, so that it covers no data; one word where two would lie on each other."""
    notes: list[Part] = []
    heights: list[int] = []
    for end in ends:
        bracket = end.bracket
        if bracket is None or bracket.high_tokens > top_tokens:
            continue
        least_tokens = LABEL_SHARE * top_tokens
        if any(abs(bracket.high_tokens - height) < least_tokens for height in heights):
            continue
        heights.append(bracket.high_tokens)
        label = note(
            _("limit"),
            int(end.placed.axis.lasts[-1]) * (1 + BRACKET_PLACES),
            bracket.high_tokens,
            xanchor="left",
            xshift=-LABEL_LEFT_PIXELS,
            yanchor="bottom",
            font={
                "size": NOTE_PIXELS,
                "color": setting_color(end.placed.setting.index),
            },
        )
        notes.append(label)
    return notes


def bracket_traces(ends: Iterable[LineEnd], top_tokens: float) -> list[Part]:
    """Return the brackets behind the last request, in the colours of their settings. A
    limit far above everything sent is said in words alone."""
    traces: list[Part] = []
    for end in ends:
        bracket = end.bracket
        if bracket is None or bracket.high_tokens > top_tokens:
            continue
        setting = end.placed.setting
        last = int(end.placed.axis.lasts[-1])
        gap = BRACKET_PLACES * last
        x = last + gap
        cap = CAP_SHARE * gap
        rule = escaped(limit_rule(setting.run.strategy))
        size = _(
            "a request of {high_tokens:,} tokens reaches it",
            high_tokens=bracket.high_tokens,
        )
        trace = path(
            np.array([x - cap, x + cap, x, x, x - cap, x + cap]),
            np.array([bracket.low_tokens] * 3 + [bracket.high_tokens] * 3),
            stroke(2, color=setting_color(setting.index)),
            hovertemplate=f"<b>{escaped(setting.label)}</b><br>{rule}<br>{size}"
            "<extra></extra>",
            name=_("{setting} limit", setting=escaped(setting.label)),
            **end.placed.group,
        )
        del trace["hoverinfo"]  # the template says it
        traces.append(trace)
    return traces
