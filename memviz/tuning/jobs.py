"""The work of a sweep in pieces that any executor can run: several settings over one conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from memviz.core.counters import AnyCounter
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.tuning.cell import Cell, measure
from memviz.tuning.sweep_conversation import SweepConversation


class CellIndex(NamedTuple):
    """Where a cell stands in a sweep: the number (0-based) of its setting and of its conversation."""

    setting: int
    subject: int


class Job(NamedTuple):
    """Settings to measure over one conversation, each with its place. Can be pickled."""

    subject: SweepConversation
    settings: tuple[tuple[CellIndex, Strategy], ...]
    counter: AnyCounter
    summarizer: Model | None


def jobs(
    subjects: Sequence[SweepConversation],
    settings: Sequence[Strategy],
    places: Sequence[CellIndex],
    counter: AnyCounter,
    summarizer: Model | None,
    size: int,
) -> Iterator[Job]:
    """The cells at ``places`` as jobs of at most ``size`` cells, conversation by conversation."""
    for number, subject in enumerate(subjects):
        mine = [
            (place, settings[place.setting])
            for place in places
            if place.subject == number
        ]
        for at in range(0, len(mine), size):
            yield Job(subject, tuple(mine[at : at + size]), counter, summarizer)


def job_size(cells: int, workers: int, jobs_per_worker: int = 8) -> int:
    """How many cells a job holds: few enough that all workers end at about the same time."""
    return max(1, ceil(cells / (workers * jobs_per_worker)))


def work(job: Job) -> list[tuple[CellIndex, Cell]]:
    """Measure all cells of a job."""
    return [
        (place, measure(job.subject, one, job.counter, job.summarizer))
        for place, one in job.settings
    ]
