"""What does the model still know?"""

import streamlit as st

from memviz.ui.chat_pictures import pictures
from memviz.ui.chat_settings import chat_controls, current_chat
from memviz.ui.conversing import empty_chat, talk, transcript, turn_controls
from memviz.ui.recall_tray import recall_tray
from memviz.ui.shell import open_page, workspace
from memviz.ui.state import chat_state

TALK_PIXELS = 560

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
    prompt = st.chat_input("Your message", key="chat-input")
    with said:
        if not len(chat.log) and not prompt:
            empty_chat()
        transcript(state, chat)
        talk(workspace(), state, chat, models, prompt)
    turn_controls(workspace(), state, chat, models)
    recall_tray(workspace(), state, chat, models)
with picture:
    pictures(state, chat)
