"""The work of a sweep over a fleet: it measures thousands of conversations batch by batch, and can be continued.

:class:`FleetSweeping` reads the fleet as a stream, hands batches to an executor
(:func:`~memviz.tuning.fleet.batches.measure_batch`), and writes each result into a folder. If it is stopped, the same
call measures the batches that are missing in the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from threading import Event
from typing import Any, NamedTuple

import pyarrow as pa

from memviz.core.errors import SweepError
from memviz.core.fingerprint import fingerprint
from memviz.core.translation import _
from memviz.strategies.base import Strategy
from memviz.transcripts.fleet.addresses import (
    digest_of,
    problem_of,
    without_secrets,
)
from memviz.transcripts.fleet.source import Item
from memviz.transcripts.mapping.declaration import FileMapping
from memviz.tuning import executors
from memviz.tuning.cell import VERSION as CELL_VERSION
from memviz.tuning.executors import Executor
from memviz.tuning.fleet.batches import FleetBatch, FleetJob, FleetPlan, measure_batch
from memviz.tuning.fleet.folder import FleetFolder
from memviz.tuning.fleet.tables import SCHEMA_VERSION, make_table
from memviz.tuning.results import name_setting

BATCH_ITEMS = 1_000
BATCH_BYTES = 8_000_000
"""The most conversations, and about the most bytes, of a batch: so much is held in memory, and lost by a stop."""


class FleetProgress(NamedTuple):
    """The progress of a sweep over a fleet, with what was finished before it was continued."""

    runs: int
    """The number of replays: of each conversation under each setting."""
    failures: int
    batches: int


@dataclass
class FleetSweeping:
    """A sweep over a fleet at work: iterate it to have it measured, and to get the progress after each batch.

    Batches that ``folder`` has are not measured again. Setting ``stop`` ends it early; the same sweep can be continued
    later. Raises :class:`memviz.SweepError` where the folder holds another sweep or cannot be written, where workers
    are lost, and where the source cannot be read any more.
    """

    plan: FleetPlan
    folder: FleetFolder
    executor: Executor = "auto"
    workers: int | None = None
    scheduler: str | None = None
    batch_items: int = BATCH_ITEMS
    stop: Event = field(default_factory=Event)
    is_complete: bool = False
    """True when every conversation is measured or among the failures."""

    def __iter__(self) -> Iterator[FleetProgress]:
        manifest = make_manifest(self.plan, self.batch_items)
        self.folder.begin(manifest, make_settings_table(self.plan.settings))
        done = self._kept_progress()
        yield done
        known = self.folder.manifest() or {}
        self.is_complete = known.get("is_complete") is True
        if self.is_complete:
            return
        for batch in self._measured():
            self.folder.keep(batch)
            done = FleetProgress(
                done.runs + batch.tables["conversations"].num_rows,
                done.failures + batch.tables["failures"].num_rows,
                done.batches + 1,
            )
            yield done
        if not self.stop.is_set():
            self.is_complete = True
            self.folder.write_manifest({**manifest, "is_complete": True})

    def _kept_progress(self) -> FleetProgress:
        """Return the progress of the batches in the folder."""
        runs = self.folder.row_count("conversations")
        failures = self.folder.row_count("failures")
        return FleetProgress(runs, failures, len(list(self.folder.files("failures"))))

    def _measured(self) -> Iterator[FleetBatch]:
        jobs = self._missing_jobs()
        # To find the first missing batch may take long. Here Ctrl-C still stops it; inside an executor it is blocked.
        first = list(islice(jobs, 1))
        executor, workers = executors.choose_executor(
            self.executor, self.scheduler, self.workers, self.plan.summarizer
        )
        return executors.run_jobs(
            executor,
            chain(first, jobs),
            measure_batch,
            self.stop,
            workers=workers,
            scheduler=self.scheduler,
        )

    def _missing_jobs(self) -> Iterator[FleetJob]:
        try:
            batches = split_into_batches(self.plan.fleet.items(), self.batch_items)
            for number, items in enumerate(batches):
                if self.stop.is_set():
                    return
                job = FleetJob(number, items, self.plan)
                mark = self.folder.mark(number)
                if mark is None:
                    yield job
                elif mark != job.mark:
                    raise SweepError(
                        _(
                            "The files are read otherwise than when the sweep was begun: one could not be read for a "
                            "moment, then or now. Run it again, and if it says so again, into another folder."
                        )
                    )
        except OSError as error:
            problem = problem_of(error)
            raise SweepError(
                _(
                    "The conversations cannot be read any more ({problem}). What was finished is kept: run the sweep "
                    "again to go on.",
                    problem=problem,
                )
            ) from None


def split_into_batches(
    items: Iterable[Item], most_items: int
) -> Iterator[tuple[Item, ...]]:
    """Yield ``items`` in batches of at most ``most_items``, and of about :data:`BATCH_BYTES` at most."""
    batch: list[Item] = []
    size_bytes = 0
    for item in items:
        batch.append(item)
        size_bytes += item.size_bytes
        if len(batch) == most_items or size_bytes >= BATCH_BYTES:
            yield tuple(batch)
            batch = []
            size_bytes = 0
    if batch:
        yield tuple(batch)


def make_manifest(plan: FleetPlan, batch_items: int) -> dict[str, Any]:
    """Return the manifest of a sweep as JSON: everything that has to be the same for it to be continued.

    Raises :class:`memviz.TranscriptError` where there are no files.
    """
    fleet = plan.fleet
    digest, file_count = digest_of(fleet.files())
    sources = [without_secrets(address) for address in fleet.addresses]
    mapping = (
        fleet.mapping.to_yaml() if isinstance(fleet.mapping, FileMapping) else None
    )
    reading = {"format": fleet.format, "mapping": mapping, "user": fleet.user}
    limits = [asdict(fleet.limits), batch_items, BATCH_BYTES]
    summarizer = None
    if plan.summarizer is not None:
        summarizer = [plan.summarizer.name, plan.summarizer.identity]
    measuring = [plan.counter.name, summarizer, repr(plan.assumptions), plan.has_facts]
    return {
        "schema": [SCHEMA_VERSION, CELL_VERSION],
        "source": fingerprint([sources, digest]),
        "reading": fingerprint([reading, limits]),
        "sample": [fleet.sample, fleet.seed],
        "settings": fingerprint(make_settings_table(plan.settings).to_pylist()),
        "measuring": fingerprint(measuring),
        "tables": plan.has_requests,
        "files": file_count,
        "fleet": {
            "sources": sources,
            **reading,
        },
        "is_complete": False,
    }


def make_settings_table(settings: Sequence[Strategy]) -> pa.Table:
    """Return the table of the settings, in their order."""
    rows = []
    for number, setting in enumerate(settings):
        parameters = setting.model_dump_json()
        rows.append({**name_setting(number, setting), "parameters": parameters})
    return make_table("settings", rows)
