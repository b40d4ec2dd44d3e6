"""The async twins of a memory's methods: each runs the blocking one in a worker thread; the event loop goes on."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable
from typing import Any, Protocol

from memviz.core.conversation import Message
from memviz.engine.recall import Recalled

Given = Any
"""A message as it is taken: a :class:`Message`, a dictionary, or a message object of another library."""


class Memory(Protocol):
    """The methods that block: they may call a summarizer, or wait for one that another thread called."""

    def append(self, message: Given) -> None:
        """Take in a message."""

    def load(self) -> list[Message]:
        """What to send now."""

    def clear(self) -> None:
        """Forget everything."""

    def put(self, message: Given) -> None:
        """Take in a message."""

    def put_messages(self, messages: Iterable[Given]) -> None:
        """Take in several messages."""

    def get(self, input: str | None = None) -> list[Message]:
        """What to send now."""

    def get_all(self) -> list[Message]:
        """The whole log."""

    def set(self, messages: Iterable[Given]) -> None:
        """Start over with these messages."""

    def reset(self) -> None:
        """Forget everything."""

    def history_for_prompt(self) -> list[Message]:
        """What stands between summary and input."""

    def clear_recalled_messages(self) -> None:
        """Recall nothing."""

    def recall_conversation(
        self,
        turn_numbers: Iterable[int] | None,
        message_indices: Iterable[int] | None,
        last_n: int | None,
    ) -> Recalled:
        """Bring earlier messages back."""


class AsyncTwins:
    """For a class that has the methods of :class:`Memory`."""

    async def aappend(self: Memory, message: Given) -> None:
        """``append``, in a worker thread."""
        await to_thread(self.append, message)

    async def aload(self: Memory) -> list[Message]:
        """``load``, in a worker thread."""
        return await to_thread(self.load)

    async def aclear(self: Memory) -> None:
        """``clear``, in a worker thread."""
        await to_thread(self.clear)

    async def aput(self: Memory, message: Given) -> None:
        """``put``, in a worker thread."""
        await to_thread(self.put, message)

    async def aput_messages(self: Memory, messages: Iterable[Given]) -> None:
        """``put_messages``, in a worker thread."""
        await to_thread(self.put_messages, messages)

    async def aget(self: Memory, input: str | None = None) -> list[Message]:
        """``get``, in a worker thread."""
        return await to_thread(self.get, input)

    async def aget_all(self: Memory) -> list[Message]:
        """``get_all``, in a worker thread."""
        return await to_thread(self.get_all)

    async def aset(self: Memory, messages: Iterable[Given]) -> None:
        """``set``, in a worker thread."""
        await to_thread(self.set, messages)

    async def areset(self: Memory) -> None:
        """``reset``, in a worker thread."""
        await to_thread(self.reset)

    async def ahistory_for_prompt(self: Memory) -> list[Message]:
        """``history_for_prompt``, in a worker thread."""
        return await to_thread(self.history_for_prompt)

    async def arecall_conversation(
        self: Memory,
        turn_numbers: Iterable[int] | None = (),
        message_indices: Iterable[int] | None = (),
        last_n: int | None = None,
    ) -> Recalled:
        """``recall_conversation``, in a worker thread."""
        return await to_thread(
            self.recall_conversation, turn_numbers, message_indices, last_n
        )

    async def aclear_recalled_messages(self: Memory) -> None:
        """``clear_recalled_messages``, in a worker thread."""
        await to_thread(self.clear_recalled_messages)
