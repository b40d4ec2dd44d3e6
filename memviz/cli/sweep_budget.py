"""Before a sweep on the command line spends money: what it will cost, and whether it may."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from typer import BadParameter, Exit

from memviz.cli import paying
from memviz.cli.output import complain
from memviz.cli.paying import agree, budget_of
from memviz.cli.sweep_pricing import Usd, priced
from memviz.cli.sweep_runner import Plan, worked_off
from memviz.core.text.wording import dollars

if TYPE_CHECKING:
    from memviz.metrics.cost.estimate import Estimate
    from memviz.models.base import Model
    from memviz.models.budget import Budget


@dataclass(frozen=True)
class Payer:
    """A summarizer that costs money, the budget that it is paid from, and its prices where they are entered by hand.
    ``yes``: nobody is asked before money is spent."""

    name: str
    budget: Budget
    by_hand: Usd | None
    yes: bool

    @classmethod
    def of(
        cls, name: str, budget_usd: float | None, by_hand: Usd | None, *, yes: bool
    ) -> Payer:
        """The payer, once it is sure that there is a budget and somebody who can agree."""
        limit = budget_of(name, budget_usd)
        if not yes and not paying.asks():
            raise BadParameter(
                "There is no terminal to ask at before money is spent. Give --yes to agree."
            )
        return cls(name, limit, by_hand, yes)

    def summarizer(self, answers_folder: Path | None) -> Model:
        """The summarizer, held to the budget; its answers are kept in the folder."""
        from memviz.tuning.paid import paid_summarizer

        by_hand = None if self.by_hand is None else (self.by_hand[0], self.by_hand[1])
        return paid_summarizer(
            self.name, self.budget, answers_folder, usd_per_million=by_hand
        )

    def agree(self, plan: Plan, summarizer: Model) -> int:
        """Say what the summaries that are missing will cost, as the offline summarizer's tell, and ask. Without an
        agreement the command ends; where nothing is missing, nobody is asked. Returns how many cells had been measured
        before."""
        known, cost = self._estimate(plan, summarizer)
        if not cost.calls:
            return known
        complain(
            f"{self.name} would write {cost.sentence} At most {dollars(self.budget.limit_usd)} is spent."
        )
        agree(yes=self.yes)
        return known

    def _estimate(self, plan: Plan, summarizer: Model) -> tuple[int, Estimate]:
        """How many cells had been measured before, and what the others will cost."""
        from memviz.models.registry import OFFLINE, model
        from memviz.tuning.paid import estimate

        over = Event()
        over.set()
        kept = plan.sweeping(
            summarizer, executor="inline", stop=over
        )  # takes what was kept and measures nothing
        for _ in kept:
            pass
        missing = {}
        if not kept.sweep.is_complete:
            free = worked_off(
                plan.sweeping(model(OFFLINE), executor="inline"),
                "Estimating with summaries of the offline stand-in",
            )
            if free.code:
                raise Exit(free.code)
            missing = {
                place: cell
                for place, cell in free.sweep.cells.items()
                if place not in kept.cells
            }
        cost = estimate(
            replace(kept.sweep, cells=missing),
            self.name,
            priced(self.name, self.by_hand),
        )
        return len(kept.cells), cost

    def say_what_was_spent(self) -> None:
        """What the provider was paid, as far as it tells."""
        from memviz.tuning.paid import spent_sentence

        complain(spent_sentence(self.name, self.budget))
