"""A sweep in a thread of its own, for pages that show its progress."""

from collections.abc import Callable

from memviz.core.background import BackgroundWork
from memviz.tuning.cluster import ClusterProblem
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_progress import SweepProgress
from memviz.tuning.sweeping import Sweeping


class BackgroundSweep(BackgroundWork):
    """A thread that measures the sweep that ``make`` returns, while a page shows its progress and can stop it.

    ``make`` is called in the thread as well, because it may take a while. ``on_cancel`` is called when the user stops
    the sweep. A sweep that the user or the budget stopped has no ``error``.
    """

    def __init__(
        self,
        make: Callable[[], Sweeping],
        on_cancel: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__("memviz sweep")
        self._make = make
        self._on_cancel = on_cancel
        self._sweeping: Sweeping | None = None
        self._last_sweep: Sweep | None = None
        self._begin()

    @property
    def progress(self) -> SweepProgress | None:
        """The progress so far; ``None`` while ``make`` runs."""
        return self._sweeping.progress if self._sweeping else None

    @property
    def sweep(self) -> Sweep | None:
        """The cells that were measured so far; ``None`` while ``make`` runs.

        It is the same object until there is another cell, so that the tables it has cached are not made again.
        """
        sweeping = self._sweeping
        if sweeping is None:
            return None
        sweep = self._last_sweep
        progress = (len(sweeping.cells), sweeping.stopped)
        if sweep is None or (len(sweep.cells), sweep.stopped) != progress:
            sweep = sweeping.sweep
            self._last_sweep = sweep
        return sweep

    @property
    def cluster_problem(self) -> ClusterProblem | None:
        """The reason why the sweep is not measured on its cluster; ``None`` if it is, or is not meant to be."""
        return self._sweeping.cluster_problem if self._sweeping else None

    def cancel(self) -> None:
        """Stop the sweep: no further cell is begun, and finished cells stay."""
        super().cancel()
        self._on_cancel()

    def _work(self) -> None:
        self._sweeping = self._make()
        self._sweeping.stop = self.cancelled
        for _cell in self._sweeping:
            pass
