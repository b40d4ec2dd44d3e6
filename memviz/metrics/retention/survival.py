"""How long facts last in what is sent: the life of each probe, survival by age, half-life, losses by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.conversation import Log
from memviz.metrics.retention.knowledge import Freshness, Retention
from memviz.transcripts.base import CATEGORIES, Category


@dataclass(frozen=True, eq=False)
class Survival:
    """Survival by age. A probe's age at a request is the request's turn less the turn of its birth.

    ``retained`` and ``observed`` are numbers of probes at ages 0, 1, 2 ...: those still known at that age, and all
    that had a request at that age. A probe born late is *censored*: it counts at the ages it was seen at and at
    no other, neither as kept nor as lost. A fact that comes back (recall, an edited summary) counts as
    known again, so the share may rise.
    """

    retained: NDArray[np.int64]
    observed: NDArray[np.int64]

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the observed probes that are known, by age; NaN at an age that none was observed at."""
        found: NDArray[np.float64] = np.full(len(self.observed), np.nan)
        np.divide(self.retained, self.observed, out=found, where=self.observed > 0)
        return found

    @property
    def half_life_turns(self) -> int | None:
        """The first age at which half of the observed probes or fewer are known; ``None`` if more than half
        are at every age that was observed."""
        half = np.flatnonzero((self.observed > 0) & (2 * self.retained <= self.observed))
        return int(half[0]) if half.size else None


class CategoryRow(NamedTuple):
    """The probes of one category. ``retained`` are known at the last request; ``mean_share`` is the mean over the
    requests of the share of born probes that are known (``None``: none was ever born). The last four count
    the born updated facts at the last request by which values it holds."""

    category: Category | None
    probes: int
    born: int
    retained: int
    mean_share: float | None
    half_life_turns: int | None
    new_only: int
    both: int
    stale_only: int
    neither: int


def birth_turns(retention: Retention, log: Log) -> NDArray[np.int64]:
    """The turn in which each probe was born; 0 without evidence, and meaningless for one never born."""
    return np.array([log.turn_number(int(position)) if position >= 0 else 0 for position in retention.births], np.int64)


def survival(retention: Retention, log: Log, columns: Sequence[int] | None = None) -> Survival:
    """Survival by age of all probes of ``retention``, a run over ``log``, or of those of these numbers."""
    picked = np.arange(len(retention.probes)) if columns is None else np.asarray(columns, dtype=np.int64)
    born, retained = retention.born[:, picked], retention.retained[:, picked]
    ages = (retention.turns[:, None] - birth_turns(retention, log)[picked])[born]
    observed = np.bincount(ages)
    return Survival(np.bincount(ages[retained[born]], minlength=len(observed)), observed)


def category_table(retention: Retention, log: Log) -> tuple[CategoryRow, ...]:
    """One row for each category that has probes, memviz's own first, then one for all (``None``)."""
    named = dict.fromkeys(probe.category for probe in retention.probes)
    present = [name for name in dict.fromkeys((*CATEGORIES, *named)) if name in named]
    return tuple(_row(retention, log, name) for name in (*present, None))


def _row(retention: Retention, log: Log, category: Category | None) -> CategoryRow:
    picked = [n for n, probe in enumerate(retention.probes) if category in (None, probe.category)]
    born, retained = retention.born[:, picked], retention.retained[:, picked]
    last = slice(len(born) - 1, None) if len(born) else slice(0)
    counts = np.bincount(retention.freshness[last][:, picked].ravel(), minlength=len(Freshness))
    with_any = born.any(axis=1)
    shares = retained[with_any].sum(axis=1) / born[with_any].sum(axis=1)
    return CategoryRow(
        category=category,
        probes=len(picked),
        born=int(born[last].sum()),
        retained=int(retained[last].sum()),
        mean_share=float(shares.mean()) if shares.size else None,
        half_life_turns=survival(retention, log, picked).half_life_turns,
        new_only=int(counts[Freshness.NEW_ONLY]),
        both=int(counts[Freshness.BOTH]),
        stale_only=int(counts[Freshness.STALE_ONLY]),
        neither=int(counts[Freshness.NEITHER]),
    )
