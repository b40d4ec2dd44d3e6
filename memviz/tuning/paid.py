"""Sweeps with a summarizer that costs money: their estimate, and the model that is asked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from memviz.core.text.wording import counted, dollars
from memviz.metrics.cost.estimate import Estimate, Work
from memviz.metrics.cost.pricing import Pricing, pricing, sum_known
from memviz.models.base import Model
from memviz.models.budget import Budget
from memviz.models.budgeted import Budgeted
from memviz.models.first_failure import FirstFailureEnds
from memviz.models.interruptible import Interruptible
from memviz.models.recordings.noting import Noted, Notes
from memviz.models.registry import model
from memviz.tuning.results import Sweep

RETRIES = 6
"""A sweep has the patience that a chat has not."""
LONGEST_WAIT_SECONDS = 90.0
"""Providers whose limits are by the minute ask for about 60."""


def estimate(sweep: Sweep, summarizer: str, prices: Pricing | None = None) -> Estimate:
    """Return what the summaries of the same sweep will cost with ``summarizer``, judged by a sweep that was made with
    the offline summarizer: its summaries are about as long. ``prices`` are the summarizer's, its list prices unless
    they are given."""
    listed = pricing(summarizer)
    assumptions = replace(sweep.assumptions, summarizer=prices or listed)
    work = Work("summary")
    costs = []
    for cell in sweep.cells.values():
        traffic = cell.traffic
        costs.append(assumptions.cost(traffic).summarizer_usd)
        work = Work(
            work.noun,
            work.calls + len(traffic.summarizer_turns),
            work.input_tokens + int(traffic.summarizer_input_tokens.sum()),
            work.output_tokens + int(traffic.summarizer_output_tokens.sum()),
        )
    usd = sum_known(costs)
    unknown = (summarizer,) if usd is None else ()
    return Estimate((work,), usd, unknown, at_list_price=prices in (None, listed))


def paid_summarizer(
    name: str,
    budget: Budget,
    answers_folder: Path | None,
    *,
    usd_per_million: tuple[float, float] | None = None,
    notes: Notes | None = None,
    **options: Any,
) -> Model:
    """Return the model of this name with a budget, patience, and a memory for answers in ``answers_folder``.
    ``options`` are those of :func:`memviz.models.registry.model`, ``usd_per_million`` prices entered by hand; what it
    replies is written into ``notes``. Closing the budget ends the calls under way at once; what they bring after all is
    booked, and remembered for the next sweep. A failure that every other call would share raises
    :class:`memviz.core.errors.UnusableSummarizerError`, which ends the sweep.

    Raises :class:`memviz.ParameterError` for a model whose price is unknown.
    """
    asked = model(
        name,
        retries=RETRIES,
        longest_wait=LONGEST_WAIT_SECONDS,
        cache=answers_folder,
        **options,
    )
    if notes is not None:
        asked = Noted(asked, notes)
    paid = Budgeted(asked, budget, usd_per_million=usd_per_million)
    return FirstFailureEnds(Interruptible(paid, budget.expect_open))


def spent_sentence(name: str, budget: Budget) -> str:
    """Return what the summarizer of this name was paid from ``budget`` so far, as far as its provider says."""
    unsure = ""
    if budget.uncertain_usd:
        unsure = f", of which {dollars(budget.uncertain_usd)} may not be"
    return f"Spent on {name}: {dollars(budget.spent_usd)} in {counted(budget.calls, 'call')}{unsure}."
