"""The time that facts last in what is sent: survival by age, half-life, losses by category.

The last part compares what two runs of one conversation hold of the same facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.conversation import Log
from memviz.metrics.retention.knowledge import Freshness, Retention
from memviz.metrics.retention.probe_texts import Bools
from memviz.transcripts.base import CATEGORIES, Category

NO_BIRTH_REQUEST = -1
"""The birth request of a fact that was said before the first request."""


@dataclass(frozen=True, eq=False)
class Survival:
    """Survival of facts by age, the number of requests since the fact was stated.

    A fact of the user has age 0 at the request that first sends it; a fact of a reply
    has age 1 at the request after that reply. A run that ends when a fact has age 3
    says nothing about age 4: there the fact is not observed (*censored*). A fact that
    comes back, by recall or in an edited summary, counts as known again, so the share
    may rise with age.
    """

    retained: NDArray[np.int64]
    """Number of facts that are known at age 0, 1, 2 ..."""
    observed: NDArray[np.int64]
    """Number of facts that had a request at age 0, 1, 2 ..."""
    unit: Literal["turn", "request"] = "turn"
    """What one step of age is called: "turn" where every turn has one request."""

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the observed facts that are known, by age; NaN where none was observed."""
        shares: NDArray[np.float64] = np.full(len(self.observed), np.nan)
        np.divide(self.retained, self.observed, out=shares, where=self.observed > 0)
        return shares

    @property
    def half_life(self) -> int | None:
        """The first age at which at most half of the observed facts are known.

        ``None`` if more than half are known at every observed age.
        """
        is_half = (self.observed > 0) & (2 * self.retained <= self.observed)
        return int(is_half.argmax()) if is_half.any() else None


class CategoryRow(NamedTuple):
    """Numbers of the facts of one category, and how long they last."""

    category: Category | None
    """``None`` for all categories together."""
    probes: int
    """Number of facts that are asked for."""
    born: int
    """Number of facts that are stated by the last request."""
    retained: int
    """Number of facts that are known at the last request."""
    mean_share: float | None
    """Mean over all requests of the known share; ``None`` if no fact was stated."""
    half_life: int | None
    """:attr:`Survival.half_life` of these facts."""
    new_only: int
    """Number of updated facts of which the last request holds the new value only."""
    both: int
    """Number of updated facts of which the last request holds new and old value."""
    stale_only: int
    """Number of updated facts of which the last request holds the old value only."""
    neither: int
    """Number of updated facts of which the last request holds neither value."""


def find_birth_requests(retention: Retention, log: Log) -> NDArray[np.int64]:
    """Return the number (0-based) of the request at which each probe has age 0.

    That is the request whose input, or whose reply, completes the probe's evidence.
    :data:`NO_BIRTH_REQUEST` if it was said before the first request, or has no
    evidence. Without a meaning for a probe that is never born.
    """
    numbers = np.full(len(retention.probes), NO_BIRTH_REQUEST)
    for probe, position in enumerate(retention.births.tolist()):
        is_born = retention.born[:, probe]
        if not 0 <= position < len(log) or not is_born.any():
            continue
        first_holding = int(is_born.argmax())
        said_in_reply = log[position].role == "assistant"
        said_in_earlier_turn = retention.turns[first_holding] > log.turn_number(
            position
        )
        if said_in_reply or said_in_earlier_turn:
            # The request before was answered by the message, so it is the birth.
            numbers[probe] = first_holding - 1
        else:
            numbers[probe] = first_holding
    return numbers


def measure_survival(
    retention: Retention, log: Log, columns: Sequence[int] | None = None
) -> Survival:
    """Return the survival by age of the probes of a run over ``log``.

    ``columns`` are the numbers of the probes to count, ``None`` for all.
    """
    if columns is None:
        columns = range(len(retention.probes))
    picked_columns = np.array(columns, np.int64)
    is_born = retention.judged[:, picked_columns]
    retained = retention.retained[:, picked_columns]
    request_numbers = np.arange(len(is_born))[:, None]
    # [requests x probes]; only the entries after birth are counted.
    ages = request_numbers - find_birth_requests(retention, log)[picked_columns]
    observed_counts = np.bincount(ages[is_born])
    retained_counts = np.bincount(ages[retained], minlength=len(observed_counts))
    unit: Literal["turn", "request"] = "request" if retention.has_calls else "turn"
    return Survival(retained=retained_counts, observed=observed_counts, unit=unit)


def make_category_table(retention: Retention, log: Log) -> tuple[CategoryRow, ...]:
    """Return a row for each category that has probes, and a last one for all of them.

    memviz's own categories come first, in their order, then those of the probes.
    """
    categories = dict.fromkeys(probe.category for probe in retention.probes)
    own_categories = [name for name in CATEGORIES if name in categories]
    other_categories = [name for name in categories if name not in CATEGORIES]
    names = (*own_categories, *other_categories, None)
    return tuple(_make_row(retention, log, name) for name in names)


def _make_row(retention: Retention, log: Log, category: Category | None) -> CategoryRow:
    columns = retention.columns_of(category)
    born = retention.born[:, columns]
    retained = retention.retained[:, columns]
    mean_share = retention.mean_share(category)
    freshness = retention.freshness[-1:, columns].ravel()
    counts = np.bincount(freshness, minlength=len(Freshness)).tolist()
    return CategoryRow(
        category=category,
        probes=len(columns),
        born=int(_at_last_request(born).sum()),
        retained=int(_at_last_request(retained).sum()),
        mean_share=None if isnan(mean_share) else mean_share,
        half_life=measure_survival(retention, log, columns).half_life,
        new_only=counts[Freshness.NEW_ONLY],
        both=counts[Freshness.BOTH],
        stale_only=counts[Freshness.STALE_ONLY],
        neither=counts[Freshness.NEITHER],
    )


class Agreement(NamedTuple):
    """Numbers of facts that two runs hold at their last requests.

    Facts that were never stated do not count.
    """

    both: int
    """Number of facts that both runs hold."""
    only_one: int
    """Number of facts that only the first run holds."""
    only_other: int
    """Number of facts that only the second run holds."""
    neither: int
    """Number of facts that neither run holds."""

    @property
    def facts(self) -> int:
        """Number of facts that were stated."""
        return sum(self)

    @property
    def one(self) -> int:
        """Number of facts that the first run holds."""
        return self.both + self.only_one

    @property
    def other(self) -> int:
        """Number of facts that the second run holds."""
        return self.both + self.only_other

    @property
    def share(self) -> float:
        """The share of facts on which both agree, from 0 to 1; 1 where there is none."""
        return (self.both + self.neither) / self.facts if self.facts else 1.0


def compare_retentions(one: Retention, other: Retention) -> Agreement:
    """Return how far two runs of one conversation hold the same facts at the end."""
    is_stated = _at_last_request(one.judged) & _at_last_request(other.judged)
    in_one = _at_last_request(one.retained)[is_stated]
    in_other = _at_last_request(other.retained)[is_stated]
    return Agreement(
        both=int((in_one & in_other).sum()),
        only_one=int((in_one & ~in_other).sum()),
        only_other=int((~in_one & in_other).sum()),
        neither=int((~in_one & ~in_other).sum()),
    )


def _at_last_request(matrix: Bools) -> Bools:
    """Return the last row of a matrix [requests x probes]; false without requests."""
    if not len(matrix):
        return np.zeros(matrix.shape[1], dtype=bool)
    last: Bools = matrix[-1]
    return last
