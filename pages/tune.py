"""The page Tune: a sweep over many settings, its answer, and the setting as code."""

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.ui.controls.authorship import say_how_sure
from memviz.dashboard.ui.controls.conversations import say_beginnings
from memviz.dashboard.ui.controls.links import copy_link, open_shared_view
from memviz.dashboard.ui.controls.pricing import price_controls
from memviz.dashboard.ui.controls.sidebar import counter_and_models
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.controls.vectors import show_budget_for
from memviz.dashboard.ui.shell.frame import open_page, workspace
from memviz.dashboard.ui.shell.presenting import Part, hides, put_away
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost
from memviz.dashboard.ui.tune.advice import best_table, facts_button, recommendation
from memviz.dashboard.ui.tune.grid import (
    choose_conversations,
    choose_settings,
    largest_sizes_of,
)
from memviz.dashboard.ui.tune.measured import (
    export_to_code,
    setting_card,
    settings_table,
)
from memviz.dashboard.ui.tune.next_values import add_edge_values
from memviz.dashboard.ui.tune.pictures import looked_at, main_picture, one_strategy
from memviz.dashboard.ui.tune.question import choose_question
from memviz.dashboard.ui.tune.recorded_settings import (
    draw_summarizer_line,
    measurable_with,
    recorded_settings,
    say_none_recorded,
)
from memviz.dashboard.ui.tune.run import (
    is_free_and_through,
    say_nothing_to_try,
    sweep_of,
)
from memviz.dashboard.ui.tune.state import asked_for, tune_state
from memviz.tuning.best_of_each import find_best_of_each

open_page(
    _("Which setting should you take?"),
    _(
        "Many {settings}, each {replay} over the same conversations: what it costs, and what it still "
        "knows.",
        settings=term("settings"),
        replay=term("replay", _("replayed")),
    ),
    Lost(
        _(
            "Look first at the sentence above the chart: it names the setting to take, and why."
        ),
        _(
            "Say how many facts have to be kept and how large a request may be, then click a point to see its "
            "setting."
        ),
        _(
            "It answers which strategy and which numbers suit your conversations at your prices."
        ),
    ),
)
study = compare_state()
state = tune_state()
open_shared_view()
with st.sidebar:
    ids = choose_conversations()
    recorded = recorded_settings(ids)
    settings = choose_settings(largest_sizes_of(ids), recorded)
    show_budget_for(settings)
    models = counter_and_models()
say_beginnings(ids)
measurable = None
if ids and settings:
    measurable = measurable_with(ids, settings, models.summarizer.name)
if measurable is None:
    say_nothing_to_try(ids)
elif not measurable.settings:
    say_none_recorded(models.summarizer.name)
else:
    asked = asked_for(workspace(), ids, measurable.settings, study)
    # What is asked keeps its place, whether a sweep runs above it or not: in another one
    # it would stand twice until the page is drawn to its end.
    running = st.container()
    question = st.container()
    answer = st.container()
    chart = st.container()
    with put_away(Part.CONTROLS, "tune-prices"):
        row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    with row:  # below answer and chart, which are worked out with them
        assumptions = price_controls()
    with running:
        sweep = sweep_of(workspace(), state, asked, models.summarizer, assumptions)
    if sweep is not None:
        with question, put_away(Part.CONTROLS, "tune-asked"):
            constraints, strategy = choose_question(sweep)
        bests = find_best_of_each(sweep, constraints)
        if is_free_and_through(state, sweep) and add_edge_values(bests):
            st.rerun()
        if strategy is None:
            with answer:
                best = recommendation(sweep, constraints)
            with chart:
                main_picture(sweep, constraints, best)
            number = looked_at(sweep, best)
        else:
            with chart:
                number = one_strategy(
                    sweep, strategy, constraints, state.chosen, answer, row
                )
        with chart:
            summarizer = sweep.grounds.summarizer
            if summarizer or measurable.left_out:
                name = summarizer or models.summarizer.name
                draw_summarizer_line(name, measurable)
        with row:
            facts_button(ids)
        if not hides(Part.NUMBERS):
            say_how_sure(sweep.grounds.summarizer)
            if strategy is None:
                best_table(sweep, bests, constraints)
            setting_card(sweep, number, constraints, ids)
            settings_table(sweep, constraints)
            export_to_code(
                sweep, number, constraints, study.counter, models.summarizer.name
            )
with st.sidebar:  # last, for the models stand above it
    copy_link("tune-link")
