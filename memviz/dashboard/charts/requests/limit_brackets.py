"""The limits of settings as brackets behind their last requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from memviz.core.translation import _
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part, note, path, stroke
from memviz.dashboard.charts.palette import NOTE_PIXELS
from memviz.dashboard.charts.requests.line_ends import Bracket, LineEnd
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
_LABEL: Part = {"xanchor": "left", "xshift": -LABEL_LEFT_PIXELS, "yanchor": "bottom"}


def find_fitting_ends(
    ends: Iterable[LineEnd], top_tokens: float
) -> Iterator[tuple[LineEnd, Bracket]]:
    """Yield the ends whose bracket is drawn, with it. A limit far above everything sent is said in words alone."""
    for end in ends:
        if end.bracket is not None and end.bracket.high_tokens <= top_tokens:
            yield end, end.bracket


def bracket_notes(ends: Iterable[LineEnd], top_tokens: float) -> list[Part]:
    """Return the word above each bracket that is drawn, between the last request and the
    names, so that it covers no data; one word where two would lie on each other."""
    notes: list[Part] = []
    for end, bracket in find_fitting_ends(ends, top_tokens):
        height = bracket.high_tokens
        gaps = [abs(height - other["y"]) for other in notes]
        if min(gaps, default=top_tokens) < LABEL_SHARE * top_tokens:
            continue
        font = {"size": NOTE_PIXELS, "color": end.placed.setting.color}
        x = int(end.placed.axis.lasts[-1]) * (1 + BRACKET_PLACES)
        notes.append(note(_("limit"), x, height, font=font, **_LABEL))
    return notes


def bracket_traces(ends: Iterable[LineEnd], top_tokens: float) -> list[Part]:
    """Return the brackets behind the last request, in the colours of their settings."""
    traces = []
    for end, bracket in find_fitting_ends(ends, top_tokens):
        setting = end.placed.setting
        last = int(end.placed.axis.lasts[-1])
        gap = BRACKET_PLACES * last
        middle = last + gap
        left = middle - CAP_SHARE * gap
        right = middle + CAP_SHARE * gap
        low = bracket.low_tokens
        high = bracket.high_tokens
        rule = escape_text(limit_rule(setting.run.strategy))
        size = _("a request of {high_tokens:,} tokens reaches it", high_tokens=high)
        label = escape_text(setting.label)
        # Drawn without lifting the pen: the lower end, the way up, the upper end.
        trace = path(
            np.array([left, right, middle, middle, left, right]),
            np.array([low, low, low, high, high, high]),
            stroke(2, color=setting.color),
            hovertemplate=f"<b>{label}</b><br>{rule}<br>{size}<extra></extra>",
            name=_("{setting} limit", setting=label),
            **end.placed.group,
        )
        del trace["hoverinfo"]  # the template says it
        traces.append(trace)
    return traces
