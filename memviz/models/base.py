"""A model, as memviz asks it: what it is sent, what it replies, and how a call that costs money is accounted for."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

from memviz.core.errors import ModelError
from memviz.core.messages import Message, ToolCall
from memviz.core.summaries import SummarySource
from memviz.models.tools import Tool

ToolChoice = Literal["auto", "none"]
"""Whether a model may call the tools it is offered, or has to answer now."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is sent with one call. Two are the same if their :attr:`digest` is."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"

    @property
    def digest(self) -> str:
        """A hash of what is sent; what goes with a message and is not sent has no part in it."""
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
    """Tokens as the provider billed them. ``cached_tokens`` are part of ``input_tokens``, and never more."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. ``usage`` and ``cost_usd`` are ``None`` where unknown, never 0 for unknown.

    One that is ``cached`` was given before and read from a disk now: its usage is that of the call which was paid
    then, and ``cost_usd`` is 0, since nothing was paid for it this time. One that is ``recorded`` was played from a
    recording: usage, cost and ``recorded_seconds`` are those of then, ``None`` where they were not recorded.
    ``disbelieved_cached_tokens`` are those that its server claims to have read from or written to its cache where they
    are more than the request had: its usage then has none, and its cost is that of a request without a cache.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    model: str = ""
    finish_reason: str = "stop"
    cached: bool = False
    recorded: bool = False
    recorded_seconds: float | None = None
    disbelieved_cached_tokens: int = 0

    @property
    def is_whole(self) -> bool:
        """True if it is worth keeping: it says or calls something, and was not cut off, as it may not be with the next
        try."""
        return self.finish_reason in ("stop", "tool_calls") and bool(
            self.text.strip() or self.tool_calls
        )


class Bill:
    """One request to a provider, open until it is :meth:`answered` or :meth:`failed`. Leaving its ``with`` block in
    any other way, as an interruption does, is a failure without an error. This one costs nobody anything."""

    def __enter__(self) -> Bill:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        self.failed(error if isinstance(error, ModelError) else None)

    def answered(self, reply: Reply) -> Reply:
        """The request was answered; the reply to hand on, with its cost."""
        return reply

    def failed(self, error: ModelError | None) -> None:
        """It was not. Does nothing once the bill is closed."""

    def unused(self) -> None:
        """The request was not made after all, so nothing is to be paid."""


class BothBills(Bill):
    """Two bills of the same request, told the same."""

    def __init__(self, one: Bill, other: Bill) -> None:
        self._one = one
        self._other = other

    def answered(self, reply: Reply) -> Reply:
        """Both hear of the reply; the cost that the second one knows is handed on."""
        return self._other.answered(self._one.answered(reply))

    def failed(self, error: ModelError | None) -> None:
        """Both hear of the failure."""
        self._one.failed(error)
        self._other.failed(error)

    def unused(self) -> None:
        """Neither is to be paid."""
        self._one.unused()
        self._other.unused()


Meter = Callable[[ModelRequest], Bill]
"""Asked before a request is made; raises to forbid it."""


def unmetered(_: ModelRequest) -> Bill:
    """The bill of a call that nobody keeps an account of."""
    return Bill()


class Model(ABC):
    """A model. Subclasses give :meth:`stream`; the rest follows from it.

    A stream yields pieces of text as they arrive and ends with exactly one :class:`Reply` that
    holds the whole. All failures are :class:`memviz.core.errors.ModelError`. ``tools`` are only given where
    there are any, so a model that calls none may do without the argument.
    """

    name: str

    @property
    def takes_tools(self) -> bool:
        """True if tools can be offered to it at all."""
        return "tools" in signature(self.stream).parameters

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """Everything besides a request that this model's answers depend on, as JSON and without any secret.
        ``None`` where that is not known; its answers are then in no cache."""
        return None

    def asks_like(self, other: Model) -> bool:
        """Return whether ``other`` makes the same calls, with the same key: where one failed the other will."""
        return self is other or (
            self.identity is not None and self.identity == other.identity
        )

    def limited(self, max_output_tokens: int) -> Model | None:
        """This model, told to write at most so many tokens an answer. ``None`` if it cannot be told."""
        return None

    @abstractmethod
    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """Answer ``messages``, or call ``tools``: pieces of text, and last the whole :class:`Reply`."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """Answer ``messages`` at once."""
        request = ModelRequest(tuple(messages), tuple(tools), tool_choice)
        for item in self.answer(request):
            if isinstance(item, Reply):
                return item
        raise AssertionError(f"{type(self).__name__}.stream ended without a Reply")

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """As :meth:`stream`, with ``meter`` asked before everything that may cost money, and told what it did cost."""
        with meter(request) as bill:
            for item in self._streamed(request):
                yield bill.answered(item) if isinstance(item, Reply) else item

    def _streamed(self, request: ModelRequest) -> Iterator[str | Reply]:
        if not request.tools:
            return self.stream(request.messages)
        return self.stream(request.messages, request.tools, request.tool_choice)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """Write the summary that ``messages`` ask for. Most models just answer."""
        return self.complete(messages)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """The same for one who has what the prompt was made of. A model may take the ``source`` in place of parsing the
        prompt; what counts and what is recorded is the prompt. By default the source is ignored."""
        return self.summarize(messages)


class ModelWrapper(Model):
    """A model that passes on what another one answers, under conditions of its own. Subclasses give :meth:`answer`;
    name, tools and identity are those of the wrapped ``model``."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model

    @property
    def takes_tools(self) -> bool:
        """True if the wrapped model takes tools."""
        return self._model.takes_tools

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """The wrapped model's, for nothing else changes its answers."""
        return self._model.identity

    @abstractmethod
    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """Answer ``request``, with ``meter`` asked before each try of the wrapped model."""

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """As :meth:`answer`, with nobody who meters."""
        return self.answer(ModelRequest(tuple(messages), tuple(tools), tool_choice))
