"""The page Chat: a talk under a strategy, beside pictures of what each request sends."""

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.ui.chat.current import LongTalk, find_current_chat
from memviz.dashboard.ui.chat.desk import (
    ChatDesk,
    offer_to_restore,
    say_missing_conversation,
)
from memviz.dashboard.ui.chat.embedding import allow_vectors, offer_embedding
from memviz.dashboard.ui.chat.pictures import draw_pictures
from memviz.dashboard.ui.chat.recall import draw_recall_tray
from memviz.dashboard.ui.chat.review import draw_review_panel
from memviz.dashboard.ui.chat.sidebar import draw_chat_controls
from memviz.dashboard.ui.chat.summary_desk import draw_summary_desk
from memviz.dashboard.ui.chat.talk import (
    answer_and_report,
    bound_next_reply,
    draw_turn_controls,
    store_message,
)
from memviz.dashboard.ui.chat.transcript import (
    WAIT_FOR_MEMORY,
    draw_empty_chat,
    draw_long_talk,
    draw_talk_while_deriving,
    draw_transcript,
    keep_for_later,
    scroll_to_newest,
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
    models = draw_chat_controls()
say_missing_conversation()
current = find_current_chat(models)
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
            store_message(current, typed)
        with messages_place:
            if not len(current.chat.log):
                draw_empty_chat(current)
            draw_transcript(current)
            scroll_to_newest(current)
            with allow_vectors(current.chat.strategy):
                answer_and_report(current)
                draw_review_panel(current)
            offer_to_restore(current)
        offer_embedding(current.chat.strategy, current.chat.log)
        with allow_vectors(current.chat.strategy):
            bound_next_reply(current)
        draw_turn_controls(current)
        draw_recall_tray(current)
    with picture:
        draw_pictures(current)
        draw_summary_desk(current)
else:
    with messages_place:
        if isinstance(current, LongTalk):
            draw_long_talk(current)
        else:
            draw_talk_while_deriving(current)
    with picture:
        st.caption(_("The pictures follow once the memory is derived."))
