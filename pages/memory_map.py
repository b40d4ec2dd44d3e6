"""What became of every message?"""

import streamlit as st

from memviz.ui.fate_key import legend
from memviz.ui.health import health
from memviz.ui.mapping import maps, nothing_yet, whole_view, zoom
from memviz.ui.message_life import one_message
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
shown = [line for line in lines if line.run.turns]
if shown:
    health(shown)
    legend(shown)
    maps(shown, zoom(whole_view(shown), state.conversation_id or ""))
    one_message(shown, state.conversation_id or "")
else:
    nothing_yet(lines)
