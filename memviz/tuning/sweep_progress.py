"""The progress of a sweep, as pages and the command line show it."""

from dataclasses import dataclass
from math import ceil

from memviz.core.translation import _


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """The progress of a sweep, counted in cells."""

    done: int
    total: int
    measured: int
    """The cells of ``done`` that this sweep measured; the others were kept from earlier ones."""
    seconds: float
    """The time since the measuring began."""
    seconds_left: float | None = None
    """The time that the rest is predicted to take; ``None`` while no cell has been measured."""

    @property
    def time_left(self) -> str:
        """``seconds_left`` in words; empty where it is unknown, or nothing is left."""
        seconds = self.seconds_left
        if seconds is None or self.done == self.total:
            return ""
        if seconds < 100:
            return _("about {seconds} s left", seconds=ceil(seconds))
        return _("about {minutes} min left", minutes=ceil(seconds / 60))
