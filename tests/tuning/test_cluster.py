"""A sweep on a cluster that is gone, or goes while it works: it is measured here, and that is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memviz.core.errors import SweepError
from memviz.tuning import executors
from memviz.tuning.cell import CellIndex
from memviz.tuning.cluster import Cluster, ClusterProblem
from tests.tuning.executors.measured import expected, numbers, sweeping

ADDRESS = "tcp://127.0.0.1:9"


def lost_after(jobs_done: int, error: type[SweepError] = SweepError) -> Any:
    """A cluster that does so many jobs, and is lost then."""
    asked: list[str] = []

    def run_on_dask(
        jobs: Any, work: Any, stop: Any, *, scheduler: str, **_workers: Any
    ) -> Iterator[Any]:
        asked.append(scheduler)
        for number, job in enumerate(jobs):
            if number == jobs_done:
                raise error("lost")
            yield work(job)

    run_on_dask.asked = asked  # type: ignore[attr-defined]
    return run_on_dask


@pytest.mark.parametrize("jobs_done", [0, 1])
def test_what_a_lost_cluster_has_not_measured_is_measured_here(
    jobs_done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask = lost_after(jobs_done)
    monkeypatch.setattr(executors, "run_on_dask", dask)
    cluster = Cluster(ADDRESS)
    made = sweeping(cluster=cluster)
    cells = list(made)
    assert len(cells) == made.measured == made.total
    assert numbers(made.sweep).equals(expected())
    assert made.cluster_problem is ClusterProblem.AWAY
    # It is not waited for again for a while.
    again = sweeping(cluster=cluster)
    list(again)
    assert again.cluster_problem is ClusterProblem.AWAY
    assert dask.asked == [ADDRESS]
    monkeypatch.setattr("memviz.tuning.cluster.monotonic", lambda: 10.0**9)
    assert not cluster.is_away


def test_a_cluster_that_is_there_measures_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "run_on_dask", lost_after(1_000))
    made = sweeping(cluster=Cluster(ADDRESS))
    list(made)
    assert made.measured == made.total
    assert made.cluster_problem is None


def test_a_scheduler_that_was_asked_for_by_hand_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who gives it with a command waits for that cluster, and for nothing else."""
    monkeypatch.setattr(executors, "run_on_dask", lost_after(0))
    with pytest.raises(SweepError, match="lost"):
        list(sweeping(scheduler=ADDRESS))


def test_a_cluster_whose_workers_a_job_ended_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dask = lost_after(0, executors.KilledWorkersError)
    monkeypatch.setattr(executors, "run_on_dask", dask)
    cluster = Cluster(ADDRESS)
    made = sweeping(cluster=cluster)
    assert len(list(made)) == made.total
    assert made.cluster_problem is ClusterProblem.KILLED
    assert not cluster.is_away


def test_settings_that_compare_vectors_of_a_model_are_measured_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The vectors lie in a folder of the server."""
    dask = lost_after(1_000)
    monkeypatch.setattr(executors, "run_on_dask", dask)
    made = sweeping(cluster=Cluster(ADDRESS))
    asking = made.settings[0]
    monkeypatch.setattr(
        "memviz.tuning.sweeping.embedding_asked_by",
        lambda setting: "embedder" if setting is asking else "",
    )
    here: list[CellIndex] = []
    run_here = executors.run_jobs

    def run(executor: Any, jobs: Any, *rest: Any, **options: Any) -> Iterator[Any]:
        if executor != "dask":
            jobs = list(jobs)
            here.extend(place for job in jobs for place, _setting in job.settings)
        return run_here(executor, jobs, *rest, **options)

    monkeypatch.setattr(executors, "run_jobs", run)
    assert len(list(made)) == made.total
    assert {place.setting for place in here} == {0}
    assert len(here) == len(made.subjects)
    assert made.cluster_problem is None


@pytest.mark.slow
def test_a_cluster_that_ends_in_the_middle_of_a_sweep_costs_no_number() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    ) as workers:
        made = sweeping(cluster=Cluster(workers.scheduler_address), workers=14)
        for number, _cell in enumerate(made):
            if number == 0:
                workers.close()
        assert made.measured == made.total
        assert numbers(made.sweep).equals(expected())
