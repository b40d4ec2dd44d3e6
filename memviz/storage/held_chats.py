"""Saved conversations that are held in Chat: their runs, kept as they grow."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from memviz.core.conversation import Log
from memviz.core.counters import counter as find_counter
from memviz.core.messages import Message
from memviz.core.recently_used import RecentlyUsed
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.chat import Chat
from memviz.engine.replay import begun
from memviz.engine.run import Run
from memviz.engine.state import Setting
from memviz.models.base import Model
from memviz.models.names import OFFLINE
from memviz.storage.conversations import (
    MAX_LOG_MESSAGES,
    MAX_LOGS_IN_PROCESS,
    SavedConversations,
)
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

TITLE_CHARS = 60


class HeldChats(SavedConversations):
    """Saved conversations that are held in Chat, with their runs."""

    _chats: RecentlyUsed[str, tuple[Log, Run | None]]

    def _forget(self) -> None:
        super()._forget()
        self._chats = RecentlyUsed(
            MAX_LOGS_IN_PROCESS, MAX_LOG_MESSAGES, lambda kept: len(kept[0])
        )

    def held_chat(self, id: str) -> Run | None:
        """The run of a conversation that was held in Chat, as it was left; ``None`` for one that was not."""
        _, log = self.conversation(id)
        kept = self._chats.get(id)
        # Any change of the chat makes the conversation's log a new one.
        if kept is None or kept[0] is not log:
            kept = self._chats.put(id, (log, self.store.chat_run(id, log)))
        return kept[1]

    def new_chat(self, chat: Chat, summarizer: str = OFFLINE) -> str:
        """Make a chat a saved conversation, named after its first message, in one transaction with all that was said;
        returns its id."""
        return self.store.add_chat(
            _as_transcript(chat), chat.run, summarizer=summarizer
        )

    def continue_sample(self, id: str, chat: Chat, summarizer: str = OFFLINE) -> str:
        """The same for a chat that went on from a bundled sample. The sample stays what it is."""
        sample, _ = self.conversation(id)
        own = replace(sample, title=f"{sample.title} (continued)", format="chat")
        return self.store.add_chat(own, chat.run, summarizer=summarizer)

    def bring_back_chat(self, id: str, chat: Chat, summarizer: str = OFFLINE) -> None:
        """Restore a chat that was deleted elsewhere, under its id. What was said since is for :meth:`save_chat`."""
        self.store.bring_back_chat(
            id, _as_transcript(chat), chat.run, summarizer=summarizer
        )

    def deriving_chat(
        self,
        id: str,
        counter: str,
        summarizer: Model,
        strategy: Strategy,
        *,
        cancellation: Cancellation | None = None,
        is_damaged: bool = False,
    ) -> BackgroundReplay:
        """The replay that derives the run of a chat over a saved conversation that was not held in Chat, over a log of
        its own. With ``is_damaged`` it was, and the run takes the place of the stored one that cannot be read."""
        transcript, log = self.conversation(id)
        own = log.prefix(
            len(log)
        )  # the chat will append to it; the shared one must not grow
        setting = Setting(
            strategy,
            find_counter(counter),
            summarizer,
            transcript.system_prompt,
            repair_tool_pairs=True,
        )
        found = begun(own, setting)
        rewrite = partial(self.store.rewrite_chat, id, summarizer=summarizer.name)
        return BackgroundReplay(
            *found, rewrite if is_damaged else lambda run: None, cancellation
        )

    def save_chat(
        self,
        id: str,
        chat: Chat,
        summarizer: str,
        replaces: Sequence[Message] | None = None,
    ) -> None:
        """Keep what the chat holds beyond what is stored, in one transaction. After an undo or a retry
        ``replaces`` is the log as it was before."""
        if replaces is None:
            self.store.save_turn(id, chat.run, summarizer=summarizer)
        else:
            self.store.rewrite_chat(
                id, chat.run, summarizer=summarizer, replaces=replaces
            )


def _as_transcript(chat: Chat) -> Transcript:
    """The title of a conversation that was held in Chat, and its system prompt."""
    asked = (message.content for message in chat.log if message.role == "user")
    title = " ".join(next(asked, "").split())
    if len(title) > TITLE_CHARS:
        title = title[: TITLE_CHARS - 1] + "…"
    return Transcript(
        (), title=title, format="chat", system_prompt=chat.run.system_prompt
    )
