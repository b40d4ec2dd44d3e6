"""Predictions of how long a sweep takes, from the time that earlier cells took in this process.

:class:`Pace` keeps the seconds a message of each strategy. A sweep asks :class:`DueWork` how much time is left, and
with little time it measures its settings in the order of :func:`order_most_telling_first`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from memviz.core.counters import AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.models.base import Model
from memviz.models.names import is_free
from memviz.strategies.base import Strategy
from memviz.strategies.families import FAMILIES
from memviz.transcripts.base import Transcript
from memviz.tuning.cell import measure_cell
from memviz.tuning.sweep_conversation import SweepConversation

TRIAL_MESSAGES = 120
TRIALS = 3
"""The number of settings of a strategy that are tried, because small and large values do not take the same time."""
T = TypeVar("T")


class PaceKey(NamedTuple):
    """A kind of cells that are assumed to take the same time a message: a strategy, and who writes its summaries."""

    strategy: str
    writer: str

    @classmethod
    def of(cls, setting: Strategy, writer: str) -> PaceKey:
        """Return the key of a setting in a sweep whose summaries ``writer`` writes."""
        return cls(setting.id, writer if setting.writes_notes else "")


@dataclass(eq=False, repr=False)
class Pace:
    """The seconds a message that cells took so far, by kind."""

    _seconds: dict[PaceKey, float] = field(default_factory=dict)
    _messages: Counter[PaceKey] = field(default_factory=Counter)
    _cells: Counter[PaceKey] = field(default_factory=Counter)

    def note(self, key: PaceKey, messages: int, seconds: float) -> None:
        """Record that a cell of so many messages took ``seconds``."""
        if self._cells[key] == 1:
            # The first cell also loaded what the strategy needs, so it is forgotten once there is a second one.
            self._seconds[key] = 0.0
            self._messages[key] = 0
        self._seconds[key] = self._seconds.get(key, 0.0) + seconds
        self._messages[key] += messages
        self._cells[key] += 1

    def predict_seconds(self, key: PaceKey, messages: int) -> float | None:
        """Return how long a cell of so many messages takes; ``None`` if no cell of this kind was measured yet."""
        messages_measured = self._messages[key]
        if not messages_measured:
            return None
        return self._seconds[key] / messages_measured * messages

    def predict_total_seconds(
        self, settings: Iterable[Strategy], writer: str, messages: int
    ) -> float | None:
        """Return how long all ``settings`` take over so many messages; ``None`` if any of them is unknown."""
        total_seconds = 0.0
        keys = [PaceKey.of(setting, writer) for setting in settings]
        for key, number in Counter(keys).items():
            seconds = self.predict_seconds(key, messages)
            if seconds is None:
                return None
            total_seconds += number * seconds
        return total_seconds

    def try_out(
        self,
        settings: Sequence[Strategy],
        transcript: Transcript,
        counter: AnyCounter,
        writer: Model | None,
    ) -> None:
        """Measure a few settings of each strategy that is still unknown, over the beginning of ``transcript``.

        Strategies whose summaries cost money are not tried.
        """
        name = "" if writer is None else writer.name
        unknown: dict[PaceKey, list[Strategy]] = {}
        for setting in settings:
            key = PaceKey.of(setting, name)
            is_paid = bool(key.writer) and not is_free(key.writer)
            if not is_paid and not self._messages[key]:
                unknown.setdefault(key, []).append(setting)
        if not unknown:
            return
        short = replace(transcript, messages=transcript.messages[:TRIAL_MESSAGES])
        subject = SweepConversation.of(short, find_counter(counter))
        for key, alike in unknown.items():
            for setting in order_middle_first(alike)[:TRIALS]:
                cell = measure_cell(subject, setting, counter, writer)
                self.note(key, len(subject.log), cell.seconds)


HERE = Pace()
"""The pace of this process: every sweep records its cells here."""


@dataclass(eq=False, repr=False)
class DueWork:
    """The cells that a sweep still has to measure, to predict the time that is left."""

    pace: Pace = HERE
    _messages: Counter[PaceKey] = field(default_factory=Counter)
    _worked_seconds: float = 0.0

    def add(self, key: PaceKey, messages: int) -> None:
        """Add a cell that is to be measured."""
        self._messages[key] += messages

    def take(self, key: PaceKey, messages: int, seconds: float) -> None:
        """Remove a cell that was measured in ``seconds``."""
        self._messages[key] -= messages
        self._worked_seconds += seconds
        self.pace.note(key, messages, seconds)

    def seconds_left(self, passed_seconds: float) -> float | None:
        """Return how long the rest takes, ``passed_seconds`` after the begin; ``None`` while nothing is known."""
        messages_with_pace = 0
        seconds_due = 0.0
        # Copied, because another thread may add to it.
        for key, messages in list(self._messages.items()):
            seconds = self.pace.predict_seconds(key, messages)
            if seconds is not None:
                messages_with_pace += messages
                seconds_due += seconds
        if not self._messages.total():
            return 0.0 if self._worked_seconds else None
        if not messages_with_pace:
            return None
        # A strategy that was never measured is assumed to be like the others.
        seconds_due *= self._messages.total() / messages_with_pace
        if self._worked_seconds:
            # Several workers share the rest, as they shared what is done.
            seconds_due *= min(1.0, passed_seconds / self._worked_seconds)
        return seconds_due


def order_middle_first(values: Sequence[T]) -> list[T]:
    """Return ``values`` in the order in which they show most of their range: the middle, both ends, then the others.

    1, 2, 3, 4, 5 -> 3, 1, 5, 2, 4
    """
    count = len(values)
    order = dict.fromkeys([count // 2, 0, count - 1])
    step = count
    while len(order) < count:
        step = max(1, step // 2)
        order |= dict.fromkeys(range(0, count, step))
    return [values[number] for number in order]


def order_most_telling_first(settings: Sequence[Strategy]) -> list[int]:
    """Return the numbers (0-based) of the settings in the order in which a sweep with little time measures them.

    First comes a middle value of one strategy of each family, then of the other strategies, then the ends of the range
    of values, then the values between.
    """
    by_strategy: dict[str, list[int]] = {}
    numbers_by_value = sorted(
        range(len(settings)), key=lambda number: _get_main_value(settings[number])
    )
    for number in numbers_by_value:
        by_strategy.setdefault(settings[number].id, []).append(number)
    order = []
    strategies_seen: Counter[str] = Counter()
    for id in dict.fromkeys(setting.id for setting in settings):
        numbers = by_strategy[id]
        family = settings[numbers[0]].family
        family_rank = FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
        for place, number in enumerate(order_middle_first(numbers)):
            order.append((place, strategies_seen[family], family_rank, number))
        strategies_seen[family] += 1
    return [number for _, _, _, number in sorted(order)]


def _get_main_value(setting: Strategy) -> float:
    """Return the value of the main parameter of a setting; 0 where that is no number."""
    value = getattr(setting, setting.main_parameter, None)
    return value if isinstance(value, int) else 0
