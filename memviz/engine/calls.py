"""What is known of a call of the chat model beside its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memviz.models.base import Reply, Usage


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """What is known of a reply beyond its text: billed usage, US dollars (``None``: unknown), seconds.

    One that is ``recorded`` was played from a recording: seconds and dollars are those of then, ``None`` where they
    were not recorded.
    """

    model: str = ""
    usage: Usage | None = None
    cost_usd: float | None = None
    seconds: float | None = 0.0
    recorded: bool = False

    @classmethod
    def of(cls, reply: Reply, name: str, seconds: float) -> ReplyFacts:
        """What is known of ``reply``, for which a model called ``name`` was waited ``seconds``."""
        took = reply.recorded_seconds if reply.recorded else seconds
        return cls(
            reply.model or name, reply.usage, reply.cost_usd, took, reply.recorded
        )

    def to_dict(self) -> dict[str, Any]:
        """The facts as JSON."""
        return {
            name: value
            for name, value in asdict(self).items()
            if value or name != "recorded"
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ReplyFacts:
        """The facts that :meth:`to_dict` described."""
        return cls(
            **{**value, "usage": Usage(**value["usage"]) if value["usage"] else None}
        )


def sum_if_known(costs_usd: Iterable[float | None]) -> float | None:
    """The sum of US dollars, ``None`` if any is unknown."""
    total: float = 0
    for cost in costs_usd:
        if cost is None:
            return None
        total += cost
    return total


def total_cost_usd(calls: Iterable[ReplyFacts | None]) -> float | None:
    """US dollars of all these calls, ``None`` if any is unknown."""
    return sum_if_known(None if facts is None else facts.cost_usd for facts in calls)
