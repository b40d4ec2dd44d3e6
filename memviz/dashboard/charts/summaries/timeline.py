"""The summary over the requests: how large it was, when and why it changed, and what it stood for."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go

from memviz.core.translation import _, noop
from memviz.dashboard.charts import height_pixels
from memviz.dashboard.charts.grammar import (
    BELOW,
    GREY,
    OPAQUE,
    Part,
    bars,
    marks,
    note,
    note_at_left,
    path,
    picture,
    rule_down,
    segments,
    stroke,
)
from memviz.dashboard.charts.palette import FIXED_MARGINS, PART_COLORS
from memviz.dashboard.charts.summaries.marks import (
    MARKS,
    RULED,
    bar_width,
    event_tooltip,
    lacks_summarizer,
)
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.charts.turn_axis import last_place, turn_partings, turns_axis
from memviz.dashboard.words.requests import name_of
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import list_request_turns, make_axis
from memviz.metrics.summaries.events import (
    CompactionEvent,
    CompactionOutcome,
    count_request_sizes,
    count_tokens_in_force,
    grows_a_list,
    list_compaction_events,
    never_summarizes,
)

MAX_LAYERS = 200
"""Entries of a list that are parted by a line; more would be nothing but lines."""
FEW_EVENTS = 40
UPPER = (0.5, 0.96)
LOWER = (0.0, 0.36)
SUMMARY = PART_COLORS["summary"]
MESSAGES = PART_COLORS["history"]
SUMMARY_FILL = "rgba(141, 107, 219, 0.22)"
_TITLES = (
    noop("Tokens of the summary in force"),
    noop("Messages that each version stands for"),
)
_TITLES_OF_LIST = (
    noop("Tokens of the whole list of summaries"),
    noop("Tokens of each entry"),
)
_TITLES_OF_RULES = (
    noop("Tokens of the first request after each change"),
    noop("Messages that each change is about"),
)
"""The titles of both rows: of a summary, of an accumulating list, and where only rules act."""
_TITLE = {"yref": "paper", "font": {"size": 14}}
_AXIS = {
    "automargin": False,
    "rangemode": "tozero",
    "tickformat": ",d",
    "nticks": 5,
}
_LAYOUT: Part = {
    "barmode": "overlay",
    "height": height_pixels.SUMMARIES_OVER_TURNS,
    "legend": {**BELOW, "y": -0.18, "itemclick": False, "itemdoubleclick": False},
    "margin": {**FIXED_MARGINS, "t": 20},
    "uirevision": "summaries",
}
_IN_FORCE: Part = {
    "fill": "tozeroy",
    "fillcolor": SUMMARY_FILL,
    "showlegend": False,
}
_EDGE = stroke(0.7, color=SUMMARY)
_CONVERSATION: Part = {
    "type": "scatter",
    "mode": "lines",
    "yaxis": "y2",
    "showlegend": True,
    "line": stroke(1.5, "dot", GREY),
}
_UNSELECTED = {"marker": {"opacity": 0.9}}
_IN_LOWER_ROW = {
    "yaxis": "y2",
    "hoverinfo": "text",
    "textposition": "none",
    "unselected": OPAQUE,
}


def summary_timeline(run: Run, selected: int | None = None) -> go.Figure:
    """Return two rows over the same requests. Above, the tokens of the summary in force, a mark for each event; below,
    the messages that each version stands for, or of an accumulating list the tokens of each entry. Point ids
    (customdata) are event numbers; event ``selected`` is marked."""
    events = list_compaction_events(run)
    versions = [event for event in events if event.version]
    is_list = grows_a_list(run)
    is_ruled = never_summarizes(run) and not run.space.summaries.versions
    last = _last_place(run, events)
    sizes = _sizes(run, events, is_ruled=is_ruled)

    # Later traces lie over earlier ones: marks are on top of the lines of the upper row.
    traces = []
    if any(sizes) and not is_ruled:
        traces.append(_in_force_line(events, sizes, last + 0.5))
    if is_list and _can_be_layered(run, versions):
        traces.append(_layers(run, versions, last + 0.5))
    traces += _marks(run, events, sizes)
    traces += _draw_lower_row(run, events, versions, is_list=is_list)

    axis = make_axis([run])
    shapes = turn_partings(axis, rows=("y", "y2"))
    notes = _row_titles(is_list=is_list, is_ruled=is_ruled)
    if selected is not None:
        place = events[selected].place
        notes.append(_name_of_selected(place, is_late=place > last / 2))
        shapes += _lines_of_selected(place)
    lower_unit = _("tokens") if is_list else _("message")
    places = range(1, int(last) + 1)
    # Of a list only the crosses of failed attempts need a name: the entries have theirs in the row below.
    has_failed = any(event.what is CompactionOutcome.FAILED for event in events)
    return picture(
        traces,
        xaxis=turns_axis(axis, places, range=[0.4, last + 0.8], anchor="y2"),
        yaxis=_upper_axis(sizes),
        yaxis2={**_AXIS, "title": {"text": lower_unit}, "domain": LOWER},
        annotations=notes,
        shapes=shapes,
        showlegend=not is_list or has_failed,
        **_LAYOUT,
    )


def _sizes(run: Run, events: Sequence[CompactionEvent], *, is_ruled: bool) -> list[int]:
    """Return the tokens of the summary in force at each event; where only rules act, those
    of the request behind it."""
    if not is_ruled:
        return [count_tokens_in_force(run, event) for event in events]
    return [count_request_sizes(event.compaction, run).after_tokens for event in events]


def _upper_axis(sizes: Sequence[int]) -> Part:
    axis = {**_AXIS, "title": {"text": _("tokens")}, "domain": UPPER}
    if not any(sizes):
        # There is nothing but failed attempts, all at zero.
        axis |= {"range": [-0.08, 1], "tickvals": [0]}
    return axis


def _row_titles(*, is_list: bool, is_ruled: bool) -> list[Part]:
    titles = _TITLES
    if is_ruled:
        titles = _TITLES_OF_RULES
    elif is_list:
        titles = _TITLES_OF_LIST
    notes = []
    for title, (_bottom, top) in zip(titles, (UPPER, LOWER), strict=True):
        notes.append(note_at_left(f"<b>{_(title)}</b>", top, **_TITLE))
    return notes


def _draw_lower_row(
    run: Run,
    events: Sequence[CompactionEvent],
    versions: Sequence[CompactionEvent],
    *,
    is_list: bool,
) -> Iterator[Part]:
    """Yield the lower row: the entries of a list, else what each version stands for."""
    if is_list:
        yield from _entries(run, versions, bar_width(events))
        return
    yield from _covered_bars(run, versions, bar_width(events))
    yield from _ruled_bars(run, events)
    yield _conversation(run)


def _last_place(run: Run, events: Sequence[CompactionEvent]) -> float:
    places = [event.place for event in events[-1:]]
    if run.requests:
        places.append(last_place(make_axis([run])))
    return max(places, default=1)


def _name_of_selected(place: float, *, is_late: bool) -> Part:
    """Return the name of the dotted line, at its foot in the upper row: there it stands on what is pale or empty."""
    return note(
        _("selected"),
        place,
        0,
        yref="y domain",
        xanchor="right" if is_late else "left",
        xshift=-4 if is_late else 4,
    )


def _lines_of_selected(place: float) -> Iterator[Part]:
    for row in ("y domain", "y2 domain"):
        yield rule_down(place, stroke(1.5, "dot"), row, layer="below")


def _in_force_line(
    events: Sequence[CompactionEvent], sizes: Sequence[int], end: float
) -> Part:
    return path(
        np.array([*(event.place for event in events), end]),
        np.array([*sizes, sizes[-1]]),
        {"shape": "hv", "width": 2, "color": SUMMARY},
        name="tokens in force",
        **_IN_FORCE,
    )


def _can_be_layered(run: Run, versions: Sequence[CompactionEvent]) -> bool:
    """Return whether each version lies on the one before, on a list that was never begun anew."""
    is_whole = not any(event.compaction.base for event in versions)
    return is_whole and len(versions) <= MAX_LAYERS and not run.earlier_settings


def _layers(run: Run, versions: Sequence[CompactionEvent], end: float) -> Part:
    """Return a line on top of every entry, from when it came to the end."""
    lines = []
    for number, event in enumerate(versions, start=1):
        top = run.space.summaries.tokens(0, number)
        lines.append((event.place, top, end, top))
    x, y = segments(lines, np.nan)
    return path(np.array(x), np.array(y), _EDGE, name="entries", showlegend=False)


def _marks(
    run: Run, events: Sequence[CompactionEvent], sizes: Sequence[int]
) -> Iterator[Part]:
    """Yield one trace for each kind of event, so that the legend names them."""
    pixels = 12 if len(events) <= FEW_EVENTS else 7
    for outcome, mark in MARKS.items():
        mine = [event for event in events if event.what is outcome]
        if mine:
            yield marks(
                _places(mine),
                np.array([sizes[event.number] for event in mine]),
                Texts(mine, partial(event_tooltip, run)),
                {"symbol": mark.symbol, "color": mark.color, "size": pixels},
                name=_(mark.name),
                showlegend=True,
                unselected=_UNSELECTED,
                customdata=[event.number for event in mine],
                cliponaxis=False,
            )


def _places(events: Sequence[CompactionEvent]) -> np.ndarray:
    return np.array([event.place for event in events])


def _covered_bars(
    run: Run, versions: Sequence[CompactionEvent], width: float
) -> Iterator[Part]:
    """Yield two bars for each version: the messages that the summary before it had replaced, and those that it newly
    took in."""
    if not versions:
        return
    before = []
    taken_in = []
    for event in versions:
        assert event.version is not None  # noqa: S101 - these events have one
        covers = event.version.covers
        added = event.version.added
        # The first summary took in all that it covers: nothing came before it.
        before.append(range(covers.start, max(covers.start, added.start)))
        taken_in.append(added)
    words = [event_tooltip(run, event) for event in versions]
    for name, color, ranges in (
        (_("replaced by the summary before"), SUMMARY, before),
        (_("newly taken in"), MESSAGES, taken_in),
    ):
        yield _lower_bars(versions, ranges, width, words, color, name, is_named=True)


def _ruled_bars(run: Run, events: Sequence[CompactionEvent]) -> Iterator[Part]:
    """Yield bars over the messages that a rule cleared, shortened or dropped."""
    for outcome in RULED:
        own_events = []
        for event in events:
            if event.what is outcome and not lacks_summarizer(event.compaction):
                own_events.append(event)
        if own_events:
            ranges = [event.compaction.summarized for event in own_events]
            words = Texts(own_events, partial(event_tooltip, run))
            mark = MARKS[outcome]
            width = bar_width(events)
            yield _lower_bars(
                own_events, ranges, width, words, mark.color, _(mark.name)
            )


def _lower_bars(
    events: Sequence[CompactionEvent],
    ranges: Sequence[range],
    width: float,
    words: Sequence[str],
    color: str,
    name: str,
    *,
    is_named: bool = False,
) -> Part:
    """Return bars over ranges of messages. ``is_named``: the legend has them."""
    return bars(
        _places(events),
        np.array([len(messages) for messages in ranges]),
        color,
        base=np.array([messages.start for messages in ranges]),
        name=name,
        showlegend=is_named,
        width=width,
        customdata=[event.number for event in events],
        text=words,
        **_IN_LOWER_ROW,
    )


def _entries(
    run: Run, versions: Sequence[CompactionEvent], width: float
) -> Iterator[Part]:
    if versions:
        yield bars(
            _places(versions),
            np.array([event.version.tokens for event in versions if event.version]),
            SUMMARY,
            name=_("tokens of each entry"),
            showlegend=False,
            width=width,
            customdata=[event.number for event in versions],
            text=[event_tooltip(run, event) for event in versions],
            **_IN_LOWER_ROW,
        )


def _conversation(run: Run) -> Part:
    places = make_axis([run]).places(list_request_turns(run))
    words: Part = {
        "hovertemplate": _("turn %{x}: %{y:,} messages so far<extra></extra>")
    }
    if run.has_calls:
        names = Texts(run.requests, lambda record: name_of(run, record))
        template = _("%{text}: %{y:,} messages so far<extra></extra>")
        words = {"hovertemplate": template, "text": names}
    return {
        **_CONVERSATION,
        "name": _("messages so far"),
        "x": places,
        "y": run.columns.lengths,
        **words,
    }
