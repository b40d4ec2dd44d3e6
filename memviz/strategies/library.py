"""Real libraries as strategies: an object of the library is fed the conversation and hands back what it would send.

Such a strategy cannot say beforehand what it will summarize. The engine finds that out: what reached the library's
summarizer is a compaction, what it cleared is one too, and what it hands back is mapped to the log.
"""

from abc import abstractmethod
from collections.abc import Coroutine, Sequence
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from time import monotonic
from typing import Any, ClassVar, NamedTuple, Protocol

from memviz.core.counters import Counter
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Piece
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import _, noop
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.families import LIBRARIES

MISSING = noop(
    "{library} is not installed here. Install it with 'pip install {package}'."
)


@lru_cache(maxsize=64)
def _is_installed(module: str, second: int) -> bool:
    """Return whether a module is there in this ``second``. A page asks so several times for each strategy, and all
    folders that Python imports from are searched for what is missing; what is installed later is found all the same."""
    return find_spec(module) is not None


class Ask(Protocol):
    """Asks memviz's summarizer for a library."""

    def __call__(self, request: Sequence[Message], answer: str | None = None) -> str:
        """Return the answer to ``request``, what the library sends to its model. Where a model of its own gave an
        ``answer`` already, that is put on record and nobody is asked. Raises where the summarizer fails; a library has
        to let that through."""


ASKED = "the library asked its summarizer"
"""The reason where no more is known of a library's rule."""


class FromLibrary(NamedTuple):
    """A message that a library would send. ``position`` is that of the log's message, where the library still knows it
    by its identity; ``None`` where it does not, or the words are its own."""

    message: Message
    position: int | None = None
    is_notes: bool = False
    """True if it holds what the library made of its summarizer's answers, in words of its own."""


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
    # A strategy of memviz has the same rule, and is faster.
    tried_at_first: ClassVar[bool] = False
    library_name: ClassVar[str] = ""
    """The name of what is run, to which its version belongs: ``Strands``."""
    package: ClassVar[str] = ""
    """The distribution that it comes in: ``strands-agents``."""
    modules: ClassVar[tuple[str, ...]] = ()
    """The modules that have to be there. Nothing of them is imported before :meth:`open`."""

    @classmethod
    def title_here(cls) -> str:
        """The title with the version of the library that is installed here."""
        installed = version_of(cls.package)
        if not installed:
            return _(cls.title)
        return _("{title}, run here ({version})", title=_(cls.title), version=installed)

    def reason_not_to_run(self) -> str:
        """The reason why it cannot be run: its library is not installed."""
        if all(_is_installed(module, int(monotonic())) for module in self.modules):
            return ""
        return _(MISSING, library=self.library_name, package=self.package)

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The message as the library sends it, heading and all."""
        return summary.text

    @abstractmethod
    def open(self, ask: Ask, counter: Counter) -> Library:
        """A new object for one conversation, which counts with ``counter`` and asks for summaries with ``ask``. Called
        only where the library is installed."""

    def reason(self, memory: Memory) -> str:
        """The reason for which the library asks its summarizer at this ``memory``: in numbers, where its rule is
        known."""
        return ASKED

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The pieces that the library said it would send, and all that was said since."""
        length, pieces = memory.space.sent_by_library.at(memory)
        start = max(length, memory.history_start)
        if start >= memory.length:
            return pieces
        return (*pieces, Messages(start, memory.length))


@cache
def version_of(package: str) -> str:
    """The version of a distribution that is installed; empty where none is."""
    try:
        return version(package) if package else ""
    except PackageNotFoundError:
        return ""


class Counted(dict[str, int]):
    """Tokens of texts, each counted when it is first looked up: a library counts everything before every request."""

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self._counter = counter

    def in_messages(self, messages: Sequence[Any]) -> int:
        """The tokens of the contents of a library's messages."""
        return sum(self[message.content] for message in messages)

    def __missing__(self, text: str) -> int:
        tokens = self._counter(text)
        self[text] = tokens
        return tokens


class Asking:
    """Asks memviz's summarizer, and keeps a failure that the library would keep to itself."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._failure: Exception | None = None

    def __call__(self, request: Sequence[Message], answer: str | None = None) -> str:
        """The summarizer's answer. Raises what it raises, and remembers it."""
        try:
            return self._ask(request, answer)
        except Exception as failure:
            self._failure = failure
            raise

    def raise_failure(self) -> None:
        """Raise the failure since the last time, if there was one."""
        failure = self._failure
        self._failure = None
        if failure is not None:
            raise failure


def run_to_end(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of ``work``, which is run here, or in a thread where an event loop is at work here already."""
    import asyncio  # a library that waits for nothing needs no loop
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()
