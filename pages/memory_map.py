"""What became of every message?"""

import streamlit as st

from memviz.ui.shell import open_page, workspace
from memviz.ui.state import compare_state
from memviz.ui.study import study_controls, study_lines

open_page(
    "What became of every message?",
    "One column a request, one row a message: sent word for word, only in a summary, recalled, or dropped.",
)
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state)
lines = study_lines(workspace(), state, models.summarizer)
