"""Recalls into the next request of a chat: asked for, pinned, and what they would send."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.engine.recall import Recall, Recalled
from memviz.engine.recall_tokens import predict_next_history
from memviz.engine.session import Session
from memviz.strategies.base import Strategy


class Waiting(NamedTuple):
    """The messages that are recalled and pinned for the next request, by their positions (0-based)."""

    recalled: Recalled
    fresh: tuple[int, ...]
    """Those that will be sent whole only because they are recalled, whatever the next message is."""
    held: tuple[int, ...]
    """Those that the history of the request holds word for word anyway."""
    tokens: int
    """The content tokens of ``fresh``."""
    undecided: tuple[int, ...] = ()
    """Those that are fresh or held: it depends on the length of the next message."""


class Recalling:
    """The log of a session, and all that is recalled and pinned for its next request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._recalls: tuple[Recall, ...] = ()
        self._pinned: tuple[Recall, ...] = ()

    @property
    def log(self) -> Log:
        """The conversation so far."""
        return self._session.log

    @property
    def strategy(self) -> Strategy:
        """The strategy in force."""
        return self._session.strategy

    @property
    def unanswered(self) -> bool:
        """True if the last message is the user's and waits for a reply."""
        return bool(len(self.log)) and self.log[-1].role == "user"

    def recall(
        self,
        *,
        turns: Iterable[int] = (),
        messages: Iterable[int] = (),
        last_n: int | None = None,
        keywords: Iterable[str] = (),
    ) -> Recalled:
        """Put earlier messages into the next request. Several recalls are united.

        Returns what will be sent, what does not exist, and what the bound cut off.
        """
        return self.add_recall(Recall(turns, messages, last_n, keywords))

    def add_recall(self, recall: Recall) -> Recalled:
        """Put the messages that ``recall`` names into the next request, and return what :meth:`recall` returns."""
        recalls = (*self._recalls, recall)
        recalled = self._resolve((*self._pinned, *recalls))
        self._recalls = recalls
        return recalled

    def find(self, recall: Recall) -> Recalled:
        """The messages that this recall alone would bring back. Changes nothing."""
        return self._resolve((recall,))

    def clear_recalled(self) -> None:
        """Recall nothing into the next request."""
        self._recalls = ()

    def pin(self, messages: Iterable[int]) -> Recalled:
        """Put the messages at these positions (0-based) into every request from now on.

        Returns the same as :meth:`recall`. All that is pinned is bounded like one recall.
        """
        pinned = Recall(messages=sorted({*self.pinned, *messages}))
        recalled = self._resolve((pinned, *self._recalls))
        there_are = range(len(self.log))
        self._keep_pinned(
            position for position in pinned.messages if position in there_are
        )
        return recalled

    def unpin(self, messages: Iterable[int]) -> None:
        """Send the messages at these positions no more just because they were pinned."""
        dropped = set(messages)
        self._keep_pinned(
            position for position in self.pinned if position not in dropped
        )

    def _keep_pinned(self, positions: Iterable[int]) -> None:
        pins = tuple(positions)
        self._pinned = (Recall(messages=pins),) if pins else ()
        self._session.pins = pins

    @property
    def pinned(self) -> tuple[int, ...]:
        """Positions of the pinned messages, in log order."""
        return tuple(
            position for recall in self._pinned for position in recall.messages
        )

    @property
    def ahead(self) -> tuple[tuple[Recall, ...], tuple[Recall, ...]]:
        """The recalls that were asked for and pinned for requests to come, as they are kept with the run."""
        return self._recalls, self._pinned

    @property
    def waiting(self) -> Waiting:
        """The messages that were recalled and pinned for the next request, with the summary that the next message
        makes due."""
        recalled = self._resolve(self._due)
        if not recalled.indices:
            return Waiting(recalled, (), (), 0)
        history = predict_next_history(self._session)
        held_positions: list[int] = []
        fresh_positions: list[int] = []
        undecided: list[int] = []
        for position in recalled.indices:
            if position in history.any_message:
                held_positions.append(position)
            elif position in history.short_one:
                undecided.append(position)
            else:
                fresh_positions.append(position)
        sums = self._session.memory.sums
        tokens = sum(
            sums.between(position, position + 1) for position in fresh_positions
        )
        return Waiting(
            recalled,
            tuple(fresh_positions),
            tuple(held_positions),
            tokens,
            tuple(undecided),
        )

    @property
    def _due(self) -> tuple[Recall, ...]:
        """The recalls for the next request. Under a strategy with recall switched off they wait for another one."""
        return (*self._pinned, *self._recalls) if self.strategy.allows_recall else ()

    def _resolve(self, recalls: Sequence[Recall]) -> Recalled:
        length = len(self.log)
        if self.unanswered:
            length = self.log.turn_start(self.log.turn_count)
        return self._session.resolve(recalls, length)
