"""Where the program that held a conversation summarized by itself, as dotted lines across a chart over turns."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.text import escaped
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, request_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memviz.transcripts.base import RecordedEvent

MAX_MARKS = 60
"""More would hide the lines; the page lists all of them."""
TRIANGLE = "▼"


def recorded_marks(
    run: Run, events: Sequence[RecordedEvent], axis: RequestAxis
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Shapes and annotations for the layout: one line between two requests of ``run`` for each event, with a
    tooltip."""
    shown = [(_place(run, event, axis), event) for event in events[:MAX_MARKS]]
    lines = [
        {
            "type": "line",
            "x0": x,
            "x1": x,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": PART_COLORS["summary"], "width": 1, "dash": "dot"},
        }
        for x, _ in shown
    ]
    labels = [
        {
            "x": x,
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
            "text": TRIANGLE,
            "font": {"color": PART_COLORS["summary"], "size": 14},
            "hovertext": _tooltip(event),
        }
        for x, event in shown
    ]
    return lines, labels


def _place(run: Run, event: RecordedEvent, axis: RequestAxis) -> float:
    """Between the request that the last message before it belongs to, as input or reply, and the next one."""
    log, before = run.log, min(event.after_message, len(run.log)) - 1
    turn = log.turn_number(before) if before >= 0 else 0
    number = bisect_right(run.requests, before, key=lambda record: record.log_length)
    if before >= 0 and log[before].role == "assistant":
        number -= 1
    if (
        axis.is_by_turn
        or not 0 <= number < len(run.requests)
        or run.requests[number].turn != turn
    ):
        return axis.last(turn) + 0.5
    return float(axis.places(request_turns(run))[number]) + 0.5


def _tooltip(event: RecordedEvent) -> str:
    what = "compacted here" if event.kind == "compaction" else "kept a summary here"
    reason = f" ({escaped(event.reason[:60])})" if event.reason else ""
    before = (
        f"<br>{event.tokens_before:,} tokens before"
        if event.tokens_before is not None
        else ""
    )
    after = (
        f"<br>{event.tokens_after:,} tokens after"
        if event.tokens_after is not None
        else ""
    )
    return f"Recorded in the imported file:<br>its own program {what}{reason}{before}{after}"
