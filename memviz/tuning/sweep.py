"""``memviz.sweep``: the function by which programs measure a grid of settings over conversations.

:class:`~memviz.tuning.sweeping.Sweeping` does the work, or :mod:`~memviz.tuning.fleet` for thousands of conversations.
The typed dictionaries name the options for editors and type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.engine.replay import Messages, as_model
from memviz.metrics.cost.pricing import DEFAULT_PAUSE_SECONDS
from memviz.models.base import Model
from memviz.models.names import DEFAULT_MODEL, OFFLINE
from memviz.transcripts.base import Transcript
from memviz.transcripts.fleet.source import Fleet
from memviz.tuning.executors import Executor
from memviz.tuning.grid import Grid, expand_grid
from memviz.tuning.kept_cells import KeptCells
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_conversation import SweepConversation, list_transcripts
from memviz.tuning.sweeping import Sweeping

if TYPE_CHECKING:
    from memviz.tuning.fleet.results import FleetSweep
    from memviz.tuning.fleet.sweeping import FleetProgress
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


@overload
def sweep(
    conversations: Fleet | str | Path,
    grid: Grid,
    *,
    write: str | Path,
    **options: Unpack[FleetSweepOptions],
) -> FleetSweep: ...


@overload
def sweep(
    conversations: Messages | Sequence[Transcript],
    grid: Grid,
    **options: Unpack[SweepOptions],
) -> Sweep: ...


def sweep(
    conversations: Messages | Sequence[Transcript] | Fleet | str | Path,
    grid: Grid,
    *,
    counter: AnyCounter = DEFAULT_COUNTER,
    summarizer: Model | str | None = OFFLINE,
    model: str = DEFAULT_MODEL,
    summarizer_model: str | None = None,
    pause_seconds: float = DEFAULT_PAUSE_SECONDS,
    assumptions: PricingAssumptions | None = None,
    retention: bool = True,
    executor: Executor = "auto",
    workers: int | None = None,
    scheduler: str | None = None,
    seconds: float | None = None,
    kept: KeptCells | None = None,
    progress: Callable[[Any], object] | None = None,
    stop: Event | None = None,
    write: str | Path | None = None,
    requests: bool = False,
) -> Sweep | FleetSweep:
    """Measure every setting of ``grid`` over one or many conversations, and price it.

    Conversations that fit into no memory are a :class:`memviz.Fleet`, or the address of one: a file, a folder, a
    pattern, or what fsspec reaches. They are read as a stream, and the results are written as Parquet into the folder
    ``write``: a row for each conversation and setting. The same call continues a sweep that was stopped.

    Args:
        conversations: A transcript, several, the messages of one, or a fleet.
        grid: Strategies with lists of values: ``{"summary": {"buffer_size": [2, 4, 8]}, "window": None}`` (``None``:
            the suggested values). A number in the steps of a pipeline is named in words: ``{"pipeline": {"step 2 keep N
            messages": [5, 10], "step 1 at N% of the window": [40, 60]}}``.
        counter: The token counter.
        summarizer: The model that writes the summaries.
        model: The model whose list prices count.
        summarizer_model: The model whose list prices count for summaries, if not ``model``.
        pause_seconds: The user's pause between two turns, which decides what the prompt cache still holds.
        assumptions: Prices of your own, instead of the last three.
        retention: False to count tokens only.
        executor: ``inline`` in this thread, ``threads`` for a summarizer behind an API, ``processes`` on this machine,
            ``dask`` on the cluster at ``scheduler`` or a local one; ``auto`` chooses.
        workers: The number of threads or processes.
        scheduler: The address of a Dask scheduler.
        seconds: The time that measuring may take, not for a fleet. Of each family the settings that tell most come
            first; :attr:`Sweep.left_out` are those that did not fit.
        kept: Keeps finished cells, so that a sweep that was ended can be continued; not for a fleet. It is a
            :class:`memviz.storage.store.Store`.
        progress: Called with the progress after every cell, or every batch of a fleet.
        stop: An event that ends the sweep early.
        write: The folder for the results of a fleet.
        requests: True to write a row for each request of a fleet as well.

    Returns:
        A :class:`memviz.Sweep`; of a fleet a :class:`memviz.FleetSweep`.

    Raises:
        ParameterError: The grid is none.
        SweepError: There is no conversation, a cluster is lost, or the folder holds another sweep.
    """
    count = find_counter(counter)
    if assumptions is None:
        assumptions = PricingAssumptions.of(model, summarizer_model, pause_seconds)
    shared: dict[str, Any] = {
        "counter": count,
        "summarizer": as_model(summarizer),
        "assumptions": assumptions,
        "executor": executor,
        "workers": workers,
        "scheduler": scheduler,
        "stop": stop or Event(),
    }
    if write is not None:
        from memviz.tuning.fleet.results import open_fleet, sweep_fleet

        return sweep_fleet(
            open_fleet(conversations),
            expand_grid(grid),
            write,
            retention=retention,
            requests=requests,
            progress=progress,
            **shared,
        )
    subjects = [
        SweepConversation.of(transcript, count, retention=retention)
        for transcript in list_transcripts(conversations)
    ]
    sweeping = Sweeping(
        tuple(subjects), expand_grid(grid), kept=kept, seconds=seconds, **shared
    )
    for _cell in sweeping:
        if progress is not None:
            progress(sweeping.progress)
    return sweeping.sweep
