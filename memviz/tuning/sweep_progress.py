"""The progress of a sweep: how much is done, and how long the rest takes."""

from dataclasses import dataclass
from math import ceil

from memviz.core.translation import _


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """The progress of a sweep."""

    done: int
    total: int
    measured: int
    """Cells of ``done`` that were measured now; the others were kept from before."""
    seconds: float
    seconds_left: float | None = None
    """The time that the rest takes, from what each of its strategies took here; ``None`` as long as none was
    measured."""

    @property
    def time_left(self) -> str:
        """The same in words; empty where it is not known, or nothing is left."""
        seconds = self.seconds_left
        if seconds is None or self.done == self.total:
            return ""
        if seconds < 100:
            return _("about {seconds} s left", seconds=ceil(seconds))
        return _("about {minutes} min left", minutes=ceil(seconds / 60))
