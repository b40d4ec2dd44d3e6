"""What does the model still know?"""

import streamlit as st

from memviz.ui.chat.active_summary import summary_desk
from memviz.ui.chat.deleted import deleted_elsewhere, missing_conversation
from memviz.ui.chat.pictures import pictures
from memviz.ui.chat.recall import recall_tray
from memviz.ui.chat.review import review_panel
from memviz.ui.chat.sidebar import chat_controls, current_chat
from memviz.ui.chat.talk import send, talk, turn_controls
from memviz.ui.chat.transcript import empty_chat, transcript
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.state import chat_state

TALK_PIXELS = 560
DECIDE_FIRST = "Decide on the summary above first"

open_page(
    "What does the model still know?",
    "Talk under a strategy: each reply is given from exactly what was sent, and the picture shows what that was.",
)
state = chat_state()
with st.sidebar:
    models = chat_controls(workspace(), state)
missing_conversation(state)
desk = current_chat(workspace(), state, models)
talking, picture = st.columns([3, 2], gap="large")
with talking:
    said = st.container(height=TALK_PIXELS, border=False, autoscroll=True)
    waits = desk.chat.proposal is not None
    prompt = st.chat_input(DECIDE_FIRST if waits else "Your message", key="chat-input", disabled=waits)
    if state.to_send or (prompt and prompt.strip()):
        typed, state.to_send = (*state.to_send, *([prompt] if prompt else ())), ()
        send(desk, typed)
    with said:
        if not len(desk.chat.log):
            empty_chat()
        transcript(desk)
        talk(desk)
        review_panel(desk)
        deleted_elsewhere(desk)
    turn_controls(desk)
    recall_tray(desk)
with picture:
    pictures(desk)
    summary_desk(desk)
