"""How the summary changed from version to version, as small charts over the same requests, those of its run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memviz.dashboard.charts.figure import figure_over_turns
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.summaries.marks import bar_width
from memviz.dashboard.charts.turn_axis import axis_ticks, axis_title, last_place, parted
from memviz.metrics.requests.request_axis import RequestAxis
from memviz.metrics.summaries.compaction_words import event_turn_words
from memviz.metrics.summaries.evolution import VersionFacts

SUMMARY, MESSAGES, NEITHER = (
    PART_COLORS["summary"],
    PART_COLORS["history"],
    PART_COLORS["overhead"],
)
HEIGHT = 270
MARGINS = {"l": 60, "r": 10, "t": 34, "b": 45}
FEW_VERSIONS = 60
Values = Sequence[float | None]


def compression(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """Source tokens per summary token: of everything a version stands for, and of what it was made of."""
    whole = _line(
        facts,
        "all messages it stands for",
        [fact.compression for fact in facts],
        SUMMARY,
        "diamond",
        "×",
    )
    step = _line(
        facts,
        "what it was made of",
        [fact.step_compression for fact in facts],
        MESSAGES,
        "circle",
        "×",
    )
    same = all(
        fact.compression == fact.step_compression for fact in facts
    )  # so it is in a list
    return _chart(
        [whole] if same else [whole, step],
        "source tokens per token",
        facts,
        axis,
        {"ticksuffix": "×"},
    )


def carried_over(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """How much of each version came from the one before, and how much of that one was given up."""
    kept = [_percent(fact.carried_share) for fact in facts]
    new = [
        None if fact.previous_words is None else _percent(fact.novel_share)
        for fact in facts
    ]
    lines = [
        _line(facts, "kept of the last version", kept, SUMMARY, "diamond", " %"),
        _line(facts, "new in this version", new, MESSAGES, "circle", " %"),
    ]
    return _chart(lines, "share of words", facts, axis, _PERCENT)


def word_origins(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """The content words of each version by where they come from, as shares of all."""
    stacks = (
        ("the last version", SUMMARY, "", [fact.origin.previous for fact in facts]),
        ("messages taken in", MESSAGES, "", [fact.origin.messages for fact in facts]),
        ("neither", NEITHER, "/", [fact.origin.nowhere for fact in facts]),
    )
    bars = [_bar(facts, *stack) for stack in stacks if any(stack[3])]
    return _chart(bars, "share of content words", facts, axis, _PERCENT)


def nesting(facts: Sequence[VersionFacts], axis: RequestAxis) -> go.Figure:
    """How many summarizations the oldest content of each version has been through."""
    depth = _line(
        facts,
        "summarizations",
        [fact.generation for fact in facts],
        SUMMARY,
        "diamond",
        "",
    )
    nested = [fact for fact in facts if fact.nested_headings]
    copied = _line(
        nested,
        "a summary's heading inside",
        [fact.generation for fact in nested],
        PART_COLORS["system"],
        "circle-open",
        "",
    )
    copied |= {
        "mode": "markers",
        "marker": {"symbol": "circle-open", "size": 16, "color": PART_COLORS["system"]},
    }
    whole_numbers = {
        "tickformat": ",d",
        "dtick": 1 if max((f.generation for f in facts), default=1) <= 8 else None,
    }
    return _chart(
        [depth, copied] if nested else [depth],
        "summarizations",
        facts,
        axis,
        whole_numbers,
    )


_PERCENT = {"ticksuffix": " %", "range": [0, 104]}


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _places(facts: Iterable[VersionFacts]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([fact.event.place for fact in facts])


def _ids(facts: Iterable[VersionFacts]) -> list[list[str]]:
    """Which version a point is, for its tooltip."""
    return [
        [f"version {fact.version.version}, {event_turn_words(fact.event)}"]
        for fact in facts
    ]


def _line(
    facts: Sequence[VersionFacts],
    name: str,
    values: Values,
    color: str,
    symbol: str,
    unit: str,
) -> dict[str, Any]:
    dense = len(facts) > FEW_VERSIONS
    return {
        "type": "scatter",
        "mode": "lines" if dense else "lines+markers",
        "name": name,
        "x": _places(facts),
        "y": np.array(values, dtype=float),
        "line": {
            "width": 2,
            "color": color,
            "dash": "solid" if color == SUMMARY else "dash",
        },
        "marker": {"symbol": symbol, "size": 8, "color": color},
        "customdata": _ids(facts),
        "hovertemplate": f"%{{customdata[0]}}<br>{name}: <b>%{{y:,.4~g}}{unit}</b><extra></extra>",
    }


def _bar(
    facts: Sequence[VersionFacts],
    name: str,
    color: str,
    pattern: str,
    counts: Sequence[int],
) -> dict[str, Any]:
    shares = [
        100 * count / max(1, fact.origin.words)
        for count, fact in zip(counts, facts, strict=True)
    ]
    return {
        "type": "bar",
        "name": name,
        "x": _places(facts),
        "y": np.array(shares),
        "width": bar_width([fact.event for fact in facts]),
        "marker": {"color": color, "line": {"width": 0}, "pattern": {"shape": pattern}},
        "customdata": [
            [*label, count] for label, count in zip(_ids(facts), counts, strict=True)
        ],
        "hovertemplate": f"%{{customdata[0]}}<br>{name}: <b>%{{customdata[1]}} words</b>, %{{y:.0f}} %<extra></extra>",
    }


def _chart(
    traces: Sequence[dict[str, Any]],
    unit: str,
    facts: Sequence[VersionFacts],
    axis: RequestAxis,
    y: dict[str, Any],
) -> go.Figure:
    last = max(last_place(axis), *(fact.event.place for fact in facts[-1:]), 1)
    return figure_over_turns(
        traces,
        {
            "xaxis": {
                "automargin": False,
                "title": {"text": axis_title(axis)},
                "range": [0.4, last + 0.8],
                **axis_ticks(axis, range(1, int(last) + 1)),
            },
            "yaxis": {
                "automargin": False,
                "title": {"text": unit},
                "rangemode": "tozero",
                "nticks": 6,
                **y,
            },
            **parted(axis),
            "barmode": "stack",
            "hovermode": "closest",
            "hoverlabel": {"align": "left"},
            "height": HEIGHT,
            "showlegend": len(traces) > 1,
            "margin": MARGINS,
            "uirevision": "evolution",
            "legend": {
                "orientation": "h",
                "yanchor": "bottom",
                "y": 1.0,
                "x": 0,
                "traceorder": "normal",
            },
        },
    )
