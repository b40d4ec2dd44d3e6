"""What does each strategy send, turn by turn?"""

import streamlit as st

from memviz.ui.compare.ask_all import ask_all
from memviz.ui.compare.free_run import free_runs
from memviz.ui.compare.tokens.page import compare_sentence, details, key_numbers, tokens_chart
from memviz.ui.controls.health import health
from memviz.ui.controls.replaying import make_runs
from memviz.ui.controls.sidebar import expect_conversation, study_controls
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.state import compare_state

open_page("What does each strategy send, turn by turn?", compare_sentence())
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state, replies=True)
expect_conversation(workspace(), state)
if state.free_run:
    settings = free_runs(workspace(), state, models.answerer, models.summarizer)
else:
    settings = make_runs(workspace(), state, models.summarizer)
if settings:
    health(settings)
    transcript, _ = workspace().conversation(state.conversation_id or "")
    tokens_chart(settings, transcript)
    key_numbers(settings)
    details(settings, transcript, free_run=state.free_run)
    ask_all(state, settings, models.answerer, models.summarizer)
