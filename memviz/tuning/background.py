"""A sweep in a thread of its own, so that a page can show how far it is and let its visitor stop it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from memviz.core.errors import MemvizError
from memviz.tuning.results import Sweep
from memviz.tuning.sweep import Sweeping, SweepProgress


class BackgroundSweep:
    """Works off the sweep that ``make`` gives: making it may take a while as well, so that happens there too.

    What was measured so far is in :attr:`sweep` at any time; ``error`` is why it ended before its end, if it was
    neither the user nor the budget. ``on_cancel`` is called when the user stops it.
    """

    def __init__(
        self,
        make: Callable[[], Sweeping],
        on_cancel: Callable[[], object] | None = None,
    ) -> None:
        self._make, self._on_cancel = make, on_cancel
        self._sweeping: Sweeping | None = None
        self._cancelled, self._finished = Event(), Event()
        self.error: MemvizError | None = None
        Thread(target=self._run, name="memviz sweep", daemon=True).start()

    @property
    def progress(self) -> SweepProgress | None:
        """How far it is; ``None`` while it is being made."""
        return self._sweeping.progress if self._sweeping else None

    @property
    def sweep(self) -> Sweep | None:
        """What there is so far."""
        return self._sweeping.sweep if self._sweeping else None

    @property
    def was_cancelled(self) -> bool:
        """Whether the user stopped it."""
        return self._cancelled.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; returns whether it has ended."""
        return self._finished.wait(seconds)

    def cancel(self) -> None:
        """Begin nothing new. Cells that are finished stay."""
        self._cancelled.set()
        if self._on_cancel is not None:
            self._on_cancel()

    def _run(self) -> None:
        try:
            self._sweeping = self._make()
            self._sweeping.stop = self._cancelled
            for _ in self._sweeping:
                pass
        except MemvizError as error:
            self.error = error
        finally:
            self._finished.set()
