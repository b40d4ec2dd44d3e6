"""Facts, by their lives: which of them each setting could still know."""

from collections.abc import Sequence
from functools import partial
from math import isnan

import streamlit as st

from memviz.core.text.wording import COMMA
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.retention.curve import retention_curve
from memviz.dashboard.charts.retention.result import Measure, RetentionResult
from memviz.dashboard.charts.retention.survival_curve import (
    FEW,
    Lasting,
    half_life_words,
    half_lives,
    survival_curve,
)
from memviz.dashboard.ui.controls.authorship import say_not_recorded, say_who_summarized
from memviz.dashboard.ui.controls.health import draw_health
from memviz.dashboard.ui.controls.known_facts import proposals_key, studied_facts
from memviz.dashboard.ui.controls.links import keep_address
from memviz.dashboard.ui.controls.pickers import Models
from memviz.dashboard.ui.controls.pictures import (
    chart,
    picture,
    places,
    step_of,
    tell_audience,
)
from memviz.dashboard.ui.controls.selected_request import name_in_full, select
from memviz.dashboard.ui.controls.sidebar import say_nothing_yet
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.lives.details import (
    draw_without_labels,
    offer_stand_in_table,
)
from memviz.dashboard.ui.facts.lives.llm_judge import ask_a_model
from memviz.dashboard.ui.facts.lives.one_setting import draw_one_setting
from memviz.dashboard.ui.facts.probes import probes_panel, say_where_from
from memviz.dashboard.ui.facts.retention_cache import (
    ChanceBaseline,
    bounds_of,
    elsewhere,
    retention_results,
    survival_of,
)
from memviz.dashboard.ui.facts.selection import (
    choose_event,
    open_event,
    open_request,
)
from memviz.dashboard.ui.shell.elements import (
    button,
    drawer,
    header,
    row,
    segments,
    show_table,
)
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides, put_away
from memviz.dashboard.ui.shell.state import begin_with, clicked_point, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words
from memviz.dashboard.words.authors import error_in_words
from memviz.metrics.requests.token_use import token_use
from memviz.metrics.retention.knowledge import FactState
from memviz.metrics.retention.survival import CategoryRow, category_table
from memviz.transcripts.base import RULE

NONE = "–"
_MEANS = {
    "turn": noop("Known, mean over the turns"),
    "request": noop("Known, mean over the requests"),
}
_TOKENS_A_FACT = {
    "turn": noop("Tokens sent per known fact and turn"),
    "request": noop("Tokens sent per known fact and request"),
}
_UPDATED = {
    noop("Updated: new value only"): "new_only",
    noop("Updated: new and outdated value"): "both",
    noop("Updated: outdated value only"): "stale_only",
    noop("Updated: neither"): "neither",
}
"""The rows on facts that were updated, each with the number of a :class:`CategoryRow`."""
NUMBER_PIXELS = 150
MEASURE_KEY = "retention-measure"
MEASURES = tuple(measure.value for measure in Measure)
CURVE_KEY = "retention-curve"
MEASURE_HELP = noop(
    "Could be known: the message that states the fact is sent word for word, or an accepted answer "
    "stands anywhere in the request, such as in the summary. The other two look at one of these alone."
)
KNOWN_HELP = noop(
    "Facts that the last request holds, of all that were stated: in a message sent word for word, in "
    "the summary, or recalled."
)


def lives_view(
    settings: Sequence[SettingRun], models: Models, *, is_kept_alone: bool
) -> None:
    """Show what every setting retains of the facts, and the life of each of them. ``is_kept_alone``: where one picture
    is shown, it is the first of these."""
    with_requests = [setting for setting in settings if setting.run.turns]
    linked("proposed", proposals_key(compare_state().conversation_id), [False, True])
    facts = studied_facts()
    if not with_requests:
        say_nothing_yet(settings)
        return
    if not facts.probes:
        say_where_from(facts)
        probes_panel(facts)
        draw_health(with_requests)
        draw_unlabelled(with_requests, expanded=True)
        return
    results = retention_results(with_requests, facts.probes)
    say_who_summarized(with_requests)
    say_not_recorded(with_requests)
    if hides(Part.NUMBERS) and is_kept_alone:
        tell_audience(_finding(results))
        draw_all_settings(results, elsewhere(results))
        return
    draw_one_setting(results)
    if hides(Part.NUMBERS):
        return
    say_where_from(facts)
    header(_("How much does each setting still know?"))
    draw_all_settings(results, elsewhere(results))
    draw_key_numbers(results)
    draw_health(with_requests)
    offer_stand_in_table(results)
    draw_more_on_facts(results)
    st.caption(error_in_words())
    draw_unlabelled(with_requests)
    probes_panel(facts)
    ask_a_model(results, facts.probes, models)


@st.fragment
def draw_all_settings(
    results: Sequence[RetentionResult], baseline: ChanceBaseline | None
) -> None:
    """Retention over the turns, by the measure that is chosen. A click chooses a request and its summarization."""
    begin_with(MEASURE_KEY, Measure.RETAINED.value)
    linked("measure", MEASURE_KEY, MEASURES)
    measure = Measure(widget_value(MEASURE_KEY))
    bounds = bounds_of(results, baseline.runs if baseline else (), measure)
    figure = retention_curve(results, bounds, measure)
    on_click = partial(_follow_click, results)
    picture(figure, CURVE_KEY, _finding(results), on_click)
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


