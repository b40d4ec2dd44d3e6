"""The ends of the lines on a chart of tokens: the name of each setting, beside its last request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import NamedTuple

from memviz.core.text.wording import counted
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import Part, note
from memviz.dashboard.charts.palette import NOTE_PIXELS, PART_COLORS, SettingRun
from memviz.dashboard.charts.turn_axis import request_id
from memviz.dashboard.words.requests import bracket_words
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import Places, RequestAxis, list_request_turns
from memviz.metrics.requests.token_use import find_limit

ROW_PIXELS = 19
"""The height of a row of a name, with room for a picture that the page draws lower."""
CHAR_PIXELS = 6.5
"""The width of a letter of a name."""
NAME_CHARS = 24
"""The letters of the longest row of a name: a parameter goes into the next row, and is cut
where it alone is longer."""
NAME_ROW_PIXELS = 21
"""The height of a row of a name beside others."""
CROWDED_SHARE = 0.7
"""Names that take a larger share of the picture's height are crowded, and are cut to two rows."""
LOWER_SHARE = 0.7
"""The height of a phone's picture, as a share of the one that is asked for."""
NEXT_TO_LINE_PIXELS = 26
"""From the last request to its name: room for the bracket."""
_BESIDE_LINE: Part = {
    "xref": "paper",
    "xanchor": "left",
    "xshift": NEXT_TO_LINE_PIXELS - 12,
    "yanchor": "middle",
    "align": "left",
    "font": {"size": NOTE_PIXELS},
}
_TAGS = re.compile(r"<[^>]+>")
_MARK = '<span style="color:{}"><b>━</b></span>'
_DIAMOND = f'<span style="color:{PART_COLORS["summary"]}">◆</span>'


@dataclass(frozen=True, eq=False)
class PlacedSetting:
    """One setting of several on a shared axis."""

    setting: SettingRun
    number: int
    """The number of its line, which groups all that belongs to it in the legend."""
    axis: RequestAxis

    @property
    def places(self) -> Places:
        """The place of every request."""
        return self.axis.places(list_request_turns(self.setting.run))

    @property
    def group(self) -> Part:
        """The properties of a trace that say which line it belongs to."""
        return {"legendgroup": str(self.number)}

    def id_of(self, request: int) -> str:
        """The id of the point of a request."""
        return f"{self.number}:{request_id(self.setting.run, request)}"


class Bracket(NamedTuple):
    """A limit, over the part of the last request that it counts."""

    low_tokens: int
    """The tokens of the last request that the limit does not count, such as the system
    prompt and a summary: the bracket stands on them."""
    high_tokens: int
    """The size of a request that reaches the limit."""
    words: str
    """``limit 1,500 of messages``"""


