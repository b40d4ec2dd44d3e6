"""The chat that is open, with all that draws and changes it; and what is said where it was deleted elsewhere."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.messages import Message
from memviz.core.storage_errors import DatabaseGoneError, StorageError
from memviz.core.translation import _
from memviz.dashboard.ui.controls.chat_state import ChatState, chat_state
from memviz.dashboard.ui.controls.pickers import Models
from memviz.dashboard.ui.shell.elements import box, button, buttons_row, main_button
from memviz.dashboard.ui.shell.linked import say_conversation_is_gone
from memviz.engine.chat import Chat
from memviz.storage.workspace import SAMPLE_PREFIX, Workspace


def stores_switches(conversation_id: str | None) -> bool:
    """Return whether what is switched on in a chat is stored with it. There is nothing yet to store it with in a new
    chat, and a sample stays as it is: what is said there goes into a copy."""
    return conversation_id is not None and not conversation_id.startswith(SAMPLE_PREFIX)


@dataclass(frozen=True)
class ChatDesk:
    """The chat that is on the page, with everything that is needed to go on with it and to keep it."""

    workspace: Workspace
    state: ChatState
    chat: Chat
    models: Models

    def change(self, do: Callable[..., object], *arguments: object) -> bool:
        """Change the chat. What is wrong with that is said with the talk: a second click may arrive before the page was
        drawn again. Return true if nothing was."""
        self.state.error = None
        try:
            do(*arguments)
        except MemvizError as error:
            self.state.error = error
            return False
        return True

    def save(self, replaces: Sequence[Message] | None = None) -> None:
        """Keep the chat as it stands; ``replaces`` is the log as it was before a turn was taken back.
        A new chat becomes a saved conversation with its first message. One that was deleted elsewhere is kept in memory
        only, until the user has said what is to become of it."""
        if self.state.deleted:
            return
        try:
            self._save(replaces)
        except StorageError as error:
            # It is shown with the talk: this may run while the page is being left.
            self.state.deleted = self.is_gone
            if not self.state.deleted:
                self.state.error = error

    def save_what_was_refused(self) -> None:
        """Save what was said while the database file was gone, once there is one again."""
        was_moved = isinstance(self.state.error, DatabaseGoneError)
        if was_moved and not self.workspace.store.problem:
            self.state.error = None
            self.save()

    def _save(self, replaces: Sequence[Message] | None) -> None:
        workspace = self.workspace
        state = self.state
        chat = self.chat
        summarizer = self.models.summarizer.name
        id = state.conversation_id
        if id is None:
            if len(chat.log):
                state.conversation_id = workspace.new_chat(chat, summarizer)
        elif stores_switches(id):
            workspace.save_chat(id, chat, summarizer, replaces)
        else:
            has_grown = len(chat.log) != workspace.store.entry(id).message_count
            # Else it was only looked at under another setting.
            if has_grown or chat.run.has_decisions:
                state.conversation_id = workspace.continue_sample(id, chat, summarizer)

    @property
    def is_gone(self) -> bool:
        """Return whether the conversation was saved, and is not there any more."""
        id = self.state.conversation_id
        with suppress(StorageError):
            return id is not None and not self.workspace.store.exists(id)
        return False

    def restore(self) -> None:
        """Bring a conversation that was deleted elsewhere back, with what was said since."""
        state = self.state
        id = state.conversation_id
        summarizer = self.models.summarizer.name
        bring_back = self.workspace.bring_back_chat
        if id is not None and self.change(bring_back, id, self.chat, summarizer):
            state.deleted = False
            self.save()


def offer_to_restore(desk: ChatDesk) -> None:
    """Offer to restore a chat that was deleted elsewhere, or to start a new one with the messages that have no reply
    yet; nothing for any other."""
    if not desk.state.deleted:
        return
    with box("chat-deleted"):
        st.markdown(_("**This conversation was deleted elsewhere**"))
        st.caption(
            _(
                "In another tab, or on the command line. All that was said is still on this page. Until you "
                "decide, nothing more is stored, and no model is asked."
            )
        )
        with buttons_row():
            main_button(
                _("Restore"),
                "chat-restore",
                ":material/restore_from_trash:",
                _restore,
                desk,
            )
            button(
                _("Start a new one"),
                "chat-start-new",
                ":material/add_comment:",
                start_new_chat,
                help=_("Messages without a reply are sent there."),
            )


def _restore(desk: ChatDesk) -> None:
    desk.restore()
    is_back = not desk.state.deleted and desk.state.error is None
    desk.state.going_on = is_back and desk.chat.unanswered


def start_new_chat() -> None:
    """Open a new chat. Of one that was deleted elsewhere it takes the messages along that have no reply yet."""
    state = chat_state()
    unanswered: list[str] = []
    if state.deleted and state.chat is not None:
        for message in reversed(state.chat.log[:]):
            if message.role != "user":
                break
            unanswered.insert(0, message.content)
    state.open(None)
    state.to_send = tuple(unanswered)


def say_missing_conversation() -> None:
    """Say that the address named a conversation that is not there."""
    state = chat_state()
    if state.missing:
        state.missing = False
        say_conversation_is_gone()
