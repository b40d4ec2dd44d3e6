"""A memory that is kept in a database as it grows."""

from __future__ import annotations

from typing import Any

from memviz.conversation import clean_text
from memviz.engine.async_twins import Given
from memviz.engine.chat_memory import ChatMemory
from memviz.engine.session import Prepared
from memviz.storage.store import Store
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

FORMAT = "memory"
"""What the library calls the format of such a conversation."""
ID_PREFIX = "memory-"
"""A session's conversation has this and the session's name as its id."""


class KeptMemory(ChatMemory):
    """A memory whose messages and summaries are kept in a store, as the conversation ``memory-<session>``."""

    def __init__(self, store: Store, session: str, strategy: Strategy, **options: Any) -> None:
        self._store: Store | None = None  # nothing is kept while the memory is being made
        super().__init__(strategy, **options)
        session = clean_text(session)
        named = Transcript((), title=session, format=FORMAT, system_prompt=self.system_prompt)
        self._id = store.add_conversation(named, ID_PREFIX + session)
        kept = store.chat_run(self._id)
        if kept is not None and (kept.strategy, kept.counter.name) == (strategy, self.run.counter.name):
            self._go_on(kept)
        elif kept is not None:
            self.set(kept.log)
        self._store = store

    def append(self, message: Given) -> None:
        """Take in the next message, and keep it."""
        with self._lock:
            super().append(message)
            self._keep()

    def clear(self) -> None:
        """Forget everything, what is kept included."""
        with self._lock:
            super().clear()
            if self._store is not None:
                self._store.rewrite_chat(self._id, self.run, summarizer=self.summarizer_name)

    def _prepare(self) -> Prepared:
        prepared = super()._prepare()
        self._keep()  # a summary that this needed
        return prepared

    def _keep(self) -> None:
        if self._store is not None:
            self._store.save_turn(self._id, self.run, summarizer=self.summarizer_name)


def kept_sessions(store: Store) -> tuple[str, ...]:
    """Names of the sessions that are kept in a store, the oldest first."""
    ids = store.conversation_ids(FORMAT)
    return tuple(id.removeprefix(ID_PREFIX) for id in ids if id.startswith(ID_PREFIX))
