"""Saved conversations as pages and terminal ask for them: listed, added, renamed, and read once
while nobody changes them. Of those that are held in Chat the runs are kept as they grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.counters import counter as find_counter
from memviz.core.messages import Message
from memviz.core.process_memory import uncollected
from memviz.core.recently_used import RecentlyUsed
from memviz.core.storage_errors import StorageError, UnreadableConversationError
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.chat import Chat
from memviz.engine.replay import begin_replay
from memviz.engine.run import Run
from memviz.engine.setting import Setting
from memviz.models.base import Model
from memviz.models.embedding import KeptVectors
from memviz.models.names import OFFLINE
from memviz.models.recordings.recording import conversation_digest
from memviz.storage.entries import ConversationEntry, UnreadableConversation
from memviz.storage.store import Store
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe, Transcript

MAX_LOGS_IN_PROCESS = 32
MAX_LOG_MESSAGES = 150_000
"""Conversations that are kept, and how many messages they may have together: about 1 KB each."""
LARGE_MESSAGES = 5_000
"""A conversation of so many is let go once its visitor has gone; it is read and replayed again if it is asked for."""
TITLE_CHARS = 60


class Beginning(NamedTuple):
    """A conversation, or the ``first`` messages of it alone."""

    id: str
    first: int | None


class Loaded(NamedTuple):
    """A conversation in this process, as it was when it was ``changed`` last."""

    changed: datetime
    transcript: Transcript
    log: Log

    def with_probes(self, probes: Iterable[Probe]) -> Loaded:
        """Return it with the probes whose evidence it holds."""
        length = len(self.log)
        stated = tuple(one for one in probes if max(one.evidence, default=-1) < length)
        transcript = replace(self.transcript, probes=stated)
        return self._replace(transcript=transcript)


class Choices(NamedTuple):
    """Conversations to choose from, by id, and those that cannot be read."""

    entries: dict[str, ConversationEntry]
    unreadable: list[UnreadableConversation]


class Added(NamedTuple):
    """A conversation that was to be saved: its entry, and whether it was in the library before."""

    entry: ConversationEntry
    was_there: bool


def _content_digest(transcript: Transcript) -> str:
    return conversation_digest(
        transcript.messages, transcript.system_prompt, transcript.tools
    )


class SavedConversations:
    """The conversations of one database, those that were read last at hand. Safe to share between threads."""

    _conversations: RecentlyUsed[Beginning, Loaded]

    def __init__(self, store: Store) -> None:
        self.store = store
        self._loading = Lock()
        self._forget()

    def _forget(self) -> None:
        self._conversations = RecentlyUsed(
            MAX_LOGS_IN_PROCESS,
            self._share_of(MAX_LOG_MESSAGES),
            lambda kept: len(kept.log),
        )

    def _share_of(self, most: int) -> int:
        """Return how much of what this process may keep is for this library: a tenth, where it is one of many."""
        return most if self.store.limits is None else most // 10

    def choices(self, limit: int, chosen: str | None) -> Choices:
        """The ``limit`` newest conversations, and the chosen one if it exists at all."""
        newest = self.store.page("", limit, 0)
        entries = {entry.id: entry for entry in newest.entries}
        if chosen is not None and chosen not in entries and self.store.exists(chosen):
            with suppress(UnreadableConversationError):
                entries[chosen] = self.store.entry(chosen)
        return Choices(entries, list(newest.unreadable))

    def request_count(self, entry: ConversationEntry) -> int:
        """The number of calls of the model that a conversation took: more than its turns where tools were called,
        fewer where nobody answered."""
        return self.store.request_count(entry.id)

    def add(self, transcripts: Sequence[Transcript]) -> list[ConversationEntry]:
        """Save conversations, all or none, in the order given; returns their entries."""
        return self.store.entries(self.store.add_conversations(transcripts))

    def add_once(self, transcripts: Sequence[Transcript]) -> list[Added]:
        """Save conversations, all or none, without those of which the library has the same messages, system prompt and
        tools already; returns in the order given what became of each."""
        saved = self._saved_before(transcripts)
        pairs = zip(transcripts, saved, strict=True)
        made = iter(self.add([one for one, entry in pairs if entry is None]))
        return [
            Added(next(made), False) if entry is None else Added(entry, True)
            for entry in saved
        ]

    def _saved_before(
        self, transcripts: Sequence[Transcript]
    ) -> list[ConversationEntry | None]:
        """The saved conversation that is the same as each of these, if there is one."""
        sizes = {len(one.messages) for one in transcripts}
        saved: dict[str, ConversationEntry] = {}
        for entry in self.store.conversations(limit=-1):
            if entry.message_count not in sizes:
                continue
            with suppress(StorageError):  # a damaged one is told in the Library
                digest = _content_digest(self.store.conversation(entry.id))
                saved.setdefault(digest, entry)
        return [saved.get(_content_digest(one)) for one in transcripts]

    def rename(self, id: str, title: str) -> None:
        """Give a conversation another title."""
        self.store.rename(id, title)
        self._forget_conversation(
            id
        )  # a new title does not count as a change of the conversation

    def add_probe(self, id: str, probe: Probe) -> None:
        """Add a question to a conversation. The messages stay as they are, and so do all its runs."""
        self.store.add_probe(id, probe)
        self._read_probes(id)

    def remove_probe(self, id: str, probe: Probe) -> None:
        """Take a question away again."""
        self.store.remove_probe(id, probe)
        self._read_probes(id)

    def _read_probes(self, id: str) -> None:
        probes = self.store.about(id).probes
        for beginning in self._conversations.keys_where_value(lambda kept: True):
            if beginning.id == id:
                self._conversations.change(
                    beginning, lambda kept: kept.with_probes(probes)
                )

    def _forget_conversation(self, id: str) -> None:
        self._conversations.remove_where_key(lambda kept_as: kept_as.id == id)

    def beginning(self, id: str, first: int | None) -> int | None:
        """``first``, where a conversation has more messages than that; ``None`` where it is looked at whole."""
        if first is None or self.store.entry(id).message_count <= first:
            return None
        return first

    def conversation(self, id: str, first: int | None = None) -> tuple[Transcript, Log]:
        """A conversation and its log; the log is shared as long as nobody changes the conversation, so
        its tokens are counted once. Of one with more than ``first`` messages only these are read, whole turns of them.
        Raises StorageError if there is none."""
        changed = self.store.entry(id).updated_at
        asked = Beginning(id, self.beginning(id, first))
        kept = self._conversations.get(asked)
        if kept is None or kept.changed != changed:
            # One after the other: visitors who open it at the same time share what is loaded.
            with self._loading:
                kept = self._conversations.get(asked)
                if kept is None or kept.changed != changed:
                    kept = self._load(asked, changed)
        return kept.transcript, kept.log

    @property
    def answers_folder(self) -> Path | None:
        """The folder in which answers of paid summarizers are kept for sweeps, and vectors of embedding models: beside
        the database's file. ``None`` where there is no file."""
        # A visitor's library takes no more room than it may, and these would come on top.
        if self.store.file is None or self.store.limits is not None:
            return None
        return self.store.file.with_suffix(".answers")

    @cached_property
    def kept_vectors(self) -> KeptVectors:
        """The vectors that embedding models were asked for."""
        return KeptVectors(self.answers_folder)

    def _load(self, asked: Beginning, changed: datetime) -> Loaded:
        with uncollected():
            transcript = self.store.conversation(asked.id, asked.first)
            log = Log(transcript.messages)
            log.kept_vectors = self.kept_vectors
            loaded = Loaded(changed, transcript, log)
            return self._conversations.put(asked, loaded)

    def large_conversations(self) -> list[str]:
        """Those that are kept in this process and so large that they are let go when nobody looks at them."""
        large = self._conversations.keys_where_value(
            lambda kept: len(kept.log) >= LARGE_MESSAGES
        )
        return list({beginning.id: None for beginning in large})


class HeldChats(SavedConversations):
    """Saved conversations that are held in Chat, with their runs."""

    _chats: RecentlyUsed[str, tuple[Log, Run | None]]

    def _forget(self) -> None:
        super()._forget()
        self._chats = RecentlyUsed(
            MAX_LOGS_IN_PROCESS,
            self._share_of(MAX_LOG_MESSAGES),
            lambda kept: len(kept[0]),
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
        replay = begin_replay(own, setting)
        rewrite = partial(self.store.rewrite_chat, id, summarizer=summarizer.name)
        return BackgroundReplay(
            *replay, rewrite if is_damaged else lambda run: None, cancellation
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
