"""A Dask cluster that sweeps are measured on as long as it is there: without it they are measured here."""

from dataclasses import dataclass
from enum import Enum, auto
from importlib.util import find_spec
from time import monotonic

from memviz.core.errors import SweepError
from memviz.core.translation import _

DASK_VARIABLE = "MEMVIZ_DASK"
"""The environment variable with the address of the scheduler that a server's sweeps are measured on."""
AWAY_SECONDS = 60.0
"""A cluster that was lost is asked again after so long: who asks one that is not there waits for seconds."""


class ClusterProblem(Enum):
    """A reason why work that is for a cluster is done here."""

    AWAY = auto()
    """The cluster cannot be reached, or was lost."""
    KILLED = auto()
    """The work ended the workers that did it. The cluster is there, and does other work."""


def check_dask() -> None:
    """Raise :class:`memviz.core.errors.SweepError` where Dask is not installed."""
    if find_spec("distributed") is None:
        raise SweepError(_("Dask is not installed. Run: pip install 'memviz[dask]'."))


@dataclass
class Cluster:
    """The cluster whose scheduler is at an ``address`` such as "tcp://10.0.0.7:8786". Sweeps may share one."""

    address: str
    _away_until: float = 0.0

    @property
    def is_away(self) -> bool:
        """Return whether it was lost a moment ago."""
        return monotonic() < self._away_until

    def lose(self) -> None:
        """Note that it cannot be reached, or lost what it worked on."""
        self._away_until = monotonic() + AWAY_SECONDS
