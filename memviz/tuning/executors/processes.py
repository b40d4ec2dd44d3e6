"""Jobs in several processes of this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Event, Thread
from typing import Any, TypeVar

from memviz.core.errors import SweepError
from memviz.tuning.executors.interrupts import interrupts_held_back

Job = TypeVar("Job")
Result = TypeVar("Result")
LOOK_SECONDS = 0.2
"""How long it takes at most until ``stop`` is seen."""
SPAWNED = get_context("spawn")
"""Spawned, not forked: the threads of a server must not be copied in the middle of what they do."""


def run(
    jobs: Iterable[Job], work: Callable[[Job], Result], stop: Event, *, workers: int
) -> Iterator[Result]:
    """Do the jobs in ``workers`` processes. Once ``stop`` is set nothing new is begun; jobs at work still give their
    results. Who stops listening, or is killed, leaves no process behind. Ctrl-C reaches this process alone.

    Raises :class:`memviz.core.errors.SweepError` when a process was killed.
    """
    waiting, over = iter(jobs), SPAWNED.Event()
    lifeline, ours = SPAWNED.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        workers, SPAWNED, initializer=_begin_worker, initargs=(lifeline, over)
    )

    def hand_over(number: int) -> set[Future[list[Result]]]:
        with interrupts_held_back():
            return {pool.submit(_do, work, job) for job in islice(waiting, number)}

    try:
        under_way = hand_over(2 * workers)
        while under_way and not stop.is_set():
            with interrupts_held_back():  # one that comes while the locks of all futures are taken leaves them taken
                done, under_way = wait(
                    under_way, LOOK_SECONDS, return_when=FIRST_COMPLETED
                )
            yield from _results(done)
            under_way |= hand_over(len(done))
        over.set()
        yield from _results(wait(under_way).done)
        pool.shutdown()
    except BrokenProcessPool:
        raise SweepError(
            "A worker process of the sweep was killed, perhaps because memory ran out. What was finished is kept: "
            "run the sweep again to go on, with fewer workers."
        ) from None
    finally:
        ours.close()  # ends the workers that are still there
        pool.shutdown(cancel_futures=True)
        lifeline.close()


def _results(done: Iterable[Future[list[Result]]]) -> Iterator[Result]:
    """What came back; errors last, so that none takes a result with it."""
    for future in sorted(done, key=lambda future: future.exception() is not None):
        yield from future.result()


_over: Any = None
"""In a worker: whether nothing new is to be begun."""


def _begin_worker(lifeline: Connection, over: Any) -> None:
    global _over
    _over = over
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # for Windows; elsewhere it was held back from the beginning
    Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    """Nothing is ever sent: the other end closes when the parent has done, or was killed."""
    with suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(1)


def _do(work: Callable[[Job], Result], job: Job) -> list[Result]:
    """The result of a job; none if it came too late."""
    return [] if _over.is_set() else [work(job)]
