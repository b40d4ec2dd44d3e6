"""Real libraries as strategies: an object of the library is fed the conversation and hands back what it would send.

Such a strategy cannot say beforehand what it will summarize. The engine finds that out: what reached the library's
summarizer is a compaction, and what it hands back is mapped to the log.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Protocol

from memviz.core.counters import Counter
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Piece
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.families import LIBRARIES

Ask = Callable[[Sequence[Message]], str]
"""Asks memviz's summarizer for the library: what the library sends to its model, and the text that it gets. Raises
where the summarizer fails; a library has to let that through."""


ASKED = "the library asked its summarizer"
"""The reason where no more is known of a library's rule."""


class FromLibrary(NamedTuple):
    """A message that a library would send. ``position`` is that of the log's message, where the library still knows it
    by its identity; ``None`` where it does not, or the words are its own."""

    message: Message
    position: int | None = None


class Library(Protocol):
    """An object of a library at work on one conversation. It keeps what it likes."""

    def take(self, position: int, message: Message) -> None:
        """Take in the next message of the log, the system prompt apart."""

    def request(self) -> Sequence[FromLibrary]:
        """Everything that would be sent now behind the system prompt, the newest messages included. Where the
        summarizer fails the exception goes through, and the object is as it was before."""


class LibraryStrategy(Strategy):
    """Base of the strategies that run a library's own object. Requests of the past are known by what the library sent
    then, so the object itself is never taken back in time: it is opened again where a conversation is cut or resumed,
    and is given the answers that it got."""

    family: ClassVar[str] = LIBRARIES
    trigger: ClassVar[Trigger] = Trigger.REQUEST

    @abstractmethod
    def open(self, ask: Ask, counter: Counter) -> Library:
        """A new object for one conversation, which counts with ``counter`` and asks for summaries with ``ask``. Raises
        :class:`MissingLibraryError` where the library is not installed."""

    def reason(self, memory: Memory) -> str:
        """The reason for which the library asks its summarizer at this ``memory``: in numbers, where its rule is
        known."""
        return ASKED

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The pieces that the library said it would send, and all that was said since."""
        length, pieces = memory.space.sent_by_library.at(memory)
        start = max(length, memory.history_start)
        return (
            (*pieces, Messages(start, memory.length))
            if start < memory.length
            else pieces
        )
