"""The Dask cluster of a server, which measures sweeps and replays while it can be reached.

:func:`~memviz.tuning.executors.use_cluster` runs work on it. While the cluster is away, the server does the work itself
and tells the user why (:class:`ClusterProblem`).
"""

from dataclasses import dataclass
from enum import Enum, auto
from importlib.util import find_spec
from time import monotonic

from memviz.core.errors import SweepError
from memviz.core.translation import _

DASK_VARIABLE = "MEMVIZ_DASK"
"""The environment variable with the address of the scheduler of the cluster."""
AWAY_SECONDS = 60.0
"""The time for which a lost cluster is not tried again, because each attempt takes seconds to fail."""


class ClusterProblem(Enum):
    """A reason why the server did work itself that was meant for its cluster."""

    AWAY = auto()
    """The cluster cannot be reached, or was lost."""
    KILLED = auto()
    """The work killed the workers that did it. The cluster itself can be reached."""


def check_dask() -> None:
    """Raise :class:`memviz.core.errors.SweepError` where Dask is not installed."""
    if find_spec("distributed") is None:
        raise SweepError(_("Dask is not installed. Run: pip install 'memviz[dask]'."))


@dataclass
class Cluster:
    """The cluster with a scheduler at ``address``, such as "tcp://10.0.0.7:8786". Several sweeps may share it."""

    address: str
    _away_until: float = 0.0

    @property
    def is_away(self) -> bool:
        """True if the cluster was lost less than :data:`AWAY_SECONDS` ago."""
        return monotonic() < self._away_until

    def lose(self) -> None:
        """Record that the cluster cannot be reached, or lost its work."""
        self._away_until = monotonic() + AWAY_SECONDS
