"""The terms that a memory is designed for, the figures of a setting over some conversations, and what these miss of the
terms."""

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
"""Kept where nobody says what."""
USD = "usd"
"""Stands for the budget among what is missed."""
THOUSAND = 1_000
_DOLLARS = noop("an amount of US dollars above 0")
_SHARE = noop("a share from 0 to 1")


@dataclass(frozen=True)
class Terms:
    """The terms that a memory has to meet. Raises :class:`memviz.ParameterError` for a budget or a share that is none,
    and for an unknown kind."""

    usd_per_1000: float
    """The most that 1,000 requests may cost in US dollars, replies and summaries included. Requests, for a provider
    bills these, and conversations are of any length."""
    keep: Mapping[str, float]
    """By kind the least share (0 to 1) of those stated so far that a request holds, on average."""

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
    """By kind the share that a request holds of those stated so far, on average over requests and then over the
    conversations that state any. A kind that none states is not there."""
    conversations: int
    requests: int
    refused_requests: int
    """Requests that a provider refuses."""
    is_measured: bool
    """True where the setting ran over every conversation, and nobody is in doubt of what it keeps."""

    @property
    def can_be_used(self) -> bool:
        """True where every conversation could be held with it."""
        return self.is_measured and not self.refused_requests

    def misses(self, terms: Terms, leniency: float = 0.0) -> dict[str, float]:
        """Return by how much each term is missed: kinds by so much of a share, and the budget, under ``USD``, by so
        much of itself. Terms that are met are not there.

        ``leniency`` judges each figure by another place of its interval: the worse end at -1, the better one at 1.
        """
        missing = {
            USD: self.usd_per_1000.at(-leniency) / terms.usd_per_1000 - 1,
        }
        for kind, share in self.kept.items():
            missing[kind] = terms.keep[kind] - share.at(leniency)
        return {term: by for term, by in missing.items() if by > ROUNDING}


class PricedCell(NamedTuple):
    """A cell with its dollars, which are worked out once."""

    cell: Cell
    usd: float

    @classmethod
    def of(cls, cell: Cell, assumptions: PricingAssumptions) -> PricedCell:
        """Return the cell with its price. Raises :class:`memviz.DesignError` where that is unknown."""
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
    """Return the figures of one setting, whose cells over ``subjects`` are ``priced``, in their order."""
    cells = [cell for cell, _usd in priced]
    usd = []
    requests = []
    for cell, own_usd in priced:
        if cell.traffic.turns.size:
            usd.append(own_usd * THOUSAND)
            requests.append(len(cell.traffic.turns))
    pairs = list(zip(cells, subjects, strict=True))
    shares = {kind: _estimate_share_kept(kind, pairs) for kind in kinds}
    unsure = [cell for cell, subject in pairs if subject.probes and not cell.facts]
    return Figures(
        estimate_ratio(usd, requests),
        {kind: share for kind, share in shares.items() if share is not None},
        conversations=len(cells),
        requests=sum(requests),
        refused_requests=sum(cell.refused_requests for cell in cells),
        is_measured=not unsure and not any(cell.error for cell in cells),
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
    """The share of a kind that is kept; ``None`` where no conversation states any."""
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
