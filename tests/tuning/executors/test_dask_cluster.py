"""Jobs on a real Dask cluster of two worker processes: the same numbers as here, also when a worker is killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

import memviz
from memviz import Log, Message
from memviz.core.errors import SweepError
from memviz.engine.replay import setting_for
from memviz.tuning.cluster import Cluster
from memviz.tuning.cluster_replay import ClusterReplay, ReplayJob
from memviz.tuning.executors import run_on_dask
from tests.tuning.executors.measured import (
    all_jobs,
    expected,
    killed_once,
    numbers,
    numbers_of,
    slept,
    sweeping,
)

distributed = pytest.importorskip("distributed")
SOON = 30.0
"""Longer than anything here takes, in seconds."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The scheduler of a cluster that the tests share; to begin one takes seconds."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
def test_the_numbers_are_those_of_one_process(address: str) -> None:
    made = sweeping(scheduler=address)  # which says where the work is done
    list(made)
    assert made.measured == made.total
    assert numbers(made.sweep).equals(expected())


@pytest.mark.slow
def test_a_killed_worker_costs_time_and_no_number(address: str, tmp_path: Path) -> None:
    jobs = [(job, tmp_path / "mark") for job in all_jobs()]
    cells = dict(
        cell
        for cells in run_on_dask(jobs, killed_once, Event(), scheduler=address)
        for cell in cells
    )
    assert (tmp_path / "mark").exists()
    assert numbers_of(cells).equals(expected())


@pytest.mark.slow
def test_a_replay_of_a_worker_is_that_of_this_process(address: str) -> None:
    log = Log([Message("user", f"Say {number}.") for number in range(200)])
    setting = setting_for(log, memviz.strategy("summary_buffer", max_token_limit=100))
    work = ClusterReplay(Cluster(address), ReplayJob(log, setting, {}))
    run = work.run(Event())
    assert work.problem is None
    assert run is not None
    assert run.summaries
    replayed = memviz.replay(log, setting.strategy)
    assert run.frame().equals(replayed.frame())
    assert [each.text for each in run.summaries] == [
        each.text for each in replayed.summaries
    ]


@pytest.mark.slow
def test_stopping_begins_nothing_new(address: str) -> None:
    stop, results = Event(), []
    begun = time.monotonic()
    for result in run_on_dask([0.3] * 500, slept, stop, scheduler=address):
        results.append(result)
        stop.set()
    assert 1 <= len(results) <= 8
    assert time.monotonic() - begun < SOON


@pytest.mark.slow
def test_a_local_cluster_of_its_own_does_the_work_and_ends() -> None:
    assert sorted(run_on_dask(range(6), abs, Event(), workers=1)) == list(range(6))


def test_no_scheduler_at_the_address_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memviz.tuning.executors.CONNECT_SECONDS", 0.5)
    with pytest.raises(
        SweepError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"
    ):
        list(run_on_dask(range(3), abs, Event(), scheduler="tcp://127.0.0.1:9"))


@pytest.mark.parametrize("address", ["nonsense://x", "127.0.0.1:not-a-port", ""])
def test_no_address_at_all_is_a_sentence(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.tuning.executors.CONNECT_SECONDS", 0.5)
    with pytest.raises(SweepError, match="scheduler"):
        list(run_on_dask(range(3), abs, Event(), scheduler=address))


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memviz.tuning.cluster.find_spec", {}.get)
    with pytest.raises(SweepError, match=r"pip install 'memviz\[dask\]'"):
        list(run_on_dask(range(3), abs, Event()))
