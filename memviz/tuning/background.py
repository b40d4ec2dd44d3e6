"""A sweep in a thread of its own."""

from collections.abc import Callable

from memviz.core.background import BackgroundWork
from memviz.tuning.cluster import ClusterProblem
from memviz.tuning.results import Sweep
from memviz.tuning.sweep import Sweeping
from memviz.tuning.sweep_progress import SweepProgress


class BackgroundSweep(BackgroundWork):
    """Works off the sweep that ``make`` gives, so that a page can show how far it is and let its visitor stop it.
    Making it may take a while as well, so that happens in the same thread. ``on_cancel`` is called when the user stops
    it. A sweep that the user or the budget ended has no ``error``."""

    def __init__(
        self,
        make: Callable[[], Sweeping],
        on_cancel: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__("memviz sweep")
        self._make = make
        self._on_cancel = on_cancel
        self._sweeping: Sweeping | None = None
        self._told: Sweep | None = None
        self._begin()

    @property
    def progress(self) -> SweepProgress | None:
        """The progress so far; ``None`` while it is being made."""
        return self._sweeping.progress if self._sweeping else None

    @property
    def sweep(self) -> Sweep | None:
        """The cells that were measured so far, at any time: the same object, with the tables that it made, until
        another cell is there. ``None`` while it is being made."""
        now = self._sweeping
        if now is None:
            return None
        last = self._told
        progress = (len(now.cells), now.stopped)
        if last is None or (len(last.cells), last.stopped) != progress:
            last = now.sweep
            self._told = last
        return last

    @property
    def cluster_problem(self) -> ClusterProblem | None:
        """Return why it is measured here, and not on the cluster that it was for; ``None`` where it is measured as it
        was meant to be."""
        return self._sweeping.cluster_problem if self._sweeping else None

    def cancel(self) -> None:
        """Begin nothing new. Cells that are finished stay."""
        super().cancel()
        self._on_cancel()

    def _work(self) -> None:
        self._sweeping = self._make()
        self._sweeping.stop = self.cancelled
        for _cell in self._sweeping:
            pass
