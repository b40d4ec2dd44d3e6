"""The axis of tokens of a chart of requests, and the names of the lines at their ends.

The axis is in tokens or in percent of a window. A line's name stands at its end, the limit
of its setting as a bracket over what it limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.dashboard.charts.figure import escaped
from memviz.dashboard.charts.grammar import TOKENS_AXIS, Part, note, path, stroke
from memviz.dashboard.charts.palette import (
    NOTE_PIXELS,
    PART_COLORS,
    SettingRun,
    setting_color,
)
from memviz.dashboard.charts.turn_axis import request_id
from memviz.dashboard.words.requests import bracket_words, limit_rule
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import Places, RequestAxis, request_turns
from memviz.metrics.requests.token_use import limit_of

MOST_TICKS = 6
_FIRST_DIGITS = (1.0, 2.0, 2.5, 5.0, 10.0)
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
_TAGS = re.compile(r"<[^>]+>")
_MARK = '<span style="color:{}"><b>━</b></span>'
_DIAMOND = f'<span style="color:{PART_COLORS["summary"]}">◆</span>'


class Window(NamedTuple):
    """The size that percent are of, and its name, such as ``gpt-4o's window``."""

    tokens: int
    name: str

    @property
    def title(self) -> str:
        """The title of the axis."""
        return _("% of {name} ({tokens:,})", name=self.name, tokens=self.tokens)

    def share(self, tokens: int) -> str:
        """``12.3%``."""
        return percent_text(100 * tokens / self.tokens)


def percent_ticks(window: Window, largest_tokens: int) -> dict[str, Any]:
    """Ticks at round shares of the window, from 0 to beyond ``largest_tokens``, as properties of an axis of tokens."""
    step = _step(100 * largest_tokens / window.tokens)
    shares = [step * number for number in range(MOST_TICKS + 3)]
    return {
        "tickmode": "array",
        "tickvals": [share * window.tokens / 100 for share in shares],
        "ticktext": [percent_text(share) for share in shares],
    }


def _step(largest_percent: float) -> float:
    """The round step with which few ticks reach the largest share."""
    least = max(largest_percent, 1e-6) / MOST_TICKS
    unit = 10.0 ** floor(log10(least))
    return next(
        digit * unit for digit in _FIRST_DIGITS if digit * unit >= least * (1 - 1e-9)
    )


def percent_text(percent: float) -> str:
    """A share with three digits that are not zero, and two of one below 1: ``0.25%``, ``12.5%``, ``1,500%``."""
    if percent <= 0:
        return "0%"
    size = floor(log10(percent))
    digits = max(0, (2 if size >= 0 else 1) - size)
    text = f"{percent:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


TIMES_LARGER = 3
"""A setting is far larger if its largest request is more than so many times that of the
next smaller one."""

HEADROOM_SHARE = 0.04
"""Of the axis, what stays free above the highest point."""


def far_larger(settings: Sequence[SettingRun]) -> frozenset[int]:
    """Return the numbers of the settings whose requests are far larger than the others':
    a magnified picture leaves out how high they go. None where all are of one size."""
    peaks = {}
    for number, setting in enumerate(settings):
        if setting.run.columns.largest:
            peaks[number] = setting.run.columns.largest
    order = sorted(peaks, key=peaks.__getitem__)
    for at in range(len(order) - 1, 0, -1):
        if peaks[order[at]] > TIMES_LARGER * peaks[order[at - 1]]:
            return frozenset(order[at:])
    return frozenset()


