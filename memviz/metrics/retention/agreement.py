"""Two summarizers under the same setting: which facts both kept, and which only one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memviz.metrics.retention.knowledge import Retention


class Agreement(NamedTuple):
    """Facts at the last request, in numbers: those that both runs still hold, only the ``one``, only the ``other``, or
    neither. Facts that were never stated do not count."""

    both: int
    only_one: int
    only_other: int
    neither: int

    @property
    def facts(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def one(self) -> int:
        """Facts that the one holds."""
        return self.both + self.only_one

    @property
    def other(self) -> int:
        """Facts that the other holds."""
        return self.both + self.only_other

    @property
    def share(self) -> float:
        """The share of facts on which both agree, from 0 to 1; 1 where there is none."""
        return (self.both + self.neither) / self.facts if self.facts else 1.0


def agreement(one: Retention, other: Retention) -> Agreement:
    """What the last requests of two runs of the same conversation hold of the same facts."""
    stated = one.born[-1] & other.born[-1]
    first, second = one.retained[-1] & stated, other.retained[-1] & stated
    both, neither = first & second, stated & ~first & ~second
    return Agreement(
        *(int(held.sum()) for held in (both, first & ~second, second & ~first, neither))
    )


def agreed(parts: Sequence[Agreement]) -> Agreement:
    """The sums over several."""
    return Agreement(*(sum(numbers) for numbers in zip(*parts, strict=True)))
