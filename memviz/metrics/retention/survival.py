"""The time that facts last in what is sent: survival by age, half-life, losses by category; and how far two runs
agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.conversation import Log
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
        is_half = (self.observed > 0) & (2 * self.retained <= self.observed)
        return int(is_half.argmax()) if is_half.any() else None


BEST_FRESHNESS_FIRST = (
    Freshness.NEW_ONLY,
    Freshness.BOTH,
    Freshness.STALE_ONLY,
    Freshness.NEITHER,
)


class CategoryRow(NamedTuple):
    """The probes of one category."""

    category: Category | None
    probes: int
    born: int
    retained: int
    """Known at the last request."""
    mean_share: float | None
    """The mean over the requests of the share of born probes that are known; ``None``: none was ever born."""
    half_life: int | None
    """That of :class:`Survival`."""
    new_only: int
    """Born updated facts of which the last request holds the new value alone; the next three likewise, in the order of
    :data:`BEST_FRESHNESS_FIRST`."""
    both: int
    stale_only: int
    neither: int


def birth_requests(retention: Retention, log: Log) -> NDArray[np.int64]:
    """Return the number (0-based) of the request that the message which each probe was born with belongs to: one that
    it is the input of, or the reply to. -1 for what was said before the first one, and without evidence; meaningless
    for a probe never born."""
    found = np.full(len(retention.probes), -1)
    for probe, position in enumerate(retention.births.tolist()):
        born = retention.born[:, probe]
        if 0 <= position < len(log) and born.any():
            first = int(born.argmax())
            is_reply = log[position].role == "assistant"
            is_later = retention.turns[first] > log.turn_number(position)
            found[probe] = first - (is_reply or is_later)
    return found


def survival(
    retention: Retention, log: Log, columns: Sequence[int] | None = None
) -> Survival:
    """Return the survival by age of all probes of ``retention``, a run over ``log``, or of those of these numbers."""
    if columns is None:
        columns = range(len(retention.probes))
    picked = np.array(columns, np.int64)
    born = retention.born[:, picked]
    retained = retention.retained[:, picked]
    requests = np.arange(len(born))[:, None]
    ages = requests - birth_requests(retention, log)[picked]
    observed = np.bincount(ages[born])
    known = np.bincount(ages[retained], minlength=len(observed))
    return Survival(known, observed, "request" if retention.has_calls else "turn")


def category_table(retention: Retention, log: Log) -> tuple[CategoryRow, ...]:
    """Return one row for each category that has probes, memviz's own first, then one for all (``None``)."""
    named = dict.fromkeys(probe.category for probe in retention.probes)
    own = [name for name in CATEGORIES if name in named]
    others = [name for name in named if name not in CATEGORIES]
    return tuple(_row(retention, log, name) for name in (*own, *others, None))


def _row(retention: Retention, log: Log, category: Category | None) -> CategoryRow:
    picked = [
        number
        for number, probe in enumerate(retention.probes)
        if category in (None, probe.category)
    ]
    born = retention.born[:, picked]
    retained = retention.retained[:, picked]
    with_any = born.any(axis=1)
    shares = retained[with_any].sum(axis=1) / born[with_any].sum(axis=1)
    freshness = retention.freshness[-1:, picked].ravel()
    counts = np.bincount(freshness, minlength=len(Freshness)).tolist()
    return CategoryRow(
        category,
        len(picked),
        int(born[-1:].sum()),
        int(retained[-1:].sum()),
        float(shares.mean()) if shares.size else None,
        survival(retention, log, picked).half_life,
        *[counts[kind] for kind in BEST_FRESHNESS_FIRST],
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
    """Return what the last requests of two runs of the same conversation hold of the same facts."""
    stated = one.born[-1] & other.born[-1]
    first = one.retained[-1][stated]
    second = other.retained[-1][stated]
    kinds = (first & second, first & ~second, second & ~first, ~first & ~second)
    return Agreement(*(int(held.sum()) for held in kinds))


def agreed(parts: Sequence[Agreement]) -> Agreement:
    """Return the sums over several."""
    return Agreement(*map(sum, zip(*parts, strict=True)))
