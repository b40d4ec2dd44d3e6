"""The strip of compactions above the lives of facts, with lines down through the rows where they are few."""

from collections.abc import Iterator, Sequence

from memviz.core.translation import _, noop
from memviz.dashboard.charts.grammar import (
    LOOK_STAYS,
    Part,
    marks,
    path,
    ring,
    segments,
    stroke,
)
from memviz.dashboard.charts.palette import SUMMARIZATION_LINE, fade_color
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.charts.summaries.marks import (
    MarkedCompaction,
    compaction_tooltip,
    marked_compactions,
    marks_of,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.metrics.requests.request_axis import RequestAxis, list_request_turns

TOOLTIP_CHARS = 66
MOST_LINES = 30
MOST_LINES_SHARE = 0.5
"""Where there are more summarizations than this, or at more than this share of the requests, only those that took the
selected fact have lines down through the rows."""
STRIP = -1.0
"""The place of the marks of summarizations, above the first row (0)."""
_RING = {"size": 19, "line": {"width": 2}}
STRIP_TITLE = noop("<i>summarized</i>")
STRIP_TITLE_OF_RULES = noop("<i>changed</i>")
"""The title of the strip where every mark is a summarization, and where a rule cleared, shortened or dropped
messages."""


def strip_title(result: RetentionResult) -> str:
    looks = marks_of(result.run.compactions)
    if not looks:
        return ""
    is_ruled = any(look.symbol not in ("diamond", "x") for look in looks)
    return _(STRIP_TITLE_OF_RULES if is_ruled else STRIP_TITLE)


def marked_on_lives(result: RetentionResult) -> list[MarkedCompaction]:
    """Return the compactions that have a mark, each at the left edge of the first request that it changed."""
    axis = RequestAxis.of([list_request_turns(result.run)])
    at_edges = []
    for marked in marked_compactions(result.run, axis):
        if marked.request is not None:
            at_edges.append(marked._replace(place=marked.place - 0.5))
    return at_edges


def strip_marks(
    result: RetentionResult,
    compactions: Sequence[MarkedCompaction],
    bottom: float,
    selected: int | None,
) -> Iterator[Part]:
    """Yield marks above the rows, and lines down through them where there are few."""
    if not compactions:
        return
    run = result.run
    most_lines = min(MOST_LINES, MOST_LINES_SHARE * len(run.requests))
    is_few = len({marked.place for marked in compactions}) <= most_lines
    # Where lines would hide the rows, only the compactions that took the selected fact have one.
    takers = {by for (probe, _), by in result.losses.items() if probe == selected}
    numbers = [run.number_of(marked.compaction) for marked in compactions]
    places = []
    for marked, number in zip(compactions, numbers, strict=True):
        if is_few or number in takers:
            places.append(marked.place)
    if places:
        lines = [(place, STRIP, place, bottom) for place in places]
        thin = stroke(1, color=fade_color(SUMMARIZATION_LINE, 0.6))
        yield path(*segments(lines, None), thin, name="summarization lines")

    def words(marked: MarkedCompaction) -> str:
        label = result.setting.label
        return compaction_tooltip(label, marked.compaction, run, TOOLTIP_CHARS)

    yield marks(
        [marked.place for marked in compactions],
        [STRIP] * len(compactions),
        Texts(compactions, words),
        _marker_of(compactions, 12 if is_few else 6),
        name="summarizations",
        cliponaxis=False,
        customdata=[[-1, number] for number in numbers],
        **LOOK_STAYS,
    )


def _marker_of(compactions: Sequence[MarkedCompaction], pixels: int) -> Part:
    return {
        "symbol": [marked.look.symbol for marked in compactions],
        "size": pixels,
        "color": [marked.look.strong_color for marked in compactions],
    }


def chosen_mark(chosen: MarkedCompaction, bottom: float) -> Iterator[Part]:
    """Yield a line down the rows where the chosen compaction was, and a ring around its mark."""
    color = chosen.look.strong_color
    x = [chosen.place, chosen.place]
    yield path(x, [STRIP, bottom], stroke(2.5, color=color), name="chosen line")
    symbol = f"{chosen.look.symbol.removesuffix('-open')}-open"
    marker = {**_RING, "symbol": symbol, "color": color}
    yield ring([chosen.place], [STRIP], marker, name="chosen", cliponaxis=False)
