"""The changes of the summary from version to version, as small charts over the requests of its run."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.core.translation import _
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import GREY, Part, bars, picture, stroke
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.summaries.marks import bar_width
from memviz.dashboard.charts.turn_axis import (
    axis_title,
    last_place,
    parting_layout,
    turns_axis,
)
from memviz.dashboard.words.compactions import event_turn_words
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.metrics.summaries.evolution import VersionFacts

SUMMARY = PART_COLORS["summary"]
MESSAGES = PART_COLORS["history"]
NEITHER = PART_COLORS["overhead"]
MARGINS = {"l": 60, "r": 10, "t": 34, "b": 45}
FEW_VERSIONS = 60
_PERCENT = {"ticksuffix": " %", "range": [0, 104]}
_AMOUNTS = {"automargin": False, "rangemode": "tozero", "nticks": 6}
_LEGEND = {
    "orientation": "h",
    "yanchor": "bottom",
    "y": 1.0,
    "x": 0,
    "traceorder": "normal",
}
_LAYOUT: Part = {
    "barmode": "stack",
    "height": height_pixels.SUMMARIES_IN_NUMBERS,
    "margin": MARGINS,
    "uirevision": "evolution",
    "legend": _LEGEND,
}
_COPIED: Part = {
    "mode": "markers",
    "marker": {"symbol": "circle-open", "size": 16, "color": GREY},
    "line": stroke(2, "dash"),
}
_SUMMARY_LOOK: Part = {
    "marker": {"symbol": "diamond", "size": 8, "color": SUMMARY},
    "line": stroke(2, "solid", SUMMARY),
}
_MESSAGE_LOOK: Part = {
    "marker": {"symbol": "circle", "size": 8, "color": MESSAGES},
    "line": stroke(2, "dash", MESSAGES),
}


def compression_chart(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """Return source tokens per summary token: of everything a version stands for, and of what it was made of."""
    whole = [fact.compression for fact in facts]
    step = [fact.step_compression for fact in facts]
    name = _("all messages it stands for")
    lines = [_line(facts, name, whole, "×", _SUMMARY_LOOK)]
    if whole != step:  # they are the same in a list
        name = _("what it was made of")
        lines.append(_line(facts, name, step, "×", _MESSAGE_LOOK))
    unit = _("source tokens per token")
    return _chart(lines, unit, facts, axis, {"ticksuffix": "×"})


def carried_over_chart(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """Return how much of each version came from the one before, and how much of that one was given up."""
    shares = []
    new = []
    for fact in facts:
        shares.append(_percent(fact.carried_share))
        is_first = fact.previous_words is None
        new.append(None if is_first else _percent(fact.novel_share))
    lines = [
        _line(facts, _("kept of the last version"), shares, " %", _SUMMARY_LOOK),
        _line(facts, _("new in this version"), new, " %", _MESSAGE_LOOK),
    ]
    return _chart(lines, _("share of words"), facts, axis, _PERCENT)


def word_origins_chart(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """Return the content words of each version by where they come from, as shares of all."""
    origins = [fact.origin for fact in facts]
    previous = [origin.previous for origin in origins]
    messages = [origin.messages for origin in origins]
    nowhere = [origin.nowhere for origin in origins]
    traces = []
    for name, color, pattern, words in (
        (_("the last version"), SUMMARY, "", previous),
        (_("messages taken in"), MESSAGES, "", messages),
        ("neither", NEITHER, "/", nowhere),
    ):
        if any(words):
            traces.append(_bars(facts, name, color, pattern, words))
    return _chart(traces, _("share of content words"), facts, axis, _PERCENT)


def nesting_chart(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """Return how many summarizations the oldest content of each version has been through."""
    generations = [fact.generation for fact in facts]
    lines = [_line(facts, "summarizations", generations, "", _SUMMARY_LOOK)]
    nested = [fact for fact in facts if fact.nested_headings]
    if nested:
        generations_of_nested = [fact.generation for fact in nested]
        name = _("a summary's heading inside")
        lines.append(_line(nested, name, generations_of_nested, "", _COPIED))
    step = 1 if max(generations, default=1) <= 8 else None
    whole_numbers = {"tickformat": ",d", "dtick": step}
    return _chart(lines, "summarizations", facts, axis, whole_numbers)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _places(facts: Sequence[VersionFacts]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([fact.event.place for fact in facts])


def _name_of(fact: VersionFacts) -> str:
    return _(
        "version {version}, {when}",
        version=fact.version.version,
        when=event_turn_words(fact.event),
    )


def _line(
    facts: Sequence[VersionFacts],
    name: str,
    values: Sequence[float | None],
    unit: str,
    look: Part,
) -> Part:
    value = f"<b>%{{y:,.4~g}}{unit}</b>"
    return {
        "type": "scatter",
        "mode": "lines" if len(facts) > FEW_VERSIONS else "lines+markers",
        "name": name,
        "x": _places(facts),
        "y": np.array(values, dtype=float),
        "customdata": [[_name_of(fact)] for fact in facts],
        "hovertemplate": f"%{{customdata[0]}}<br>{name}: {value}<extra></extra>",
        **look,
    }


def _bars(
    facts: Sequence[VersionFacts],
    name: str,
    color: str,
    pattern: str,
    counts: Sequence[int],
) -> Part:
    shares = []
    words = []
    for fact, count in zip(facts, counts, strict=True):
        shares.append(100 * count / max(1, fact.origin.words))
        words.append([_name_of(fact), count])
    value = _("<b>%{customdata[1]} words</b>, %{y:.0f} %")
    return bars(
        _places(facts),
        np.array(shares),
        color,
        marker={"pattern": {"shape": pattern}},
        name=name,
        width=bar_width([fact.event for fact in facts]),
        customdata=words,
        hovertemplate=f"%{{customdata[0]}}<br>{name}: {value}<extra></extra>",
    )


def _chart(
    traces: Sequence[Part],
    unit: str,
    facts: Sequence[VersionFacts],
    axis: RequestAxis,
    y_axis: Part,
) -> go.Figure:
    last = max(last_place(axis), *(fact.event.place for fact in facts[-1:]), 1)
    versions = range(1, int(last) + 1)
    x_range = [0.4, last + 0.8]
    title = {"text": axis_title(axis)}
    return picture(
        traces,
        xaxis=turns_axis(axis, versions, title=title, range=x_range),
        yaxis={**_AMOUNTS, "title": {"text": unit}, **y_axis},
        **parting_layout(axis),
        showlegend=len(traces) > 1,
        **_LAYOUT,
    )
