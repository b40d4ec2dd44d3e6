"""The limits of visitors as they are given, and the dollars of one and of all."""

from __future__ import annotations

import pytest

from memviz.core.errors import AccessError
from memviz.core.model_errors import BudgetSpentError
from memviz.core.translation import use_language
from memviz.models.budget import Spending
from memviz.models.shared_budget import ServerBudget, VisitorBudget
from memviz.models.visitor_limits import LIMITS, VisitorLimits, visitor_limits
from memviz.storage.library_account import LibraryAccount
from memviz.storage.store import Store


def test_what_is_not_given_is_the_default() -> None:
    assert visitor_limits({}) == VisitorLimits(200, 100, 12, None, None)
    given = "replays=4 usd=0.5 usd-in-all=20 replays-in-all=30"
    limits = VisitorLimits(replays=4, usd=0.5, usd_in_all=20.0, replays_in_all=30)
    assert visitor_limits({LIMITS: given}) == limits


@pytest.mark.parametrize(
    "given",
    [
        *("replays", "replays=", "replays=0", "replays=-1", "replays=1.5", "usd=x"),
        *(
            "usd=nan",
            "usd=inf",
            "count=3",
            "=3",
            "replays-in-all=1.5",
            "megabytes=1e999",
            "_fields=3",
        ),
    ],
)
def test_what_is_no_limit_is_refused(given: str) -> None:
    with pytest.raises(AccessError, match="is no limit: give conversations=200"):
        visitor_limits({LIMITS: given})


def account(name: str) -> LibraryAccount:
    """An account in a library of its own."""
    return LibraryAccount(Store(":memory:"), name)


def spend(spending: Spending, usd: float) -> None:
    spending.settle(spending.reserve(usd), usd)


def test_a_visitor_spends_no_more_in_many_sessions() -> None:
    of_ana = VisitorBudget(0.5, account("ana"))
    first, second = Spending(1.0, of_ana), Spending(1.0, of_ana)
    spend(first, 0.4)
    assert second.left_usd == pytest.approx(0.1)
    with pytest.raises(BudgetSpentError, match="limit of this server for each visitor"):
        second.reserve(0.2)
    assert first.left_usd == second.left_usd
    spend(second, 0.1)
    assert of_ana.left_usd == pytest.approx(0.0)


def test_all_visitors_spend_no_more_together() -> None:
    of_all = ServerBudget(1.0, account("all"))
    of_ana = Spending(5.0, VisitorBudget(0.8, account("ana"), of_all))
    of_bo = Spending(5.0, VisitorBudget(0.8, account("bo"), of_all))
    spend(of_ana, 0.7)
    assert of_bo.left_usd == pytest.approx(0.3)
    with pytest.raises(BudgetSpentError, match="for all visitors together") as refused:
        of_bo.reserve(0.5)
    assert refused.value.limit_usd == 1.0
    with use_language("zh"), pytest.raises(BudgetSpentError, match="所有访客"):
        of_bo.reserve(0.5)
    # What was set aside for the call that was refused is there for another one.
    spend(of_bo, 0.3)
