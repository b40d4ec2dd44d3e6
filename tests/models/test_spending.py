"""What a visitor may spend: a limit that is changed at will, budgets that are part of it, and calls without a price."""

from __future__ import annotations

import pytest

from memviz.core.errors import ParameterError
from memviz.core.model_errors import BudgetSpentError
from memviz.models.base import Usage
from memviz.models.budget import FIRST_LIMIT_USD, Budget, Spending
from tests.tables import for_each


def test_nothing_is_spent_at_first() -> None:
    spending = Spending()
    assert (spending.limit_usd, spending.left_usd, spending.is_used) == (
        FIRST_LIMIT_USD,
        FIRST_LIMIT_USD,
        False,
    )
    assert spending.sentence == "Spent in this session: $0.00 · budget $1.00"


def test_a_limit_of_nothing_allows_nothing_that_costs() -> None:
    spending = Spending(0.0)
    with pytest.raises(
        BudgetSpentError,
        match=r"The budget of \$0 allows no.*Raise the budget under Models",
    ):
        spending.reserve(0.0001, "gpt")
    spending.settle(spending.reserve(0.0), 0.0)
    assert spending.calls == 1


def test_a_limit_that_is_raised_lets_the_next_call_through_and_a_lowered_one_does_not() -> (
    None
):
    spending = Spending(0.5)
    spending.settle(spending.reserve(0.5), 0.4)
    with pytest.raises(BudgetSpentError):
        spending.reserve(0.2)
    spending.allow(1.0)
    spending.settle(spending.reserve(0.2), 0.2)
    assert spending.left_usd == pytest.approx(0.4)
    spending.allow(0.1)
    assert spending.left_usd == 0.0
    with pytest.raises(BudgetSpentError):
        spending.reserve(0.01)
    assert spending.spent_usd == pytest.approx(0.6), "what is spent stays spent"


@for_each("limit", [-0.01, float("nan"), float("inf")])
def test_a_limit_out_of_range(limit: float) -> None:
    with pytest.raises(ParameterError, match="limit_usd"):
        Spending().allow(limit)


def test_what_was_spent_since_a_moment() -> None:
    spending = Spending()
    spending.settle(spending.reserve(0.5), 0.25)
    mark = spending.mark
    assert spending.since(mark) == "$0.00"
    spending.settle(spending.reserve(0.1), 0.0123)
    assert spending.since(mark) == "$0.012"
    spending.count_unpriced(Usage(100, 10))
    spending.count_unpriced(None)
    assert spending.since(mark) == "$0.012 + 2 calls whose price is not known"
    assert spending.unpriced_tokens == 110
    assert (
        spending.sentence
        == "Spent in this session: $0.26 + 2 calls whose price is not known · budget $1.00"
    )


def test_of_a_call_that_nobody_knows_the_cost_of_the_most_is_said() -> None:
    spending = Spending()
    spending.settle(spending.reserve(0.5), None)
    assert spending.sentence == "Spent in this session: at most $0.50 · budget $1.00"


def test_a_budget_that_is_part_of_it_is_held_to_both() -> None:
    spending = Spending(0.5)
    sweep = Budget(1.0, within=spending)
    sweep.settle(sweep.reserve(0.3), 0.2)
    assert (sweep.spent_usd, spending.spent_usd) == (0.2, 0.2)
    with pytest.raises(BudgetSpentError, match=r"\$0\.5"):
        sweep.reserve(0.4)
    sweep.release(
        sweep.reserve(0.3)
    )  # nothing is held back by the call that was refused
    assert (sweep.spent_usd, spending.spent_usd, spending.calls) == (0.2, 0.2, 1)
    small = Budget(0.05, within=spending)
    with pytest.raises(BudgetSpentError, match=r"\$0\.05 allows"):
        small.reserve(0.1)
    spending.reserve(0.3)


def test_closing_a_part_ends_that_part_alone() -> None:
    spending = Spending(0.5)
    sweep = Budget(1.0, within=spending)
    held = sweep.reserve(0.3)
    sweep.close()
    with pytest.raises(BudgetSpentError):
        sweep.reserve(0.01)
    sweep.settle(held, 0.1)
    assert spending.spent_usd == pytest.approx(0.1)
    spending.reserve(0.4)
