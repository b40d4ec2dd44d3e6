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
if state.own_replies:
    lines = free_runs(workspace(), state, models.answerer, models.summarizer)
else:
    lines = make_runs(workspace(), state, models.summarizer)
if lines:
    health(lines)
    transcript, _ = workspace().conversation(state.conversation_id or "")
    tokens_chart(lines, transcript)
    key_numbers(lines)
    details(lines, transcript, own_replies=state.own_replies)
    ask_all(state, lines, models.answerer, models.summarizer)
