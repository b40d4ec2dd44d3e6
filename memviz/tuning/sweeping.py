"""The work of a sweep: every setting measured over every conversation, with one counter and one summarizer.

:class:`Sweeping` takes finished cells from the library, hands the missing ones to an executor
(:mod:`~memviz.tuning.executors`), and keeps what comes back. Pages and the command line iterate it themselves, to show
the progress; ``memviz.sweep`` (:mod:`~memviz.tuning.sweep`) does it for programs. The result is a
:class:`~memviz.tuning.results.Sweep`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event
from time import perf_counter

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.fingerprint import fingerprint
from memviz.core.model_errors import BudgetSpentError
from memviz.core.storage_errors import DatabaseGoneError, FullLibraryError
from memviz.core.text.wording import duration_words
from memviz.core.translation import _
from memviz.core.vectors import server_of_vectors
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.strategies.lookup import embedding_asked_by
from memviz.tuning import executors
from memviz.tuning.cell import (
    Cell,
    CellIndex,
    Job,
    choose_job_size,
    make_cell_key,
    measure_job,
    split_into_jobs,
)
from memviz.tuning.cluster import Cluster, ClusterProblem
from memviz.tuning.executors import Executor
from memviz.tuning.grid import find_largest_sizes
from memviz.tuning.kept_cells import KeptCells
from memviz.tuning.pace import HERE, DueWork, PaceKey, order_most_telling_first
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweep_progress import SweepProgress

LOOK_SECONDS = 0.5
"""The time between two looks for finished cells, while another process measures the same sweep."""


@dataclass
class Sweeping:
    """A sweep at work: iterate it to have its cells measured, and to get each when it is finished, in any order.

    Cells that are in ``kept`` come first and are not measured again. Setting ``stop`` ends the sweep early, and so does
    a spent budget, which ``stopped`` then tells in a sentence. A summarizer that cannot be reached raises
    :class:`memviz.core.model_errors.UnusableSummarizerError`. :attr:`sweep` is the result so far, at any time.
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
    cluster: Cluster | None = None
    """A cluster to measure on; what it cannot do is measured in this thread."""
    cluster_problem: ClusterProblem | None = None
    """The reason why the cluster did not measure some cells; set while measuring."""
    seconds: float | None = None
    """The most time to take; ``None`` for no limit. With a limit, the settings that tell most come first."""
    stop: Event = field(default_factory=Event)
    stopped: str = ""
    """A sentence that says why the sweep ended early; empty where the user stopped it."""
    cells: dict[CellIndex, Cell] = field(default_factory=dict)
    """The cells so far."""
    measured: int = 0
    """The number of cells that were measured now, and not kept from before."""
    is_out_of_time: bool = False
    """True if some cells were not begun because they did not fit into ``seconds``."""
    _started: float = field(default_factory=perf_counter)
    _due: DueWork = field(default_factory=DueWork)

    @property
    def total(self) -> int:
        """The number of all cells."""
        return len(self.subjects) * len(self.settings)

    @property
    def progress(self) -> SweepProgress:
        """The progress so far."""
        passed = perf_counter() - self._started
        left = self._due.seconds_left(passed)
        if left is not None and self.seconds is not None:
            left = min(left, max(0.0, self.seconds - passed))
        return SweepProgress(len(self.cells), self.total, self.measured, passed, left)

    @property
    def _writer(self) -> str:
        """The name of the summarizer; empty where there is none."""
        return "" if self.summarizer is None else self.summarizer.name

    def _make_pace_key(self, place: CellIndex) -> PaceKey:
        return PaceKey.of(self.settings[place.setting], self._writer)

    def _count_messages(self, place: CellIndex) -> int:
        return len(self.subjects[place.subject].log)

    @property
    def sweep(self) -> Sweep:
        """The result so far."""
        counter = find_counter(self.counter)
        subjects = self.subjects
        unmeasured = tuple(subject.unmeasured_results for subject in subjects)
        return Sweep(
            self.settings,
            tuple(subject.title for subject in subjects),
            dict(self.cells),
            self.assumptions,
            self.stopped,
            guessed_facts=tuple(subject.guessed_facts for subject in subjects),
            unmeasured_results=unmeasured,
            summarizer=self._writer,
            counter=counter.name,
            largest=find_largest_sizes((subject.log for subject in subjects), counter),
            system_prompts=tuple(subject.whole_system_prompt for subject in subjects),
        )

    def __iter__(self) -> Iterator[Cell]:
        keys = self._make_keys()
        claim = fingerprint(sorted(keys.values()))
        yield from self._take_kept(keys)
        if self.kept is None or len(self.cells) == self.total:
            yield from self._measure(keys)
            return
        # Another visitor or server may be measuring the same cells. Then take over each one that it finishes.
        waiting_since = perf_counter()
        while not self.kept.try_claim(claim):
            if self.stop.wait(LOOK_SECONDS):
                return
            yield from self._take_kept(keys)
            waited_seconds = perf_counter() - waiting_since
            if self.seconds is not None and waited_seconds > self.seconds:
                self.is_out_of_time = len(self.cells) < self.total
                self._say_why_stopped()
                return
        try:
            yield from self._take_kept(keys)
            yield from self._measure(keys)
        finally:
            self.kept.release_claim(claim)

    def _measure(self, keys: dict[CellIndex, str]) -> Iterator[Cell]:
        """Measure the missing cells, and yield each."""
        missing = [place for place in keys if place not in self.cells]
        if self.seconds is not None:
            numbers = order_most_telling_first(self.settings)
            rank = {number: order for order, number in enumerate(numbers)}
            missing.sort(key=lambda place: (rank[place.setting], place.subject))
        for place in missing:
            self._due.add(self._make_pace_key(place), self._count_messages(place))
        self._started = perf_counter()
        try:
            for finished in self._run(missing) if missing else ():
                for place, cell in finished:
                    self._keep_measured(place, cell, keys[place])
                    yield cell
        except BudgetSpentError as error:
            # If the user stopped the sweep, the budget was closed with it, and need not be spent.
            if not self.stop.is_set():
                self.stopped = str(error)
        if self.stopped:
            # The budget ended it, and not the time.
            self.is_out_of_time = False
        self._say_why_stopped()

    def _say_why_stopped(self) -> None:
        if self.is_out_of_time and not self.stop.is_set():
            self.stopped = _(
                "That is what fits into {time}.", time=duration_words(self.seconds or 0)
            )

    def _make_keys(self) -> dict[CellIndex, str]:
        counter = find_counter(self.counter).name
        summarizer = ""
        if self.summarizer is not None:
            # The identity has everything else that its answers depend on, such as its address.
            identity = [self.summarizer.name, self.summarizer.identity]
            summarizer = json.dumps(identity, sort_keys=True, default=str)
        keys = {}
        for subject_number, subject in enumerate(self.subjects):
            for setting_number, setting in enumerate(self.settings):
                # The summarizer does not matter for a setting that never summarizes.
                writer = summarizer if setting.writes_notes else ""
                # Two servers may give two embedding models the same name.
                embedding = embedding_asked_by(setting)
                writer += server_of_vectors(embedding, subject.log.kept_vectors)
                place = CellIndex(setting_number, subject_number)
                keys[place] = make_cell_key(subject, setting, counter, writer)
        return keys

    def _take_kept(self, keys: dict[CellIndex, str]) -> Iterator[Cell]:
        """Read the missing cells that were kept before, and yield them."""
        missing = {place: key for place, key in keys.items() if place not in self.cells}
        if self.kept is None or not missing:
            return
        kept_cells: dict[str, dict[str, object]] = {}
        # Without the database, for example when its file was deleted, all cells are measured.
        with suppress(DatabaseGoneError):
            kept_cells = self.kept.find_cells(list(missing.values()))
        for place, key in missing.items():
            try:
                cell = Cell.from_dict(kept_cells[key])
            except (LookupError, TypeError, ValueError):
                # The cell was not kept, or is damaged: it is measured instead.
                continue
            self.cells[place] = cell
            yield cell

    def _keep_measured(self, place: CellIndex, cell: Cell, key: str) -> None:
        self.cells[place] = cell
        self.measured += 1
        self._due.take(
            self._make_pace_key(place), self._count_messages(place), cell.seconds
        )
        if self.kept is not None and cell.can_be_kept:
            # A cell that cannot be kept is still shown. Pages tell the user about a full library by themselves.
            with suppress(DatabaseGoneError, FullLibraryError):
                self.kept.keep_cell(key, cell.to_dict())

    def _run(
        self, missing: Sequence[CellIndex]
    ) -> Iterator[list[tuple[CellIndex, Cell]]]:
        cluster = self.cluster
        if cluster is None:
            yield from self._run_at(self.scheduler, missing)
            return
        # Workers of a cluster cannot read the vectors of embedding models, which are in a folder of this server.
        places_here = [place for place in missing if self._asks_embedding(place)]
        places_there = [place for place in missing if not self._asks_embedding(place)]
        if places_there:
            try:
                with executors.use_cluster(cluster) as address:
                    yield from self._run_at(address, places_there)
            except executors.ClusterError as error:
                self.cluster_problem = error.problem
        if self.cluster_problem is not None:
            places_here = [place for place in missing if place not in self.cells]
        if places_here and not self.stop.is_set():
            yield from self._run_at(None, places_here)

    def _asks_embedding(self, place: CellIndex) -> bool:
        return bool(embedding_asked_by(self.settings[place.setting]))

    def _run_at(
        self, scheduler: str | None, places: Sequence[CellIndex]
    ) -> Iterator[list[tuple[CellIndex, Cell]]]:
        executor, workers = executors.choose_executor(
            self.executor, scheduler, self.workers, self.summarizer
        )
        size = 1
        if executor in ("processes", "dask"):
            size = choose_job_size(len(places), workers)
        todo = self._list_jobs(places, size)
        if self.seconds is not None:
            todo = self._list_jobs_in_time(places, self.seconds)
        return executors.run_jobs(
            executor, todo, measure_job, self.stop, workers=workers, scheduler=scheduler
        )

    def _list_jobs(self, places: Sequence[CellIndex], size: int) -> Iterator[Job]:
        return split_into_jobs(
            self.subjects, self.settings, places, self.counter, self.summarizer, size
        )

    def _list_jobs_in_time(
        self, places: Sequence[CellIndex], seconds: float
    ) -> Iterator[Job]:
        """Yield the jobs of these cells, in their order, that will be finished in time.

        The first one is done however long it takes: else nothing could be shown, not even when the sweep is continued.
        """
        is_begun = False
        for place in places:
            seconds_left = seconds - (perf_counter() - self._started)
            needed = HERE.predict_seconds(
                self._make_pace_key(place), self._count_messages(place)
            )
            if is_begun and (needed or 0.0) > seconds_left:
                self.is_out_of_time = True
                continue
            is_begun = True
            yield from self._list_jobs([place], 1)
