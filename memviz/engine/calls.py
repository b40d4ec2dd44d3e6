"""The facts of a call of the chat model beside its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from memviz.engine.stored import Amount, StoredUsage, Text, left_out_where
from memviz.models.base import Reply


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """The facts of a reply beyond its text: billed usage, US dollars (``None``: unknown), seconds.

    One that is ``recorded`` was played from a recording: seconds and dollars are those of then, ``None`` where they
    were not recorded.
    """

    model: Text = ""
    usage: StoredUsage | None = None
    cost_usd: Amount | None = None
    seconds: Amount | None = 0.0
    recorded: Annotated[bool, left_out_where(False)] = False

    @classmethod
    def of(cls, reply: Reply, name: str, seconds: float) -> ReplyFacts:
        """The facts of ``reply``, for which a model called ``name`` was waited ``seconds``."""
        took = reply.recorded_seconds if reply.recorded else seconds
        return cls(
            reply.model or name, reply.usage, reply.cost_usd, took, reply.recorded
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
