"""The chat of a browser session."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NoReturn

import streamlit as st

from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.core.translation import _
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.shell.presence import conversation_shown
from memviz.dashboard.ui.shell.state import of_session
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.chat import Chat
from memviz.engine.recall import Recall
from memviz.engine.run import Run

MESSAGES_SHOWN = 30
"""Messages of a long chat that are drawn at first; earlier ones come on demand."""
FRESHLY_OPENED = {
    "chat": None,
    "error": None,
    "going_on": False,
    "retrying": False,
    "deleted": False,
    "draft_with": None,
    "write_on_click": False,
    "shown_messages": MESSAGES_SHOWN,
}
"""What belongs to the conversation that is open, as it is when another one is opened."""


@dataclass
class ChatState:
    """The chat of this browser session."""

    conversation_id: str | None = None
    chat: Chat | None = None
    setting: Setting = field(
        default_factory=lambda: Setting(
            0, 0, "summary_buffer", {"max_token_limit": 500}
        )
    )
    """The setting in force."""
    counter: str = DEFAULT_COUNTER
    system_prompt: str = field(
        default_factory=lambda: _("You are a helpful assistant.")
    )
    shown_messages: int = MESSAGES_SHOWN
    opened: int = 0
    """The number of times that another conversation was opened: widgets that belong to one carry it in their key."""
    came_from: str | None = None
    """The conversation that was open before this one."""
    missing: bool = False
    """The address named a conversation that is not there."""
    deleted: bool = False
    """The conversation was deleted elsewhere; what was said in it is in ``chat``."""
    to_send: tuple[str, ...] = ()
    """Messages that were typed there, and begin a new chat."""
    error: MemvizError | None = None
    """The error that happened last."""
    failed_with: Hashable = None
    """The models that a reply was asked of in vain."""
    going_on: bool = False
    """A model is to be asked in this run of the page for the reply that is missing."""
    retrying: bool = False
    """A model is to be asked in this run for the last reply once more."""
    draft_with: str | None = None
    """A summary by this instruction is to be asked for in this run; empty: the strategy's own."""
    recall_tool: bool = False
    """The model may recall under a strategy that is not made for it."""
    kept_ahead: tuple[tuple[Recall, ...], tuple[Recall, ...]] = ((), ())
    """The recalls and pins that are stored."""
    review: bool = False
    """The visitor is asked before each summarization."""
    kept_review: bool = False
    """The stored value of ``review``."""
    write_on_click: bool = False
    """A paid summarizer is not asked by itself for a summary that waited when the chat was left."""
    deriving: BackgroundReplay | None = None
    """The replay that the memory is being derived by."""
    deriving_of: Hashable = None
    """The memory that ``deriving`` was begun for."""
    long_asked_for: str | None = None
    """The long conversation whose memory was asked for."""
    agreed: Hashable = None
    """The memory that a paid summarizer may derive."""
    foreseen: tuple[Hashable, Run | None] = (None, None)
    """The memory that was asked for, with the replay by the offline summarizer that says how much work that is."""

    @property
    def begun(self) -> Chat | None:
        """The chat, if anything was said in it."""
        if self.chat is None or not len(self.chat.log):
            return None
        return self.chat

    def derive(
        self, deriving_of: Hashable = None, deriving: BackgroundReplay | None = None
    ) -> None:
        """Derive the memory by this replay, or by none any more; one that is at work ends."""
        if self.deriving is not None:
            self.deriving.cancel()
        self.deriving_of = deriving_of
        self.deriving = deriving

    def open(self, conversation_id: str | None) -> None:
        """Turn to a saved conversation, or to a new one."""
        self.derive()
        if self.chat is not None:
            self.came_from = self.conversation_id
        self.conversation_id = conversation_id
        for name, value in FRESHLY_OPENED.items():
            setattr(self, name, value)
        self.opened += 1


def chat_state() -> ChatState:
    """Return the state of the chat page."""
    return of_session("chat", ChatState)


def open_in_chat(conversation_id: str | None) -> NoReturn:
    """Go to Chat, to this conversation."""
    chat_state().open(conversation_id)
    st.switch_page("pages/chat.py")


conversation_shown(lambda: chat_state().conversation_id)
