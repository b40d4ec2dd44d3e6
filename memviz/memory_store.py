"""Memories of many conversations by name, and the classic way to build one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from memviz.conversation import Message
from memviz.counters import Counter
from memviz.engine.chat_memory import ChatMemory
from memviz.engine.replay import DEFAULT_COUNTER
from memviz.models.base import Model
from memviz.storage.message_log import MessageLog
from memviz.strategies import strategy as find_strategy
from memviz.strategies.base import Strategy


class MemoryStore:
    """One :class:`ChatMemory` a session name, all under the same strategy, model and counter.

    With ``persistence``, the path of a database file, every message is kept there as it is appended,
    and a later store on the same file goes on where this one ended: the memory is derived again from
    the kept messages, so summaries are written anew. Safe to use from several threads.
    """

    def __init__(
        self,
        strategy: Strategy | None = None,
        *,
        model: Model | str | None = "offline",
        counter: str | Counter | Callable[[str], int] = DEFAULT_COUNTER,
        system_prompt: str | None = None,
        persistence: str | Path | None = None,
    ) -> None:
        self.strategy = strategy or find_strategy("chat_summary_buffer")
        self._options: dict[str, Any] = {"model": model, "counter": counter, "system_prompt": system_prompt}
        self._kept = MessageLog(persistence) if persistence else None
        self._memories: dict[str, ChatMemory] = {}
        self._lock = RLock()

    def memory(self, session: str, strategy: Strategy | None = None) -> ChatMemory:
        """The memory of this session; the first call makes it, from kept messages if there are any."""
        with self._lock:
            if session not in self._memories:
                memory = ChatMemory(strategy or self.strategy, **self._options)
                if self._kept is not None:
                    memory.set(self._kept.messages(session))
                self._memories[session] = memory
            return self._memories[session]

    def sessions(self) -> tuple[str, ...]:
        """All session names, those that are only kept included."""
        kept = self._kept.sessions() if self._kept is not None else ()
        return tuple(dict.fromkeys((*kept, *self._memories)))

    def append(self, session: str, message: Message | Mapping[str, Any]) -> None:
        """Take in the next message of a session."""
        with self._lock:
            message = Message.of(message)
            memory = self.memory(session)
            if self._kept is not None:
                self._kept.append(session, message)
            memory.append(message)

    def load(self, session: str) -> list[Message]:
        """What to send to the model now."""
        return self.memory(session).load()

    def clear(self, session: str) -> None:
        """Forget a session, kept messages included."""
        with self._lock:
            self._memories.pop(session, None)
            if self._kept is not None:
                self._kept.clear(session)


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