def _finding(results: Sequence[RetentionResult]) -> str:
    """Return what the curve of all settings shows, in one sentence."""
    known_facts = _(COMMA).join(
        f"{result.setting.label} {_known_at_the_end(result)}" for result in results
    )
    return _(
        "Share of the facts that each request could still know, one line a setting; known at the end: "
        "{known}.",
        known=known_facts,
    )


def _known_at_the_end(result: RetentionResult) -> str:
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
    """The ways on from what was clicked."""
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


def draw_key_numbers(results: Sequence[RetentionResult]) -> None:
    """Show what was known at the end, and how that came, one column a setting."""
    st.markdown(_("**Facts known at the end**"), help=_(KNOWN_HELP))
    for place, result in places(results, NUMBER_PIXELS):
        place.metric(
            result.setting.label,
            _known_at_the_end(result),
            delta=None if result.retention.born[-1].any() else _("no fact was stated"),
            delta_color="off",
        )
    step = step_of([result.setting for result in results])
    columns = {
        plain(result.setting.label): _numbers(result, step) for result in results
    }
    show_table(columns, _("What each setting retained, one column a setting"))


def _numbers(result: RetentionResult, step: str) -> dict[str, str]:
    retention = result.retention
    known_facts = retention.retained.sum()
    contradicted = (retention.state[-1] == FactState.CONTRADICTED).sum()
    rules = retention.mean_share(RULE)
    has_update = [bool(probe.stale) for probe in retention.probes]
    updated = retention.born[-1, has_update].sum()
    survival = survival_of(result.run, retention.probes)
    numbers = {
        _(_MEANS[step]): _share_words(retention.mean_share()),
        _("Half of the facts last"): half_life_words(survival),
        _(_TOKENS_A_FACT[step]): NONE,
    }
    if known_facts:
        tokens = token_use(result.run).sent_tokens / known_facts
        numbers[_(_TOKENS_A_FACT[step])] = f"{tokens:,.0f}"
    if not isnan(rules):
        numbers[_("Rules kept")] = _share_words(rules)
    if contradicted:
        numbers[_("Contradicted in the last request")] = f"{contradicted:,}"
    old_values = _("Old values still in the last request")
    numbers[old_values] = NONE
    if updated:
        numbers[old_values] = _(
            "{old} of {count}", old=retention.stale[-1].sum(), count=updated
        )
    return numbers


def _share_words(share: float) -> str:
    return NONE if isnan(share) else f"{share:.0%}"


def draw_more_on_facts(results: Sequence[RetentionResult]) -> None:
    """Show what fewer visitors ask for, folded."""
    with drawer(
        _("How long does a fact last?"), ":material/timelapse:", "facts-survival"
    ):
        draw_survival_by_age(results)
    with drawer(
        _("Which kinds of facts are lost?"), ":material/category:", "facts-kinds"
    ):
        draw_by_category(results)


def draw_unlabelled(settings: Sequence[SettingRun], *, expanded: bool = False) -> None:
    """Show what can be told of any conversation, folded."""
    name = _("What can be said without any facts?")
    with st.expander(
        name, icon=":material/label_off:", key="facts-unlabelled", expanded=expanded
    ):
        draw_without_labels(settings)


def draw_survival_by_age(results: Sequence[RetentionResult]) -> None:
    """Show how long a fact lasts after it was stated."""
    lasting = [
        Lasting(result.setting, survival_of(result.run, result.retention.probes))
        for result in results
    ]
    chart(
        survival_curve(lasting, _("Facts still known, by their age")),
        "retention-survival",
        _(
            "Share of the facts still known by their age; half of them are lost after: {half_lives}.",
            half_lives=half_lives(lasting),
        ),
    )
    st.caption(
        _(
            "A dot marks the half-life: the first age at which half of the facts, or fewer, are known. The "
            "line is faint where fewer than {few} facts are that old. A fact that is said again, or recalled, "
            "counts as known again.",
            few=FEW,
        )
    )


def draw_by_category(results: Sequence[RetentionResult]) -> None:
    """Show which kinds of facts were lost."""
    columns = {
        plain(result.setting.label): _cells(
            category_table(result.retention, result.run.log)
        )
        for result in results
    }
    show_table(columns, _("Facts known at the end by category, one column a setting"))
    st.caption(
        _(
            "Known at the last request, and the mean share over all requests. New and outdated values: what "
            "the last request holds of facts that were updated on the way."
        )
    )


def _cells(rows: Sequence[CategoryRow]) -> dict[str, str]:
    cells = {}
    for category_row in rows:
        name = _("All facts")
        if category_row.category is not None:
            name = _(category_row.category).capitalize()
        cells[name] = _("not stated yet")
        if category_row.born:
            cells[name] = _(
                "{known:,} of {born:,}",
                known=category_row.retained,
                born=category_row.born,
            )
            if category_row.mean_share is not None:
                cells[name] += f" · {category_row.mean_share:.0%}"
    updated = {_(name): getattr(rows[-1], field) for name, field in _UPDATED.items()}
    if any(updated.values()):
        cells |= {name: f"{count:,}" for name, count in updated.items()}
    return cells
