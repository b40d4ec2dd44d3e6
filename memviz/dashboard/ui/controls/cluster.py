"""The Dask cluster that takes work off this server, and what is said where it does not."""

import os
from functools import cache

from memviz.core.translation import _, noop
from memviz.tuning.cluster import DASK_VARIABLE, Cluster, ClusterProblem

_SENTENCES = {
    ClusterProblem.AWAY: noop(
        "The cluster that this server measures on cannot be reached, so this is measured on the server itself."
    ),
    ClusterProblem.KILLED: noop(
        "Workers of the cluster that this server measures on ended while they measured this, so the rest is measured "
        "on the server itself."
    ),
}


@cache
def server_cluster() -> Cluster | None:
    """Return the cluster that this server was started with; ``None`` where it has none."""
    address = os.environ.get(DASK_VARIABLE, "")
    return Cluster(address) if address else None


def problem_words(problem: ClusterProblem | None) -> str:
    """Return the sentence for work that the cluster does not do; empty where it does, or where there is none."""
    return "" if problem is None else _(_SENTENCES[problem])
