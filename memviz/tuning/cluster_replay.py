"""A replay that a worker of a Dask cluster does instead of the server of the dashboard.

A server with many visitors hands the replays of long conversations to its cluster, if it has one. Where the cluster
is gone, the server replays them itself: :attr:`ClusterReplay.problem` says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, NamedTuple

from memviz.core.conversation import Log
from memviz.engine.planned_recalls import RequestKey
from memviz.engine.recall import Recall
from memviz.engine.replay import begin_replay
from memviz.engine.run import Run
from memviz.engine.run_record import to_record
from memviz.engine.setting import Setting
from memviz.strategies.lookup import embedding_asked_by
from memviz.tuning.cluster import Cluster, ClusterProblem
from memviz.tuning.executors import ClusterError, run_on_dask, use_cluster

LEAST_MESSAGES = 1_000
"""Shorter conversations are replayed by the server: to send them to a worker takes longer."""
Recalls = Mapping[RequestKey, Sequence[Recall]]


class ReplayJob(NamedTuple):
    """The input of a replay, which is pickled to be sent to a worker."""

    log: Log
    setting: Setting
    recalls: Recalls


@dataclass
class ClusterReplay:
    """A replay that a cluster does, if it can be reached."""

    cluster: Cluster
    job: ReplayJob
    problem: ClusterProblem | None = None
    """The reason why the cluster did not do it, set by :meth:`run`."""

    def run(self, stop: Event) -> Run | None:
        """Return the run; ``None`` where it was stopped, or where the cluster has a :attr:`problem`.

        Raises the same errors as a replay by the server itself.
        """
        self.problem = None
        try:
            with use_cluster(self.cluster) as address:
                results = run_on_dask(
                    [self.job], run_replay_job, stop, scheduler=address
                )
                records = list(results)
        except ClusterError as error:
            self.problem = error.problem
            return None
        return Run.from_record(records[0], self.job.log) if records else None


def run_replay_job(job: ReplayJob) -> dict[str, Any]:
    """Replay a job on a worker, and return the run as a record that can be sent back."""
    session, turns = begin_replay(job.log, job.setting, job.recalls)
    for _turn in turns:
        pass
    return to_record(session.run())


def suits_cluster(log: Log, setting: Setting) -> bool:
    """Return whether to hand a replay to a cluster.

    Only long conversations are worth it, and only settings that need nothing of the server's own: neither the vectors
    of an embedding model, which lie in a folder of the server, nor the wordings of the user, which come with a run.
    """
    is_long = len(log) >= LEAST_MESSAGES
    return is_long and not setting.edits and not embedding_asked_by(setting.strategy)
