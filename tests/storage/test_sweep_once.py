"""Two who sweep the same at once: each cell is measured once, and both have all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from memviz.storage.store import Store
from memviz.tuning.sweeping import Sweeping
from tests.tuning.executors.measured import expected, numbers, sweeping


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.slow)])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Store, Store]:
    """Two tabs of one server, or two servers."""
    if request.param == "file":
        store = Store(tmp_path / "memviz.db")
        return store, store
    address: str = request.getfixturevalue("server_library")
    return Store(address), Store(address)


def measured_all(made: Sweeping) -> Sweeping:
    assert len(list(made)) == made.total
    return made


def test_each_cell_is_measured_once(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.tuning.sweeping.LOOK_SECONDS", 0.01)
    with ThreadPoolExecutor(2) as threads:
        both = [
            threads.submit(measured_all, sweeping(kept=store, executor="inline"))
            for store in stores
        ]
        sweeps = [made.result(timeout=200) for made in both]
    assert sum(made.measured for made in sweeps) == sweeps[0].total
    for made in sweeps:
        assert numbers(made.sweep).equals(expected())


def test_who_waits_goes_on_where_the_other_stopped(stores: tuple[Store, Store]) -> None:
    first = sweeping(kept=stores[0], executor="inline")
    cells = iter(first)
    next(cells)
    second = sweeping(kept=stores[1], executor="inline")
    second.stop.set()
    assert len(list(second)) == 1, "what is finished is there at once"
    second.stop = Event()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(list, second)
        first.stop.set()
        assert list(cells) == []
        assert len(waiting.result(timeout=200)) == second.total - 1
    assert second.measured == second.total - 1


def test_another_sweep_waits_for_nobody(stores: tuple[Store, Store]) -> None:
    cells = iter(sweeping(kept=stores[0], executor="inline"))
    next(cells)
    other = sweeping(kept=stores[1], executor="inline")
    other.settings = other.settings[:2]
    assert len(list(other)) == other.total


def test_a_sweep_with_a_time_limit_waits_no_longer_than_that(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.tuning.sweeping.LOOK_SECONDS", 0.01)
    without_limit = iter(sweeping(kept=stores[0], executor="inline"))
    next(without_limit)
    limited = sweeping(kept=stores[1], executor="inline")
    limited.seconds = 0.1
    with ThreadPoolExecutor(1) as threads:
        cells = threads.submit(list, limited).result(timeout=20)
    assert len(cells) == 1, "what the other one has measured"
    assert limited.is_out_of_time
    assert limited.stopped.startswith("That is what fits into")
