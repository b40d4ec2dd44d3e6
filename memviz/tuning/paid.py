"""Sweeps with a summarizer that costs money: what they will cost, the model that is asked, and what was spent."""

from pathlib import Path
from typing import Any

from memviz.core.text.wording import counted, dollars
from memviz.core.translation import _, noop
from memviz.metrics.cost.estimate import Estimate, price_likely
from memviz.metrics.cost.pricing import Pricing
from memviz.models.base import FirstFailureEnds, Model, Usage
from memviz.models.budget import Budget
from memviz.models.budgeted import Budgeted
from memviz.models.line import Interruptible
from memviz.models.planned_calls import PlannedCalls
from memviz.models.recordings.recorder import Noted, Notes
from memviz.models.registry import model
from memviz.tuning.results import Sweep

RETRIES = 6
"""How often a call is tried again. Nobody waits for a sweep as for a chat, so it can be patient."""
LONGEST_WAIT_SECONDS = 90.0
"""Providers whose limits are by the minute ask for about 60."""


def estimate_sweep(
    sweep: Sweep, summarizer: str, prices: Pricing | None = None
) -> Estimate:
    """Return what the summaries of ``sweep`` would cost with another ``summarizer``.

    ``sweep`` was made with the offline summarizer, whose summaries are about as long. ``prices`` are those of the
    summarizer, by default its list prices.
    """
    usages: list[Usage] = []
    for cell in sweep.cells.values():
        prompt_tokens = cell.traffic.summarizer_input_tokens.tolist()
        reply_tokens = cell.traffic.summarizer_output_tokens.tolist()
        usages += map(Usage, prompt_tokens, reply_tokens)
    return price_likely([PlannedCalls(summarizer, tuple(usages), "summary")], prices)


def make_paid_summarizer(
    name: str,
    budget: Budget,
    answers_folder: Path | None,
    *,
    usd_per_million: tuple[float, float] | None = None,
    notes: Notes | None = None,
    **options: Any,
) -> Model:
    """Return the model of this name as the summarizer of a sweep: with a budget, retries, and a cache of its answers.

    Closing the budget ends the calls under way at once. If they still bring an answer, it is booked and cached for the
    next sweep. A failure that all other calls would share raises
    :class:`memviz.core.model_errors.UnusableSummarizerError`, which ends the sweep.

    Args:
        name: The name of the model.
        budget: The budget that its calls are paid from.
        answers_folder: The folder of the cache.
        usd_per_million: Prices entered by hand: of input and of output tokens.
        notes: Where the replies are recorded, if anywhere.
        options: Further arguments of :func:`memviz.models.registry.model`.

    Raises:
        memviz.ParameterError: The price of the model is unknown.
    """
    priced_model = model(
        name,
        retries=RETRIES,
        longest_wait=LONGEST_WAIT_SECONDS,
        cache=answers_folder,
        **options,
    )
    if notes is not None:
        priced_model = Noted(priced_model, notes)
    paid = Budgeted(priced_model, budget, usd_per_million=usd_per_million)
    return FirstFailureEnds(Interruptible(paid, budget.expect_open))


def describe_spending(name: str, budget: Budget) -> str:
    """Return the sentence that says what was spent from ``budget`` on the summarizer of this name so far."""
    template = _SPENT
    if budget.uncertain_usd:
        template = _SPENT_PERHAPS
    return _(
        template,
        name=name,
        usd=dollars(budget.spent_usd),
        calls=counted(budget.calls, "call"),
        unsure=dollars(budget.uncertain_usd),
    )


_SPENT = noop("Spent on {name}: {usd} in {calls}.")
_SPENT_PERHAPS = noop(
    "Spent on {name}: {usd} in {calls}, of which {unsure} may not be."
)
