"""Where summarizations happened on the lines of retention, and which facts each of them cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from memviz.charts.kept import Kept, Measure
from memviz.charts.palette import FAILURE_COLOR, PART_COLORS, setting_color
from memviz.charts.text import escaped
from memviz.charts.tokens_per_turn import compaction_tooltip
from memviz.engine.compaction import Compaction

MOST_NAMED = 3
"""Facts that the tooltip of a summarization names; of more it says how many."""

MOST_LARGE = 40
"""More marks than this, or at more than every other turn, are small: large ones would hide their line."""


class _Mark(NamedTuple):
    turn: float
    share: float
    compaction: Compaction
    number: int


def summarization_marks(one: Kept, measure: Measure) -> Iterator[dict[str, Any]]:
    """A diamond at the first request that each summarization changed, a cross where it failed."""
    found = [mark for mark in _places(one, measure) if not np.isnan(mark.share)]
    if not found:
        return
    dense = len(found) > min(MOST_LARGE, 0.5 * len(one.run.turns))
    failed = [mark.compaction.error is not None for mark in found]
    yield {
        "type": "scatter", "mode": "markers", "legendgroup": str(one.line.index), "showlegend": False,
        "x": np.array([mark.turn for mark in found]), "y": np.array([mark.share for mark in found]),
        "marker": {
            "symbol": ["x" if bad else "diamond" for bad in failed], "size": 6 if dense else 10,
            "color": [FAILURE_COLOR if bad else PART_COLORS["summary"] for bad in failed],
            "line": {"width": 1 if dense else 1.5, "color": setting_color(one.line.index)},
        },
        "text": [_mark_tooltip(one, mark) for mark in found], "hoverinfo": "text",
        "name": escaped(one.line.label) + " summarizations",
    }  # fmt: skip


def _places(one: Kept, measure: Measure) -> Iterator[_Mark]:
    shares, number, last = one.retention.share(measure.of(one.retention)), 0, 0.0
    for row, record in enumerate(one.run.turns):
        for compaction in record.compactions:
            if compaction.written is not None or compaction.error is not None:
                yield _Mark(float(record.turn), float(shares[row]), compaction, number)
            number += 1
        last = float(record.turn)
    for at, compaction in enumerate(one.run.compactions[number:], number):
        if (compaction.written is not None or compaction.error is not None) and len(shares):
            yield _Mark(last + 0.5, float(shares[-1]), compaction, at)


def _mark_tooltip(one: Kept, mark: _Mark) -> str:
    """Why it was, and which facts it cost."""
    probes = one.retention.probes
    lost = [probes[probe].answers[:1] for (probe, _), by in one.losses.items() if by == mark.number]
    told = compaction_tooltip(one.line.label, mark.compaction)
    if not lost:
        return told
    names = ", ".join(escaped(answer[0]) if answer else "?" for answer in lost[:MOST_NAMED])
    more = f" and {len(lost) - MOST_NAMED:,} more" if len(lost) > MOST_NAMED else ""
    return f"{told}<br><b>{len(lost):,} {'fact' if len(lost) == 1 else 'facts'} lost here:</b> {names}{more}"
