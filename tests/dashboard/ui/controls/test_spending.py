"""What a server allows its visitors to spend, with all that was spent before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memviz.dashboard.ui.controls import spending
from memviz.models.budget import Budget
from memviz.models.class_door import Visitor
from memviz.models.visitor_limits import VisitorLimits
from memviz.storage.library_places import LibraryFolder
from memviz.storage.own_libraries import OwnLibraries

ANA, BO = Visitor("a" * 32), Visitor("b" * 32)


def forget_budgets() -> None:
    """What a restart of the server does."""
    for remembered in (
        spending._budget_of,
        spending._budget_of_all,
        spending._accounts,
    ):
        remembered.cache_clear()


@pytest.fixture
def libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OwnLibraries]:
    """The libraries of a class whose visitors may spend 1 dollar each, and 1.50 in all."""
    places = LibraryFolder(tmp_path)
    limits = VisitorLimits(usd=1.0, usd_in_all=1.5)
    monkeypatch.setattr(spending, "visitor_limits", lambda: limits)
    monkeypatch.setattr(spending, "has_own_libraries", lambda: True)
    monkeypatch.setattr(spending, "own_places", lambda: places)
    forget_budgets()
    yield OwnLibraries(places)
    forget_budgets()


def budget_of(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> Budget:
    monkeypatch.setattr(spending, "visitor_now", lambda: visitor)
    budget = spending._budget_now()
    assert budget is not None
    return budget


def test_neither_a_restart_nor_a_new_library_begins_a_new_budget(
    libraries: OwnLibraries, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries.open(ANA.id)
    of_ana = budget_of(ANA, monkeypatch)
    of_ana.settle(of_ana.reserve(0.75), 0.75)
    libraries.delete(ANA.id)
    forget_budgets()
    assert budget_of(ANA, monkeypatch).left_usd == 0.25
    assert budget_of(BO, monkeypatch).left_usd == 0.75, "what is left for all"
    assert spending._accounts.cache_info().misses == 1, "it is opened once for all"
