"""The names above the picture of tokens, with lines down through it: of settings that were switched, of what the
conversation's own program did to its memory, and of recalls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part, note_on_top, rule_down, stroke
from memviz.dashboard.charts.palette import NOTE_PIXELS, PART_COLORS
from memviz.dashboard.charts.requests.line_ends import PlacedSetting
from memviz.dashboard.charts.requests.token_marks import recalls_of
from memviz.dashboard.words import shorten
from memviz.engine.recall_tokens import count_recalled_tokens
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, list_request_turns

if TYPE_CHECKING:
    from memviz.transcripts.base import RecordedEvent

ROW_PIXELS = 18
"""The height of a row of names."""
MOST_RECALLS_NAMED = 12
RECALL_LABEL_SHARE = 0.2
"""More recalls are not labelled, nor one that is nearer to the label before than this share of the requests."""
LABEL_CHARS = 34
MOST_ROWS = 3
CHAR_PIXELS = 7
NARROW_PIXELS = 260
"""The width of a letter of a name, and of the axis of the narrowest chart, that beside the talk."""
RIGHT_SHARE = 0.4
"""From this share of the axis on there is more room left of a line: the axis' own margin counts too."""
MAX_RECORDED = 60
"""More recorded marks would hide the lines; the page lists all of them."""
REASON_CHARS = 60
TRIANGLE = "▼"
_SWITCH_LINE = stroke(1.5, "dash")
_RECORDED_LINE = stroke(1, "dot", PART_COLORS["summary"])
_TRIANGLE_FONT = {"color": PART_COLORS["summary"], "size": 14}
_RECALL: Part = {
    "font": {"size": NOTE_PIXELS, "color": "#1A1A1A"},
    "bgcolor": PART_COLORS["recalled"],
}


class MarksAbove(NamedTuple):
    """Names above the picture, as parts of the layout."""

    lines: list[Part]
    """The lines from the names down through the picture."""
    names: list[Part]
    rows: int
    """The number of rows that the names take."""


def marks_above(
    placed: Sequence[PlacedSetting],
    recorded: Sequence[RecordedEvent],
    axis: RequestAxis,
    shown: range,
) -> MarksAbove:
    """Return all names above a picture that shows these places of the ``axis``. ``recorded`` is what the conversation's
    own program did to its memory."""
    lines: list[Part] = []
    names: list[Part] = []
    rows = 0
    if placed:
        lines, names = recorded_marks(placed[0].setting.run, recorded, axis)
    for setting_line in placed:
        switches = setting_marks(setting_line.setting.run, axis)
        lines += switches.lines
        names += switches.names
        rows = max(rows, switches.rows)
    recalls = _recall_names(placed, shown, ROW_PIXELS * rows)
    if recalls:
        names += recalls
        rows += 1
    return MarksAbove(lines, names, rows)


def setting_marks(run: Run, axis: RequestAxis) -> MarksAbove:
    """Return a line before the first turn of each setting but the first, with its name above the picture, on the side
    where there is more room. Names that would lie on each other stand in rows; where there are too many, the newest
    do."""
    last = 1
    if run.turns:
        last = max(1, axis.last(run.turns[-1].turn))
    lines = []
    names = []
    row_begins: list[float] = []
    """The left ends of the rows of names, from the lowest row up."""
    # From right to left, so that of too many names the newest have their place.
    for setting in reversed(run.earlier_settings):
        next_turn = setting.last_turn + 1
        label = run.strategy_at(next_turn).label
        x = axis.last(setting.last_turn) + 0.5
        lines.append(rule_down(x, _SWITCH_LINE, layer="below"))
        name = f"{shorten(label, LABEL_CHARS)} →"
        # The width in places of the axis, on the narrowest chart.
        width = len(name) * CHAR_PIXELS / NARROW_PIXELS * last
        is_left_of_line = x > RIGHT_SHARE * last
        begin = x - width if is_left_of_line else x
        row = _first_free_row(row_begins, begin + width)
        if row == MOST_ROWS:
            continue  # the talk names it
        row_begins[row : row + 1] = [begin]
        since = _("From turn {turn:,} on the chat was held under:", turn=next_turn)
        note = note_on_top(
            escape_text(name),
            x,
            yshift=row * ROW_PIXELS,
            xanchor="right" if is_left_of_line else "left",
            hovertext=f"{since}<br>{escape_text(label)}",
        )
        names.append(note)
    return MarksAbove(lines[::-1], names[::-1], len(row_begins))


