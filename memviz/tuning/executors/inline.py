"""One job after the other, in this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Event
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def run(
    jobs: Iterable[Job], work: Callable[[Job], Result], stop: Event
) -> Iterator[Result]:
    """Do the jobs in order."""
    for job in jobs:
        if stop.is_set():
            return
        yield work(job)
