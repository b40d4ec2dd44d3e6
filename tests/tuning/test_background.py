"""A sweep in a thread of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Event

import numpy as np

from memviz import SweepError
from memviz.core.counters import counter
from memviz.core.vectors import vectors_from
from memviz.transcripts.samples import sample
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.grid import expand_grid
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping
from tests.tables import for_each

WAIT_SECONDS = 60


def sweeping(**options: object) -> Sweeping:
    subject = SweepConversation.of(sample("trip"), counter("o200k_base"))
    return Sweeping(
        (subject,), expand_grid({"window": {"window_size": [4, 8, 12]}}), **options
    )  # type: ignore[arg-type]


def test_it_ends_by_itself_with_all_cells() -> None:
    work = BackgroundSweep(sweeping)
    assert work.wait(WAIT_SECONDS)
    assert work.sweep is not None
    assert work.sweep.is_complete
    assert work.progress is not None
    assert (work.progress.done, work.progress.total) == (3, 3)
    assert work.error is None
    assert work.sweep is work.sweep  # with the tables that it made


@for_each("executor", ["inline", "threads"])
def test_vectors_that_are_given_where_it_is_begun_are_given_in_its_threads(
    executor: str,
) -> None:
    def embed(model: str, texts: Sequence[str]) -> list[np.ndarray]:
        return [np.eye(2, dtype=np.float32)[len(text) % 2] for text in texts]

    def make() -> Sweeping:
        grid = {"retrieval": {"embedding_percent": [50], "embedding_model": "a/b"}}
        return replace(sweeping(executor=executor), settings=expand_grid(grid))

    with vectors_from(embed):
        work = BackgroundSweep(make)
    without = BackgroundSweep(make)
    for one, lacks in ((work, False), (without, True)):
        assert one.wait(WAIT_SECONDS)
        assert one.sweep is not None
        (cell,) = one.sweep.cells.values()
        assert cell.lacks_vectors == bool(cell.error) == lacks


def test_while_it_is_being_made_there_is_nothing() -> None:
    made = Event()

    def make() -> Sweeping:
        made.wait(WAIT_SECONDS)
        return sweeping()

    work = BackgroundSweep(make)
    assert (work.sweep, work.progress, work.wait(0)) == (None, None, False)
    made.set()
    assert work.wait(WAIT_SECONDS)


def test_cancelling_keeps_what_is_finished() -> None:
    told: list[str] = []
    made = Event()

    def make() -> Sweeping:
        made.wait(WAIT_SECONDS)
        return sweeping()

    work = BackgroundSweep(make, on_cancel=lambda: told.append("closed"))
    work.cancel()
    made.set()
    assert work.wait(WAIT_SECONDS)
    assert work.sweep is not None
    assert not work.sweep.is_complete
    assert told == ["closed"]


def test_an_error_is_told() -> None:
    def make() -> Sweeping:
        raise SweepError("The cluster is gone.")

    work = BackgroundSweep(make)
    assert work.wait(WAIT_SECONDS)
    assert str(work.error) == "The cluster is gone."


@for_each("executor", ["inline", "threads"])
def test_who_does_the_work_changes_no_number(executor: str) -> None:
    one, other = sweeping(executor="inline"), sweeping(executor=executor, workers=2)
    assert list(one)
    assert list(other)
    assert (
        one.sweep.frame()
        .drop(columns="seconds")
        .equals(other.sweep.frame().drop(columns="seconds"))
    )
