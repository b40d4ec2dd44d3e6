"""What became of every message?"""

import streamlit as st

from memviz.ui.compare.memory_map.legend import legend
from memviz.ui.compare.memory_map.message import one_message
from memviz.ui.compare.memory_map.page import maps, whole_view, zoom
from memviz.ui.controls.health import health
from memviz.ui.controls.sidebar import nothing_yet, setting_runs, study_controls
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.state import compare_state

open_page(
    "What became of every message?",
    "One column a request, one row a message: sent word for word, only in a summary, recalled, or dropped.",
)
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state)
settings = setting_runs(workspace(), state, models.summarizer)
shown = [setting for setting in settings if setting.run.turns]
if shown:
    health(shown)
    legend(shown)
    maps(shown, zoom(whole_view(shown), state.conversation_id or ""))
    one_message(shown, state.conversation_id or "")
else:
    nothing_yet(settings)
