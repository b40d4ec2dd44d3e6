"""The chat of a browser session."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.core.translation import _
from memviz.dashboard.ui.controls.study import Setting
from memviz.dashboard.ui.shell.presence import conversation_shown
from memviz.dashboard.ui.shell.state import of_session
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.chat import Chat
from memviz.engine.recall import Recall
from memviz.engine.run import Run

MESSAGES_SHOWN = 30
"""Messages of a long chat that are drawn at first; earlier ones come on demand."""


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
    """How often another conversation was opened: widgets that belong to one carry it in their key."""
    came_from: str | None = None
    """The conversation that was open before this one."""
    missing: bool = False
    """The address named a conversation that is not there."""
    deleted: bool = False
    """The conversation was deleted elsewhere; what was said in it is in ``chat``."""
    to_send: tuple[str, ...] = ()
    """Messages that were typed there, and begin a new chat."""
    error: MemvizError | None = None
    """What went wrong last."""
    failed_with: Hashable = None
    """The models that a reply was asked of in vain."""
    going_on: bool = False
    """A model is to be asked in this run of the page for the reply that is missing."""
    retrying: bool = False
    """A model is to be asked in this run for the last reply once more."""
    draft_with: str | None = None
    """A summary by this instruction is to be asked for in this run; empty: the strategy's own."""
    recall_tool: bool | None = None
    """The model may recall under a strategy that is not made for it."""
    kept_ahead: tuple[tuple[Recall, ...], tuple[Recall, ...]] = ((), ())
    """What of recalls and pins is stored."""
    review: bool = False
    """The visitor is asked before each summarization."""
    kept_review: bool = False
    """What of that is stored."""
    write_on_click: bool = False
    """A paid summarizer is not asked by itself for a summary that waited when the chat was left."""
    deriving: BackgroundReplay | None = None
    """The replay that the memory is being derived by."""
    deriving_of: Hashable = None
    """What it was begun for."""
    long_asked_for: str | None = None
    """The long conversation whose memory was asked for."""
    agreed: Hashable = None
    """What a paid summarizer may derive."""
    foreseen: tuple[Hashable, Run | None] = (None, None)
    """What was asked for, with the replay by the offline summarizer that says how much work that is."""

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
