"""The terms that ``memviz.design`` has to meet, and the figures of a setting that are compared with them.

The terms are a budget, such as $5 for 1,000 requests, and what has to be kept, such as 90 % of the facts.
:mod:`~memviz.tuning.design` measures settings, works out their figures here, and takes the setting that misses least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from types import MappingProxyType
from typing import NamedTuple

from memviz.core.bounds import MAX_USD
from memviz.core.errors import DesignError, ParameterError
from memviz.core.translation import _, noop
from memviz.transcripts.base import RULE
from memviz.tuning.cell import Cell
from memviz.tuning.constraints import ROUNDING
from memviz.tuning.estimates import Estimate, estimate_ratio, estimate_share
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.sweep_conversation import SweepConversation

FACTS = "facts"
RULES = "rules"
CATEGORIES = {
    RULES: RULE,
    "constraints": "constraint",
    "goals": "goal",
    "preferences": "preference",
}
"""Kinds of facts, as they are asked for, and the category of their probes."""
KINDS = (FACTS, *CATEGORIES)
"""Everything that can be asked to be kept: all facts, whatever their kind, and those of one kind."""
KEEP_MOST_FACTS = MappingProxyType({FACTS: 0.9})
"""The terms of a design for which the user does not say what to keep."""
USD = "usd"
"""The key of the budget in the result of :meth:`Figures.misses`."""
THOUSAND = 1_000
_DOLLARS = noop("an amount of US dollars above 0")
_SHARE = noop("a share from 0 to 1")


@dataclass(frozen=True)
class Terms:
    """The terms that a memory has to meet.

    Raises :class:`memviz.ParameterError` for a budget or a share out of range, and for an unknown kind.
    """

    usd_per_1000: float
    """The most that 1,000 requests may cost in US dollars, replies and summaries included. It is not a price for a
    conversation, because conversations are of any length."""
    keep: Mapping[str, float]
    """By kind of facts, the least share (0 to 1) of those stated so far that a request holds on average."""

    def __post_init__(self) -> None:
        if not 0 < self.usd_per_1000 <= MAX_USD:
            raise ParameterError("usd_per_1000", self.usd_per_1000, _DOLLARS)
        for kind, share in self.keep.items():
            if kind not in KINDS:
                raise ParameterError("keep", kind, ", ".join(KINDS))
            if not 0 <= share <= 1:
                raise ParameterError("keep", share, _SHARE)


@dataclass(frozen=True)
class Figures:
    """The figures of one setting over some conversations."""

    usd_per_1000: Estimate
    kept: Mapping[str, Estimate]
    """By kind of facts, the share of those stated so far that a request holds: the mean over requests, then over the
    conversations that state any. A kind that no conversation states is missing."""
    conversations: int
    requests: int
    refused_requests: int
    """The number of requests that a provider refuses."""
    is_measured: bool
    """True if the setting ran over every conversation, and all that it keeps could be read."""

    @property
    def can_be_used(self) -> bool:
        """True if every conversation could be had with this setting: it ran, and no request is refused."""
        return self.is_measured and not self.refused_requests

    def misses(self, terms: Terms, leniency: float = 0.0) -> dict[str, float]:
        """Return by how much each term is missed; terms that are met are left out.

        A kind of facts is missed by a difference of shares, the budget (``USD``) by a part of itself: with 85 % of the
        facts instead of 90 %, for $6 instead of $5, it is ``{"usd": 0.2, "facts": 0.05}``.

        ``leniency`` takes another number of each interval instead of the value: the worse end at -1, the better at 1.
        """
        usd = self.usd_per_1000.value_at(-leniency)
        missing = {USD: usd / terms.usd_per_1000 - 1}
        for kind, share in self.kept.items():
            missing[kind] = terms.keep[kind] - share.value_at(leniency)
        return {term: by for term, by in missing.items() if by > ROUNDING}


class PricedCell(NamedTuple):
    """A cell with its cost in US dollars."""

    cell: Cell
    usd: float

    @classmethod
    def of(cls, cell: Cell, assumptions: PricingAssumptions) -> PricedCell:
        """Return the cell with its cost. Raises :class:`memviz.DesignError` where a price is unknown."""
        usd = assumptions.cost(cell.traffic).total_usd
        if usd is None:
            raise DesignError(
                _("A price is unknown, so no budget holds it. Give prices by hand.")
            )
        return cls(cell, usd)


def work_out_figures(
    priced: Sequence[PricedCell],
    subjects: Sequence[SweepConversation],
    kinds: Sequence[str],
) -> Figures:
    """Return the figures of one setting; ``priced`` are its cells over ``subjects``, in the same order."""
    cells = [cell for cell, _usd in priced]
    usd = []
    requests = []
    for cell, own_usd in priced:
        if cell.traffic.turns.size:
            usd.append(own_usd * THOUSAND)
            requests.append(len(cell.traffic.turns))
    pairs = list(zip(cells, subjects, strict=True))
    shares = {kind: _estimate_share_kept(kind, pairs) for kind in kinds}
    # A cell counts no facts where one may stand in a block that only the provider can read.
    is_unreadable = any(subject.probes and not cell.facts for cell, subject in pairs)
    has_failed = any(cell.error for cell in cells)
    return Figures(
        estimate_ratio(usd, requests),
        {kind: share for kind, share in shares.items() if share is not None},
        conversations=len(cells),
        requests=sum(requests),
        refused_requests=sum(cell.refused_requests for cell in cells),
        is_measured=not is_unreadable and not has_failed,
    )


def count_facts(subject: SweepConversation, kind: str) -> int:
    """Return the number of a conversation's facts of one kind."""
    if kind == FACTS:
        return len(subject.probes)
    category = CATEGORIES[kind]
    probes = (*subject.probes, *subject.rules)
    return sum(probe.category == category for probe in probes)


def _estimate_share_kept(
    kind: str, pairs: Sequence[tuple[Cell, SweepConversation]]
) -> Estimate | None:
    """Return the share of a kind of facts that is kept; ``None`` where no conversation states any."""
    shares = []
    facts = 0
    for cell, subject in pairs:
        share = cell.retention
        if kind != FACTS:
            share = cell.shares.get(CATEGORIES[kind], nan)
        if not isnan(share):
            shares.append(share)
            facts += count_facts(subject, kind)
    return estimate_share(shares, facts) if shares else None
