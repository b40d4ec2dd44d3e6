"""Which facts could the model still know?"""

import streamlit as st

from memviz.ui.shell import open_page, workspace
from memviz.ui.state import compare_state
from memviz.ui.study import study_controls, study_lines

open_page(
    "Which facts could the model still know?",
    "Facts of the conversation, looked up in what was sent with every request. No model is asked.",
)
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state)
lines = study_lines(workspace(), state, models.summarizer)