def token_axis(top_tokens: float, window: Window | None = None) -> Part:
    """Return the y axis, from 0 to a little above ``top_tokens``: one scale for all
    settings, because how much their requests differ in size is what the chart shows.
    ``window``: the tokens are given as percent of it."""
    axis = {
        **TOKENS_AXIS,
        "title": {"text": window.title if window else _("tokens sent")},
        "range": [0, top_tokens * (1 + HEADROOM_SHARE)],
    }
    if window is not None:
        axis |= percent_ticks(window, round(top_tokens) or 1)
    return axis


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
        return self.axis.places(request_turns(self.setting.run))

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
    """Tokens of the last request."""
    bracket: Bracket | None

    @property
    def rows(self) -> list[str]:
        """The rows of its name, those about its limit and its summaries last: they say what the bracket and the
        diamonds are."""
        rows = []
        if self.name:
            strategy, *parameters = _broken(self.name)
            rows = [f"{strategy} <b>{self.tokens:,}</b>", *parameters]
        if self.bracket is not None:
            words = self.bracket.words
            rows += wrap(words, NAME_CHARS * len(words) // _letters(words))
        written = sum(
            compaction.summary is not None
            for compaction in self.placed.setting.run.compactions
        )
        if written:
            rows.append(f"{_DIAMOND} {counted(written, 'summarization')}")
        return rows


def short_rows(end: LineEnd, ends: Iterable[LineEnd]) -> list[str]:
    """Return two rows of the end's name, for a crowded picture: the strategy, and of its parameters the first that no
    other line of that strategy has. The rest is told where one points at it."""
    strategy, *parameters = end.name.split(" · ")
    others = {
        parameter
        for other in ends
        if other is not end and other.name.partition(" · ")[0] == strategy
        for parameter in other.name.split(" · ")[1:]
    }
    distinct = [words for words in parameters if words not in others]
    distinct = distinct or parameters
    _first, *named = _broken(" · ".join([strategy, *distinct[:1]]))
    return [*end.rows[:1], *named]


def limit_bracket(run: Run) -> Bracket | None:
    """Return the bracket of the setting in force; ``None`` without a token limit or a
    request."""
    limit = limit_of(run.strategy)
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


def _broken(name: str) -> list[str]:
    """Return the rows of a name: the strategy, and its parameters, as many in a row as fit."""
    strategy, *parameters = name.split(" · ")
    rows = [strategy]
    for parameter in parameters:
        longer = f"{rows[-1]} · {parameter}"
        if len(rows) > 1 and _letters(longer) <= NAME_CHARS:
            rows[-1] = longer
        else:
            rows.append(parameter)
    return [escaped(row[:NAME_CHARS]) for row in rows]


def _letters(text: str) -> int:
    """The number of letters of a text; a Chinese one is as wide as two."""
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
    named = sorted((end for end in ends if end.rows), key=lambda end: end.tokens)
    rows_of = [end.rows for end in named]
    # Many rows stand at fixed distances from the top, as they would in the lower picture that a phone has: there they
    # would lie on each other else.
    wanted_pixels = NAME_ROW_PIXELS * sum(map(len, rows_of))
    is_crowded = wanted_pixels > CROWDED_SHARE * picture_pixels
    if is_crowded and len(named) > 1:
        rows_of = [short_rows(end, named) for end in named]
        picture_pixels = round(LOWER_SHARE * picture_pixels)
    a_token = picture_pixels / top_tokens if top_tokens else 0
    heights = [NAME_ROW_PIXELS * len(rows) for rows in rows_of]
    wanted = [min(end.tokens, top_tokens) * a_token for end in named]
    notes = []
    middles = _apart(wanted, heights, picture_pixels)
    for end, names, at, middle in zip(named, rows_of, wanted, middles, strict=True):
        mark = _MARK.format(setting_color(end.placed.setting.index))
        arrow = " ↑" if end.tokens > top_tokens else ""
        text = f"{mark} {'<br>'.join(names)}{arrow}"
        label = note(
            text,
            1,
            1 if is_crowded else min(end.tokens, top_tokens),
            xref="paper",
            yref="paper" if is_crowded else "y",
            xanchor="left",
            xshift=NEXT_TO_LINE_PIXELS - 12,
            yanchor="middle",
            yshift=middle - (picture_pixels if is_crowded else at),
            align="left",
            hovertext=escaped(end.placed.setting.label),
            font={"size": NOTE_PIXELS},
        )
        notes.append(label)
    return notes


def _apart(
    wanted: Sequence[float], heights: Sequence[int], top_pixels: int
) -> list[float]:
    """Return the middles of names from below, none over another: each is pushed up as far
    as the one below it needs, and down again where it would leave the picture."""
    middles: list[float] = []
    lowest = 0.0
    for middle, height in zip(wanted, heights, strict=True):
        place = max(middle, lowest + height / 2)
        middles.append(place)
        lowest = place + height / 2
    highest = float(max(top_pixels + ROW_PIXELS / 2, sum(heights)))
    for number in reversed(range(len(middles))):
        half = heights[number] / 2
        middles[number] = min(middles[number], highest - half)
        highest = middles[number] - half
    return middles


def bracket_notes(ends: Iterable[LineEnd], top_tokens: float) -> list[Part]:
    """Return the word above each bracket that is drawn, between the last request and the
    names, so that it covers no data; one word where two would lie on each other."""
    notes: list[Part] = []
    heights: list[int] = []
    for end in ends:
        bracket = end.bracket
        if bracket is None or bracket.high_tokens > top_tokens:
            continue
        least_tokens = LABEL_SHARE * top_tokens
        if any(abs(bracket.high_tokens - height) < least_tokens for height in heights):
            continue
        heights.append(bracket.high_tokens)
        label = note(
            _("limit"),
            int(end.placed.axis.lasts[-1]) * (1 + BRACKET_PLACES),
            bracket.high_tokens,
            xanchor="left",
            xshift=-LABEL_LEFT_PIXELS,
            yanchor="bottom",
            font={
                "size": NOTE_PIXELS,
                "color": setting_color(end.placed.setting.index),
            },
        )
        notes.append(label)
    return notes


def bracket_traces(ends: Iterable[LineEnd], top_tokens: float) -> list[Part]:
    """Return the brackets behind the last request, in the colours of their settings. A
    limit far above everything sent is said in words alone."""
    traces: list[Part] = []
    for end in ends:
        bracket = end.bracket
        if bracket is None or bracket.high_tokens > top_tokens:
            continue
        setting = end.placed.setting
        last = int(end.placed.axis.lasts[-1])
        gap = BRACKET_PLACES * last
        x = last + gap
        cap = CAP_SHARE * gap
        rule = escaped(limit_rule(setting.run.strategy))
        size = _(
            "a request of {high_tokens:,} tokens reaches it",
            high_tokens=bracket.high_tokens,
        )
        trace = path(
            np.array([x - cap, x + cap, x, x, x - cap, x + cap]),
            np.array([bracket.low_tokens] * 3 + [bracket.high_tokens] * 3),
            stroke(2, color=setting_color(setting.index)),
            hovertemplate=f"<b>{escaped(setting.label)}</b><br>{rule}<br>{size}"
            "<extra></extra>",
            name=_("{setting} limit", setting=escaped(setting.label)),
            **end.placed.group,
        )
        del trace["hoverinfo"]  # the template says it
        traces.append(trace)
    return traces
