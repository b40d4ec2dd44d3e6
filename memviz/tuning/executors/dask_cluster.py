"""Jobs on a Dask cluster: one that runs already, or a local one for this sweep alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from memviz.core.errors import SweepError
from memviz.tuning.executors.interrupts import interrupts_held_back

if TYPE_CHECKING:
    from distributed import Client

Job = TypeVar("Job")
Result = TypeVar("Result")
AHEAD = 4
"""Jobs a worker has been handed, the one at work included."""
CONNECT_SECONDS = 10
LOOK_SECONDS = 0.2
"""How long it takes at most until ``stop`` is seen."""


def run(
    jobs: Iterable[Job],
    work: Callable[[Job], Result],
    stop: Event,
    *,
    scheduler: str | None = None,
    workers: int = 2,
) -> Iterator[Result]:
    """Do the jobs on the cluster behind ``scheduler`` (``tcp://host:8786``), or on a local one of ``workers``
    processes. A job whose worker is lost is done again by another.

    Raises :class:`memviz.core.errors.SweepError` if Dask is not installed, no scheduler
    answers, or the cluster is lost.
    """
    with _client(scheduler, workers) as client:
        from distributed import KilledWorker, wait
        from distributed.client import FutureCancelledError

        waiting = ((f"memviz-{uuid4()}", job) for job in jobs)
        ahead = AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        under_way = {_submit(client, work, *each) for each in islice(waiting, ahead)}
        try:
            while under_way and not stop.is_set():
                with suppress(TimeoutError):
                    wait(under_way, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
                done = {future for future in under_way if future.done()}
                under_way = (under_way - done) | {
                    _submit(client, work, *each) for each in islice(waiting, len(done))
                }
                for future in done:
                    yield future.result()
        except (KilledWorker, FutureCancelledError, OSError) as error:
            raise SweepError(
                f"The Dask cluster lost the work ({type(error).__name__}). What was finished is kept: run the sweep "
                "again to go on."
            ) from None
        finally:
            client.cancel(list(under_way))


def _submit(client: Client, work: Callable[[Job], Result], key: str, job: Job) -> Any:
    # Measuring has no effects, so a job may be started again wherever its worker was lost.
    return client.submit(work, job, key=key, pure=False, retries=2)


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Client]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise SweepError(
            "Dask is not installed. Run: pip install 'memviz[dask]'."
        ) from None
    if scheduler is None:
        with interrupts_held_back():
            local = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.ERROR,  # its warnings tell of workers that are ended while they work
            )
        with local as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise SweepError(
            f"No Dask scheduler answers at {scheduler} ({type(error).__name__}). Start one with 'dask scheduler', or "
            "leave the address out for a local cluster."
        ) from None
    with client:
        yield client
