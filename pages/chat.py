"""The page Chat: a talk under a strategy, beside pictures of what each request sends."""

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.ui.chat.current import LongTalk, current_chat
from memviz.dashboard.ui.chat.desk import (
    ChatDesk,
    offer_to_restore,
    say_missing_conversation,
)
from memviz.dashboard.ui.chat.embedding import offer_embedding, vectors_agreed
from memviz.dashboard.ui.chat.pictures import pictures
from memviz.dashboard.ui.chat.recall import recall_tray
from memviz.dashboard.ui.chat.review import review_panel
from memviz.dashboard.ui.chat.sidebar import chat_controls
from memviz.dashboard.ui.chat.summary_desk import summary_desk
from memviz.dashboard.ui.chat.talk import next_message_costs, send, talk, turn_controls
from memviz.dashboard.ui.chat.transcript import (
    WAIT_FOR_MEMORY,
    deriving_talk,
    empty_chat,
    keep_for_later,
    long_talk,
    show_newest,
    transcript,
)
from memviz.dashboard.ui.controls.chat_state import chat_state
from memviz.dashboard.ui.shell.frame import open_page
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost

TALK_PIXELS = 460
TALK_KEY = "chat-talk"
INPUT_KEY = "chat-input"
DECIDE_FIRST = _("Decide on the summary above first")

open_page(
    _("What does the model still know?"),
    _(
        "Talk under a {strategy}. Each reply comes from exactly what was sent as its {request}, and the "
        "pictures show what that was.",
        strategy=term("strategy"),
        request=term("request"),
    ),
    Lost(
        _(
            "Look first at the bar beside the talk, or below it on a phone: it is what was sent with your last "
            "message."
        ),
        _(
            "Write a message below, and choose the strategy and the model in the sidebar."
        ),
        _(
            "It answers what a model still knows of your own conversation, and what it was sent instead of the "
            "rest."
        ),
    ),
)
state = chat_state()
with st.sidebar:
    models = chat_controls()
say_missing_conversation()
current = current_chat(models)
if isinstance(current, ChatDesk):
    waits_for = DECIDE_FIRST if current.chat.proposal is not None else ""
else:
    waits_for = _(WAIT_FOR_MEMORY)
    keep_for_later(widget_value(INPUT_KEY))
talking, picture = st.columns([3, 2], gap="large")
with talking:
    messages_place = st.container(
        height=TALK_PIXELS, border=False, autoscroll=True, key=TALK_KEY
    )
    prompt = st.chat_input(
        waits_for or _("Your message"), key=INPUT_KEY, disabled=bool(waits_for)
    )
    keep_for_later(prompt)
if isinstance(current, ChatDesk):
    with talking:
        if state.to_send:
            typed = state.to_send
            state.to_send = ()
            send(current, typed)
        with messages_place:
            if not len(current.chat.log):
                empty_chat(current)
            transcript(current)
            show_newest(current)
            with vectors_agreed(current.chat.strategy):
                talk(current)
                review_panel(current)
            offer_to_restore(current)
        offer_embedding(current.chat.strategy, current.chat.log)
        with vectors_agreed(current.chat.strategy):
            next_message_costs(current)
        turn_controls(current)
        recall_tray(current)
    with picture:
        pictures(current)
        summary_desk(current)
else:
    with messages_place:
        if isinstance(current, LongTalk):
            long_talk(current)
        else:
            deriving_talk(current)
    with picture:
        st.caption(_("The pictures follow once the memory is derived."))
