"""Money that threads share: what may be reserved when, who waits, and that no limit is ever passed."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from contextlib import suppress
from typing import Any

import pytest

from memviz.core.errors import ParameterError
from memviz.core.model_errors import BudgetSpentError, ModelError, RateLimitError
from memviz.models.base import Reply, Usage
from memviz.models.budget import Budget, Tries
from tests.tables import for_each

A_MOMENT = 0.15
SOON = 5.0


@for_each("limit", [0, -1, float("nan"), float("inf")])
def test_a_limit_out_of_range(limit: float) -> None:
    with pytest.raises(ParameterError, match="limit_usd"):
        Budget(limit)


def test_what_is_settled_is_spent() -> None:
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.5), 0.125)
    budget.settle(budget.reserve(0.5), 0.25)
    assert (budget.spent_usd, budget.uncertain_usd, budget.calls) == (0.375, 0.0, 2)


def test_an_unknown_cost_is_all_that_was_reserved() -> None:
    budget = Budget(1.0)
    budget.settle(budget.reserve(0.5), None)
    assert (budget.spent_usd, budget.uncertain_usd, budget.calls) == (0.5, 0.5, 1)


def test_what_is_released_was_no_call() -> None:
    budget = Budget(1.0)
    budget.release(budget.reserve(1.0))
    assert (budget.spent_usd, budget.calls) == (0.0, 0)
    budget.reserve(1.0)


@for_each(
    "again",
    [lambda b, r: b.settle(r, 0.5), lambda b, r: b.settle(r, None), Budget.release],
)
def test_a_reservation_is_settled_once(again: Callable[[Budget, object], Any]) -> None:
    budget = Budget(1.0)
    reservation = budget.reserve(0.5)
    budget.settle(reservation, 0.25)
    again(budget, reservation)
    assert (budget.spent_usd, budget.calls) == (0.25, 1)


def test_a_call_may_use_up_the_limit_to_the_last_cent_and_no_further() -> None:
    budget = Budget(1.0)
    budget.settle(budget.reserve(1.0), 0.75)
    budget.release(budget.reserve(0.25))
    with pytest.raises(BudgetSpentError) as caught:
        budget.reserve(0.26, "gpt")
    error = caught.value
    assert (error.limit_usd, error.spent_usd, error.needed_usd, error.model) == (
        1.0,
        0.75,
        0.26,
        "gpt",
    )
    assert "$0.75 is spent" in str(error)
    assert not isinstance(error, ModelError)


def waiting(pool: ThreadPoolExecutor, budget: Budget, usd: float) -> Future[object]:
    """A reservation that does not come through at once."""
    future = pool.submit(budget.reserve, usd)
    with pytest.raises(NotYetError):
        future.result(A_MOMENT)
    return future


def test_who_needs_what_others_hold_waits_until_they_leave_enough() -> None:
    budget = Budget(1.0)
    held = budget.reserve(0.75)
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, budget, 0.5)
        budget.settle(held, 0.25)
        assert future.result(SOON)


def test_or_until_the_rest_is_released() -> None:
    budget = Budget(1.0)
    held = budget.reserve(0.75)
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, budget, 0.5)
        budget.release(held)
        assert future.result(SOON)


def test_or_fails_once_they_have_spent_it() -> None:
    budget = Budget(1.0)
    held = budget.reserve(0.75)
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, budget, 0.5)
        budget.settle(held, 0.625)
        with pytest.raises(BudgetSpentError):
            future.result(SOON)


def test_closing_ends_the_waiting_and_books_what_is_under_way() -> None:
    budget = Budget(1.0)
    held = budget.reserve(0.75)
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, budget, 0.5)
        budget.close()
        with pytest.raises(BudgetSpentError):
            future.result(SOON)
    with pytest.raises(BudgetSpentError):
        budget.reserve(0.01)
    budget.settle(held, 0.5)
    assert budget.spent_usd == 0.5


@for_each("seed", range(5))
def test_the_limit_holds_whatever_runs_at_the_same_time(seed: int) -> None:
    budget, chance = Budget(1.0), random.Random(seed)
    calls = [
        (most := chance.uniform(0.001, 0.05), most * chance.random())
        for _ in range(400)
    ]
    seen: list[float] = []

    def pay(call: tuple[float, float]) -> bool:
        try:
            reservation = budget.reserve(call[0])
        except BudgetSpentError:
            return False
        budget.settle(reservation, call[1])
        seen.append(budget.spent_usd)
        return True

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(pay, calls))
    paid = [cost for (_, cost), was_made in zip(calls, made, strict=True) if was_made]
    assert budget.calls == len(paid)
    assert budget.spent_usd == pytest.approx(sum(paid))
    assert max(seen) <= 1.0
    assert budget.spent_usd > 0.95, "little is left unused"
    assert not all(made)


ANSWER = Reply("Yes.", usage=Usage(10, 5), cost_usd=0.125)


def test_a_call_books_what_the_reply_cost_and_is_then_closed() -> None:
    budget = Budget(1.0)
    with budget.call(0.5) as bill:
        assert bill.answered(ANSWER) is ANSWER
    assert (budget.spent_usd, budget.uncertain_usd, budget.calls) == (0.125, 0.0, 1)
    budget.reserve(0.875)


def test_a_call_that_is_left_books_all_of_it_and_a_refused_one_nothing() -> None:
    budget = Budget(1.0)
    with budget.call(0.5), suppress(KeyError):
        raise KeyError
    assert (budget.spent_usd, budget.uncertain_usd, budget.calls) == (0.5, 0.5, 1)
    with suppress(RateLimitError), budget.call(0.5):
        raise RateLimitError("Slow down.", model="gpt")
    assert (budget.spent_usd, budget.calls) == (0.5, 1)
    budget.reserve(0.5)


def test_tries_of_one_call_that_fail_are_booked_once() -> None:
    budget, tries = Budget(1.0), Tries()
    for _ in range(3):
        with suppress(ModelError), budget.call(0.25, tries=tries):
            raise ModelError("It broke off.")
    assert (budget.spent_usd, budget.calls) == (0.25, 1)


def test_a_call_without_a_price_is_counted_beside_the_dollars() -> None:
    budget = Budget(1.0)
    budget.settle(budget.reserve(1.0), None)
    with budget.call(None) as bill:
        bill.answered(ANSWER)
    assert (budget.calls, budget.unpriced_calls, budget.unpriced_tokens) == (1, 1, 15)


def test_a_part_of_a_budget_spends_both() -> None:
    whole = Budget(1.0)
    part = Budget(0.5, within=whole)
    with part.call(0.25) as bill:
        bill.answered(ANSWER)
    assert (part.spent_usd, whole.spent_usd) == (0.125, 0.125)
    whole.settle(whole.reserve(0.75), None)
    with pytest.raises(BudgetSpentError):
        part.call(0.25)
    with suppress(RateLimitError), part.call(0.125):
        raise RateLimitError("Slow down.", model="gpt")
    whole.close()
    assert whole.spent_usd == 0.875, "what the refused call held was released"


def test_what_others_share_is_booked_at_most_at_what_was_set_aside() -> None:
    """A server of the visitor's own choice may report any usage."""
    of_all = Budget(10.0)
    of_visitor = Budget(5.0, within=of_all)
    reservation = of_visitor.reserve(0.5)
    of_visitor.settle(reservation, 150_000.0)
    assert of_visitor.left_usd == 0.0
    assert of_all.spent_usd == 0.5
    exact = Budget(5.0, within=of_all)
    exact.settle(exact.reserve(0.5), 0.25)
    assert of_all.spent_usd == 0.75
