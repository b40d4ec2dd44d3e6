"""Which facts could the model still know?"""

import streamlit as st

from memviz.ui.controls.health import health
from memviz.ui.controls.sidebar import nothing_yet, setting_runs, study_controls
from memviz.ui.facts.lives.chance_baseline import elsewhere
from memviz.ui.facts.lives.label_free import without_labels
from memviz.ui.facts.lives.llm_judge import ask_a_model
from memviz.ui.facts.lives.one_setting import one_setting
from memviz.ui.facts.lives.page import by_category, key_numbers, main_picture, survival_by_age
from memviz.ui.facts.probes import facts_of, probes_panel, where_from
from memviz.ui.facts.retention_cache import retention_results
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import compare_state, retention_state

open_page(
    "Which facts could the model still know?",
    "Facts of the conversation, looked up in what was sent with every request. No model is asked.",
)
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state)
    copy_link(state, "retention-link")
settings = setting_runs(workspace(), state, models.summarizer)
shown = [setting for setting in settings if setting.run.turns]
facts = facts_of(workspace(), state)
if not shown:
    nothing_yet(settings)
else:
    health(shown)
    where_from(facts)
    kept = retention_results(shown, facts.probes)
    if facts.probes:
        main_picture(kept, elsewhere(workspace(), kept))
        key_numbers(kept)
        one_setting(state, kept)
        survival_by_age(kept)
        by_category(kept)
    without_labels(shown)
    probes_panel(workspace(), state, facts)
    if facts.probes:
        ask_a_model(retention_state(), kept, facts.probes, models)
