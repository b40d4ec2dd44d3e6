"""The share of the facts stated so far that each request could still know, one line a setting; and the places of all
facts at every request of one setting."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memviz.core.text.wording import COMMA, counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.grammar import (
    BELOW,
    GREY,
    OPAQUE,
    SHARE_AXIS,
    Part,
    heading,
    line,
    marks,
    path,
    picture,
    size_for_settings,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS, fade_color
from memviz.dashboard.charts.retention.result import (
    Measure,
    RetentionResult,
    known_words,
)
from memviz.dashboard.charts.summaries.marks import (
    MarkedCompaction,
    compaction_tooltip,
    marked_compactions,
    marker_of,
)
from memviz.dashboard.charts.thinning import Drawn, Texts
from memviz.dashboard.charts.turn_axis import parting_layout, turns_axis
from memviz.metrics.requests.request_axis import RequestAxis, find_place_at, make_axis
from memviz.metrics.retention.life_lines import group_losses_by_compaction

MOST_NAMED = 3
"""Facts that the tooltip of a summarization names; of more it says how many."""
MOST_LARGE = 40
"""More marks than this, or at more than every other request, are small: large ones would hide their line."""
POINT_PIXELS = 12
"""The size of a point of a line. Where two points are at one place Plotly shows the smaller one's tooltip, and that has
to be the summarization's."""
Shares = NDArray[np.float64]
_LAYOUT: Part = {
    "legend": {**BELOW, "y": -0.18, "groupclick": "togglegroup"},
    "margin": FIXED_MARGINS,
    "uirevision": "retention",
}
_NAMED_LAST: Part = {"showlegend": True, "legendrank": 1001}
"""In the legend behind the settings, whose rank is 1000."""
_ONLY_CHOSEN: Part = {"selected": OPAQUE, "unselected": {"marker": {"opacity": 0}}}


class Bounds(NamedTuple):
    """Shares [requests] between which every strategy moves."""

    turns: NDArray[np.int64]
    """The turn of each request."""
    ceiling: Shares
    """The shares of a request that holds all messages."""
    chance: tuple[Shares, Shares] | None = None
    """The shares that are found by chance, the lowest and the highest of the settings, where they are known."""


def retention_curve(
    results: Sequence[RetentionResult],
    bounds: Bounds | None = None,
    measure: Measure = Measure.RETAINED,
) -> go.Figure:
    """Return the chart. Shares are of the facts that were stated by then; before the first one there is no line. Points
    carry the place of their setting in ``results``, their turn and the number of their summarization, -1 for none, and
    those of a turn's earlier calls the call (customdata)."""
    axis = make_axis(result.run for result in results)
    traces = [] if bounds is None else list(_bounds(bounds, axis))
    for place, result in enumerate(results):
        traces.append(_curve(result, place, measure, axis))
    for place, result in enumerate(results):
        traces += summarization_marks(result, place, measure, axis)
    named_bounds = sum(trace.get("showlegend") is True for trace in traces)
    return picture(
        traces,
        title=heading(_("Facts that the model could still know")),
        xaxis=turns_axis(axis),
        yaxis={
            **SHARE_AXIS,
            "title": {"text": _("share of the facts stated so far")},
        },
        **_LAYOUT,
        **parting_layout(axis),
        **size_for_settings(len(results), 440, named_bounds),
    )


def _bounds(bounds: Bounds, axis: RequestAxis) -> Iterator[Part]:
    x = axis.places(bounds.turns)
    thin = stroke(1, "dot")
    yield path(x, bounds.ceiling, thin, name=_("All messages sent"), **_NAMED_LAST)
    if bounds.chance is not None:
        low, high = bounds.chance
        edge = {**thin, "width": 0}
        yield path(x, low, edge, name="least by chance", showlegend=False)
        band = {"fill": "tonexty", "fillcolor": fade_color(GREY, 0.18)}
        yield path(x, high, thin, name=_("Found by chance"), **band, **_NAMED_LAST)


def _curve(
    result: RetentionResult, place: int, measure: Measure, axis: RequestAxis
) -> Part:
    retention = result.retention

    def click(request: int) -> list[int]:
        return [place, *_request_id(retention.turns, request, number=-1)]

    return line(
        result.setting,
        axis.places(retention.turns),
        retention.share(measure.of(retention)),
        _tooltips(result, measure),
        dot=POINT_PIXELS,
        customdata=Drawn(range(len(retention.turns)), click),
        **_ONLY_CHOSEN,
    )


