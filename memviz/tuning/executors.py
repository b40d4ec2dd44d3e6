"""The workers of a sweep: this thread, several threads, several processes, or a Dask cluster.

Each function takes jobs and the function that does one, and yields what comes back, in the order in which it does.
``stop`` ends it early: nothing new is begun.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import copy_context
from itertools import islice
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.resource_tracker import ensure_running
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from uuid import uuid4

from memviz.core.errors import SweepError
from memviz.core.translation import _
from memviz.models.base import Model
from memviz.models.names import is_free
from memviz.tuning.cluster import Cluster, ClusterProblem, check_dask

if TYPE_CHECKING:
    from distributed import Client

Executor = Literal["auto", "inline", "threads", "processes", "dask"]
Job = TypeVar("Job")
Result = TypeVar("Result")
DEFAULT_CONCURRENCY = 4
"""Calls of a summarizer behind an API that are under way at once."""
LOOK_SECONDS = 0.2
"""How long it takes at most until ``stop`` is seen."""


def choose_executor(
    executor: Executor,
    scheduler: str | None,
    workers: int | None,
    summarizer: Model | None,
) -> tuple[Executor, int]:
    """Return the executor that ``executor`` stands for, and its number of workers.

    ``auto`` is the cluster where there is a ``scheduler``, threads for a summarizer that costs money (they wait for its
    replies), else processes, or this thread where only one worker is wanted.
    """
    if executor == "auto":
        if scheduler is not None:
            executor = "dask"
        elif summarizer is not None and not is_free(summarizer.name):
            executor = "threads"
        else:
            executor = "inline" if (workers or 1) == 1 else "processes"
    default = DEFAULT_CONCURRENCY if executor == "threads" else 2
    return executor, workers or default


def run_jobs(
    executor: Executor,
    jobs: Iterable[Job],
    work: Callable[[Job], Result],
    stop: Event,
    *,
    workers: int,
    scheduler: str | None = None,
) -> Iterator[Result]:
    """Do ``work`` on each of ``jobs`` with an executor, and yield the results as they are ready.

    Once ``stop`` is set, no further job is begun. ``auto`` and ``inline`` run in this thread.
    """
    match executor:
        case "threads":
            return run_in_threads(jobs, work, stop, workers=workers)
        case "processes":
            return run_in_processes(jobs, work, stop, workers=workers)
        case "dask":
            return run_on_dask(jobs, work, stop, scheduler=scheduler, workers=workers)
        case _:
            return run_inline(jobs, work, stop)


def run_inline(
    jobs: Iterable[Job], work: Callable[[Job], Result], stop: Event
) -> Iterator[Result]:
    """Do the jobs in order, in this thread."""
    for job in jobs:
        if stop.is_set():
            return
        yield work(job)


GRACE_SECONDS = 60.0


def run_in_threads(
    jobs: Iterable[Job],
    work: Callable[[Job], Result],
    stop: Event,
    *,
    workers: int,
    grace_seconds: float = GRACE_SECONDS,
) -> Iterator[Result]:
    """Do the jobs in ``workers`` threads of this process, for work that mostly waits for a network.

    Once ``stop`` is set or a job has raised an error, no further job is begun. Jobs under way still give their results
    if they take no longer than ``grace_seconds``. Then the first error is raised.
    """
    waiting = iter(jobs)
    deadline = inf
    under_way: set[Future[Result]] = set()
    error: BaseException | None = None
    pool = ThreadPoolExecutor(workers, thread_name_prefix="memviz-sweep")
    try:
        while monotonic() < deadline:
            if error or stop.is_set():
                deadline = min(deadline, monotonic() + grace_seconds)
            else:
                for job in islice(waiting, workers - len(under_way)):
                    # The language and the vectors chosen in this thread count in the thread of the job too.
                    within = copy_context()
                    under_way.add(pool.submit(within.run, work, job))
            if not under_way:
                break
            done, under_way = wait(under_way, LOOK_SECONDS, return_when=FIRST_COMPLETED)
            failures = [future.exception() for future in done]
            error = error or next(filter(None, failures), None)
            yield from (future.result() for future in done if not future.exception())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if error:
        raise error


SPAWNED = get_context("spawn")
"""Workers are spawned, not forked: a fork copies the locks that other threads of a server hold."""


@contextmanager
def hold_back_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from the threads and processes that are started inside the block.

    A terminal sends Ctrl-C to all processes of a command, but only the one that the user sees should handle it. A new
    thread or process inherits the blocked signal, so it never gets it, not even before its first line of code. This
    thread gets a Ctrl-C that came meanwhile at the end of the block. On Windows signals cannot be blocked, so this does
    nothing there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The resource tracker would unblock the signal if it was started inside the block.
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_in_processes(
    jobs: Iterable[Job], work: Callable[[Job], Result], stop: Event, *, workers: int
) -> Iterator[Result]:
    """Do the jobs in ``workers`` processes of this machine.

    Once ``stop`` is set, no further job is begun, and jobs under way still give their results. Worker processes end
    with this one, even if it is killed, and Ctrl-C reaches this one alone.

    Raises :class:`memviz.core.errors.SweepError` when a process was killed.
    """
    waiting = iter(jobs)
    over = SPAWNED.Event()
    lifeline, ours = SPAWNED.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        workers, SPAWNED, initializer=_begin_worker, initargs=(lifeline, over)
    )

    def hand_over(number: int) -> set[Future[list[Result]]]:
        with hold_back_interrupts():
            return {
                pool.submit(_do_unless_over, work, job)
                for job in islice(waiting, number)
            }

    try:
        under_way = hand_over(2 * workers)
        while under_way and not stop.is_set():
            # A Ctrl-C inside of wait would leave the locks of all futures taken.
            with hold_back_interrupts():
                done, under_way = wait(
                    under_way, LOOK_SECONDS, return_when=FIRST_COMPLETED
                )
            yield from _take_results(done)
            under_way |= hand_over(len(done))
        over.set()
        yield from _take_results(wait(under_way).done)
        pool.shutdown()
    except BrokenProcessPool:
        raise SweepError(
            _(
                "A worker process of the sweep was killed, perhaps because memory ran out. What was finished is "
                "kept: run the sweep again to go on, with fewer workers."
            )
        ) from None
    finally:
        # Workers that are still running end when this side of the pipe closes.
        ours.close()
        _close_result_pipe(pool)
        pool.shutdown(cancel_futures=True)
        lifeline.close()


def _close_result_pipe(pool: ProcessPoolExecutor) -> None:
    """Close the end for writing that this process holds of the pool's pipe of results.

    A worker that is killed while it writes a result leaves half of it. The pool would wait for the rest for ever, as
    long as any process could still write to the pipe.
    """
    results: Any = getattr(pool, "_result_queue", None)
    if results is not None:
        results._writer.close()


def _take_results(done: Iterable[Future[list[Result]]]) -> Iterator[Result]:
    """Yield the results of jobs that are done, and raise an error of a job only after all results."""
    for future in sorted(done, key=lambda future: future.exception() is not None):
        yield from future.result()


_over: Any = None
"""In a worker process, the event that tells it to begin no further job."""


def _begin_worker(lifeline: Connection, over: Any) -> None:
    global _over
    _over = over
    # Needed on Windows only; elsewhere Ctrl-C is blocked from the start (see hold_back_interrupts).
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    """End this worker when the parent process ends: then the pipe, through which nothing is ever sent, closes."""
    with suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(1)


def _do_unless_over(work: Callable[[Job], Result], job: Job) -> list[Result]:
    """Return the result of a job in a list; an empty list if the sweep was stopped before the job began."""
    return [] if _over.is_set() else [work(job)]


class KilledWorkersError(SweepError):
    """A job killed the workers that ran it. The cluster itself can be reached, and runs other jobs."""


class ClusterError(Exception):
    """A cluster did not do its work for the reason ``problem``: the caller does it without the cluster."""

    def __init__(self, problem: ClusterProblem) -> None:
        super().__init__(problem.name)
        self.problem = problem


@contextmanager
def use_cluster(cluster: Cluster) -> Iterator[str]:
    """Give the address of ``cluster`` to a block of code that runs jobs on it.

    Raises :class:`ClusterError` where the cluster was lost a moment ago, and where it fails inside the block. A cluster
    that cannot be reached is then left alone for a while (see :meth:`Cluster.lose`).
    """
    if cluster.is_away:
        raise ClusterError(ClusterProblem.AWAY)
    try:
        yield cluster.address
    except KilledWorkersError as error:
        raise ClusterError(ClusterProblem.KILLED) from error
    except SweepError as error:
        cluster.lose()
        raise ClusterError(ClusterProblem.AWAY) from error


AHEAD = 4
"""The number of jobs that are handed to each worker of a cluster in advance, the one under way included."""
CONNECT_SECONDS = 10


def run_on_dask(
    jobs: Iterable[Job],
    work: Callable[[Job], Result],
    stop: Event,
    *,
    scheduler: str | None = None,
    workers: int = 2,
) -> Iterator[Result]:
    """Do the jobs on a Dask cluster.

    It is the cluster of ``scheduler`` (``tcp://host:8786``), or else a local one of ``workers`` processes for this
    sweep only. A job whose worker is lost is done again by another worker.

    Raises :class:`memviz.core.errors.SweepError` if Dask is not installed, no scheduler
    answers, or the cluster is lost.
    """
    with _connect_client(scheduler, workers) as client:
        from distributed import KilledWorker, wait
        from distributed.client import FutureCancelledError, FuturesCancelledError

        waiting = iter(jobs)

        def hand_over(number: int) -> set[Any]:
            return {_submit(client, work, job) for job in islice(waiting, number)}

        cluster = client.scheduler_info(n_workers=-1)["workers"]
        under_way = hand_over(AHEAD * max(1, len(cluster)))
        try:
            while under_way and not stop.is_set():
                with suppress(TimeoutError):
                    wait(under_way, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
                done = {future for future in under_way if future.done()}
                under_way -= done
                under_way |= hand_over(len(done))
                for future in done:
                    yield future.result()
        except (
            KilledWorker,
            FutureCancelledError,  # of one result
            FuturesCancelledError,  # of all, where the scheduler itself is gone
            OSError,
        ) as error:
            is_of_job = isinstance(error, KilledWorker)
            kind = KilledWorkersError if is_of_job else SweepError
            raise kind(
                _(
                    "The Dask cluster lost the work ({error}). What was finished is kept: run the sweep again to go "
                    "on.",
                    error=type(error).__name__,
                )
            ) from None
        finally:
            client.cancel(list(under_way))


def _submit(client: Client, work: Callable[[Job], Result], job: Job) -> Any:
    # A job has no side effects, so it can be retried when its worker is lost.
    return client.submit(work, job, key=f"memviz-{uuid4()}", pure=False, retries=2)


@contextmanager
def _connect_client(scheduler: str | None, workers: int) -> Iterator[Client]:
    check_dask()
    from distributed import Client, LocalCluster

    if scheduler is None:
        with hold_back_interrupts():
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                # Its warnings tell of workers that are ended while they work.
                silence_logs=logging.ERROR,
            )
        with local as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise SweepError(
            _(
                "No Dask scheduler answers at {scheduler} ({error}). Start one with 'dask scheduler', or leave "
                "the address out for a local cluster.",
                scheduler=scheduler,
                error=type(error).__name__,
            )
        ) from None
    with client:
        yield client
