"""A sweep at work in a terminal: watched, stopped by Ctrl-C, and brought to a good end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

from memviz.cli.errors import FAILED, INTERRUPTED
from memviz.cli.output import complain, progress_of
from memviz.core.errors import SweepError
from memviz.core.model_errors import UnusableSummarizerError
from memviz.core.text.wording import share_of

if TYPE_CHECKING:
    from memviz.tuning.results import Sweep
    from memviz.tuning.sweeping import Sweeping

STDERR = 2
STOPPING = b"Stopping: what is under way comes to its end. Ctrl-C again ends at once.\n"


@dataclass(frozen=True)
class Ended:
    """The end of a sweep."""

    sweep: Sweep
    measured: int
    """The number of its cells that were measured now."""
    code: int = 0
    """The exit code that it asks for."""


def work_off(
    sweeping: Sweeping, title: str, on_stop: Callable[[], object] | None = None
) -> Ended:
    """Measure what is missing, with a bar on stderr. What ends it early is said, and what is finished stays;
    ``on_stop`` is called when the user ends it."""

    def stop() -> None:
        sweeping.stop.set()
        if on_stop is not None:
            on_stop()

    problem = ""
    with interrupts(stop) as interrupted, progress_of(title) as progress:
        progress(0, sweeping.total)
        try:
            for _ in sweeping:
                now = sweeping.progress
                progress(now.done, now.total, now.time_left)
        except (SweepError, UnusableSummarizerError) as error:
            if not sweeping.cells:
                raise
            problem = str(error)
    sweep = sweeping.sweep
    if sweep.is_complete:
        return Ended(sweep, sweeping.measured)
    # The user's wish comes before an error that it may have caused; that time is over is no failure.
    code = FAILED
    if interrupted.is_set():
        problem = "Stopped by Ctrl-C."
        code = INTERRUPTED
    elif sweeping.is_out_of_time and not problem:
        problem = _what_fits(sweep)
        code = 0
    problem = problem or sweep.stopped
    _say_how_far(sweeping, problem)
    return Ended(replace(sweep, stopped=problem), sweeping.measured, code)


def _say_how_far(sweeping: Sweeping, problem: str) -> None:
    again = "The same command goes on from here."
    if sweeping.kept is None:
        again = "Without --no-keep it could go on from here."
    runs = share_of(len(sweeping.cells), sweeping.total, "run")
    complain(f"{problem} {runs} are measured. {again}")


def _what_fits(sweep: Sweep) -> str:
    """The sentences on a sweep whose time was over."""
    from memviz.dashboard.words.estimates import left_out_words

    return " ".join([sweep.stopped, *left_out_words(sweep)])


@contextmanager
def interrupts(stop: Callable[[], object]) -> Iterator[Event]:
    """Within this a first Ctrl-C calls ``stop`` and sets the event; a second one raises :class:`KeyboardInterrupt`.
    Only the main thread can ask for this."""
    is_asked = Event()

    def interrupted(number: int, frame: object) -> None:
        if is_asked.is_set():
            raise KeyboardInterrupt
        is_asked.set()
        stop()
        # A stream must not be written to from within a write to it.
        os.write(STDERR, STOPPING)

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield is_asked
    finally:
        signal.signal(signal.SIGINT, before)
