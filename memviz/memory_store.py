"""Memories of many conversations by name, and the classic way to build one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from memviz.conversation import Message, clean_text
from memviz.counters import AnyCounter
from memviz.engine.chat_memory import ChatMemory
from memviz.engine.replay import DEFAULT_COUNTER
from memviz.models.base import Model
from memviz.storage.store import Store
from memviz.strategies import strategy as find_strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript


class MemoryStore:
    """One :class:`ChatMemory` a session name, all under the same strategy, model and counter.

    With ``persistence``, the path of a database file, messages and summaries are kept there as they
    come, and a later store on the same file goes on where this one ended. The dashboard shows them
    in its library. Safe to use from several threads.
    """

    def __init__(
        self,
        strategy: Strategy | None = None,
        *,
        model: Model | str | None = "offline",
        counter: AnyCounter = DEFAULT_COUNTER,
        system_prompt: str | None = None,
        persistence: str | Path | None = None,
    ) -> None:
        self.strategy = strategy or find_strategy("chat_summary_buffer")
        self._model, self._counter, self._system_prompt = model, counter, system_prompt
        self._store = Store(persistence) if persistence else None
        self._memories: dict[str, ChatMemory] = {}
        self._lock = RLock()
        self._locks: dict[str, RLock] = {}

    def memory(self, session: str, strategy: Strategy | None = None) -> ChatMemory:
        """The memory of this session; the first call makes it, or brings back the one that is kept."""
        with self._lock:
            if session not in self._memories:
                chosen = strategy or self.strategy
                options: dict[str, Any] = {
                    "model": self._model, "counter": self._counter, "system_prompt": self._system_prompt,
                }  # fmt: skip
                self._memories[session] = (
                    ChatMemory(chosen, **options)
                    if self._store is None
                    else KeptMemory(self._store, session, chosen, **options)
                )
            return self._memories[session]

    def sessions(self) -> tuple[str, ...]:
        """Names of the sessions that this store was asked for."""
        return tuple(self._memories)

    def append(self, session: str, message: Message | Mapping[str, Any]) -> None:
        """Take in the next message of a session."""
        with self._busy(session):  # one session's summarizer keeps no other waiting
            self.memory(session).append(message)

    def load(self, session: str) -> list[Message]:
        """What to send to the model now."""
        with self._busy(session):
            return self.memory(session).load()

    def _busy(self, session: str) -> RLock:
        with self._lock:
            return self._locks.setdefault(session, RLock())

    def clear(self, session: str) -> None:
        """Forget what a session said."""
        with self._busy(session):
            self.memory(session).clear()


class KeptMemory(ChatMemory):
    """A memory whose messages and summaries are kept in a store, as the conversation ``memory-<session>``."""

    def __init__(self, store: Store, session: str, strategy: Strategy, **options: Any) -> None:
        self._store: Store | None = None  # nothing is kept while the memory is being made
        super().__init__(strategy, **options)
        session = clean_text(session)
        named = Transcript((), title=session, format="memory", system_prompt=self.system_prompt)
        self._id = store.add_conversation(named, f"memory-{session}")
        kept = store.chat_run(self._id)
        if kept is not None and (kept.strategy, kept.counter.name) == (strategy, self.run.counter.name):
            self._go_on(kept)
        elif kept is not None:
            self.set(kept.log)
        self._store = store

    def append(self, message: Message | Mapping[str, Any]) -> None:
        """Take in the next message, and keep it."""
        super().append(message)
        self._keep()

    put = append

    def load(self) -> list[Message]:
        """What to send to the model now; a summary that this needed is kept."""
        messages = super().load()
        self._keep()
        return messages

    def clear(self) -> None:
        """Forget everything, what is kept included."""
        super().clear()
        if self._store is not None:
            self._store.rewrite_chat(self._id, self.run, summarizer=self.summarizer_name)

    reset = clear

    def _keep(self) -> None:
        if self._store is not None:
            self._store.save_turn(self._id, self.run, summarizer=self.summarizer_name)


def build_chat_memory(
    llm: Model | str | None,
    token_limit: int = 64000,
    summarize_prompt: str | None = None,
    chat_store: MemoryStore | None = None,
    chat_store_key: str = "default",
) -> ChatMemory:
    """A chat summary buffer in one call. ``llm`` writes the summaries; ``None``: what does not fit is dropped.

    With ``chat_store`` the memory is the one that store has under ``chat_store_key``, with the
    store's own model. Raises :class:`memviz.ParameterError` for a ``token_limit`` below 1.
    """
    strategy = find_strategy("chat_summary_buffer", token_limit=token_limit, summarize_prompt=summarize_prompt)
    if chat_store is not None:
        return chat_store.memory(chat_store_key, strategy)
    return ChatMemory(strategy, model=llm)
