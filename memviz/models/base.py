"""What a model is to memviz: something that answers a list of messages, whole or in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Literal

from memviz.conversation import Message, ToolCall
from memviz.models.tools import Tool

ToolChoice = Literal["auto", "none"]
"""Whether a model may call the tools it is offered, or has to answer now."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider billed them. ``cached_tokens`` are part of ``input_tokens``."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. ``usage`` and ``cost_usd`` are ``None`` where unknown, never 0 for unknown."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    model: str = ""
    finish_reason: str = "stop"


class Model(ABC):
    """A model. Subclasses give :meth:`stream`; the rest follows from it.

    A stream yields pieces of text as they arrive and ends with exactly one :class:`Reply` that
    holds the whole. All failures are :class:`memviz.errors.ModelError`. ``tools`` are only given where
    there are any, so a model that calls none may do without the argument.
    """

    name: str

    @property
    def takes_tools(self) -> bool:
        """Whether tools can be offered to it at all."""
        return "tools" in signature(self.stream).parameters

    @abstractmethod
    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Iterator[str | Reply]:
        """Answer ``messages``, or call ``tools``: pieces of text, and last the whole :class:`Reply`."""

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Reply:
        """Answer ``messages`` at once."""
        for item in self.stream(messages, tools, tool_choice) if tools else self.stream(messages):
            if isinstance(item, Reply):
                return item
        raise AssertionError(f"{type(self).__name__}.stream ended without a Reply")

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """Write the summary that ``messages`` ask for. Most models just answer."""
        return self.complete(messages)
