"""A sweep: every setting of a grid over every conversation, with one counter and one summarizer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from threading import Event
from time import perf_counter
from typing import Literal, Protocol

from memviz.core.conversation import Log
from memviz.core.counters import AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.errors import BudgetSpentError, DatabaseMovedError, SweepError
from memviz.core.messages import Message
from memviz.engine.replay import DEFAULT_COUNTER, Messages, as_model
from memviz.models.base import Model
from memviz.models.registry import OFFLINE, is_free
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript
from memviz.tuning.cell import Cell, cell_key
from memviz.tuning.executors import dask_cluster, inline, processes, threads
from memviz.tuning.grid import Grid, largest_sizes, settings
from memviz.tuning.jobs import CellIndex, Job, job_size, jobs, work
from memviz.tuning.pricing_assumptions import (
    DEFAULT_MODEL,
    DEFAULT_PAUSE_SECONDS,
    PricingAssumptions,
)
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_conversation import SweepConversation

Executor = Literal["auto", "inline", "threads", "processes", "dask"]
DEFAULT_CONCURRENCY = 4
"""Calls of a summarizer behind an API that are under way at once."""


class KeptCells(Protocol):
    """Where finished cells are kept between sweeps, as JSON."""

    def find_cells(self, keys: Sequence[str]) -> dict[str, dict[str, object]]:
        """Those of these keys that are there."""

    def keep_cell(self, key: str, cell: dict[str, object]) -> None:
        """Keep one."""


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """How far a sweep is. ``measured`` cells were measured now, the others of ``done`` were kept from before."""

    done: int
    total: int
    measured: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes if it goes on like this; ``None`` as long as nothing was measured."""
        return (
            self.seconds / self.measured * (self.total - self.done)
            if self.measured
            else None
        )

    @property
    def time_left(self) -> str:
        """The same in words; empty where it is not known, or nothing is left."""
        left = self.seconds_left
        if left is None or self.done == self.total:
            return ""
        return (
            f"about {ceil(left)} s left"
            if left < 100
            else f"about {ceil(left / 60)} min left"
        )


@dataclass
class Sweeping:
    """A sweep at work: iterate it to get its cells as they are finished, in any order.

    Cells that were ``kept`` before come first and are not measured again. Setting ``stop`` ends it early; so does a
    spent budget, which then stands in ``stopped`` as a sentence. A summarizer that no call reaches raises
    :class:`memviz.core.errors.UnusableSummarizerError`. :attr:`sweep` is what there is so far, at any time.
    """

    subjects: tuple[SweepConversation, ...]
    settings: tuple[Strategy, ...]
    counter: AnyCounter = DEFAULT_COUNTER
    summarizer: Model | None = None
    assumptions: PricingAssumptions = field(default_factory=PricingAssumptions.of)
    kept: KeptCells | None = None
    executor: Executor = "auto"
    workers: int | None = None
    scheduler: str | None = None
    stop: Event = field(default_factory=Event)
    stopped: str = ""
    cells: dict[CellIndex, Cell] = field(default_factory=dict)
    measured: int = 0
    _started: float = field(default_factory=perf_counter)

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.subjects) * len(self.settings)

    @property
    def progress(self) -> SweepProgress:
        """How far it is."""
        return SweepProgress(
            len(self.cells), self.total, self.measured, perf_counter() - self._started
        )

    @property
    def sweep(self) -> Sweep:
        """The cells so far."""
        return Sweep(
            self.settings,
            tuple(subject.title for subject in self.subjects),
            dict(self.cells),
            self.assumptions,
            self.stopped,
            guessed_facts=tuple(subject.guessed_facts for subject in self.subjects),
            unmeasured_results=tuple(
                subject.unmeasured_results for subject in self.subjects
            ),
            summarizer="" if self.summarizer is None else self.summarizer.name,
            counter=find_counter(self.counter).name,
            largest=largest_sizes(
                (subject.log for subject in self.subjects), find_counter(self.counter)
            ),
            system_prompts=tuple(
                subject.whole_system_prompt for subject in self.subjects
            ),
        )

    def __iter__(self) -> Iterator[Cell]:
        keys = self._keys()
        for place, cell in self._kept_cells(keys):
            self.cells[place] = cell
            yield cell
        missing = [place for place in keys if place not in self.cells]
        self._started = perf_counter()
        try:
            for finished in self._run(missing):
                for place, cell in finished:
                    self._take(place, cell, keys[place])
                    yield cell
        except BudgetSpentError as error:
            if (
                not self.stop.is_set()
            ):  # else the user closed it, and it need not be used up
                self.stopped = str(error)

    def _keys(self) -> dict[CellIndex, str]:
        counter = find_counter(self.counter).name
        summarizer = "" if self.summarizer is None else _named(self.summarizer)
        return {
            # Who would summarize does not matter where nothing ever is summarized.
            CellIndex(s, c): cell_key(
                subject, setting, counter, summarizer if setting.writes_notes else ""
            )
            for c, subject in enumerate(self.subjects)
            for s, setting in enumerate(self.settings)
        }

    def _kept_cells(
        self, keys: dict[CellIndex, str]
    ) -> Iterator[tuple[CellIndex, Cell]]:
        if self.kept is None:
            return
        found: dict[str, dict[str, object]] = {}
        with suppress(
            DatabaseMovedError
        ):  # no connection was free, and a file that is gone gives no further one
            found = self.kept.find_cells(list(keys.values()))
        for place, key in keys.items():
            try:
                cell = Cell.from_dict(found[key])
            except (
                LookupError,
                TypeError,
                ValueError,
            ):  # it was not kept, or is damaged: it is measured now
                continue
            yield place, cell

    def _take(self, place: CellIndex, cell: Cell, key: str) -> None:
        self.cells[place] = cell
        self.measured += 1
        if self.kept is not None and cell.can_be_kept:
            with suppress(
                DatabaseMovedError
            ):  # pages say so; the cell is worth looking at nevertheless
                self.kept.keep_cell(key, cell.to_dict())

    def _run(
        self, missing: Sequence[CellIndex]
    ) -> Iterator[list[tuple[CellIndex, Cell]]]:
        workers = self._workers()
        size = (
            job_size(len(missing), workers)
            if self._executor() in ("processes", "dask")
            else 1
        )
        todo = jobs(
            self.subjects, self.settings, missing, self.counter, self.summarizer, size
        )
        return self._execute(todo, workers) if missing else iter(())

    def _execute(
        self, todo: Iterable[Job], workers: int
    ) -> Iterator[list[tuple[CellIndex, Cell]]]:
        match self._executor():
            case "threads":
                return threads.run(todo, work, workers=workers, stop=self.stop)
            case "processes":
                return processes.run(todo, work, self.stop, workers=workers)
            case "dask":
                return dask_cluster.run(
                    todo, work, self.stop, scheduler=self.scheduler, workers=workers
                )
            case _:
                return inline.run(todo, work, self.stop)

    def _executor(self) -> Executor:
        if self.executor != "auto":
            return self.executor
        if self.scheduler is not None:
            return "dask"
        if self.summarizer is not None and not is_free(self.summarizer.name):
            return "threads"
        return "inline" if (self.workers or 1) == 1 else "processes"

    def _workers(self) -> int:
        return self.workers or (
            DEFAULT_CONCURRENCY if self._executor() == "threads" else 2
        )