def _first_free_row(row_begins: Sequence[float], end: float) -> int:
    """Return the lowest row in which a name that reaches to ``end`` meets no other one; behind the last one if there is
    none."""
    for row, begin in enumerate(row_begins):
        if end <= begin:
            return row
    return len(row_begins)


def recorded_marks(
    run: Run, events: Sequence[RecordedEvent], axis: RequestAxis
) -> tuple[list[Part], list[Part]]:
    """Return shapes and notes for the layout: one line between two requests of ``run`` for each event, with a
    tooltip."""
    lines = []
    triangles = []
    for event in events[:MAX_RECORDED]:
        x = _place(run, event, axis)
        words = _recorded_words(event)
        lines.append(rule_down(x, _RECORDED_LINE))
        triangles.append(note_on_top(TRIANGLE, x, font=_TRIANGLE_FONT, hovertext=words))
    return lines, triangles


def _place(run: Run, event: RecordedEvent, axis: RequestAxis) -> float:
    """Return the place between the request that the last message before the event belongs to, as input or reply, and
    the next one."""
    before = min(event.after_message, len(run.log)) - 1
    turn = run.log.turn_number(before) if before >= 0 else 0
    number = bisect_right(run.requests, before, key=lambda record: record.log_length)
    if before >= 0 and run.log[before].role == "assistant":
        # A reply belongs to the request that it answers, not to the next one, which sends it.
        number -= 1
    is_there = 0 <= number < len(run.requests)
    if axis.is_by_turn or not is_there or run.requests[number].turn != turn:
        return axis.last(turn) + 0.5
    return float(axis.places(list_request_turns(run))[number]) + 0.5


def _recorded_words(event: RecordedEvent) -> str:
    words = _("Recorded in the imported file:<br>its own program kept a summary here")
    if event.kind == "compaction":
        words = _("Recorded in the imported file:<br>its own program compacted here")
    if event.reason:
        words += f" ({escape_text(event.reason[:REASON_CHARS])})"
    if event.tokens_before is not None:
        words += _(
            "<br>{tokens_before:,} tokens before", tokens_before=event.tokens_before
        )
    if event.tokens_after is not None:
        words += _("<br>{tokens_after:,} tokens after", tokens_after=event.tokens_after)
    return words


def _recall_names(
    placed: Sequence[PlacedSetting], shown: range, above_pixels: int
) -> list[Part]:
    """Return notes that say how much the recalls added, where there is room beside each other. ``above_pixels``: what
    stands between them and the picture."""
    recalls = []
    for setting_line in placed:
        run = setting_line.setting.run
        for number in recalls_of(run):
            place = int(setting_line.places[number])
            recalls.append((place, count_recalled_tokens(run.requests[number])))
    if len(recalls) > MOST_RECALLS_NAMED:
        return []
    # At one request the largest recall is named.
    recalls.sort(key=lambda recall: (recall[0], -recall[1]))
    names: list[Part] = []
    for place, tokens in recalls:
        if names and place - names[-1]["x"] < RECALL_LABEL_SHARE * len(shown):
            continue  # its tooltip says it
        # Away from the nearer edge, which would cut it.
        is_in_left_half = place - shown.start <= len(shown) / 2
        name = note_on_top(
            _("<b>+{tokens} recalled</b>", tokens=counted(tokens, "token")),
            place,
            yshift=above_pixels,
            xanchor="left" if is_in_left_half else "right",
            **_RECALL,
        )
        names.append(name)
    return names
