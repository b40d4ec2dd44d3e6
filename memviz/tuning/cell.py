"""A cell of a sweep: the tokens that one setting sent of one conversation, and the facts that it kept.

:func:`measure_cell` replays the conversation and counts. Prices are applied later, in
:mod:`~memviz.tuning.results`, so that a cell need not be measured again for others. A :class:`Job` has several cells to
measure, for an executor that may run in another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import ceil, isnan, nan
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.counters import AnyCounter
from memviz.core.errors import MemvizError
from memviz.core.fingerprint import fingerprint
from memviz.core.model_errors import (
    BudgetSpentError,
    MissingVectorsError,
    UnusableSummarizerError,
)
from memviz.engine.replay import replay
from memviz.engine.run import Run
from memviz.metrics.requests.broken_pairs import (
    count_refused_requests,
    find_orphaned_requests,
)
from memviz.metrics.requests.traffic import Traffic, count_traffic, sends_everything
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.retention import retention
from memviz.models.base import Model
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.base import RULE, Category
from memviz.tuning.statements import judge_probes, read_texts
from memviz.tuning.sweep_conversation import SweepConversation

VERSION = 10
"""A part of every key: raise it when a measurement changes, so that kept cells are measured again."""
JOBS_A_WORKER = 8
"""The number of jobs for each worker: with several, all workers end at about the same time."""


def _make_no_counts() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Cell:
    """The measurement of one setting over one conversation."""

    strategy: Strategy
    subject: str
    """The title of the conversation."""
    traffic: Traffic = field(default_factory=Traffic.nothing, repr=False)
    retained: NDArray[np.int64] = field(default_factory=_make_no_counts, repr=False)
    """[requests]: the number of facts that a request holds (see
    :class:`memviz.metrics.retention.knowledge.Retention`)."""
    born: NDArray[np.int64] = field(default_factory=_make_no_counts, repr=False)
    """[requests]: the number of facts that had been stated by then."""
    facts: int = 0
    """The number of all facts."""
    shares: Mapping[Category, float] = field(default_factory=dict, repr=False)
    """The same as :attr:`retention` for each category. A category of which no fact is ever stated is missing."""
    summarizations: int = 0
    failed_summarizations: int = 0
    """The calls that gave no summary."""
    over_budget_requests: int = 0
    """The requests larger than the strategy's own budget."""
    orphaned_requests: int = 0
    """The requests that hold a tool's result without its call."""
    refused_requests: int = 0
    """The requests that a provider refuses: those, and requests that hold a tool's call without its result."""
    sends_everything: bool = False
    """True if it did what the full buffer does (:func:`memviz.metrics.requests.traffic.sends_everything`)."""
    seconds: float = 0.0
    """The time that measuring took."""
    error: str = ""
    """A sentence that says why the setting could not be run; then all counts are empty."""
    lacks_vectors: bool = False
    """True if that is because an embedding model was not asked for vectors."""

    @cached_property
    def retention(self) -> float:
        """The share (0 to 1) of the facts stated so far that a request holds, on average over the requests.

        Only requests count by which a fact was stated; NaN where there are none.
        """
        has_facts = self.born > 0
        if not has_facts.any():
            return nan
        return float(np.mean(self.retained[has_facts] / self.born[has_facts]))

    @property
    def rule_retention(self) -> float:
        """The same for rules alone; NaN where none is ever stated."""
        return self.shares.get(RULE, nan)

    @property
    def final_retention(self) -> float:
        """The share of the facts that the last request holds; NaN where none is ever stated."""
        if not self.born.size or not self.born[-1]:
            return nan
        return float(self.retained[-1] / self.born[-1])

    @property
    def can_be_kept(self) -> bool:
        """True if measuring again would give the same: a failed call of the summarizer may succeed the next time."""
        return not self.error and not self.failed_summarizations

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as JSON."""
        value = {
            cell_field.name: getattr(self, cell_field.name)
            for cell_field in fields(self)
        }
        parameters = self.strategy.model_dump()
        value["strategy"] = {"id": self.strategy.id, "parameters": parameters}
        value["traffic"] = self.traffic.to_dict()
        value["retained"] = self.retained.tolist()
        value["born"] = self.born.tolist()
        return value

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Cell:
        """Return the cell that :meth:`to_dict` described."""
        values = dict(value)
        setting = value["strategy"]
        values["strategy"] = make_strategy(setting["id"], **setting["parameters"])
        values["traffic"] = Traffic.from_dict(value["traffic"])
        values["retained"] = np.array(value["retained"], np.int64)
        values["born"] = np.array(value["born"], np.int64)
        return cls(**values)


def make_cell_key(
    subject: SweepConversation, strategy: Strategy, counter: str, summarizer: str
) -> str:
    """Return the key under which a cell is kept: a hash of everything that it depends on."""
    setting = (strategy.id, strategy.model_dump())
    return fingerprint([VERSION, subject.digest, *setting, counter, summarizer])


def measure_cell(
    subject: SweepConversation,
    strategy: Strategy,
    counter: AnyCounter,
    summarizer: Model | None,
) -> Cell:
    """Replay ``subject`` under ``strategy``, and return the measured cell.

    A setting that cannot be run, such as one with a system prompt larger than its budget, gives a cell with an
    ``error``. A spent budget and a summarizer that cannot be reached are raised, because all other cells would fail as
    well.
    """
    began_at = perf_counter()
    try:
        run, own_retention = replay_subject(subject, strategy, counter, summarizer)
    except (BudgetSpentError, UnusableSummarizerError):
        raise
    except MemvizError as error:
        seconds = perf_counter() - began_at
        return Cell(
            strategy,
            subject.title,
            seconds=seconds,
            error=str(error),
            lacks_vectors=isinstance(error, MissingVectorsError),
        )
    cell = make_cell(subject, run, own_retention, perf_counter() - began_at)
    if subject.rules:
        # Rules are judged by themselves: the sentence of a rule would seem to deny a fact.
        rules = judge_probes(run, read_texts(run, subject.rules))
        cell = replace(cell, shares={**cell.shares, **_measure_shares(rules)})
    return cell


def replay_subject(
    subject: SweepConversation,
    strategy: Strategy,
    counter: AnyCounter,
    summarizer: Model | None,
) -> tuple[Run, Retention | None]:
    """Return the run of ``subject`` under ``strategy``, and its retention (``None`` without probes).

    Raises what :func:`memviz.replay` does.
    """
    run = replay(
        subject.log,
        strategy,
        model=summarizer,
        counter=counter,
        system_prompt=subject.system_prompt,
        tools=subject.tools,
    )
    own_retention = None
    if subject.probes:
        own_retention = retention(run, subject.probes, subject.texts)
    return run, own_retention


def make_cell(
    subject: SweepConversation,
    run: Run,
    own_retention: Retention | None,
    seconds: float = 0.0,
) -> Cell:
    """Return the cell of a finished run of ``subject``; ``own_retention`` is its retention, ``None`` if unknown."""
    sent_traffic = count_traffic(run)
    retained = born = np.zeros(len(sent_traffic.turns), np.int64)
    facts = 0
    shares: dict[Category, float] = {}
    # Where a fact may be in a block that nobody can read, no setting could be recommended, so no facts are counted.
    if own_retention is not None and (own_retention.judged == own_retention.born).all():
        retained = own_retention.retained.sum(axis=1, dtype=np.int64)
        born = own_retention.born.sum(axis=1, dtype=np.int64)
        facts = len(subject.probes)
        shares = _measure_shares(own_retention)
    return Cell(
        run.strategy,
        subject.title,
        traffic=sent_traffic,
        retained=retained,
        born=born,
        facts=facts,
        shares=shares,
        summarizations=sum(
            compaction.is_summarization for compaction in run.compactions
        ),
        failed_summarizations=sum(
            compaction.failed_calls for compaction in run.compactions
        ),
        over_budget_requests=run.columns.over_budget,
        orphaned_requests=len(find_orphaned_requests(run)),
        refused_requests=count_refused_requests(run),
        sends_everything=sends_everything(run),
        seconds=seconds,
    )


def _measure_shares(own_retention: Retention) -> dict[Category, float]:
    shares = {}
    for category in sorted({probe.category for probe in own_retention.probes}):
        share = own_retention.mean_share(category)
        if not isnan(share):
            shares[category] = share
    return shares


class CellIndex(NamedTuple):
    """The place of a cell in a sweep: the number (0-based) of its setting and of its conversation."""

    setting: int
    subject: int


class Job(NamedTuple):
    """Settings to measure over one conversation, each with the place of its cell. It can be sent to other processes."""

    subject: SweepConversation
    settings: tuple[tuple[CellIndex, Strategy], ...]
    counter: AnyCounter
    summarizer: Model | None


def split_into_jobs(
    subjects: Sequence[SweepConversation],
    settings: Sequence[Strategy],
    places: Sequence[CellIndex],
    counter: AnyCounter,
    summarizer: Model | None,
    size: int,
) -> Iterator[Job]:
    """Yield the cells at ``places`` as jobs of at most ``size`` cells, conversation by conversation."""
    for number, subject in enumerate(subjects):
        own_places = [place for place in places if place.subject == number]
        cells = [(place, settings[place.setting]) for place in own_places]
        for start in range(0, len(cells), size):
            yield Job(subject, tuple(cells[start : start + size]), counter, summarizer)


def choose_job_size(cells: int, workers: int) -> int:
    """Return the number of cells in a job, so that each worker gets :data:`JOBS_A_WORKER` jobs."""
    return max(1, ceil(cells / (workers * JOBS_A_WORKER)))


def measure_job(job: Job) -> list[tuple[CellIndex, Cell]]:
    """Measure all cells of a job, and return each with its place."""
    return [
        (place, measure_cell(job.subject, setting, job.counter, job.summarizer))
        for place, setting in job.settings
    ]
