"""The chat of a browser session."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.chat import Chat
from memviz.engine.recall import Recall
from memviz.engine.run import Run
from memviz.errors import MemvizError
from memviz.ui.controls.study import Setting
from memviz.ui.shell.presence import conversation_shown
from memviz.ui.shell.state import of_session

MESSAGES_SHOWN = 30
"""Messages of a long chat that are drawn at first; earlier ones come on demand."""


@dataclass
class ChatState:
    """The chat of this browser session.

    ``opened`` counts how often another conversation was opened: widgets that belong to one
    conversation carry it in their key. ``setting`` is the one in force; ``recall_tool`` lets the model
    recall under a strategy that is not made for it, ``kept_ahead`` is what of recalls and pins is stored.

    What the page is to ask a model for in this run: ``going_on``, for the reply that is missing; ``retrying``, for the
    last reply once more; ``draft_with``, for a summary by this instruction (empty: the strategy's own).
    ``deleted``: the conversation was deleted elsewhere; what was said in it is in ``chat``. ``to_send`` are messages
    that were typed there, and begin a new chat. ``missing``: the address named a conversation that is not there.

    ``error`` is what went wrong last, and ``failed_with`` are the models that a reply was asked of in vain.
    ``review`` says whether to ask before each summarization, ``kept_review`` what of that is stored;
    ``write_on_click``: a paid summarizer is not asked by itself for a summary that waited when the chat was left.

    ``deriving`` is the replay that the memory is being derived by, and ``deriving_of`` what it was begun for;
    ``long_asked_for`` is the long conversation whose memory was asked for;
    ``came_from`` is the conversation that was open before this one. ``agreed`` is what a paid summarizer may derive,
    and ``foreseen`` what was asked for with the replay by the offline one that says how much work that is.
    """

    conversation_id: str | None = None
    chat: Chat | None = None
    setting: Setting = field(
        default_factory=lambda: Setting(
            0, 0, "summary_buffer", {"max_token_limit": 500}
        )
    )
    counter: str = "o200k_base"
    system_prompt: str = "You are a helpful assistant."
    shown_messages: int = MESSAGES_SHOWN
    error: MemvizError | None = None
    failed_with: Hashable = None
    opened: int = 0
    retrying: bool = False
    going_on: bool = False
    recall_tool: bool | None = None
    draft_with: str | None = None
    kept_ahead: tuple[tuple[Recall, ...], tuple[Recall, ...]] = ((), ())
    deleted: bool = False
    to_send: tuple[str, ...] = ()
    missing: bool = False
    deriving: BackgroundReplay | None = None
    deriving_of: Hashable = None
    long_asked_for: str | None = None
    came_from: str | None = None
    agreed: Hashable = None
    foreseen: tuple[Hashable, Run | None] = (None, None)
    review: bool = False
    kept_review: bool = False
    write_on_click: bool = False

    def derive(
        self, deriving_of: Hashable = None, deriving: BackgroundReplay | None = None
    ) -> None:
        """Derive the memory by this replay, or by none any more; one that is at work ends."""
        if self.deriving is not None:
            self.deriving.cancel()
        self.deriving_of, self.deriving = deriving_of, deriving

    def open(self, conversation_id: str | None) -> None:
        """Turn to a saved conversation, or to a new one."""
        self.derive()
        if self.chat is not None:
            self.came_from = self.conversation_id
        self.conversation_id = conversation_id
        self.chat = None
        self.error = None
        self.going_on = False
        self.retrying = False
        self.deleted = False
        self.draft_with = None
        self.write_on_click = False
        self.shown_messages = MESSAGES_SHOWN
        self.opened += 1


def chat_state() -> ChatState:
    """The chat page's state."""
    return of_session("chat", ChatState)


conversation_shown(lambda: chat_state().conversation_id)
