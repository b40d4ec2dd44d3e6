"""What every control of the chat page works on: where chats are kept, the page's state, the chat, and its models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memviz.conversation import Message
from memviz.engine.chat import Chat
from memviz.errors import DatabaseMovedError, StorageError
from memviz.ui.controls.pickers import ModelChoice
from memviz.ui.shell.state import ChatState
from memviz.workspace import SAMPLE_PREFIX, Workspace


class Models(NamedTuple):
    """Who answers and who summarizes."""

    chat: ModelChoice
    summarizer: ModelChoice


@dataclass(frozen=True)
class ChatDesk:
    """The chat that is on the page, with everything that is needed to go on with it and to keep it."""

    workspace: Workspace
    state: ChatState
    chat: Chat
    models: Models

    def save(self, replaces: Sequence[Message] | None = None) -> None:
        """Keep the chat as it stands; ``replaces`` is the log as it was before a turn was taken back.
        A new chat becomes a saved conversation with its first turn."""
        try:
            self._save(replaces)
        except StorageError as error:  # shown with the talk: this may run while the page is being left
            self.state.error = error

    def save_what_was_refused(self) -> None:
        """Save what was said while the database file was gone, once there is one again."""
        if isinstance(self.state.error, DatabaseMovedError) and not self.workspace.store.problem:
            self.state.error = None
            self.save()

    def _save(self, replaces: Sequence[Message] | None) -> None:
        workspace, state, chat = self.workspace, self.state, self.chat
        if state.conversation_id is None and len(chat.log):
            state.conversation_id = workspace.new_chat(chat)
        if state.conversation_id is not None and state.conversation_id.startswith(SAMPLE_PREFIX):
            grown = len(chat.log) != workspace.store.entry(state.conversation_id).message_count
            if not grown and not chat.run.has_decisions:
                return  # only looked at under another setting
            state.conversation_id, replaces = workspace.continue_sample(state.conversation_id), None
        if state.conversation_id is not None:
            workspace.save_chat(state.conversation_id, chat, self.models.summarizer.name, replaces)
