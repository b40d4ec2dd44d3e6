"""What visitors spend is booked in the library: after a restart, and by several servers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from memviz.core.model_errors import BudgetSpentError
from memviz.core.storage_errors import StorageError
from memviz.models.budget import Spending
from memviz.models.shared_budget import ServerBudget, VisitorBudget
from memviz.storage.library_account import LibraryAccount
from memviz.storage.store import Store

SERVERS = 8
SOON_SECONDS = 20.0


def spending_on(library: str, limit_usd: float = 1.0, name: str = "ana") -> Spending:
    """What a session may spend on a server over a library, which has just been started."""
    account = LibraryAccount(Store(library), name)
    return Spending(100.0, VisitorBudget(limit_usd, account))


def spend(spending: Spending, usd: float, of_usd: float) -> None:
    spending.settle(spending.reserve(of_usd), usd)


def test_a_restart_begins_no_new_budget(library: str) -> None:
    spend(spending_on(library), 0.5, of_usd=0.75)
    restarted = spending_on(library)
    assert restarted.left_usd == 0.5
    with pytest.raises(BudgetSpentError, match="limit of this server for each visitor"):
        restarted.reserve(0.75)
    assert spending_on(library, name="bo").left_usd == 1.0


def test_two_servers_spend_no_more_than_one(library: str) -> None:
    first, second = spending_on(library), spending_on(library)
    held = first.reserve(0.75)
    with pytest.raises(BudgetSpentError):
        second.reserve(0.5)
    first.settle(held, 0.25)
    spend(second, 0.75, of_usd=0.75)
    assert first.left_usd == second.left_usd == 0.0


def test_of_servers_that_ask_at_the_same_moment_none_overspends(library: str) -> None:
    at_once = Barrier(SERVERS)
    sessions = [spending_on(library, limit_usd=3.0) for _server in range(SERVERS)]

    def ask(spending: Spending) -> bool:
        at_once.wait(SOON_SECONDS)
        try:
            spend(spending, 1.0, of_usd=1.0)
        except BudgetSpentError:
            return False
        return True

    with ThreadPoolExecutor(SERVERS) as pool:
        assert sum(pool.map(ask, sessions)) == 3
    assert spending_on(library, limit_usd=3.0).left_usd == 0.0


def test_two_budgets_of_the_first_sessions_of_a_visitor_are_one(library: str) -> None:
    account = LibraryAccount(Store(library), "ana")
    first = Spending(100.0, VisitorBudget(1.0, account))
    second = Spending(100.0, VisitorBudget(1.0, account))
    spend(first, 0.75, of_usd=0.75)
    assert second.left_usd == 0.25


def test_of_a_server_that_ends_in_a_call_the_most_stays_booked(library: str) -> None:
    spending_on(library).reserve(0.75)
    assert spending_on(library).left_usd == 0.25


def test_a_call_that_costs_nothing_gives_everything_back(library: str) -> None:
    spending = spending_on(library)
    held = spending.reserve(0.75)
    spending.release(held)
    spending.release(held)
    assert spending.left_usd == 1.0
    spending.settle(held, 0.0)
    assert spending.left_usd == 1.0


def test_a_server_that_reports_more_than_was_set_aside_costs_others_nothing(
    library: str,
) -> None:
    spend(spending_on(library), 50.0, of_usd=0.25)
    assert spending_on(library).left_usd == 0.75


def test_a_call_waits_for_one_that_the_same_server_makes(library: str) -> None:
    account = LibraryAccount(Store(library), "ana")
    of_ana = VisitorBudget(1.0, account)
    first, second = Spending(100.0, of_ana), Spending(100.0, of_ana)
    held = first.reserve(0.75)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(second.reserve, 0.5)
        with pytest.raises(TimeoutError):
            waiting.result(0.1)
        first.settle(held, 0.25)
        second.settle(waiting.result(SOON_SECONDS), 0.5)
    assert spending_on(library).left_usd == 0.25


def test_all_visitors_share_the_account_of_all(library: str) -> None:
    def spending_of(name: str) -> Spending:
        store = Store(library)
        of_all = ServerBudget(1.0, LibraryAccount(store, "all"))
        return Spending(100.0, VisitorBudget(0.75, LibraryAccount(store, name), of_all))

    spend(spending_of("ana"), 0.75, of_usd=0.75)
    with pytest.raises(BudgetSpentError, match="for all visitors together"):
        spending_of("bo").reserve(0.5)
    # What bo's own budget had set aside for the call that was refused is there for another one.
    spend(spending_of("bo"), 0.25, of_usd=0.25)
    assert spending_of("bo").left_usd == 0.0


def test_where_nothing_can_be_written_no_call_is_made_and_an_answer_is_kept(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spending = spending_on(library)
    held = spending.reserve(0.5)

    def fail(*_arguments: object) -> None:
        raise StorageError("The library is busy.")

    with monkeypatch.context() as failing:
        failing.setattr(Store, "changing_class_text", fail)
        with pytest.raises(StorageError, match="busy"):
            spending.reserve(0.25)
        spending.settle(held, 0.25)
    assert spending.spent_usd == 0.25
    assert spending_on(library).left_usd == 0.5, "the most stays booked"
    spending.allow(0.5)
    spend(spending, 0.25, of_usd=0.25)  # the refused call holds nothing back
