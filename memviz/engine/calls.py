"""The facts of a call of the chat model beside its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from memviz.engine.stored import Amount, StoredUsage, Text, left_out_where
from memviz.models.base import Reply, sum_if_known


@dataclass(frozen=True, slots=True)
class ReplyFacts:
    """The facts of a reply beside its text."""

    model: Text = ""
    usage: StoredUsage | None = None
    """Tokens as billed, where the provider said."""
    cost_usd: Amount | None = None
    """``None`` where unknown."""
    seconds: Amount | None = 0.0
    recorded: Annotated[bool, left_out_where(False)] = False
    """True if a recording played the reply: seconds and dollars are those of the recorded
    call, ``None`` where they were not recorded."""

    @classmethod
    def of(cls, reply: Reply, name: str, seconds: float) -> ReplyFacts:
        """Return the facts of ``reply``, which took the model called ``name`` ``seconds``."""
        return cls(
            model=reply.model or name,
            usage=reply.usage,
            cost_usd=reply.cost_usd,
            seconds=reply.recorded_seconds if reply.recorded else seconds,
            recorded=reply.recorded,
        )


def total_cost_usd(calls: Iterable[ReplyFacts | None]) -> float | None:
    """Return the cost of all ``calls``, or ``None`` if that of any is unknown."""
    return sum_if_known(None if facts is None else facts.cost_usd for facts in calls)
