"""How did the summary change?"""

import streamlit as st

from memviz.ui.controls.recorded_compactions import recorded_events
from memviz.ui.controls.sidebar import setting_runs, study_controls
from memviz.ui.facts.summaries.page import summaries
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import compare_state

open_page(
    "How did the summary change?",
    "Every version of the summary: what made it, what it cost, and what of its text lived on.",
)
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state)
    copy_link(state, "summaries-link")
settings = setting_runs(workspace(), state, models.summarizer)
summaries(workspace(), state, settings, models.summarizer)
recorded_events(*workspace().conversation(state.conversation_id or ""))