def _request_id(turns: NDArray[np.int64], request: int, *, number: int) -> list[int]:
    """Return the turn of a request, the ``number`` of a summarization, and the call unless it is the last one of its
    turn."""
    turn, call, calls = find_place_at(turns, request)
    return [turn, number] if call == calls else [turn, number, call]


def _tooltips(result: RetentionResult, measure: Measure) -> Texts[int]:
    retention = result.retention
    stated = retention.born.sum(axis=1).tolist()
    retained = measure.of(retention).sum(axis=1).tolist()
    template = noop(
        "<br>of {found:,} of them all messages that state it are sent ({share:.0%})"
    )
    if measure is Measure.CONTAINED:
        template = noop("<br>of {found:,} of them an answer is contained ({share:.0%})")
    words = known_words(retention)

    def tooltip(request: int) -> str:
        lines = f"<b>{escape_text(result.setting.label)}</b><br>{words[request]}"
        if measure is not Measure.RETAINED and stated[request]:
            lines += _(
                template,
                found=retained[request],
                share=retained[request] / stated[request],
            )
        return lines

    return Texts(range(len(words)), tooltip)


def summarization_marks(
    result: RetentionResult, place: int, measure: Measure, axis: RequestAxis
) -> list[Part]:
    """Return a mark at the first request that each compaction changed, see
    :func:`memviz.dashboard.charts.summaries.marks.request_mark`; ``place`` is that of the setting on the chart."""
    turns = result.retention.turns
    share_by_request = result.retention.share(measure.of(result.retention))
    drawable = []
    shares = []
    clicks = []
    for marked, request in _marked_requests(result, axis):
        share = float(share_by_request[request])
        # Before the first fact is stated there is no share, and no place for a mark.
        if not np.isnan(share):
            number = result.run.number_of(marked.compaction)
            drawable.append(marked)
            shares.append(share)
            clicks.append([place, *_request_id(turns, request, number=number)])
    if not drawable:
        return []

    pixels = 11
    edge_pixels = 1.5
    if len(drawable) > min(MOST_LARGE, 0.5 * len(result.run.requests)):
        pixels = 6
        edge_pixels = 1
    lost_by = group_losses_by_compaction(result.losses)
    points = marks(
        np.array([marked.place for marked in drawable]),
        np.array(shares),
        Texts(drawable, partial(_mark_tooltip, result, lost_by)),
        marker_of(drawable, pixels, stroke(edge_pixels, color=result.setting.color)),
        name=f"{escape_text(result.setting.label)} summarizations",
        legendgroup=str(result.setting.index),
        showlegend=False,
        customdata=clicks,
        unselected=OPAQUE,
    )
    return [points]


def _marked_requests(
    result: RetentionResult, axis: RequestAxis
) -> Iterator[tuple[MarkedCompaction, int]]:
    """Yield each compaction with the request that it changed first, else with the last one of its turn."""
    turns = result.retention.turns.tolist()
    last_requests = {turn: request for request, turn in enumerate(turns)}
    for marked in marked_compactions(result.run, axis):
        request = marked.request
        if request is None:
            request = last_requests.get(marked.turn)
        if request is not None:
            yield marked, request


def _mark_tooltip(
    result: RetentionResult,
    lost_by: Mapping[int | None, Sequence[int]],
    marked: MarkedCompaction,
) -> str:
    """Return why it was, and which facts it cost."""
    tooltip = compaction_tooltip(result.setting.label, marked.compaction, result.run)
    number = result.run.number_of(marked.compaction)
    answers_lost = []
    for probe in lost_by.get(number, ()):
        answers = result.retention.probes[probe].answers
        answers_lost.append(escape_text(answers[0]) if answers else "?")
    if not answers_lost:
        return tooltip
    names = _(COMMA).join(answers_lost[:MOST_NAMED])
    if len(answers_lost) > MOST_NAMED:
        names = _(
            "{names} and {more:,} more",
            names=names,
            more=len(answers_lost) - MOST_NAMED,
        )
    return _(
        "{told}<br><b>{facts} lost here:</b> {names}",
        told=tooltip,
        facts=counted(answers_lost, "fact"),
        names=names,
    )
