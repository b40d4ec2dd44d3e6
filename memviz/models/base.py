"""What a model is to memviz: something that answers a list of messages, whole or in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

from memviz.core.conversation import Message, ToolCall
from memviz.core.memory import SummarySource
from memviz.models.metering import Meter, unmetered
from memviz.models.tools import Tool

ToolChoice = Literal["auto", "none"]
"""Whether a model may call the tools it is offered, or has to answer now."""


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
        """Whether it is worth keeping: it says or calls something, and was not cut off, as it may not be with the next
        try."""
        return self.finish_reason in ("stop", "tool_calls") and bool(
            self.text.strip() or self.tool_calls
        )


class Model(ABC):
    """A model. Subclasses give :meth:`stream`; the rest follows from it.

    A stream yields pieces of text as they arrive and ends with exactly one :class:`Reply` that
    holds the whole. All failures are :class:`memviz.core.errors.ModelError`. ``tools`` are only given where
    there are any, so a model that calls none may do without the argument.
    """

    name: str

    @property
    def takes_tools(self) -> bool:
        """Whether tools can be offered to it at all."""
        return "tools" in signature(self.stream).parameters

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """Everything besides a request that this model's answers depend on, as JSON and without any secret.
        ``None`` where that is not known; its answers are then in no cache."""
        return None

    def asks_like(self, other: Model) -> bool:
        """Whether ``other`` makes the same calls, with the same key: where one failed the other will."""
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
        for item in (
            self.stream(messages, tools, tool_choice)
            if tools
            else self.stream(messages)
        ):
            if isinstance(item, Reply):
                return item
        raise AssertionError(f"{type(self).__name__}.stream ended without a Reply")

    def stream_metered(
        self,
        meter: Meter,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """As :meth:`stream`, with ``meter`` asked before everything that may cost money, and told what it did cost."""
        with meter(messages, tools) as bill:
            for item in (
                self.stream(messages, tools, tool_choice)
                if tools
                else self.stream(messages)
            ):
                yield bill.answered(item) if isinstance(item, Reply) else item

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
    """A model that passes on what another one answers, under conditions of its own. Subclasses give :meth:`stream`;
    name, tools and identity are those of the wrapped ``model``."""

    def __init__(self, model: Model) -> None:
        self.name, self._model = model.name, model

    @property
    def takes_tools(self) -> bool:
        """Whether the wrapped model does."""
        return self._model.takes_tools

    @property
    def identity(self) -> Mapping[str, Any] | None:
        """The wrapped model's, for nothing else changes its answers."""
        return self._model.identity


class MeteredWrapper(ModelWrapper):
    """A wrapper that acts on each call, whether somebody meters it or not. Subclasses give :meth:`stream_metered`."""

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """As :meth:`stream_metered`, with nobody who meters."""
        return self.stream_metered(unmetered, messages, tools, tool_choice)
