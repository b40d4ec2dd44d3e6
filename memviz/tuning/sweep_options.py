"""The options of :func:`memviz.sweep` by their names and types, for editors and type checkers, with the types of what
keeps its cells and of its progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from threading import Event
from typing import TYPE_CHECKING, Protocol, TypedDict

from memviz.core.counters import AnyCounter
from memviz.core.translation import _
from memviz.models.base import Model
from memviz.tuning.executors import Executor
from memviz.tuning.pricing_assumptions import PricingAssumptions

if TYPE_CHECKING:
    from memviz.tuning.fleet.sweeping import FleetProgress


class KeptCells(Protocol):
    """A place that keeps finished cells between sweeps, as JSON."""

    def find_cells(self, keys: Sequence[str]) -> dict[str, dict[str, object]]:
        """Return the cells of those of these keys that are there."""

    def keep_cell(self, key: str, cell: dict[str, object]) -> None:
        """Keep one cell."""


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
        left = self.seconds_left
        if left is None or self.done == self.total:
            return ""
        if left < 100:
            return _("about {seconds} s left", seconds=ceil(left))
        return _("about {minutes} min left", minutes=ceil(left / 60))


class AnySweepOptions(TypedDict, total=False):
    """The options of every sweep."""

    counter: AnyCounter
    summarizer: Model | str | None
    model: str
    summarizer_model: str | None
    pause_seconds: float
    assumptions: PricingAssumptions | None
    retention: bool
    executor: Executor
    workers: int | None
    scheduler: str | None
    stop: Event | None


class SweepOptions(AnySweepOptions, total=False):
    """The options of a sweep over conversations that are at hand."""

    seconds: float | None
    kept: KeptCells | None
    progress: Callable[[SweepProgress], object] | None


class FleetSweepOptions(AnySweepOptions, total=False):
    """The options of a sweep over a fleet."""

    requests: bool
    progress: Callable[[FleetProgress], object] | None
