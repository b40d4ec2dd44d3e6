"""Runs work in a thread of its own, which a page can wait for, stop, and ask why it failed."""

import logging
from abc import ABC, abstractmethod
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from threading import Condition, Event, Thread

from memviz.core.errors import MemvizError
from memviz.core.translation import _, language_now, use_language

_LOG = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class BackgroundWork(ABC):
    """Base of work in a thread. Subclasses implement :meth:`_work`, which checks ``cancelled`` now and then, and start
    it by :meth:`_begin`."""

    _name: str
    error: MemvizError | None = None
    """The error that ended the work early; ``None`` if there was none, or if the work was stopped."""
    cancelled: Event = field(default_factory=Event)
    _changed: Condition = field(default_factory=Condition)
    _is_working: bool = False
    _context: Context = field(default_factory=copy_context)
    """The context in which this was made: embedding models that are set there work in this thread as well."""

    @property
    def is_at_work(self) -> bool:
        """Return whether a thread works on it."""
        return self._is_working

    def wait(self, seconds: float) -> bool:
        """Wait at most so many seconds; return whether the thread has ended."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_working, seconds)

    def cancel(self) -> None:
        """Ask the thread to stop. What is finished stays."""
        self.cancelled.set()

    @abstractmethod
    def _work(self) -> None:
        """Do the work, in its thread."""

    def _begin(self) -> None:
        self._is_working = True
        language = language_now()
        run = partial(self._context.copy().run, self._run, language)
        Thread(target=run, name=self._name, daemon=True).start()

    def _run(self, language: str) -> None:
        try:
            with use_language(language):  # of the visitor who began it
                self.error = self._error_of_work()
        finally:
            with self._changed:
                self._is_working = False
                self._changed.notify_all()

    def _error_of_work(self) -> MemvizError | None:
        """Do the work, and return the error that ended it early, if one did."""
        try:
            self._work()
        except MemvizError as error:
            return error
        except Exception as error:
            _LOG.exception("%s ended early", self._name)
            sentence = _(
                "It ended early because of an error that memviz did not foresee "
                "({error}); the log of the server says where.",
                error=type(error).__name__,
            )
            return MemvizError(sentence)
        return None
