"""A small sweep for the executors that work in other processes: the same numbers wherever it is done."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pandas as pd

from benchmarks.synthetic.generator import generate
from memviz.core.counters import counter
from memviz.tuning.cell import Cell, CellIndex, Job, measure_job, split_into_jobs
from memviz.tuning.grid import expand_grid
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping

GRID = {
    "buffer": {},
    "window": {"window_size": [2, 4, 8, 16]},
    "token_buffer": {"max_tokens": [100, 300]},
}


def sweeping(**options: object) -> Sweeping:
    """A sweep of 14 cells."""
    subjects = tuple(
        SweepConversation.of(generate(12, seed=seed), counter("chars4"))
        for seed in (1, 2)
    )
    return Sweeping(subjects, expand_grid(GRID), counter="chars4", **options)  # type: ignore[arg-type]


def all_jobs(size: int = 1) -> list[Job]:
    """Its jobs."""
    made = sweeping()
    places = [
        CellIndex(s, c)
        for c in range(len(made.subjects))
        for s in range(len(made.settings))
    ]
    return list(
        split_into_jobs(made.subjects, made.settings, places, made.counter, None, size)
    )


def numbers(found: Sweep) -> pd.DataFrame:
    """Everything that was measured but the time it took."""
    return found.frame().drop(columns="seconds")


def expected() -> pd.DataFrame:
    made = sweeping(executor="inline")
    list(made)
    return numbers(made.sweep)


def numbers_of(cells: dict[CellIndex, Cell]) -> pd.DataFrame:
    made = sweeping()
    made.cells.update(cells)
    return numbers(made.sweep)


def killed_once(given: tuple[Job, Path]) -> list[tuple[CellIndex, Cell]]:
    """Measure a job. The first process that gets here leaves the mark that ``given`` names, and is killed."""
    job, mark = given
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return measure_job(job)
    time.sleep(0.3)  # others finish theirs
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def slept(seconds: float) -> float:
    time.sleep(seconds)
    return seconds
