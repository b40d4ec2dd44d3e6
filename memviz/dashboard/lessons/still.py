"""A step of a lesson as a still picture, for a file that leaves: one bar a setting, and its numbers in words."""

from typing import NamedTuple

from markupsafe import Markup

from memviz.core.context import ALL_PARTS
from memviz.core.errors import LessonError
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop, pgettext
from memviz.dashboard.charts.palette import PART_COLORS, PART_TITLES
from memviz.dashboard.lessons.lesson import Point, Step
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import PlayedStudy, Spot
from memviz.dashboard.lessons.staging import find_stage_position
from memviz.dashboard.markup import element, joined

WIDTH = 720
BAR = 22
ROW = 62
TOP = 8
"""The picture, a bar, a row and the first row's distance from the top, in pixels."""
LETTER = 8
WIDE_LETTER = 14
"""The widths of a Latin letter and of a Chinese character, in pixels."""

FATES = {
    "summarized": noop("{number} summarized"),
    "cleared": noop("{number} cleared"),
    "dropped": noop("{number} dropped"),
    "recalled": noop("{number} recalled"),
}
"""The words on the number of messages that met each fate."""


class Still(NamedTuple):
    """A picture as SVG, and what it shows in words: the turn, and a line of numbers a setting."""

    turn: int
    svg: Markup
    lines: tuple[str, ...]


def still(step: Step, played: PlayedStudy) -> Still:
    """Return the picture of a step, as it is before its question is answered."""
    turn = find_stage_position(
        step, played.runs[0].log.turn_count, is_answered=False
    ).turn
    rows = [_numbers(played, number, turn) for number in range(len(played.runs))]
    sizes = [sum(parts.values()) for _words, parts in rows]
    bars = []
    lines = []
    drawn_parts: dict[str, None] = {}
    for at, (words, parts) in enumerate(rows):
        label = played.labels[at]
        bars.append(_row(at, label, words, parts, max(1, *sizes)))
        lines.append(_("{setting}: {words}", setting=label, words=words))
        drawn_parts |= {part: None for part, tokens in parts.items() if tokens}
    bottom = TOP + ROW * len(rows)
    in_order = [part for part in ALL_PARTS if part in drawn_parts]
    bars.append(_legend(in_order, bottom + 4))
    svg = element(
        "svg",
        *bars,
        class_="still",
        viewBox=f"0 0 {WIDTH} {bottom + 20}",
        role="img",
        aria_label=_(
            "Requests of turn {turn}. {lines}", turn=turn, lines=" ".join(lines)
        ),
    )
    return Still(turn, svg, tuple(lines))


def _numbers(
    played: PlayedStudy, setting: int, turn: int
) -> tuple[str, dict[str, int]]:
    """Return what a setting sends at a turn, in words, and its tokens part by part."""
    point = Point("request_tokens", setting, turn)
    try:
        record = Spot(played, point).record
    except LessonError:
        return _("no request at this turn"), {}
    sent = counted(_take(played, point, "messages_sent"), "message")
    words = [
        _("{tokens:,} tokens", tokens=record.total_tokens),
        _("{messages} word for word", messages=sent),
    ]
    for fate, template in FATES.items():
        number = _take(played, point, f"messages_{fate}")
        if number:
            words.append(_(template, number=number))
    facts_told = _take(played, point, "facts_told") if played.probes else 0
    if facts_told:
        facts_known = _take(played, point, "facts_known")
        words.append(
            _(
                "knows {known} of {facts}",
                known=facts_known,
                facts=counted(facts_told, "fact"),
            )
        )
    parts = {part: record.tokens.get(part, 0) for part in ALL_PARTS}
    return _("{words}.", words=pgettext("between clauses", ", ").join(words)), parts


def _take(played: PlayedStudy, point: Point, measure: str) -> int:
    return int(MEASURES[measure].take(played, point))


def _legend(parts: list[str], top: int) -> Markup:
    """Return what the colours mean, in one line."""
    pieces = []
    x = 0
    for part in parts:
        title = _(PART_TITLES.get(part, part))
        square = element(
            "rect",
            x=f"{x}",
            y=f"{top}",
            width="11",
            height="11",
            rx="2",
            fill=_color(part),
        )
        pieces.append(square)
        pieces.append(element("text", title, x=f"{x + 16}", y=f"{top + 10}"))
        x += 30
        for letter in title:
            x += WIDE_LETTER if letter > "\u2e80" else LETTER
    return joined(pieces)


def _color(part: str) -> str:
    return PART_COLORS.get(part, "#8A929C")


def _row(at: int, label: str, words: str, parts: dict[str, int], most: int) -> Markup:
    top = TOP + at * ROW
    pieces = [element("text", label, x="0", y=f"{top + 10}", class_="label")]
    x = 0.0
    for part, tokens in parts.items():
        width = (WIDTH - 2) * tokens / most
        if tokens:
            title = _(
                "{part}: {tokens:,} tokens",
                part=_(PART_TITLES.get(part, part)),
                tokens=tokens,
            )
            bar = element(
                "rect",
                element("title", title),
                x=f"{x + 1:.1f}",
                y=f"{top + 16}",
                width=f"{max(width - 1, 0.5):.1f}",
                height=f"{BAR}",
                rx="2",
                fill=_color(part),
            )
            pieces.append(bar)
        x += width
    pieces.append(element("text", words, x="0", y=f"{top + 52}", class_="numbers"))
    return joined(pieces)
