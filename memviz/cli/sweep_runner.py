"""A sweep at work in a terminal: made ready, watched, and brought to a good end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from typer import BadParameter

from memviz.cli.errors import FAILED, INTERRUPTED
from memviz.cli.output import complain, progress_of
from memviz.core.errors import SweepError, UnusableSummarizerError

if TYPE_CHECKING:
    from memviz.cli.inputs import Source
    from memviz.models.base import Model
    from memviz.storage.store import Store
    from memviz.strategies.base import Strategy
    from memviz.transcripts.base import Transcript
    from memviz.tuning.pricing_assumptions import PricingAssumptions
    from memviz.tuning.results import Sweep
    from memviz.tuning.sweep import Sweeping
    from memviz.tuning.sweep_conversation import SweepConversation
import os
import signal
from contextlib import contextmanager
from threading import Event

STDERR = 2
STOPPING = b"Stopping: what is under way comes to its end. Ctrl-C again ends at once.\n"


@contextmanager
def interrupts(stop: Callable[[], object]) -> Iterator[Event]:
    """Within this a first Ctrl-C calls ``stop`` and sets the event; a second one raises :class:`KeyboardInterrupt`.
    Only the main thread can ask for this."""
    asked = Event()

    def interrupted(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        stop()
        os.write(
            STDERR, STOPPING
        )  # a stream must not be written to from within a write to it

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class Plan:
    """What to measure and how to price it; ``kept`` is where finished measurements are."""

    subjects: tuple[SweepConversation, ...]
    settings: tuple[Strategy, ...]
    counter: str
    assumptions: PricingAssumptions
    kept: Store | None

    def sweeping(self, summarizer: Model, **options: Any) -> Sweeping:
        """The sweep with this summarizer; ``options`` are further fields of it."""
        from memviz.tuning.sweep import Sweeping

        return Sweeping(
            self.subjects,
            self.settings,
            counter=self.counter,
            summarizer=summarizer,
            assumptions=self.assumptions,
            kept=self.kept,
            **options,
        )


@dataclass(frozen=True)
class Ended:
    """How a sweep ended: what there is, how many of its cells were measured now, and the exit code it asks for."""

    sweep: Sweep
    measured: int
    code: int = 0


def executor_of(
    paid: bool,
    concurrency: int | None,
    workers: int | None,
    dask: bool,
    scheduler: str | None,
) -> dict[str, Any]:
    """Who does the work, as fields of a sweep."""
    if dask and scheduler:
        raise BadParameter(
            "--dask begins a cluster here, --scheduler uses one that runs. Give one of them."
        )
    if paid and (workers or dask or scheduler):
        raise BadParameter(
            "A summarizer that costs money is asked from here. Give --concurrency, not workers."
        )
    if concurrency and not paid:
        raise BadParameter(
            "--concurrency is for a summarizer that costs money. Give --workers."
        )
    if paid:
        return {"executor": "threads", "workers": concurrency}
    if dask or scheduler:
        return {"executor": "dask", "workers": workers, "scheduler": scheduler}
    return {
        "executor": "processes" if (workers or 1) > 1 else "inline",
        "workers": workers,
    }


def sweep_conversations(
    sources: Sequence[Source], counter: str
) -> tuple[SweepConversation, ...]:
    """The conversations made ready to be measured. One in which the user says nothing is told on stderr and left
    out; of several with one title each has a number. Raises :class:`memviz.SweepError` if none is left."""
    from memviz.core.counters import counter as find_counter
    from memviz.tuning.sweep_conversation import SweepConversation

    count, found = find_counter(counter), []
    transcripts = _told_apart(
        _with_something_asked(source.transcript for source in sources)
    )
    with progress_of("Counting tokens and looking for facts") as progress:
        for transcript in transcripts:
            found.append(SweepConversation.of(transcript, count))
            if progress is not None:
                progress(len(found), len(transcripts))
    if not found:
        raise SweepError(
            "There is no conversation to sweep over: in none of them the user says anything."
        )
    return tuple(found)


def _with_something_asked(transcripts: Iterable[Transcript]) -> Iterator[Transcript]:
    for transcript in transcripts:
        if any(message.role == "user" for message in transcript.messages):
            yield transcript
        else:
            complain(
                f"Warning: {transcript.title}: no message is the user's, so there is nothing to send; left out."
            )


def _told_apart(transcripts: Iterable[Transcript]) -> list[Transcript]:
    """With a number behind each title that another one had before."""
    seen, found = Counter[str](), []
    for transcript in transcripts:
        seen[transcript.title] += 1
        number = seen[transcript.title]
        found.append(
            transcript
            if number == 1
            else replace(transcript, title=f"{transcript.title} ({number})")
        )
    return found


def worked_off(
    sweeping: Sweeping, what: str, on_stop: Callable[[], object] | None = None
) -> Ended:
    """Measure what is missing, with a bar on stderr. Ctrl-C, a spent budget, lost workers and a summarizer that no
    call reaches end it early with what is finished, and say so; ``on_stop`` is called when the user ends it."""

    def stop() -> None:
        sweeping.stop.set()
        if on_stop is not None:
            on_stop()

    problem, code = "", FAILED
    with interrupts(stop) as interrupted, progress_of(what) as progress:
        if progress is not None:
            progress(0, sweeping.total)
        try:
            for _ in sweeping:
                if progress is not None:
                    now = sweeping.progress
                    progress(now.done, now.total, now.time_left)
        except (SweepError, UnusableSummarizerError) as error:
            if not sweeping.cells:
                raise
            problem = str(error)
    sweep = sweeping.sweep
    if sweep.is_complete:
        return Ended(sweep, sweeping.measured)
    if interrupted.is_set():
        problem, code = "Stopped by Ctrl-C.", INTERRUPTED
    problem = problem or sweep.stopped
    _say_how_to_go_on(sweep, problem, is_kept=sweeping.kept is not None)
    return Ended(replace(sweep, stopped=problem), sweeping.measured, code)


def _say_how_to_go_on(sweep: Sweep, problem: str, *, is_kept: bool) -> None:
    done, total = len(sweep.cells), len(sweep.settings) * len(sweep.subjects)
    again = (
        "The same command goes on from here."
        if is_kept
        else "Without --no-keep it could go on from here."
    )
    complain(f"{problem} {done:,} of {total:,} runs are measured. {again}")