@dataclass(frozen=True)
class LineEnd:
    """The end of a setting's line."""

    placed: PlacedSetting
    name: str
    """Empty where one setting is alone: it is named beside the chart already."""
    tokens: int
    """The tokens of the last request."""
    bracket: Bracket | None

    @property
    def rows(self) -> list[str]:
        """The rows of its name, those about its limit and its summaries last: they say what the bracket and the
        diamonds are."""
        rows = []
        if self.name:
            strategy, *parameters = _break_into_rows(self.name)
            rows = [f"{strategy} <b>{self.tokens:,}</b>", *parameters]
        if self.bracket is not None:
            words = self.bracket.words
            rows += wrap(words, NAME_CHARS * len(words) // _letters(words))
        compactions = self.placed.setting.run.compactions
        summarizations = sum(event.summary is not None for event in compactions)
        if summarizations:
            rows.append(f"{_DIAMOND} {counted(summarizations, 'summarization')}")
        return rows


def short_rows(end: LineEnd, ends: Iterable[LineEnd]) -> list[str]:
    """Return two rows of the end's name, for a crowded picture: the strategy, and of its parameters the first that no
    other line of that strategy has. The whole name stands in the tooltip."""
    strategy, *parameters = end.name.split(" · ")
    elsewhere = set()
    for other in ends:
        other_strategy, *other_parameters = other.name.split(" · ")
        if other is not end and other_strategy == strategy:
            elsewhere.update(other_parameters)
    distinct = [words for words in parameters if words not in elsewhere] or parameters
    short_name = " · ".join([strategy, *distinct[:1]])
    # The first row is taken from the end itself, where it says the tokens too.
    _strategy, *parameter_rows = _break_into_rows(short_name)
    return [*end.rows[:1], *parameter_rows]


def limit_bracket(run: Run) -> Bracket | None:
    """Return the bracket of the setting in force; ``None`` without a token limit or a
    request."""
    limit = find_limit(run.strategy)
    if limit is None or not run.requests:
        return None
    record = run.requests[-1]
    low = record.total_tokens - run.strategy.counted_tokens(record.tokens)
    return Bracket(low, low + limit.tokens, bracket_words(limit))


def line_ends(all_placed: Sequence[PlacedSetting]) -> list[LineEnd]:
    """Return the ends of all lines that have a request."""
    is_named = len(all_placed) > 1
    ends = []
    for placed in all_placed:
        run = placed.setting.run
        name = placed.setting.label if is_named else ""
        if run.requests:
            tokens = run.requests[-1].total_tokens
            ends.append(LineEnd(placed, name, tokens, limit_bracket(run)))
    return ends


def _break_into_rows(name: str) -> list[str]:
    """Return the rows of a name: the strategy, and its parameters, as many in a row as fit."""
    strategy, *parameters = name.split(" · ")
    rows = [strategy]
    for parameter in parameters:
        longer = f"{rows[-1]} · {parameter}"
        # The strategy has its row for itself.
        if len(rows) > 1 and _letters(longer) <= NAME_CHARS:
            rows[-1] = longer
        else:
            rows.append(parameter)
    return [escape_text(row[:NAME_CHARS]) for row in rows]


def _letters(text: str) -> int:
    """Return the width of a text in letters; a Chinese character is as wide as two."""
    return sum(2 if letter > "\u2e7f" else 1 for letter in text)


def names_pixels(ends: Iterable[LineEnd]) -> int:
    """Return the width of the margin that the names take; 0 where there are none."""
    rows = [row for end in ends for row in end.rows]
    letters = [_letters(_TAGS.sub("", row)) for row in rows]
    if not letters:
        return 0
    return NEXT_TO_LINE_PIXELS + round(CHAR_PIXELS * max(letters))


def name_notes(
    ends: Sequence[LineEnd], top_tokens: float, picture_pixels: int
) -> list[Part]:
    """Return the names for the layout, each as near to the end of its line as there is
    room. ``top_tokens`` and ``picture_pixels`` are the axis' upper end and height: a line
    that leaves the picture is named at its edge, with an arrow."""
    named_ends = [end for end in ends if end.rows]
    named_ends.sort(key=lambda end: end.tokens)
    rows_of = [end.rows for end in named_ends]
    # Many rows stand at fixed distances from the top, as they would in the lower picture that a phone has: there they
    # would lie on each other else.
    rows_pixels = NAME_ROW_PIXELS * sum(map(len, rows_of))
    is_crowded = rows_pixels > CROWDED_SHARE * picture_pixels
    if is_crowded and len(named_ends) > 1:
        rows_of = [short_rows(end, named_ends) for end in named_ends]
        picture_pixels = round(LOWER_SHARE * picture_pixels)

    # Each name wants to stand beside its line, counted in pixels from below.
    pixels_a_token = picture_pixels / top_tokens if top_tokens else 0
    ends_pixels = [min(end.tokens, top_tokens) * pixels_a_token for end in named_ends]
    heights = [NAME_ROW_PIXELS * len(rows) for rows in rows_of]
    middles = _push_apart(ends_pixels, heights, picture_pixels)

    notes = []
    for end, rows, end_pixels, middle in zip(
        named_ends, rows_of, ends_pixels, middles, strict=True
    ):
        # A note stands at a place of the data, shifted by pixels, which do not grow with the picture.
        y = min(end.tokens, top_tokens)
        place: Part = {"yref": "y", "yshift": middle - end_pixels}
        if is_crowded:
            y = 1
            place = {"yref": "paper", "yshift": middle - picture_pixels}
        mark = _MARK.format(end.placed.setting.color)
        arrow = " ↑" if end.tokens > top_tokens else ""
        words = f"{mark} {'<br>'.join(rows)}{arrow}"
        label = escape_text(end.placed.setting.label)
        notes.append(note(words, 1, y, hovertext=label, **_BESIDE_LINE, **place))
    return notes


def _push_apart(
    own_middles: Sequence[float], heights: Sequence[int], top_pixels: int
) -> list[float]:
    """Return the middles of names from below, none over another: each is pushed up as far
    as the one below it needs, and down again where it would leave the picture."""
    middles = []
    # Upwards: each begins where the one below it ends, or higher.
    lowest = 0.0
    for middle, height in zip(own_middles, heights, strict=True):
        place = max(middle, lowest + height / 2)
        middles.append(place)
        lowest = place + height / 2
    # Downwards: each ends where the one above it begins, or lower. All of them always have room below `highest`.
    highest = float(max(top_pixels + ROW_PIXELS / 2, sum(heights)))
    for number in reversed(range(len(middles))):
        half = heights[number] / 2
        middles[number] = min(middles[number], highest - half)
        highest = middles[number] - half
    return middles
