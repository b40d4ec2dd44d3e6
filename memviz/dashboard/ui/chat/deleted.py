"""A conversation that was deleted elsewhere while it is open here: say so, and lose nothing that was said in it."""

from __future__ import annotations

from itertools import takewhile

import streamlit as st

from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.controls.chat_state import ChatState


def deleted_elsewhere(desk: ChatDesk) -> None:
    """Offer to restore it, or to start a new one with what has no reply yet."""
    state = desk.state
    if not state.deleted:
        return
    with st.container(border=True, key="chat-deleted"):
        st.markdown("**This conversation was deleted elsewhere**")
        st.caption(
            "In another tab, or on the command line. All that was said is still on this page. Until you decide, "
            "nothing more is stored, and no model is asked."
        )
        with st.container(horizontal=True):
            st.button(
                "Restore",
                icon=":material/restore_from_trash:",
                type="primary",
                key="chat-restore",
                on_click=_restore,
                args=(desk,),
            )
            st.button(
                "Start a new one",
                icon=":material/add_comment:",
                key="chat-start-new",
                on_click=start_new,
                args=(state,),
                help="Messages without a reply are sent there.",
            )


def _restore(desk: ChatDesk) -> None:
    desk.restore()
    desk.state.going_on = (
        desk.chat.unanswered and not desk.state.deleted and desk.state.error is None
    )


def start_new(state: ChatState) -> None:
    """Open a new chat. Of one that was deleted elsewhere it takes the messages along that have no reply yet."""
    unanswered = ()
    if state.deleted and state.chat is not None:
        newest_first = takewhile(
            lambda message: message.role == "user", reversed(state.chat.log[:])
        )
        unanswered = tuple(message.content for message in newest_first)[::-1]
    state.open(None)
    state.to_send = unanswered


def missing_conversation(state: ChatState) -> None:
    """Say that the address named a conversation that is not there."""
    if state.missing:
        state.missing = False
        st.warning(
            "The conversation of the link is not on this server, or was deleted.",
            icon=":material/link_off:",
        )
