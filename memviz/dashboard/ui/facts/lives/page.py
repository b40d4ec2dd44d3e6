"""Facts, by their lives: which of them each setting could still know."""

from collections.abc import Sequence

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.charts.retention.survival_curve import (
    FEW,
    Lasting,
    half_lives,
    survival_curve,
)
from memviz.dashboard.ui.controls.authorship import say_not_recorded, say_who_summarized
from memviz.dashboard.ui.controls.health import draw_health
from memviz.dashboard.ui.controls.known_facts import proposals_key, studied_facts
from memviz.dashboard.ui.controls.pickers import Models
from memviz.dashboard.ui.controls.pictures import chart, tell_audience
from memviz.dashboard.ui.controls.sidebar import say_nothing_yet
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.lives.all_settings import (
    curve_finding,
    draw_all_settings,
)
from memviz.dashboard.ui.facts.lives.details import (
    draw_without_labels,
    offer_stand_in_table,
)
from memviz.dashboard.ui.facts.lives.key_numbers import (
    draw_by_category,
    draw_key_numbers,
)
from memviz.dashboard.ui.facts.lives.llm_judge import ask_a_model
from memviz.dashboard.ui.facts.lives.one_setting import draw_one_setting
from memviz.dashboard.ui.facts.probes import probes_panel, say_where_from
from memviz.dashboard.ui.facts.retention_cache import (
    elsewhere,
    retention_results,
    survival_of,
)
from memviz.dashboard.ui.shell.elements import drawer, header
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.words.authors import error_rate_words


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
        tell_audience(curve_finding(results))
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
    st.caption(error_rate_words())
    draw_unlabelled(with_requests)
    probes_panel(facts)
    ask_a_model(results, facts.probes, models)


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
