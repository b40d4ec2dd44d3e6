"""A model whose caller can leave at any moment, also while a server says nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread

from memviz.models.base import (
    Bill,
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    NoBill,
    Reply,
    unmetered,
)
from memviz.models.line import Line

LOOK_SECONDS = 0.1
"""How long it takes at most until the caller's ``look_up`` is asked again."""


class Interruptible(ModelWrapper):
    """``model``, asked in a thread of its own, while the caller's thread waits and asks ``look_up`` ten times a
    second. What ``look_up`` raises ends the call at once, and so does closing the stream or Ctrl-C.

    A thread cannot be ended from outside, but its connection can: a call that was left is cut off from its server at
    once, makes no other try, and nobody reads what it got. One that is still looking for its server does so until the
    model's timeout.
    """

    def __init__(self, model: Model, look_up: Callable[[], object]) -> None:
        super().__init__(model)
        self._look_up = look_up

    def __repr__(self) -> str:
        return f"Interruptible({self._model!r})"

    def limited(self, max_output_tokens: int) -> Model | None:
        """The limited model, left in the same way."""
        limited = self._model.limited(max_output_tokens)
        return None if limited is None else Interruptible(limited, self._look_up)

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's answer as it arrives, and an empty piece now and then while nothing does. The ``meter`` is asked
        in the thread of the call; its bill is closed at the moment when
        the call is left, also while the server goes on saying nothing."""
        call = _Call(partial(self._model.answer, request), meter)
        call.start()
        try:
            while not isinstance(item := self._next(call), _Ended):
                yield item
            if item.error is not None:
                raise item.error
        finally:
            call.leave()

    def _next(self, call: _Call) -> str | Reply | _Ended:
        self._look_up()
        try:
            return call.arrived.get(timeout=LOOK_SECONDS)
        except Empty:
            return ""


class _Ended:
    """The last thing that arrives of a call: it came to its end, or failed with ``error``."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class _LeftError(Exception):
    """Nobody waits for this call any more."""


class _Call(Thread):
    """One call of a model. ``arrived`` holds its pieces in order; once ``left`` is set, it ends as soon as it can."""

    def __init__(
        self, ask: Callable[[Meter], Iterator[str | Reply]], meter: Meter
    ) -> None:
        super().__init__(
            name="memviz model call", daemon=True
        )  # one that was left must not hold the process up
        self.arrived: SimpleQueue[str | Reply | _Ended] = SimpleQueue()
        self.left = Event()
        self._line = Line()
        self._ask = ask
        self._outer_meter = meter
        self._bill: Bill = NoBill()
        self._guard = Lock()

    def leave(self) -> None:
        """Nobody waits for it any more. What is under way is cut off, and billed as a call that failed."""
        with self._guard:
            self.left.set()
            bill = self._bill
        bill.failed(None)
        self._line.cut()

    def run(self) -> None:
        """Ask, and hand on what arrives."""
        self._line.context().run(self._hand_on)

    def _hand_on(self) -> None:
        ended = _Ended()
        try:
            with closing(self._ask(self._meter)) as items:  # type: ignore[type-var]  # streams are generators
                for item in items:
                    if self.left.is_set():
                        return
                    self.arrived.put(item)
        except BaseException as error:  # the caller's to judge, whatever it is
            ended = _Ended(error)
        finally:
            self.arrived.put(ended)

    def _meter(self, request: ModelRequest) -> Bill:
        """Asked before each try: after a silence that nobody waited for there is to be no other."""
        if self.left.is_set():
            raise _LeftError
        bill = self._outer_meter(request)  # may wait, and be left meanwhile
        with self._guard:
            if not self.left.is_set():
                self._bill = bill
                return bill
        bill.unused()
        raise _LeftError
