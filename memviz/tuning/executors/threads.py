"""Jobs in several threads of this process, for work that mostly waits for a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from math import inf
from threading import Event
from time import monotonic
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
LOOK_SECONDS = 0.2
"""How long it takes at most until ``stop`` is seen."""
GRACE_SECONDS = 60.0


def run(
    jobs: Iterable[Job],
    work: Callable[[Job], Result],
    stop: Event,
    *,
    workers: int,
    grace_seconds: float = GRACE_SECONDS,
) -> Iterator[Result]:
    """Do the jobs in ``workers`` threads. Once ``stop`` is set, or a job has raised, nothing new is begun; what is
    under way still gives its results, unless it takes longer than ``grace_seconds``. Then the first error is raised.
    """
    waiting, deadline = iter(jobs), inf
    under_way: set[Future[Result]] = set()
    error: BaseException | None = None
    pool = ThreadPoolExecutor(workers, thread_name_prefix="memviz-sweep")
    try:
        while monotonic() < deadline:
            if error or stop.is_set():
                deadline = min(deadline, monotonic() + grace_seconds)
            else:
                under_way |= {
                    pool.submit(work, job)
                    for job in islice(waiting, workers - len(under_way))
                }
            if not under_way:
                break
            done, under_way = wait(under_way, LOOK_SECONDS, return_when=FIRST_COMPLETED)
            error = error or next(
                (failed for future in done if (failed := future.exception())), None
            )
            yield from (future.result() for future in done if not future.exception())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if error:
        raise error
