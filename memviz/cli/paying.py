"""The model that summarizes; before it costs money, a budget, the costs to expect, and an agreement."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typer import BadParameter, Exit, confirm

from memviz.cli.errors import FAILED
from memviz.cli.output import complain
from memviz.core.counters import counter as find_counter
from memviz.core.model_errors import MissingKeyError
from memviz.core.text.wording import counted, dollars
from memviz.models.names import is_free

if TYPE_CHECKING:
    from memviz.cli.arguments import Usd
    from memviz.engine.replay import Messages
    from memviz.metrics.cost.pricing import Pricing
    from memviz.models.base import Model
    from memviz.models.budget import Budget
    from memviz.models.budgeted import Budgeted
    from memviz.strategies.base import Strategy
    from memviz.transcripts.base import Probe

_RATES = (
    "input_usd_per_million",
    "output_usd_per_million",
    "cache_read_usd_per_million",
    "cache_write_usd_per_million",
)
"""The rates that prices entered by hand are of, in their order."""


@dataclass(frozen=True)
class ModelToAsk:
    """A model that a command asks."""

    model: Model
    paid: Budgeted | None = None
    """The model held to its budget; ``None`` where no list has its price and none was entered by hand, or where it
    costs nothing."""

    @property
    def budgeted(self) -> Model:
        """The model that is called: with its budget, where it has one."""
        return self.paid or self.model

    @property
    def is_free(self) -> bool:
        """Return whether it is sure that nobody is paid."""
        return self.paid is None and has_known_price(self.model.name)

    @property
    def budget(self) -> Budget | None:
        """The budget that it is paid from."""
        return None if self.paid is None else self.paid.budget

    @property
    def spent(self) -> str:
        """A sentence on what the provider was paid, as far as it tells, behind a space; empty where nobody is paid."""
        from memviz.tuning.paid import describe_spending

        if self.budget is None:
            return ""
        return f" {describe_spending(self.model.name, self.budget)}"


def summarizer_named(name: str, counter: str) -> Model:
    """The model of this name, once it is sure that it and the counter can be used. Raises
    :class:`memviz.UnknownCounterError`, and a :class:`memviz.ModelError` for a name that cannot be one or a key that is
    not there."""
    from memviz.models.registry import model

    find_counter(counter)
    summarizer = model(name)
    check_key(name)
    return summarizer


def check_key(name: str) -> None:
    """Raise a :class:`memviz.ModelError` if a key that the model of this name needs is not there."""
    from memviz.models.provider_keys import missing_keys

    missing = [] if is_free(name) else missing_keys(name)
    if missing:
        raise MissingKeyError(
            f"{name} needs a key: set {' and '.join(missing)} in the environment.",
            model=name,
        )


def hold_to_budget(
    model: Model, budget_usd: float | None, by_hand: Usd | None
) -> ModelToAsk:
    """Return the model held to its budget; without one where it costs nothing or its price is not known.

    Raises BadParameter for a model that costs money without a budget, and for a budget that no price can hold.
    """
    from memviz.models.budgeted import Budgeted

    if not by_hand and not costs_money(model.name):
        if budget_usd is not None and not has_known_price(model.name):
            raise BadParameter(
                f"The price of {model.name} is not known, so --budget cannot hold it. Give --usd-per-million IN,OUT as "
                "well, or leave --budget out."
            )
        return ModelToAsk(model)
    # Raises where the model costs money and no budget was given.
    budget = budget_of(model.name, budget_usd)
    paid = Budgeted(model, budget, usd_per_million=in_and_out(by_hand))
    return ModelToAsk(model, paid)


def costs_money(name: str) -> bool:
    """Return whether the model of this name is known to cost money at list price."""
    from memviz.models.prices import known_price

    price = known_price(name)
    if price is None:
        return False
    return bool(price.input_usd_per_token or price.output_usd_per_token)


def has_known_price(name: str) -> bool:
    """Return whether it is known what the model of this name costs, be it nothing."""
    from memviz.models.prices import known_price

    return is_free(name) or known_price(name) is not None


def priced(model: str, by_hand: Usd | None) -> Pricing | None:
    """The prices of a model: those of the list, but for what is entered by hand. ``None`` where nothing is known."""
    from memviz.metrics.cost.pricing import find_pricing, make_unpriced

    listed = find_pricing(model)
    if by_hand is None:
        return listed
    rates = dict(zip(_RATES, by_hand, strict=False))
    return (listed or make_unpriced(model)).by_hand(**rates)


def in_and_out(by_hand: Usd | None) -> tuple[float, float] | None:
    """The prices of input and output among those entered by hand."""
    return None if by_hand is None else (by_hand[0], by_hand[1])


def budget_of(name: str, budget_usd: float | None) -> Budget:
    """The budget that was given for a model that costs money."""
    from memviz.models.budget import Budget

    if budget_usd is None:
        raise missing_budget(name)
    return Budget(budget_usd)


def missing_budget(name: str) -> BadParameter:
    """The error of a command that would ask a model that costs money, and has no budget."""
    return BadParameter(
        f"{name} costs money. Give --budget USD, the most that it may cost."
    )


def agree_on_replays(
    model: ModelToAsk,
    messages: Messages,
    strategies: Sequence[Strategy],
    counter: str,
    probes: Sequence[Probe] = (),
    *,
    yes: bool,
    more: str = "",
) -> None:
    """Say how much is to be asked in these replays and for ``probes`` at their ends, and what it may cost, and ask
    before money is spent. Of a model whose price nobody knows it is said that no budget holds it. ``more`` is what
    else there is to know."""
    from memviz.engine.recording import predict_requests

    if model.is_free:
        return
    # Requests of long conversations are large, so none is held longer than it takes to price it.
    most_usd = []
    for request in predict_requests(messages, strategies, counter, probes):
        most_usd.append(model.paid.most_usd(request) if model.paid else 0.0)
    if not most_usd:
        return
    times = f"{model.model.name} would be asked about {counted(most_usd, 'time')}"
    if model.paid is None:
        complain(f"{times}; its price is not known, so no budget holds it.")
        return
    limit = dollars(model.paid.budget.limit_usd)
    complain(
        f"{times}, for at most about {dollars(sum(most_usd))}. At most {limit} is spent{more}."
    )
    agree(yes=yes)


def agree(*, yes: bool) -> None:
    """Ask whether to go on, unless ``yes`` says so. Without an agreement the command ends."""
    if not (yes or (asks() and confirm("Go on?", err=True))):
        complain("Nothing was spent. Give --yes to agree where no terminal asks.")
        raise Exit(FAILED)


def asks() -> bool:
    """Return whether somebody sits at a terminal and can be asked."""
    return sys.stdin.isatty()
