"""What does each strategy send, turn by turn?"""

import streamlit as st

from memviz.ui.comparison import compare_controls, details, key_numbers, tokens_chart
from memviz.ui.replaying import failures, make_runs
from memviz.ui.shell import open_page, workspace
from memviz.ui.state import compare_state

open_page(
    "What does each strategy send, turn by turn?",
    "One conversation, replayed under every setting with the very same replies. "
    "Diamonds mark where it was summarized, and why.",
)
state = compare_state()
with st.sidebar:
    summarizer = compare_controls(workspace(), state)
if state.conversation_id is None:
    st.info("There is no conversation yet. Import one in the Library, or start one in Chat.", icon=":material/info:")
    st.stop()
lines = make_runs(workspace(), state, summarizer)
if lines:
    failures(lines)
    tokens_chart(lines)
    key_numbers(lines)
    details(lines)
