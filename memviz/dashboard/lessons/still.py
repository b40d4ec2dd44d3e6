"""The stage as a still picture, for paper and for browsers without scripts: what the requests of one turn are made of,
with their numbers."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from memviz.core.context import ALL_PARTS
from memviz.core.errors import LessonError
from memviz.core.text.wording import counted
from memviz.dashboard.charts.palette import PART_COLORS, PART_TITLES
from memviz.dashboard.lessons.lesson import Point, Step
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import Played
from memviz.dashboard.lessons.staging import standing

WIDTH, BAR, ROW, TOP = 720, 22, 62, 8


class Still(NamedTuple):
    """A picture as SVG, and what it shows in words: the turn, and a line of numbers a setting."""

    turn: int
    svg: str
    lines: tuple[str, ...]


def still(step: Step, played: Played) -> Still:
    """The picture of a step, as it is before its question is answered."""
    turn = standing(step, played.runs[0].log.turn_count, is_answered=False).turn
    rows = [_numbers(played, number, turn) for number in range(len(played.runs))]
    most = max(1, *(sum(parts.values()) for _, parts in rows))
    named = zip(played.labels, rows, strict=True)
    bars = "".join(
        _row(at, label, words, parts, most)
        for at, (label, (words, parts)) in enumerate(named)
    )
    parts_shown = [
        part for part in ALL_PARTS if any(parts.get(part) for _, parts in rows)
    ]
    bars += _legend(parts_shown, TOP + ROW * len(rows) + 4)
    height = TOP + ROW * len(rows) + 20
    lines = tuple(
        f"{label}: {words}"
        for label, (words, _) in zip(played.labels, rows, strict=True)
    )
    words = escape(f"Requests of turn {turn}. {' '.join(lines)}")
    svg = f'<svg class="still" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{words}">{bars}</svg>'
    return Still(turn, svg, lines)


def _numbers(played: Played, setting: int, turn: int) -> tuple[str, dict[str, int]]:
    """What a setting sends at a turn, in words, and its tokens part by part."""
    point = Point("request_tokens", setting, turn)
    try:
        record = played.record(point)
    except LessonError:
        return "no request at this turn", {}
    whole = counted(_take(played, point, "messages_sent"), "message")
    words = [f"{record.total_tokens:,} tokens", f"{whole} word for word"]
    for name, noun in (
        ("messages_summarized", "summarized"),
        ("messages_cleared", "cleared"),
        ("messages_dropped", "dropped"),
        ("messages_recalled", "recalled"),
    ):
        number = _take(played, point, name)
        words += [f"{number} {noun}"] if number else []
    if played.probes and (told := _take(played, point, "facts_told")):
        words.append(
            f"knows {_take(played, point, 'facts_known')} of {counted(told, 'fact')}"
        )
    return ", ".join(words) + ".", {
        part: record.tokens.get(part, 0) for part in ALL_PARTS
    }


def _take(played: Played, point: Point, measure: str) -> int:
    return int(MEASURES[measure].take(played, point))


def _legend(parts: list[str], top: int) -> str:
    """What the colours mean, in one line."""
    found, x = [], 0
    for part in parts:
        title = PART_TITLES.get(part, part)
        found.append(
            f'<rect x="{x}" y="{top}" width="11" height="11" rx="2" fill="{_color(part)}"/>'
        )
        found.append(f'<text x="{x + 16}" y="{top + 10}">{escape(title)}</text>')
        x += 30 + 8 * len(title)
    return "".join(found)


def _color(part: str) -> str:
    return PART_COLORS.get(part, "#8A929C")


def _row(at: int, label: str, words: str, parts: dict[str, int], most: int) -> str:
    top = TOP + at * ROW
    pieces, x = [], 0.0
    for part, tokens in parts.items():
        width = (WIDTH - 2) * tokens / most
        if tokens:
            title = f"{PART_TITLES.get(part, part)}: {tokens:,} tokens"
            pieces.append(
                f'<rect x="{x + 1:.1f}" y="{top + 16}" width="{max(width - 1, 0.5):.1f}" height="{BAR}" rx="2" '
                f'fill="{_color(part)}"><title>{escape(title)}</title></rect>'
            )
        x += width
    text = f'<text x="0" y="{top + 10}" class="label">{escape(label)}</text>'
    return f'{text}{"".join(pieces)}<text x="0" y="{top + 52}" class="numbers">{escape(words)}</text>'
