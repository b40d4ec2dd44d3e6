"""The share of the facts that each setting could still know, over the requests, and where a click on it leads."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.text.wording import COMMA
from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.curve import retention_curve
from memviz.dashboard.charts.retention.result import Measure, RetentionResult
from memviz.dashboard.ui.controls.links import keep_address
from memviz.dashboard.ui.controls.pictures import picture
from memviz.dashboard.ui.controls.selected_request import name_in_full, select
from memviz.dashboard.ui.facts.retention_cache import ChanceBaseline, bounds_of
from memviz.dashboard.ui.facts.selection import choose_event, open_event, open_request
from memviz.dashboard.ui.shell.elements import button, row, segments
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, put_away
from memviz.dashboard.ui.shell.state import begin_with, clicked_point, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words

MEASURE_KEY = "retention-measure"
MEASURES = tuple(measure.value for measure in Measure)
CURVE_KEY = "retention-curve"
MEASURE_HELP = noop(
    "Could be known: the message that states the fact is sent word for word, or an accepted answer "
    "stands anywhere in the request, such as in the summary. The other two look at one of these alone."
)


@st.fragment
def draw_all_settings(
    results: Sequence[RetentionResult], baseline: ChanceBaseline | None
) -> None:
    """Draw retention over the turns, by the measure that is chosen. A click chooses a request and its summarization."""
    begin_with(MEASURE_KEY, Measure.RETAINED.value)
    linked("measure", MEASURE_KEY, MEASURES)
    measure = Measure(widget_value(MEASURE_KEY))
    bounds = bounds_of(results, baseline.runs if baseline else (), measure)
    figure = retention_curve(results, bounds, measure)
    on_click = partial(_follow_click, results)
    picture(figure, CURVE_KEY, curve_finding(results), on_click)
    with put_away(Part.CONTROLS, "retention-measure"):
        _draw_ways_on(results)
        segments(
            _("A fact counts as known when"),
            MEASURES,
            format_func=_,
            key=MEASURE_KEY,
            help=_(MEASURE_HELP),
        )
        st.caption(_how_to_read(baseline, measure))
    keep_address("curve-address")


def curve_finding(results: Sequence[RetentionResult]) -> str:
    """Return what the curve of all settings shows, in one sentence."""
    known_facts = _(COMMA).join(
        f"{result.setting.label} {known_at_the_end(result)}" for result in results
    )
    return _(
        "Share of the facts that each request could still know, one line a setting; known at the end: "
        "{known}.",
        known=known_facts,
    )


def known_at_the_end(result: RetentionResult) -> str:
    """Return ``7 of 12``: the facts that the last request holds, of all that were stated."""
    return _(
        "{known:,} of {born:,}",
        known=result.retention.retained[-1].sum(),
        born=result.retention.born[-1].sum(),
    )


def _clicked_point(
    results: Sequence[RetentionResult],
) -> tuple[RetentionResult, int, int, int | None] | None:
    """Return what was clicked on the curve: the setting, the turn, the number of the summarization (-1 for a line), and
    the call of that turn (``None``: its last one)."""
    carried = (clicked_point(CURVE_KEY) or {}).get("customdata")
    if not isinstance(carried, list) or len(carried) < 3:
        return None
    place, turn, number, *call = map(int, carried)
    if place >= len(results):
        return None
    return results[place], turn, number, next(iter(call), None)


def _follow_click(results: Sequence[RetentionResult]) -> None:
    click = _clicked_point(results)
    if click is not None:
        result, turn, number, call = click
        if number >= 0:
            choose_event(result.setting, number)
        select(turn, result.setting.index, call)


def _draw_ways_on(results: Sequence[RetentionResult]) -> None:
    """Draw the ways on from what was clicked."""
    click = _clicked_point(results)
    if click is None:
        return
    result, turn, number, call = click
    with row():
        name = name_in_full(result.run, turn, call).capitalize()
        st.markdown(f"**{name}**, {plain(result.setting.label)}", width="content")
        if button(
            _("See this request"), "retention-request", ":material/stacked_line_chart:"
        ):
            open_request(result.setting, turn, call)
        if number < 0:
            return
        written = result.run.compactions[number].written
        name = _("Open this attempt")
        if written:
            name = _("Open version {version}", version=written.version)
        if button(name, "retention-event", ":material/compress:"):
            open_event(result.setting, number)


def _how_to_read(baseline: ChanceBaseline | None, measure: Measure) -> str:
    words = _(
        "Marks show what was summarized or cleared: point at one to see which facts it lost, click it to "
        "open it."
    )
    if measure is Measure.EVIDENCE:
        return words
    if baseline is None:
        return _(
            "{words} What is found by chance is not shown: there is no other conversation in this language.",
            words=words,
        )
    return _(
        "{words} The dotted line at the top is a request with all messages. The grey area is what is found "
        "by chance: the same facts, looked up in another conversation, “{title}”, under the same settings.",
        words=words,
        title=plain(bundled_words(baseline.title)),
    )
