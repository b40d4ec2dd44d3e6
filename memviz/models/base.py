"""A model as memviz asks it: its request, its reply, and the bill of a call.

- Models implement :meth:`Model.stream`; the rest of :class:`Model` follows from it.
- Wrappers implement :meth:`ModelWrapper.answer`, where they hold their conditions;
  :class:`FirstFailureEnds` is the simplest of them.
- Callers use ``complete`` for a whole reply, ``stream`` for pieces, ``answer`` with a
  meter where money is counted, and ``summarize_from`` for a summary.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

from memviz.core.errors import MemvizError
from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import (
    BudgetSpentError,
    ModelError,
    UnusableSummarizerError,
)
from memviz.core.summaries import SummarySource
from memviz.models.tools import Tool

ToolChoice = Literal["auto", "none"]
"""Whether a model may call the tools it is offered, or has to answer now."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is sent with one call; equal requests have equal digests."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"

    @property
    def digest(self) -> str:
        """A hash of what is sent, without what a message carries besides."""
        # Without tools there is nothing to choose, whatever the caller says of it.
        tool_choice = self.tool_choice if self.tools else "auto"
        return hashed_json([*self.as_json, tool_choice])

    @property
    def as_json(self) -> list[list[dict[str, Any]]]:
        """Messages and tools in the shape of the chat API."""
        messages = [message.to_request() for message in self.messages]
        tools = [tool.to_request() for tool in self.tools]
        return [messages, tools]


def hashed_json(value: Any) -> str:
    """Return a hash of a value that JSON can hold."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider billed them."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """The part of ``input_tokens`` that was read from the provider's cache."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """Tokens of the call; ``None`` if unknown."""
    cost_usd: float | None = None
    """The price of the call; ``None`` if unknown, 0 for a reply that is ``cached``."""
    model: str = ""
    finish_reason: str = "stop"
    """Why the model stopped writing: "stop", "tool_calls", "length" ..."""
    cached: bool = False
    """Read from a disk; its usage is that of the call that was paid before."""
    recorded: bool = False
    """Played from a recording, with the usage and cost that were recorded."""
    recorded_seconds: float | None = None
    """The time the recorded call took; ``None`` if it was not recorded."""
    disbelieved_cached_tokens: int = 0
    """Cached tokens that the server claims and that the request cannot have had.

    They exceed the request, so usage and cost are those of a request without a cache.
    """

    @property
    def is_whole(self) -> bool:
        """True if the reply says or calls something and was not cut off.

        Another one is not worth keeping: the next try may be better.
        """
        was_cut_off = self.finish_reason not in ("stop", "tool_calls")
        says_something = bool(self.text.strip() or self.tool_calls)
        return says_something and not was_cut_off


class Bill(ABC):
    """The bill of one request to a provider, open until it is answered or failed.

    - Who keeps an account implements the three methods, and gives a :data:`Meter`.
    - Who asks a model opens the bill in a ``with`` block, and calls :meth:`answered`.
      Any other way out of the block, such as an interruption, is a failure.
    """

    def __enter__(self) -> Bill:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        self.failed(error if isinstance(error, ModelError) else None)

    @abstractmethod
    def answered(self, reply: Reply) -> Reply:
        """Close the bill of an answered request; return the reply with its cost."""

    @abstractmethod
    def failed(self, error: ModelError | None) -> None:
        """Close the bill of a request that failed, if it is still open.

        ``error`` is ``None`` where the request was interrupted.
        """

    @abstractmethod
    def unused(self) -> None:
        """Close the bill of a request that was not made: nothing is to be paid."""


class NoBill(Bill):
    """The bill of a request that nobody keeps an account of."""

    def answered(self, reply: Reply) -> Reply:
        """Return the reply as it is."""
        return reply

    def failed(self, error: ModelError | None) -> None:
        """Do nothing."""

    def unused(self) -> None:
        """Do nothing."""


class BothBills(Bill):
    """Two bills of one request, which are closed together."""

    def __init__(self, first: Bill, second: Bill) -> None:
        self._first = first
        self._second = second

    def answered(self, reply: Reply) -> Reply:
        """Close both; return the reply with the cost that the second one knows."""
        return self._second.answered(self._first.answered(reply))

    def failed(self, error: ModelError | None) -> None:
        """Close both as failed."""
        self._first.failed(error)
        self._second.failed(error)

    def unused(self) -> None:
        """Close both as unused."""
        self._first.unused()
        self._second.unused()


def sum_if_known(amounts: Iterable[float | None]) -> float | None:
    """Return the sum of dollars or seconds, or ``None`` if any of the ``amounts`` is unknown."""
    total: float = 0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total


Meter = Callable[[ModelRequest], Bill]
"""Opens the bill of a request before it is made, or raises to forbid the request."""


