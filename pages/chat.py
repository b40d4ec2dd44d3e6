"""What does the model still know?"""

import streamlit as st

from memviz.ui.chat_pictures import pictures
from memviz.ui.chat_settings import chat_controls, current_chat
from memviz.ui.conversing import empty_chat, talk, transcript, turn_controls
from memviz.ui.recall_tray import recall_tray
from memviz.ui.shell import open_page, workspace
from memviz.ui.state import chat_state
from memviz.ui.summary_desk import summary_desk
from memviz.ui.summary_review import review_panel

TALK_PIXELS = 560
DECIDE_FIRST = "Decide on the summary above first"

open_page(
    "What does the model still know?",
    "Talk under a strategy: each reply is given from exactly what was sent, and the picture shows what that was.",
)
state = chat_state()
with st.sidebar:
    models = chat_controls(workspace(), state)
chat = current_chat(workspace(), state, models)
talking, picture = st.columns([3, 2], gap="large")
with talking:
    said = st.container(height=TALK_PIXELS, border=False, autoscroll=True)
    waits = chat.proposal is not None
    prompt = st.chat_input(DECIDE_FIRST if waits else "Your message", key="chat-input", disabled=waits)
    with said:
        if not len(chat.log) and not prompt:
            empty_chat()
        transcript(state, chat)
        talk(workspace(), state, chat, models, prompt)
        review_panel(workspace(), state, chat, models)
    turn_controls(workspace(), state, chat, models)
    recall_tray(workspace(), state, chat, models)
with picture:
    pictures(state, chat)
    summary_desk(workspace(), state, chat, models)
