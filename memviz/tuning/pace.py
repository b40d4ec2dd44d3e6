"""The time that measuring takes here: seconds a message, by strategy, as it was measured in this process."""

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
"""Settings of a strategy that are tried: values at both ends take another time than one in the middle."""
T = TypeVar("T")


class PaceKey(NamedTuple):
    """The work that is taken to go at one pace: a strategy, and who summarizes where it has summaries written."""

    strategy: str
    writer: str

    @classmethod
    def of(cls, setting: Strategy, writer: str) -> PaceKey:
        """The key of a setting in a sweep with this summarizer."""
        return cls(setting.id, writer if setting.writes_notes else "")


@dataclass(eq=False, repr=False)
class Pace:
    """Seconds a message that measuring took."""

    _seconds: dict[PaceKey, float] = field(default_factory=dict)
    _messages: Counter[PaceKey] = field(default_factory=Counter)
    _cells: Counter[PaceKey] = field(default_factory=Counter)

    def note(self, key: PaceKey, messages: int, seconds: float) -> None:
        """Take in that measuring so many messages took so long."""
        if self._cells[key] == 1:
            # The first one loaded what the strategy needs as well: a later one tells more.
            self._seconds[key] = 0.0
            self._messages[key] = 0
        self._seconds[key] = self._seconds.get(key, 0.0) + seconds
        self._messages[key] += messages
        self._cells[key] += 1

    def seconds(self, key: PaceKey, messages: int) -> float | None:
        """Return how long measuring so many messages takes; ``None`` where the strategy was never measured."""
        messages_measured = self._messages[key]
        return (
            self._seconds[key] / messages_measured * messages
            if messages_measured
            else None
        )

    def seconds_of_all(
        self, settings: Iterable[Strategy], writer: str, messages: int
    ) -> float | None:
        """Return how long all of them take over so many messages; ``None`` where one of them is not known."""
        total = 0.0
        for key, number in Counter(
            PaceKey.of(setting, writer) for setting in settings
        ).items():
            seconds = self.seconds(key, messages)
            if seconds is None:
                return None
            total += number * seconds
        return total

    def try_out(
        self,
        settings: Sequence[Strategy],
        transcript: Transcript,
        counter: AnyCounter,
        writer: Model | None,
    ) -> None:
        """Measure a few settings of each strategy that was never measured over the beginning of ``transcript``. One
        that asks a model which costs money is not tried."""
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
"""Of this process: every sweep notes what its cells took."""


@dataclass(eq=False, repr=False)
class DueWork:
    """The messages of a sweep that are still to be measured, and the seconds that its workers took so far."""

    pace: Pace = HERE
    _messages: Counter[PaceKey] = field(default_factory=Counter)
    _worked_seconds: float = 0.0

    def add(self, key: PaceKey, messages: int) -> None:
        """Take in a cell that is to be measured."""
        self._messages[key] += messages

    def take(self, key: PaceKey, messages: int, seconds: float) -> None:
        """Take out a cell that was measured in so many seconds."""
        self._messages[key] -= messages
        self._worked_seconds += seconds
        self.pace.note(key, messages, seconds)

    def seconds_left(self, passed_seconds: float) -> float | None:
        """Return the time that the rest takes; ``None`` before anything of it is known."""
        messages_with_pace = 0
        seconds_due = 0.0
        # A list: another thread may add to it.
        for key, messages in list(self._messages.items()):
            seconds = self.pace.seconds(key, messages)
            if seconds is not None:
                messages_with_pace += messages
                seconds_due += seconds
        if not self._messages.total():
            return 0.0 if self._worked_seconds else None
        if not messages_with_pace:
            return None
        # A strategy that was never measured is taken to be like the others.
        seconds_due *= self._messages.total() / messages_with_pace
        if self._worked_seconds:
            # Several workers share it.
            seconds_due *= min(1.0, passed_seconds / self._worked_seconds)
        return seconds_due


def order_middle_first(values: Sequence[T]) -> list[T]:
    """Return the values of a row in the order in which they tell most of it: the middle one, both ends, then those
    between."""
    count = len(values)
    order = dict.fromkeys([count // 2, 0, count - 1])
    step = count
    while len(order) < count:
        step = max(1, step // 2)
        order |= dict.fromkeys(range(0, count, step))
    return [values[number] for number in order]


def order_most_telling_first(settings: Sequence[Strategy]) -> list[int]:
    """Return the numbers (0-based) of the settings in the order in which a sweep that has little time measures them:
    a middle one of each family, then of its other strategies, then both ends, then those between."""
    by_strategy: dict[str, list[int]] = {}
    for number in sorted(
        range(len(settings)), key=lambda position: _get_main_value(settings[position])
    ):
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
    """The value of its main parameter, where that is a number."""
    value = getattr(setting, setting.main_parameter, None)
    return value if isinstance(value, int) else 0
