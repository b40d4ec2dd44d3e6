"""How long facts last in what is sent: the life of each probe, survival by age, half-life, losses by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.conversation import Log
from memviz.metrics.retention.knowledge import Freshness, Retention
from memviz.transcripts.base import CATEGORIES, Category


@dataclass(frozen=True, eq=False)
class Survival:
    """Survival by age. A probe's age at a request is the number of requests since its birth: 0 at the first one that
    could be sent it, and 1 where that one came after a reply which stated it. ``unit`` is what these are called: a
    "turn" as long as every turn has one request.

    ``retained`` and ``observed`` are numbers of probes at ages 0, 1, 2 ...: those still known at that age, and all
    that had a request at that age. A probe born late is *censored*: it counts at the ages it was seen at and at
    no other, neither as kept nor as lost. A fact that comes back (recall, an edited summary) counts as
    known again, so the share may rise.
    """

    retained: NDArray[np.int64]
    observed: NDArray[np.int64]
    unit: Literal["turn", "request"] = "turn"

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the observed probes that are known, by age; NaN at an age that none was observed at."""
        found: NDArray[np.float64] = np.full(len(self.observed), np.nan)
        np.divide(self.retained, self.observed, out=found, where=self.observed > 0)
        return found

    @property
    def half_life(self) -> int | None:
        """The first age at which half of the observed probes or fewer are known, in ``unit``; ``None`` if more than
        half are at every age that was observed."""
        half = np.flatnonzero(
            (self.observed > 0) & (2 * self.retained <= self.observed)
        )
        return int(half[0]) if half.size else None


class CategoryRow(NamedTuple):
    """The probes of one category. ``retained`` are known at the last request; ``mean_share`` is the mean over the
    requests of the share of born probes that are known (``None``: none was ever born), ``half_life`` that of
    :class:`Survival`. The last four count
    the born updated facts at the last request by which values it holds."""

    category: Category | None
    probes: int
    born: int
    retained: int
    mean_share: float | None
    half_life: int | None
    new_only: int
    both: int
    stale_only: int
    neither: int


def birth_requests(retention: Retention, log: Log) -> NDArray[np.int64]:
    """The number (0-based) of the request that the message which each probe was born with belongs to: one that it is
    the input of, or the reply to. -1 for what was said before the first one, and without evidence; meaningless for a
    probe never born."""
    return np.array(
        [_birth(retention, log, probe) for probe in range(len(retention.probes))],
        np.int64,
    )


def _birth(retention: Retention, log: Log, probe: int) -> int:
    position, born = int(retention.births[probe]), retention.born[:, probe]
    if not 0 <= position < len(log) or not born.any():
        return -1
    first = int(born.argmax())
    is_reply = log[position].role == "assistant" or int(
        retention.turns[first]
    ) > log.turn_number(position)
    return first - is_reply


def survival(
    retention: Retention, log: Log, columns: Sequence[int] | None = None
) -> Survival:
    """Survival by age of all probes of ``retention``, a run over ``log``, or of those of these numbers."""
    picked = (
        np.arange(len(retention.probes))
        if columns is None
        else np.asarray(columns, dtype=np.int64)
    )
    born, retained = retention.born[:, picked], retention.retained[:, picked]
    ages = (np.arange(len(born))[:, None] - birth_requests(retention, log)[picked])[
        born
    ]
    observed = np.bincount(ages)
    unit: Literal["turn", "request"] = "request" if retention.has_calls else "turn"
    return Survival(
        np.bincount(ages[retained[born]], minlength=len(observed)), observed, unit
    )


def category_table(retention: Retention, log: Log) -> tuple[CategoryRow, ...]:
    """One row for each category that has probes, memviz's own first, then one for all (``None``)."""
    named = dict.fromkeys(probe.category for probe in retention.probes)
    present = [name for name in dict.fromkeys((*CATEGORIES, *named)) if name in named]
    return tuple(_row(retention, log, name) for name in (*present, None))


def _row(retention: Retention, log: Log, category: Category | None) -> CategoryRow:
    picked = [
        n
        for n, probe in enumerate(retention.probes)
        if category in (None, probe.category)
    ]
    born, retained = retention.born[:, picked], retention.retained[:, picked]
    last = slice(len(born) - 1, None) if len(born) else slice(0)
    counts = np.bincount(
        retention.freshness[last][:, picked].ravel(), minlength=len(Freshness)
    )
    with_any = born.any(axis=1)
    shares = retained[with_any].sum(axis=1) / born[with_any].sum(axis=1)
    return CategoryRow(
        category=category,
        probes=len(picked),
        born=int(born[last].sum()),
        retained=int(retained[last].sum()),
        mean_share=float(shares.mean()) if shares.size else None,
        half_life=survival(retention, log, picked).half_life,
        new_only=int(counts[Freshness.NEW_ONLY]),
        both=int(counts[Freshness.BOTH]),
        stale_only=int(counts[Freshness.STALE_ONLY]),
        neither=int(counts[Freshness.NEITHER]),
    )


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
