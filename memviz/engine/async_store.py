"""The async twins of a memory store's methods: each runs the blocking one in a worker thread."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable
from typing import Protocol

from memviz.core.conversation import Message
from memviz.engine.async_twins import Given
from memviz.engine.chat_memory import ChatMemory


class Store(Protocol):
    """The methods that block: they may read a database, or call a summarizer."""

    def memory(self, session: str) -> ChatMemory:
        """The memory of a session."""

    def sessions(self) -> tuple[str, ...]:
        """Names of all sessions."""


class AsyncStore:
    """For a class that has the methods of :class:`Store`. A session's memory is opened in a worker thread as well."""

    async def amemory(self: Store, session: str) -> ChatMemory:
        """``memory``, in a worker thread."""
        return await to_thread(self.memory, session)

    async def asessions(self: Store) -> tuple[str, ...]:
        """``sessions``, in a worker thread."""
        return await to_thread(self.sessions)

    async def aappend(self: Store, session: str, message: Given) -> None:
        """``append``, in a worker thread."""
        await to_thread(lambda: self.memory(session).append(message))

    async def aload(self: Store, session: str) -> list[Message]:
        """``load``, in a worker thread."""
        return await to_thread(lambda: self.memory(session).load())

    async def aclear(self: Store, session: str) -> None:
        """``clear``, in a worker thread."""
        await to_thread(lambda: self.memory(session).clear())

    async def aput(self: Store, session: str, message: Given) -> None:
        """``put``, in a worker thread."""
        await to_thread(lambda: self.memory(session).put(message))

    async def aput_messages(
        self: Store, session: str, messages: Iterable[Given]
    ) -> None:
        """``put_messages``, in a worker thread."""
        await to_thread(lambda: self.memory(session).put_messages(messages))

    async def aget(
        self: Store, session: str, input: str | None = None
    ) -> list[Message]:
        """``get``, in a worker thread."""
        return await to_thread(lambda: self.memory(session).get(input))

    async def aget_all(self: Store, session: str) -> list[Message]:
        """``get_all``, in a worker thread."""
        return await to_thread(lambda: self.memory(session).get_all())

    async def aset(self: Store, session: str, messages: Iterable[Given]) -> None:
        """``set``, in a worker thread."""
        await to_thread(lambda: self.memory(session).set(messages))

    async def areset(self: Store, session: str) -> None:
        """``reset``, in a worker thread."""
        await to_thread(lambda: self.memory(session).reset())
