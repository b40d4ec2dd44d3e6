"""The talk of a chat whose memory is still being derived: what was said, how far it is, and a way out."""

from __future__ import annotations

import streamlit as st

from memviz.core.text.wording import counted
from memviz.dashboard.ui.chat.current import LongTalk
from memviz.dashboard.ui.chat.transcript import messages_alone, newest_messages
from memviz.dashboard.ui.controls.chat_state import ChatState
from memviz.dashboard.ui.controls.jobs import Step, watch
from memviz.dashboard.ui.controls.replaying import how_far
from memviz.dashboard.ui.controls.spending import spending
from memviz.engine.background_replay import BackgroundReplay
from memviz.storage.workspace import Workspace

WAIT_FOR_MEMORY = "You can write once the memory is derived"
LONG = (
    "These are the newest of {messages}. What a model would be sent depends on the memory of all of them: deriving it "
    "takes a minute for about 50,000, and a gigabyte for about 300,000."
)


def deriving_talk(state: ChatState, work: BackgroundReplay) -> None:
    """The newest messages, and below them how far ``work`` is. The page is drawn again when it is over."""
    messages_alone(work.log, state)
    watch(work, lambda: _step(work), "chat-derive-stop", lambda: _note(state))


def long_talk(workspace: Workspace, state: ChatState, talk: LongTalk) -> None:
    """The newest messages of a long conversation, read alone, and the way to its memory."""
    newest_messages(workspace, state, talk.id, talk.messages)
    with st.container(horizontal=True, vertical_alignment="center", key="chat-long"):
        st.button(
            "Derive the memory",
            icon=":material/restart_alt:",
            key="chat-derive-long",
            on_click=_ask_for,
            args=(state, talk.id),
        )
        st.caption(LONG.format(messages=counted(talk.messages, "message")))


def _ask_for(state: ChatState, id: str) -> None:
    state.long_asked_for = id


def keep_for_later(state: ChatState, typed: str | None) -> None:
    """Send what was typed once there is a memory; it may arrive with the very click that has one derived, when the
    input is already closed and gives nothing."""
    if typed and typed.strip():
        state.to_send = (*state.to_send, typed)


def _step(work: BackgroundReplay) -> Step:
    share = work.done / work.total if work.total else 0.0
    return Step(
        share,
        f"Deriving the memory from {counted(work.total, 'turn')}: {how_far(work)}",
    )


def _note(state: ChatState) -> str:
    spent = f" {spending().sentence}." if spending().is_used else ""
    return _way_out(state) + spent


def _way_out(state: ChatState) -> str:
    if state.chat is not None and len(state.chat.log):
        return "What is sent depends on the memory under this setting. Stop goes back to the setting before."
    return "What is sent depends on this memory. Stop closes the conversation and leaves it as it is."
