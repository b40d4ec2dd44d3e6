"""The options of :func:`memviz.sweep` by their names and types, for editors and type checkers."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, TypedDict

from memviz.core.counters import AnyCounter
from memviz.models.base import Model
from memviz.tuning.executors import Executor
from memviz.tuning.pricing_assumptions import PricingAssumptions

if TYPE_CHECKING:
    from memviz.tuning.fleet.sweeping import FleetProgress
    from memviz.tuning.kept_cells import KeptCells
    from memviz.tuning.sweep_progress import SweepProgress


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
