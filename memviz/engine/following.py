"""A replay that goes on while its conversation grows: what was played is not played
again."""

from collections.abc import Iterable

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.turns import Request
from memviz.engine.replay import end_turn
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.setting import Setting


class Following:
    """One strategy over a conversation to which messages are added.

    After any number of additions its run is that of a replay of all of them at once, but
    that the newest turn may go on: what a rule does after a turn it does once the next one
    has begun.
    """

    def __init__(self, setting: Setting) -> None:
        self.session = Session(Log(), setting)
        self._asked = 0
        """The stop of the last request that was made."""
        self._closed = 0
        """The number of turns that were ended."""

    @property
    def log(self) -> Log:
        """The conversation so far."""
        return self.session.log

    def run(self) -> Run:
        """Return the run so far."""
        return self.session.run()

    def keep(self, length: int) -> None:
        """Go back to the first ``length`` messages: those behind them became others."""
        if length < len(self.log):
            self._go_back(length)

    def add(self, messages: Iterable[Message]) -> None:
        """Take in the next messages."""
        new = list(messages)
        if not new:
            return
        log = self.log
        if len(log) and log[-1].role == new[0].role == "assistant":
            # The newest reply goes on: its request is counted again.
            start = len(log)
            while start and log[start - 1].role == "assistant":
                start -= 1
            new = [*log[start:], *new]
            self._go_back(start)
        self.log.extend(new)
        self.log.token_sums(self.session.counter)
        self._play_on()

    def _go_back(self, length: int) -> None:
        self.session.rewind(length)
        log = self.log
        requests = self.session.requests
        self._asked = requests[-1].memory.length if requests else 0
        self._closed = min(self._closed, max(0, log.turn_count - 1))

    def _play_on(self) -> None:
        session = self.session
        log = self.log
        if not log.turn_count:
            return
        if not self._asked and not self._closed:
            session.advance(log.turn_start(1))
        for number in range(self._closed + 1, log.turn_count + 1):
            turn = log.turn(number)
            for request in log.requests_of(turn):
                if request.stop > self._asked:
                    self._make(request)
            if number < log.turn_count:
                end_turn(session, turn)
                self._closed = number
        session.advance(len(log))

    def _make(self, request: Request) -> None:
        session = self.session
        session.advance(request.stop)
        session.look_before_request()
        session.record_replayed(request)
        self._asked = request.stop
