"""Replays that a worker of a cluster makes: the same runs as here, and here where the cluster is gone."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

import memviz
from memviz import Log, Message, Run, Transcript
from memviz.core.errors import MemvizError, SweepError
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.replay import begin_replay, setting_for
from memviz.engine.setting import Setting
from memviz.models.names import OFFLINE
from memviz.storage.workspace import RunKey, Workspace
from memviz.tuning import cluster_replay
from memviz.tuning.cluster import Cluster, ClusterProblem
from memviz.tuning.cluster_replay import ClusterReplay, ReplayJob, suits_cluster
from memviz.tuning.executors import KilledWorkersError

SOON_SECONDS = 120.0
Worker = Callable[[Event], Iterator[Any]]
STRATEGY = memviz.strategy("summary", buffer_size=2)
LOG = Log([Message(role, f"Say {role}.") for role in ("user", "assistant") * 4])


def setting(**options: Any) -> Setting:
    return setting_for(LOG, STRATEGY, counter="chars4", **options)


def replay_on(
    monkeypatch: pytest.MonkeyPatch, cluster: Cluster, worker: Worker | None = None
) -> BackgroundReplay:
    """A replay on a cluster, whose worker does it in this process, or what ``worker`` does."""

    def run_on_dask(
        jobs: list[Any], work: Any, stop: Event, *, scheduler: str
    ) -> Iterator[Any]:
        assert scheduler == cluster.address
        if worker is not None:
            yield from worker(stop)
            return
        for job in jobs:
            travelled = pickle.loads(pickle.dumps(job))  # noqa: S301 - our own
            yield work(travelled)

    monkeypatch.setattr(cluster_replay, "run_on_dask", run_on_dask)
    elsewhere = ClusterReplay(cluster, ReplayJob(LOG, setting(), {}))
    begun = begin_replay(LOG, setting())
    return BackgroundReplay(*begun, lambda _run: None, elsewhere=elsewhere)


def made_here() -> Run:
    return memviz.replay(LOG, STRATEGY, counter="chars4")


def contents(run: Run | None) -> dict[str, Any]:
    """All that a run holds but how long its summarizer took."""
    assert run is not None
    contents = run.to_dict()
    for compaction in contents["compactions"]:
        del compaction["seconds"]
    return contents


def cluster() -> Cluster:
    return Cluster("tcp://127.0.0.1:9")


def problem_of(work: BackgroundReplay) -> ClusterProblem | None:
    assert isinstance(work.elsewhere, ClusterReplay)
    return work.elsewhere.problem


def test_the_run_of_a_worker_is_that_of_a_replay_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = replay_on(monkeypatch, cluster())
    assert work.wait(SOON_SECONDS)
    assert contents(work.run) == contents(made_here())
    assert work.run is not None
    assert work.run.log is LOG, "the log is not kept a second time"
    assert work.done == 0, "nothing was replayed here"
    assert problem_of(work) is None


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (SweepError("lost"), ClusterProblem.AWAY),
        (KilledWorkersError("killed"), ClusterProblem.KILLED),
    ],
)
def test_without_the_cluster_it_is_made_here(
    monkeypatch: pytest.MonkeyPatch, error: SweepError, problem: ClusterProblem
) -> None:
    def lose(_stop: Event) -> Iterator[Any]:
        yield from ()
        raise error

    asked = cluster()
    work = replay_on(monkeypatch, asked, lose)
    assert work.wait(SOON_SECONDS)
    assert contents(work.run) == contents(made_here())
    assert problem_of(work) is problem
    assert asked.is_away == (problem is ClusterProblem.AWAY)


def test_a_cluster_that_was_lost_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost = cluster()
    lost.lose()

    def fail(_stop: Event) -> Iterator[Any]:
        raise AssertionError("It was asked.")

    work = replay_on(monkeypatch, lost, fail)
    assert work.wait(SOON_SECONDS)
    assert contents(work.run) == contents(made_here())
    assert problem_of(work) is ClusterProblem.AWAY


def test_a_page_draws_nothing_of_it_yet_and_stops_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = Event()

    def wait(stop: Event) -> Iterator[Any]:
        begun.set()
        assert stop.wait(SOON_SECONDS)
        yield from ()

    work = replay_on(monkeypatch, cluster(), wait)
    assert begun.wait(SOON_SECONDS)
    assert work.is_elsewhere
    assert not work.so_far().turns
    work.cancel()
    assert work.wait(SOON_SECONDS)
    assert work.run is None
    assert work.is_stopped
    begun.clear()
    work.go_on()
    assert begun.wait(SOON_SECONDS), "it is asked for again"
    work.cancel()
    assert work.wait(SOON_SECONDS)


def test_an_error_of_the_replay_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_stop: Event) -> Iterator[Any]:
        yield from ()
        raise MemvizError("No zebra.")

    work = replay_on(monkeypatch, cluster(), fail)
    assert work.wait(SOON_SECONDS)
    assert str(work.error) == "No zebra."


def test_only_long_conversations_without_anything_of_this_server_travel() -> None:
    short = [Message("user", "Hi.")]
    long = Log(short * cluster_replay.LEAST_MESSAGES)
    assert suits_cluster(long, setting())
    assert not suits_cluster(Log(short), setting())
    assert not suits_cluster(long, setting(edits={1: "My own words."}))
    by_vectors = memviz.strategy(
        "retrieval", embedding_model="openai/any", embedding_percent=50
    )
    assert not suits_cluster(long, setting_for(long, by_vectors))


def test_a_library_asks_the_cluster_for_long_conversations_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost = cluster()
    lost.lose()
    workspace = Workspace(":memory:")
    (entry,) = workspace.add([Transcript(tuple(LOG))])
    key = RunKey(entry.id, STRATEGY, "chars4", OFFLINE)

    def replayed() -> BackgroundReplay:
        summarizer = workspace.free_summarizer(key)
        work = workspace.replaying(key, summarizer, cluster=lost)
        assert work.wait(SOON_SECONDS)
        return work

    assert replayed().elsewhere is None
    workspace.replays.forget(lambda _key: True)
    monkeypatch.setattr(cluster_replay, "LEAST_MESSAGES", len(LOG))
    work = replayed()
    assert problem_of(work) is ClusterProblem.AWAY
    assert work.run is not None