def unmetered(_: ModelRequest) -> Bill:
    """Return the bill of a request that nobody keeps an account of."""
    return NoBill()


class Model(ABC):
    """A model. Subclasses implement :meth:`stream`; the rest follows from it.

    - ``stream`` is asked by :meth:`answer`, and ``answer`` by :meth:`complete`.
    - A stream yields pieces of text as they arrive, and last one whole :class:`Reply`.
    - All failures are :class:`memviz.core.model_errors.ModelError`.
    - ``stream`` is given ``tools`` only where there are any, so that a model that calls
      none may leave the argument out.
    """

    name: str

    @property
    def takes_tools(self) -> bool:
        """True if tools can be offered to it at all."""
        return "tools" in signature(self.stream).parameters

    @property
    def may_cost(self) -> bool:
        """True if an answer may be billed: then it is asked for nothing that nobody has asked for."""
        return False

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """All that the answers depend on besides the request, as JSON without secrets.

        ``None`` if that is not known; the answers are then in no cache.
        """
        return None

    def asks_like(self, other: Model) -> bool:
        """Return whether ``other`` makes the same calls with the same key.

        Where a call of one failed, that of the other will.
        """
        if self is other:
            return True
        return self.identity is not None and self.identity == other.identity

    def limited(self, max_output_tokens: int) -> Model | None:
        """Return this model with a bound on the tokens of an answer, ``None`` if it has no such."""
        return None

    @abstractmethod
    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """Yield the answer to ``messages`` in pieces, and last the whole :class:`Reply`."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """Return the whole answer to ``messages``."""
        request = ModelRequest(tuple(messages), tuple(tools), tool_choice)
        for item in self.answer(request):
            if isinstance(item, Reply):
                return item
        raise AssertionError(f"{type(self).__name__}.stream ended without a Reply")

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """Yield as :meth:`stream` does, with the bill that ``meter`` opens for the call."""
        with meter(request) as bill:
            for item in self._streamed(request):
                yield bill.answered(item) if isinstance(item, Reply) else item

    def _streamed(self, request: ModelRequest) -> Iterator[str | Reply]:
        if not request.tools:
            return self.stream(request.messages)
        return self.stream(request.messages, request.tools, request.tool_choice)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """Return the summary that ``messages`` ask for. Most models just answer."""
        return self.complete(messages)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """Return the summary that ``messages`` ask for, which were made of ``source``.

        A model may read the source rather than parse the prompt; most ignore it. What
        is counted and recorded is the prompt.
        """
        return self.summarize(messages)


class ModelWrapper(Model):
    """A model that passes on the answers of another one, under conditions of its own.

    - Subclasses implement :meth:`answer`, where a budget or a cache holds for every call.
    - Callers use it as any :class:`Model`; name, tools and identity are the wrapped one's.
    - Summaries go through :meth:`answer` too, and not to the wrapped ``summarize``, which
      would escape the conditions. A wrapper of models that write summaries in a way of
      their own (the built-in model, recordings) overrides both ``summarize`` methods.
    """

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model

    @property
    def takes_tools(self) -> bool:
        """True if the wrapped model takes tools."""
        return self._model.takes_tools

    @property
    def may_cost(self) -> bool:
        """True if the wrapped model's answers may be billed."""
        return self._model.may_cost

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """The identity of the wrapped model, since nothing else changes the answers."""
        return self._model.identity

    @abstractmethod
    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """Yield the answer to ``request``; ``meter`` opens a bill for each try."""

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """Yield as :meth:`answer` does, without a bill."""
        return self.answer(ModelRequest(tuple(messages), tuple(tools), tool_choice))


def fails_every_call(error: MemvizError) -> bool:
    """Return whether every other call of the same model would fail in the same way, so
    that none is worth trying. After a call that the budget did not allow there is to be
    none, though a smaller one might be."""
    if isinstance(error, (UnusableSummarizerError, BudgetSpentError)):
        return True
    return isinstance(error, ModelError) and error.ends_all


class FirstFailureEnds(ModelWrapper):
    """``model`` as a summarizer of which nobody waits for forty failures that are one: a wrong key, address or name.

    Such a failure is raised as :class:`memviz.core.model_errors.UnusableSummarizerError`,
    which ends a replay. Any other, such as a timeout or a rate limit, stays what it is:
    the replay records it and goes on.
    """

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's answer."""
        try:
            yield from self._model.answer(request, meter)
        except ModelError as error:
            if self.is_last(error):
                raise UnusableSummarizerError(str(error)) from None
            raise

    def is_last(self, error: ModelError) -> bool:
        """Return whether the model is not asked again after this failure."""
        return error.ends_all
