"""A replay that a worker of a cluster does, so that a server of many visitors does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, NamedTuple

from memviz.core.conversation import Log
from memviz.core.errors import SweepError
from memviz.engine.planned_recalls import RequestKey
from memviz.engine.recall import Recall
from memviz.engine.replay import begin_replay
from memviz.engine.run import Run
from memviz.engine.run_record import to_record
from memviz.engine.setting import Setting
from memviz.strategies.lookup import embedding_asked_by
from memviz.tuning.cluster import Cluster, ClusterProblem
from memviz.tuning.executors import note_cluster_problem, run_on_dask

LEAST_MESSAGES = 1_000
"""To send a shorter conversation to a worker takes a server longer than to replay it."""
Recalls = Mapping[RequestKey, Sequence[Recall]]


class ReplayJob(NamedTuple):
    """All that a replay needs. Can be pickled."""

    log: Log
    setting: Setting
    recalls: Recalls


@dataclass
class ClusterReplay:
    """A replay on a cluster, as long as it is there."""

    cluster: Cluster
    job: ReplayJob
    problem: ClusterProblem | None = None
    """The reason why the cluster did not do it."""

    def run(self, stop: Event) -> Run | None:
        """Return the run; ``None`` where it was stopped, or where the cluster has a :attr:`problem`. Raises what a
        replay here would."""
        self.problem = ClusterProblem.AWAY if self.cluster.is_away else None
        if self.problem is not None:
            return None
        try:
            address = self.cluster.address
            records = list(
                run_on_dask([self.job], run_replay_job, stop, scheduler=address)
            )
        except SweepError as error:
            self.problem = note_cluster_problem(error, self.cluster)
            return None
        return Run.from_record(records[0], self.job.log) if records else None


def run_replay_job(job: ReplayJob) -> dict[str, Any]:
    """Return the record of a run, made by a worker."""
    session, turns = begin_replay(job.log, job.setting, job.recalls)
    for _turn in turns:
        pass
    return to_record(session.run())


def suits_cluster(log: Log, setting: Setting) -> bool:
    """Return whether a cluster saves work: the conversation is long, and the setting needs nothing that lies on the
    server, such as the vectors of an embedding model, or the user's own wordings, which come with another run."""
    is_long = len(log) >= LEAST_MESSAGES
    return is_long and not setting.edits and not embedding_asked_by(setting.strategy)
