"""Calls of the chat model: what is known of each, and those made on the way to a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from memviz.conversation import Message
from memviz.models.base import Usage


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """What is known of a live reply beyond its text: billed usage, US dollars (``None``: unknown), seconds."""

    model: str = ""
    usage: Usage | None = None
    cost_usd: float | None = None
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The facts as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ReplyFacts:
        """The facts that :meth:`to_dict` described."""
        return cls(**{**value, "usage": Usage(**value["usage"]) if value["usage"] else None})


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of the chat model before the one that gave the reply: it recalled (``recall``), or thought
    (``thinking``). ``sent_tokens`` are those of its whole request, ``reply_tokens`` those of its text and
    tool calls, both counted. ``messages`` are what a round of thinking said and was told; what a recall
    said is part of the log."""

    kind: Literal["recall", "thinking"]
    sent_tokens: int
    reply_tokens: int
    facts: ReplyFacts
    messages: tuple[Message, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The call as JSON."""
        return {
            "kind": self.kind,
            "sent_tokens": self.sent_tokens,
            "reply_tokens": self.reply_tokens,
            "facts": self.facts.to_dict(),
            "messages": [message.to_dict() for message in self.messages],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ModelCall:
        """The call that :meth:`to_dict` described."""
        return cls(
            kind=value["kind"],
            sent_tokens=value["sent_tokens"],
            reply_tokens=value["reply_tokens"],
            facts=ReplyFacts.from_dict(value["facts"]),
            messages=tuple(Message.of(message) for message in value["messages"]),
        )


def thoughts(calls: Sequence[ModelCall]) -> tuple[Message, ...]:
    """What the rounds of thinking said and were told, in order."""
    return tuple(message for call in calls for message in call.messages)


def total_cost_usd(calls: Sequence[ModelCall]) -> float | None:
    """US dollars of all these calls, ``None`` if any is unknown."""
    costs = [call.facts.cost_usd for call in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
