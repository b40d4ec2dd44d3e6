"""Jobs in threads: how many at once, what comes back when, and how it ends early."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from threading import Barrier, Event, Lock

import pytest

from memviz.core.model_errors import BudgetSpentError
from memviz.tuning.executors import run_in_threads as run

SOON = 60.0
"""Longer than anything here takes, in seconds."""


def test_every_job_is_done_once() -> None:
    assert sorted(run(range(50), lambda job: job * 2, Event(), workers=4)) == list(
        range(0, 100, 2)
    )


def test_no_jobs_give_no_results() -> None:
    assert list(run([], lambda job: job, Event(), workers=4)) == []


def test_as_many_as_there_are_workers_run_at_once_and_no_more() -> None:
    together, lock, most = Barrier(3, timeout=SOON), Lock(), 0
    running = 0

    def work(job: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait()  # goes on only once three are here
        time.sleep(0.01)
        with lock:
            running -= 1
        return job

    assert sorted(run(range(12), work, Event(), workers=3)) == list(range(12))
    assert most == 3


def test_results_come_as_they_finish() -> None:
    last = Event()

    def work(job: str) -> str:
        if job == "slow":
            assert last.wait(SOON)
        if job == "last":
            last.set()
        return job

    results = list(run(["slow", "quick", "last"], work, Event(), workers=2))
    assert results.index("quick") < results.index("slow")


def test_a_slow_job_delays_no_other_and_none_is_taken_before_a_worker_is_free() -> None:
    taken: list[int] = []
    enough = Event()

    def jobs() -> Iterator[int]:
        for job in range(100):
            taken.append(job)
            yield job

    def work(job: int) -> int:
        if job == 0:
            assert enough.wait(SOON)
        return job

    started = time.monotonic()
    results = run(jobs(), work, Event(), workers=2)
    first = [next(results) for _ in range(30)]
    assert time.monotonic() - started < SOON / 2
    assert first == list(range(1, 31))
    assert len(taken) <= len(first) + 2
    enough.set()
    assert sorted([*first, *results]) == list(range(100))


def test_stopping_begins_nothing_new_and_keeps_what_was_under_way() -> None:
    stop, begun = Event(), []

    def work(job: int) -> int:
        begun.append(job)
        if job == 2:
            stop.set()
        if job >= 2:
            time.sleep(0.3)  # the stop is seen while this one is under way
        return job

    results = list(run(range(100), work, stop, workers=2))
    assert sorted(results) == sorted(begun)
    assert len(begun) <= 4


def test_stopped_before_it_began() -> None:
    stop = Event()
    stop.set()
    assert list(run(range(9), lambda job: job, stop, workers=2)) == []


@pytest.mark.slow
def test_a_stop_waits_no_longer_than_the_grace() -> None:
    stop, release = Event(), Event()

    def work(job: int) -> int:
        stop.set()
        release.wait(SOON)
        return job

    started = time.monotonic()
    try:
        assert list(run(range(9), work, stop, workers=2, grace_seconds=0.3)) == []
        assert 0.2 < time.monotonic() - started < SOON / 2
    finally:
        release.set()


def test_an_error_ends_it_after_the_results_that_were_under_way() -> None:
    failed, begun = Event(), []

    def work(job: int) -> int:
        begun.append(job)
        if job == 3:
            failed.set()
            raise BudgetSpentError(1.0, 0.9, 0.2)
        if job == 4:
            assert failed.wait(SOON)
            time.sleep(0.3)  # the error is seen while this one is under way
        return job

    results = []
    with pytest.raises(BudgetSpentError, match=r"\$0\.9 is spent"):
        results.extend(run(range(3, 100), work, Event(), workers=2))
    assert 4 in results
    assert 3 not in results
    assert sorted([*results, 3]) == sorted(begun)
    assert len(begun) <= 4


def test_of_several_errors_one_is_raised() -> None:
    both = Barrier(2, timeout=SOON)

    def work(job: int) -> int:
        both.wait()
        raise ValueError(job)

    with pytest.raises(ValueError, match=r"[01]"):
        list(run(range(2), work, Event(), workers=2))


def test_who_stops_listening_leaves_no_threads_behind() -> None:
    results = run(range(100), lambda job: job, Event(), workers=3)
    next(results)
    results.close()  # type: ignore[attr-defined]  # it is a generator
    deadline = time.monotonic() + SOON
    while any("memviz-sweep" in thread.name for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
