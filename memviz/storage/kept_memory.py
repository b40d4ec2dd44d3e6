"""A memory that is kept in a database as it grows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memviz.core.errors import ConversationChangedError, StorageError
from memviz.core.messages import clean_text
from memviz.engine.chat_memory import ChatMemory, Given
from memviz.engine.state import Prepared
from memviz.storage.store import Store
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

FORMAT = "memory"
"""The format of such a conversation in the library."""
ID_PREFIX = "memory-"
"""A session's conversation has this and the session's name as its id."""
_CHANGED = (
    "The conversation was changed by another program or tab, so nothing was saved. "
    "What is stored now has been read: put the message again."
)


class KeptMemory(ChatMemory):
    """A memory whose messages and summaries are kept in a store, as the conversation ``memory-<session>``."""

    def __init__(
        self, store: Store, session: str, strategy: Strategy, **options: Any
    ) -> None:
        self._store: Store | None = (
            None  # nothing is kept while the memory is being made
        )
        super().__init__(strategy, **options)
        session = clean_text(session)
        named = Transcript(
            (), title=session, format=FORMAT, system_prompt=self.system_prompt
        )
        self._id = store.add_conversation(named, ID_PREFIX + session)
        self._take_over(store)
        self._store = store

    def _take_over(self, store: Store) -> None:
        """Go on with what is stored."""
        kept = store.chat_run(self._id)
        if kept is None:
            # A library of memviz 0.1 brought the messages alone.
            said = store.conversation(self._id).messages
            if said:
                self.set(said)
            return
        counts_alike = kept.counter.name == self.run.counter.name
        if counts_alike and kept.strategy == self.strategy:
            self._go_on(kept)
        else:
            self.set(kept.log)

    def append(self, message: Given) -> None:
        """Take in the next message, and keep it. One that cannot be kept is not taken in, so it can be put again.

        Raises :class:`memviz.StorageError` for what the database refuses. Where another program changed the
        conversation meanwhile, the memory goes on with what is stored now.
        """
        with self._lock, self._as_stored():
            super().append(message)
            self._keep()

    def clear(self) -> None:
        """Forget everything, what is kept included."""
        with self._lock, self._as_stored():
            super().clear()
            if self._store is not None:
                self._store.rewrite_chat(
                    self._id, self.run, summarizer=self.summarizer_name
                )

    @contextmanager
    def _as_stored(self) -> Iterator[None]:
        """Leave the memory as it was where the database refuses a change, or make it what is stored now."""
        session = self._session
        recalls = self._recalls
        length = len(session.log)
        compactions = len(session.compactions)
        try:
            yield
        except StorageError as error:
            self._session = session
            self._recalls = recalls
            if len(session.log) > length:
                # A new question sums up the turn before it, so where the log ended does not tell which are new.
                del session.compactions[compactions:]
                session.rewind(length)
            if not isinstance(error, ConversationChangedError):
                raise
            self._read_again()
            raise ConversationChangedError(_CHANGED) from error

    def _read_again(self) -> None:
        store = self._store
        self._store = None  # what is read is not written back
        try:
            if store is not None:
                self._take_over(store)
        finally:
            self._store = store

    def _prepare(self) -> Prepared:
        with self._as_stored():
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
