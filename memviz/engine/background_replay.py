"""A replay in a thread of its own: a page can show how far it is, draw what there is, stop it, and go on."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import Protocol

from memviz.core.background import BackgroundWork
from memviz.core.conversation import Log
from memviz.core.errors import MemvizError
from memviz.core.process_memory import resident_bytes
from memviz.core.server_events import REPLAY, note_event
from memviz.core.translation import _, noop
from memviz.engine.run import Run
from memviz.engine.session import Session

ABANDONED_SECONDS = 20.0
"""A replay that nobody has looked at for so long ends: its visitor has gone."""
MOST_BYTES = 1_700_000_000
"""The most memory of the whole process: a replay stops there, so that a conversation of any length leaves the server
running."""
TURNS_BETWEEN_LOOKS = 200
"""How often the memory of the process is looked at."""
OUT_OF_MEMORY = noop(
    "The memory of the server is nearly used up, so the replay stopped here."
)


class CancelledError(BaseException):
    """Ends the call of a model within a replay that was cancelled. Not an ``Exception``: whatever of that kind a
    summarizer raises is taken for its failure, and the replay would go on."""


class Cancellation(Event):
    """Set when a replay is cancelled. A model that calls :meth:`heed` while its server is silent
    (:class:`memviz.models.line.Interruptible`) is left at once."""

    def heed(self) -> None:
        """Raise :class:`CancelledError` if the replay was cancelled."""
        if self.is_set():
            raise CancelledError


class Elsewhere(Protocol):
    """A place outside of this process that may do a replay."""

    def run(self, stop: Event) -> Run | None:
        """Return the run; ``None`` where it was stopped, or cannot be made there. Raises what a replay here would."""


class BackgroundReplay(BackgroundWork):
    """Goes through a replay that :func:`memviz.engine.replay.begin_replay` began. One thread works at a time on it, and
    rests while a page draws. ``finished`` is called with the run at its end, in that thread. With a ``cancellation``
    that the summarizer heeds, :meth:`cancel` also ends its call; such a replay may then not be gone on with. It is
    tried ``elsewhere`` first: there it has no turns until it has all of them."""

    def __init__(
        self,
        session: Session,
        turns: Iterator[int],
        finished: Callable[[Run], object],
        cancellation: Cancellation | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        super().__init__("memviz replay")
        self.total = session.log.turn_count
        self.done = 0
        self.run: Run | None = None
        self.note = ""
        self._session = session
        self._turns = turns
        self._finished = finished
        if cancellation is not None:
            self.cancelled = cancellation
        self.elsewhere = elsewhere
        self.is_elsewhere = False
        """True while it is made elsewhere, and nothing of it is here yet."""
        self._leave_elsewhere = Event()
        self._is_resting = self._rests = self._is_stopped = False
        self._seconds = 0.0
        self._looked_at = monotonic()
        self.go_on()

    @property
    def log(self) -> Log:
        """The conversation that is replayed, all of it."""
        return self._session.log

    @property
    def is_over(self) -> bool:
        """True if it came to its end, or failed."""
        return self.run is not None or self.error is not None

    @property
    def seconds_left(self) -> float | None:
        """The seconds that the rest will take at the rate so far; ``None`` before there is one."""
        if not self.done:
            return None
        return self._seconds / self.done * (self.total - self.done)

    @property
    def is_stopped(self) -> bool:
        """True if it was stopped, and waits to be told to go on."""
        return self._is_stopped

    def go_on(self) -> None:
        """Work on from where it was left."""
        with self._changed:
            self._looked_at = monotonic()
            self._rests = False
            self._is_stopped = False
            self._changed.notify_all()
            if self._is_working or self.is_over:
                return
            self.note = ""
            self._leave_elsewhere.clear()
            self._begin()

    def cancel(self) -> None:
        """Stop at the end of the turn, or in the call of a summarizer that heeds it. What was done stays."""
        super().cancel()
        self._leave_elsewhere.set()
        with self._changed:
            self._is_stopped = True
            self._rests = False
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; returns whether nothing works on it any more."""
        with self._changed:
            self._looked_at = monotonic()
        return super().wait(seconds)

    def so_far(self) -> Run:
        """The run as far as it is. The thread then rests until :meth:`go_on`, so that the page can draw it."""
        with self._changed:
            self._looked_at = monotonic()
            self._rests = True
            self._changed.wait_for(
                lambda: not self._is_working or self._is_resting or self.is_elsewhere
            )
            run = self.run or self._session.run()
        # The session goes on to write summaries: what was drawn must not change while somebody reads it.
        summaries = run.space.summaries.copy()
        return replace(run, space=replace(run.space, summaries=summaries))

    def _work(self) -> None:
        run = self._run_elsewhere()
        try:
            if run is None and not self._is_stopped:
                run = self._go_through()
        except CancelledError:
            raise MemvizError(
                _("The replay was stopped while a model was asked.")
            ) from None
        if run is None:
            return
        note_event(
            REPLAY,
            strategy=self._session.strategy.id,
            turns=self.total,
            seconds=round(self._seconds, 3),
        )
        self._finished(run)
        self.run = run

    def _run_elsewhere(self) -> Run | None:
        """Return the run that was made elsewhere; ``None`` where it is to be made here, or was stopped."""
        if self.elsewhere is None or self.done:
            return None
        begun = monotonic()
        self._note_elsewhere(True)
        run = self.elsewhere.run(self._leave_elsewhere)
        self._note_elsewhere(False)
        if run is not None:
            self._seconds = monotonic() - begun
        return run

    def _note_elsewhere(self, is_elsewhere: bool) -> None:
        with self._changed:
            self.is_elsewhere = is_elsewhere
            self._changed.notify_all()

    def _go_through(self) -> Run | None:
        """Return the run; ``None`` where it was stopped before its end."""
        begun = monotonic()
        for turn in self._turns:
            now = monotonic()
            self._seconds = self._seconds + now - begun
            begun = now
            self.done = turn
            if self._rests:
                self._rest()
                begun = monotonic()
            if self._is_stopped or now - self._looked_at > ABANDONED_SECONDS:
                return None
            if turn % TURNS_BETWEEN_LOOKS == 0 and (resident_bytes() or 0) > MOST_BYTES:
                self.note = _(OUT_OF_MEMORY)
                self._is_stopped = True
                return None
        return self._session.run()

    def _rest(self) -> None:
        with self._changed:
            self._is_resting = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._rests, ABANDONED_SECONDS)
            self._is_resting = False