def sweep(
    conversations: Messages | Sequence[Transcript],
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
    kept: KeptCells | None = None,
    progress: Callable[[SweepProgress], object] | None = None,
    stop: Event | None = None,
) -> Sweep:
    """Measure every setting of ``grid`` over one or many conversations, and price it.

    ``grid`` maps strategies to lists of values: ``{"summary": {"buffer_size": [2, 4, 8]}, "window": None}`` (``None``:
    the suggested values). ``summarizer`` writes the summaries; ``model`` and ``summarizer_model`` name whose list
    prices are used (the same for both unless said otherwise), or give ``assumptions`` of your own. ``retention=False``
    counts tokens only. ``executor``: ``inline`` in this thread, ``threads`` for a summarizer behind an API,
    ``processes`` on this machine, ``dask`` on the cluster at ``scheduler`` or a local one; ``auto`` chooses.
    ``kept`` (a :class:`memviz.storage.store.Store`) keeps finished cells, so that a sweep that was ended goes
    on where it was. ``progress`` is called for every cell.

    Raises :class:`memviz.ParameterError` for a grid that is none, :class:`memviz.SweepError` for no conversation
    or a cluster that is lost.
    """
    count = find_counter(counter)
    prepared = [
        SweepConversation.of(found, count, retention=retention)
        for found in _transcripts(conversations)
    ]
    sweeping = Sweeping(
        tuple(prepared),
        settings(grid),
        counter=count,
        summarizer=as_model(summarizer),
        assumptions=assumptions
        or PricingAssumptions.of(model, summarizer_model, pause_seconds),
        kept=kept,
        executor=executor,
        workers=workers,
        scheduler=scheduler,
        stop=stop or Event(),
    )
    for _ in sweeping:
        if progress is not None:
            progress(sweeping.progress)
    return sweeping.sweep


def _transcripts(given: Messages | Sequence[Transcript]) -> list[Transcript]:
    if isinstance(given, Transcript):
        return [given]
    items = list(given)
    if not items:
        raise SweepError(
            "There is no conversation to sweep over. Give a transcript, or a list of them."
        )
    if any(isinstance(item, Transcript) for item in items):
        return [item for item in items if isinstance(item, Transcript)]
    messages = given if isinstance(given, Log) else (Message.of(item) for item in items)
    return [Transcript(tuple(messages))]


def _named(model: Model) -> str:
    """A model's name with everything else that its answers depend on, such as its address."""
    return json.dumps([model.name, model.identity], sort_keys=True, default=str)
