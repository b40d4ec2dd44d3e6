"""Lines across a chart over turns: where a chat was given another setting, and where the program that held a
conversation summarized by itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memviz.dashboard.charts.grammar import Part, note_on_top, rule_down, stroke
from memviz.dashboard.charts.palette import PART_COLORS
from memviz.dashboard.charts.text import escaped
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, request_turns

if TYPE_CHECKING:
    from memviz.transcripts.base import RecordedEvent

LABEL_CHARS = 34
ROW_PIXELS, MOST_ROWS = 18, 3
CHAR_PIXELS, NARROW_PIXELS = 7, 260
"""Of a letter of a label, and of the axis of the narrowest chart, that beside the talk."""
RIGHT_SHARE = 0.4
"""From this share of the axis on there is more room left of a line: the axis' own margin counts too."""
MAX_RECORDED = 60
"""More recorded marks would hide the lines; the page lists all of them."""
TRIANGLE = "▼"
_RECORDED_LINE = stroke(1, "dot", PART_COLORS["summary"])
_TRIANGLE_FONT = {"color": PART_COLORS["summary"], "size": 14}


class SettingMarks(NamedTuple):
    """What stands in the layout for the settings that a chat was given."""

    lines: list[Part]
    labels: list[Part]
    rows: int
    """How many rows above the picture the names take."""


def setting_marks(run: Run, axis: RequestAxis) -> SettingMarks:
    """Return a line before the first turn of each setting but the first, with its name above the picture, on the side
    where there is more room. Names that would lie on each other stand in rows; where there are too many, the newest
    do."""
    last = max(1, axis.last(run.turns[-1].turn) if run.turns else 1)
    lines: list[Part] = []
    labels: list[Part] = []
    leftmost: list[float] = []  # of each row, from below, where its first name begins
    for setting in reversed(run.earlier_settings):
        label = run.strategy_at(setting.last_turn + 1).label
        x = axis.last(setting.last_turn) + 0.5
        lines.append(rule_down(x, stroke(1.5, "dash"), layer="below"))
        name = f"{_shortened(label)} →"
        is_left = x > RIGHT_SHARE * last
        steps = len(name) * CHAR_PIXELS / NARROW_PIXELS * last
        begin, end = (x - steps, x) if is_left else (x, x + steps)
        free = [row for row, taken in enumerate(leftmost) if end <= taken]
        row = free[0] if free else len(leftmost)
        if row == MOST_ROWS:
            continue  # the talk names it
        leftmost[row : row + 1] = [begin]
        since = f"From turn {setting.last_turn + 1:,} on the chat was held under:"
        note = note_on_top(
            escaped(name),
            x,
            yshift=row * ROW_PIXELS,
            xanchor="right" if is_left else "left",
            hovertext=f"{since}<br>{escaped(label)}",
        )
        labels.append(note)
    return SettingMarks(lines[::-1], labels[::-1], len(leftmost))


def _shortened(label: str) -> str:
    return label if len(label) <= LABEL_CHARS else f"{label[: LABEL_CHARS - 1]}…"


def recorded_marks(
    run: Run, events: Sequence[RecordedEvent], axis: RequestAxis
) -> tuple[list[Part], list[Part]]:
    """Return shapes and notes for the layout: one line between two requests of ``run`` for each event, with a
    tooltip."""
    lines = []
    labels = []
    for event in events[:MAX_RECORDED]:
        x = _place(run, event, axis)
        words = _recorded_words(event)
        lines.append(rule_down(x, _RECORDED_LINE))
        labels.append(note_on_top(TRIANGLE, x, font=_TRIANGLE_FONT, hovertext=words))
    return lines, labels


def _place(run: Run, event: RecordedEvent, axis: RequestAxis) -> float:
    """Return the place between the request that the last message before the event belongs to, as input or reply, and
    the next one."""
    before = min(event.after_message, len(run.log)) - 1
    turn = run.log.turn_number(before) if before >= 0 else 0
    number = bisect_right(run.requests, before, key=lambda record: record.log_length)
    if before >= 0 and run.log[before].role == "assistant":
        number -= 1
    is_there = 0 <= number < len(run.requests)
    if axis.is_by_turn or not is_there or run.requests[number].turn != turn:
        return axis.last(turn) + 0.5
    return float(axis.places(request_turns(run))[number]) + 0.5


def _recorded_words(event: RecordedEvent) -> str:
    what = "compacted here" if event.kind == "compaction" else "kept a summary here"
    told = f"Recorded in the imported file:<br>its own program {what}"
    if event.reason:
        told += f" ({escaped(event.reason[:60])})"
    if event.tokens_before is not None:
        told += f"<br>{event.tokens_before:,} tokens before"
    if event.tokens_after is not None:
        told += f"<br>{event.tokens_after:,} tokens after"
    return told
