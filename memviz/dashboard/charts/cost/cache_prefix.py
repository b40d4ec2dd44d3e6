"""The prompt cache, drawn: of each request what the cache held is pale, what was paid for
in full is solid, and a mark says where the prefix broke, and what broke it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost, usd_words
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    BELOW,
    GREY,
    TOKENS_AXIS,
    Part,
    bars,
    legend_entry,
    marks,
    note_at_left,
    picture,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS, PART_COLORS, SHORTENED_COLOR
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import (
    axis_title,
    request_ids,
    turn_partings,
    turns_axis,
)
from memviz.dashboard.words.prices import BROKEN_BY
from memviz.dashboard.words.requests import name_at
from memviz.metrics.cost.cache_breaks import Breaker, CacheBreak
from memviz.metrics.requests.request_axis import RequestAxis

ROW_PIXELS = 92
"""The height of the row of a setting."""
AXIS_PIXELS = 100
"""The height of the axis and the legend below the rows."""
LEGEND_PIXELS = 44
"""The distance of the legend from the lowest row."""
ROW_SHARE = 0.78
"""The part of a row that its bars take: the rest is for its name."""
HELD_OPACITY = 0.3
BAR_WIDTH = 0.82
MARK_PIXELS = 11
HEADROOM = 1.25
ABOVE_SHARE = 0.09
"""Above the largest request there is room for a mark; of the axis, how far above its bar
a mark stands."""
MARGINS = {**FIXED_MARGINS, "l": 70, "t": 20, "b": AXIS_PIXELS - 20}
_LAYOUT: Part = {
    "barmode": "stack",
    "bargap": 1 - BAR_WIDTH,
    "margin": MARGINS,
    "uirevision": "cache-prefix",
}
_BAR: Part = {"textposition": "none", "hoverinfo": "text", "showlegend": False}
_SQUARE = {"symbol": "square", "size": MARK_PIXELS, "color": GREY}


class _Look(NamedTuple):
    symbol: str
    color: str
    words: str
    """The words for what broke the prefix, in a tooltip."""

    @property
    def marker(self) -> Part:
        return {"symbol": self.symbol, "size": MARK_PIXELS, "color": self.color}


LOOKS = {
    Breaker.SUMMARY: _Look(
        "diamond",
        PART_COLORS["summary"],
        noop("a new summary stands where the cache held messages"),
    ),
    Breaker.REDUCTION: _Look(
        "square",
        SHORTENED_COLOR,
        noop("messages that the cache held were cleared or shortened"),
    ),
    Breaker.WINDOW: _Look(
        "triangle-left",
        PART_COLORS["system"],
        noop("the window moved, so the request begins with another message"),
    ),
    Breaker.PAUSE: _Look(
        "hourglass",
        PART_COLORS["tools"],
        noop("the pause was longer than the cache keeps anything"),
    ),
    Breaker.OTHER: _Look(
        "circle",
        PART_COLORS["recalled"],
        noop("a recall, another setting or other tools changed its beginning"),
    ),
}


class CachedSetting(NamedTuple):
    """One setting with what it costs, and where its prefix broke."""

    setting: SettingCost
    breaks: Sequence[CacheBreak]


class _Run(NamedTuple):
    """Breaks of one reason in requests that follow each other."""

    first: CacheBreak
    last: CacheBreak
    lost_tokens: int


def cache_prefix(settings: Sequence[CachedSetting]) -> go.Figure:
    """Return the chart as a figure, a row a setting, all on one scale. Point ids
    (customdata) are those of :func:`memviz.dashboard.charts.cost.curve.cost_curve`."""
    axis = RequestAxis.of(cached.setting.cost.turns for cached in settings)
    largest = 1
    for cached in settings:
        sent_tokens = cached.setting.cost.traffic.input_tokens
        largest = max(largest, int(sent_tokens.max(initial=1)))
    top = HEADROOM * largest
    traces: list[Part] = []
    notes: list[Part] = []
    y_axes: Part = {}
    breakers: set[Breaker] = set()
    # Plotly calls the axes of the rows y, y2, y3 in traces, and yaxis, yaxis2, yaxis3 in the layout.
    rows = [f"y{number + 1}" if number else "y" for number in range(len(settings))]
    for number, (cached, row) in enumerate(zip(settings, rows, strict=True)):
        y_axes[row.replace("y", "yaxis")] = _tokens_of_row(number, len(settings), top)
        traces += _row(cached, number, row, axis, top)
        notes.append(note_at_left(_row_heading(cached.setting), top, yref=row))
        breakers.update(cache_break.breaker for cache_break in cached.breaks)
    traces += _legend(breaker for breaker in LOOKS if breaker in breakers)
    rows_pixels = ROW_PIXELS * max(1, len(settings))
    # The legend's place counts in heights of all rows: so it is as far below one row as below many.
    legend_place = -LEGEND_PIXELS / rows_pixels
    title = {"text": axis_title(axis), "standoff": 4}
    lowest_row = rows[-1] if rows else "y"
    return picture(
        traces,
        xaxis=turns_axis(axis, title=title, anchor=lowest_row),
        **y_axes,
        shapes=turn_partings(axis, rows=rows),
        annotations=notes,
        legend={**BELOW, "traceorder": "normal", "y": legend_place},
        height=AXIS_PIXELS + rows_pixels,
        **_LAYOUT,
    )


def _tokens_of_row(number: int, rows: int, top: float) -> Part:
    """Return the y axis of row ``number`` of so many, up to ``top`` tokens as in all of
    them."""
    start = 1 - (number + 1) / rows
    return {
        **TOKENS_AXIS,
        "range": [0, top],
        "domain": [start, start + ROW_SHARE / rows],
        "nticks": 3,
        "title": {"text": _("tokens sent") if number == 0 else ""},
    }


def _row_heading(setting_cost: SettingCost) -> str:
    usd = setting_cost.cost.total_usd
    template = noop("{label}: <b>{usd}</b> in all, {rate:.0%} from the cache")
    if usd is None:
        template = noop("{label}, {rate:.0%} from the cache")
    return _(
        template,
        label=escape_text(setting_cost.label),
        usd=usd_words(usd),
        rate=setting_cost.cost.hit_rate,
    )


def _row(
    cached: CachedSetting, number: int, row: str, axis: RequestAxis, top: float
) -> Iterator[Part]:
    """Yield the bars of one setting, and the marks above those whose prefix broke."""
    cost = cached.setting.cost
    turns = cost.traffic.turns
    sent_tokens = cost.traffic.input_tokens
    cached_tokens = cost.cached_tokens
    color = cached.setting.setting.color
    x = axis.places(turns)

    texts = Texts(range(len(x)), partial(_request_words, cached.setting))
    ids = [f"{number}:{point}" for point in request_ids(turns)]
    shared = {**_BAR, "yaxis": row, "text": texts, "customdata": ids}
    yield bars(x, cached_tokens, color, opacity=HELD_OPACITY, **shared)
    yield bars(x, sent_tokens - cached_tokens, color, **shared)

    runs = _runs(cached.breaks)
    for breaker in dict.fromkeys(run.first.breaker for run in runs):
        own_runs = [run for run in runs if run.first.breaker is breaker]
        requests = [run.first.request for run in own_runs]
        yield marks(
            x[requests],
            sent_tokens[requests] + ABOVE_SHARE * top,
            Texts(own_runs, partial(_break_words, turns)),
            {**LOOKS[breaker].marker, "line": stroke(1, color=color)},
            yaxis=row,
            customdata=[ids[request] for request in requests],
            showlegend=False,
        )


def _request_words(setting: SettingCost, at: int) -> str:
    """Return the tooltip of a request."""
    sent_tokens = int(setting.cost.traffic.input_tokens[at])
    cached_tokens = int(setting.cost.cached_tokens[at])
    return _(
        "<b>{label}</b><br>{request}: {tokens} sent<br>pale: {held:,} read from the cache<br>"
        "solid: {paid:,} paid for in full",
        label=escape_text(setting.label),
        request=name_at(setting.cost.turns, at),
        tokens=counted(sent_tokens, "token"),
        held=cached_tokens,
        paid=sent_tokens - cached_tokens,
    )


def _break_words(turns: NDArray[np.int64], run: _Run) -> str:
    """Return the tooltip of a run of breaks; ``turns`` are those of all requests."""
    broken = name_at(turns, run.first.request)
    if run.last.request > run.first.request:
        broken = _(
            "each request from {first} to {last}",
            first=broken,
            last=name_at(turns, run.last.request),
        )
    return _(
        "<b>{broken}</b>: {reason}.<br>{lost} paid for in full again",
        broken=broken,
        reason=_(LOOKS[run.first.breaker].words),
        lost=counted(run.lost_tokens, "token"),
    )


def _runs(breaks: Sequence[CacheBreak]) -> list[_Run]:
    """Return the breaks by runs: a window that moves at each request has one mark, at the
    first of them."""
    runs: list[_Run] = []
    for cache_break in breaks:
        lost_tokens = cache_break.lost_tokens
        if runs and _continues(runs[-1].last, cache_break):
            lost_tokens += runs[-1].lost_tokens
            runs[-1] = runs[-1]._replace(last=cache_break, lost_tokens=lost_tokens)
        else:
            runs.append(_Run(cache_break, cache_break, lost_tokens))
    return runs


def _continues(before: CacheBreak, after: CacheBreak) -> bool:
    is_next = before.request + 1 == after.request
    return is_next and before.breaker is after.breaker


def _legend(breakers: Iterable[Breaker]) -> Iterator[Part]:
    pale = {**_SQUARE, "opacity": HELD_OPACITY}
    yield legend_entry(_("held by the cache"), mode="markers", marker=pale)
    yield legend_entry(_("paid in full"), mode="markers", marker=_SQUARE)
    for breaker in breakers:
        name = _(BROKEN_BY[breaker])
        yield legend_entry(name, mode="markers", marker=LOOKS[breaker].marker)
