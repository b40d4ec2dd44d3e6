"""Keeps the settings that a chat used one after the other, and finds which compactions belong to which.

A chat can switch to another strategy (:mod:`memviz.engine.switching`): its requests, compactions and summaries stay as
they were made. The memory of a setting is made from its own compactions alone, even if the chat used another setting in
between.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import PlainSerializer

from memviz.core.memory import Memory, MemorySpace
from memviz.engine.compaction import COUNTED, Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.stored import CompactionStop, Text, Turn, read_as
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy

T = TypeVar("T")
Identity = tuple[Strategy, str]
"""A strategy and the name of a counter."""
NO_END = sys.maxsize
"""Stands for the last turn of the setting in use."""


@dataclass(frozen=True, slots=True)
class StrategyFields:
    """A strategy as it is stored."""

    id: Text
    parameters: dict[str, Any]


def strategy_to_dict(strategy: Strategy) -> dict[str, Any]:
    """Return the strategy as JSON."""
    return {"id": strategy.id, "parameters": strategy.model_dump()}


StoredStrategy = Annotated[
    Strategy,
    read_as(
        StrategyFields,
        lambda value, _: make_strategy(value.id, **value.parameters),
    ),
    PlainSerializer(strategy_to_dict),
]


@dataclass(frozen=True, slots=True)
class EarlierSetting:
    """A setting that was left for another one."""

    strategy: StoredStrategy
    counter: Text
    """The name of its counter."""
    last_turn: Turn
    """The number of the last turn under it."""
    compactions: CompactionStop
    """The number of the run's compactions when it was left."""

    @property
    def identity(self) -> Identity:
        """The strategy and the counter, which are all that makes two settings the same."""
        return self.strategy, self.counter


class Timeline(NamedTuple):
    """All settings of a run in order: the ``earlier`` ones, then the ``strategy`` and the name of the ``counter`` in
    use now."""

    strategy: Strategy
    counter: str
    earlier: tuple[EarlierSetting, ...] = ()

    @property
    def identity(self) -> Identity:
        """The strategy and the counter that are in force."""
        return self.strategy, self.counter

    def segments(
        self, compactions: Sequence[T]
    ) -> Iterator[tuple[EarlierSetting, Sequence[T]]]:
        """Yield every setting in order, each with the ``compactions`` that were made while it was in use.

        The one in use now comes last, and its last turn is :data:`NO_END`.
        """
        in_force = EarlierSetting(*self.identity, NO_END, len(compactions))
        start = 0
        for setting in (*self.earlier, in_force):
            yield setting, compactions[start : setting.compactions]
            start = setting.compactions

    def select_own(self, compactions: Sequence[Compaction]) -> list[Compaction]:
        """Return the compactions of the setting in use, including those of earlier times when it was in use."""
        compactions_of_setting: list[Compaction] = []
        for setting, segment in self.segments(compactions):
            if setting.identity == self.identity:
                compactions_of_setting += segment
        return compactions_of_setting

    def find_makers(self, compactions: Sequence[object]) -> list[Strategy]:
        """Return the strategy that each of all ``compactions`` was made under."""
        makers: list[Strategy] = []
        for setting, segment in self.segments(compactions):
            makers += [setting.strategy] * len(segment)
        return makers

    def at(self, turn: int) -> Timeline:
        """Return the settings as they were when the request of ``turn`` was made."""
        for number, setting in enumerate(self.earlier):
            if turn <= setting.last_turn:
                return Timeline(*setting.identity, self.earlier[:number])
        return self

    def select_own_at(
        self, turn: int, compactions: Sequence[Compaction]
    ) -> list[Compaction]:
        """Return the compactions of the setting that the request of ``turn`` was made under, in order."""
        then = self.at(turn)
        earlier_count = len(then.earlier)
        if earlier_count < len(self.earlier):
            compactions = compactions[: self.earlier[earlier_count].compactions]
        return then.select_own(compactions)

    def leave_setting(self, last_turn: int, compactions: int) -> Timeline:
        """Return the settings after the one in use is left behind ``last_turn``, with so many ``compactions`` in all.

        A setting without any turn is not kept.
        """
        if self.earlier and last_turn <= self.earlier[-1].last_turn:
            return self
        setting = EarlierSetting(*self.identity, last_turn, compactions)
        return self._replace(earlier=(*self.earlier, setting))

    def cut_log(
        self, compactions: Sequence[Compaction], length: int, last_turn: int
    ) -> tuple[list[Compaction], Timeline]:
        """Return the compactions and settings that remain when the log is cut to ``length`` messages.

        ``last_turn`` is the last turn with a record. The setting in use stays in use, with its compactions over these
        messages. An earlier setting without any turn left goes, and its compactions go with it.
        """
        earlier: list[EarlierSetting] = []
        earlier_compactions: list[Compaction] = []
        own_compactions: list[Compaction] = []
        for setting, segment in self.segments(compactions):
            compactions_before = [
                compaction
                for compaction in segment
                if compaction.after_message < length
            ]
            turn_before = earlier[-1].last_turn if earlier else 0
            if setting.last_turn < NO_END and turn_before < last_turn:
                earlier_compactions += compactions_before
                until = min(setting.last_turn, last_turn)
                count = len(earlier_compactions)
                earlier.append(replace(setting, last_turn=until, compactions=count))
            elif setting.identity == self.identity:
                own_compactions += compactions_before
        while earlier and earlier[-1].identity == self.identity:
            earlier.pop()
        timeline = self._replace(earlier=tuple(earlier))
        return earlier_compactions + own_compactions, timeline

    def assign_compactions(
        self, requests: Sequence[TurnRecord], compactions: Sequence[Compaction]
    ) -> tuple[list[TurnRecord], list[Compaction]]:
        """Give each record the compactions whose result its request was the first to send.

        Returns the records, and the compactions of the setting in use that no request has sent yet. A compaction that a
        setting made after its last turn does not belong to the setting that followed: it waits until the chat returns
        to its own setting.
        """
        records: list[TurnRecord] = []
        unsent_of: dict[Identity, list[Compaction]] = defaultdict(list)
        for setting, segment in self.segments(compactions):
            unsent = unsent_of[setting.identity]
            unsent += segment
            for record in requests[len(records) :]:
                if record.turn > setting.last_turn:
                    break
                length = record.memory.length
                count = bisect_left(unsent, length, key=lambda made: made.after_message)
                if count or record.compactions:
                    record = replace(record, compactions=tuple(unsent[:count]))
                    del unsent[:count]
                records.append(record)
        return records, unsent_of[self.identity]


def renumber_summaries(
    compactions: Sequence[Compaction], space: MemorySpace
) -> list[Compaction]:
    """Write the summaries of ``compactions`` into the empty ``space``, and number them from 1 without a gap.

    If version 2 was cut off, version 3 becomes version 2. Returns the compactions with these numbers.
    """
    new_numbers = {0: 0}
    has_gap = False
    numbered: list[Compaction] = []
    for compaction in compactions:
        version = compaction.version
        if version is not None:
            new_numbers[version] = len(space.summaries) + 1
            has_gap = has_gap or new_numbers[version] != version
        if has_gap:
            compaction = _renumber_compaction(compaction, new_numbers, space)
        if compaction.written is not None:
            wording = compaction.strategy.summary_wording
            space.summaries.append(compaction.written, wording)
        numbered.append(compaction)
    return numbered


def _renumber_compaction(
    compaction: Compaction, numbers: dict[int, int], space: MemorySpace
) -> Compaction:
    """Return the compaction over ``space``, with the new numbers of its summaries; ``numbers`` maps old ones to new."""

    def map_number(number: int | None) -> int | None:
        return None if number is None else numbers[number]

    def move_memory(memory: Memory) -> Memory:
        count = numbers[memory.summary_count]
        return memory._replace(space=space, summary_count=count)

    version = compaction.written
    if version is not None:
        tokens = version.tokens
        version = replace(
            version,
            version=numbers[version.version],
            replaces=map_number(version.replaces),
            follows=map_number(version.follows),
        )
        version.__dict__["tokens"] = tokens  # counted before: not counted again
    moved_compaction = replace(
        compaction,
        before=move_memory(compaction.before),
        after=move_memory(compaction.after),
        written=version,
        replaces=map_number(compaction.replaces),
        revises=map_number(compaction.revises),
    )
    # The cached counts stay: nothing is counted again.
    for name in COUNTED:
        moved_compaction.__dict__[name] = getattr(compaction, name)
    return moved_compaction
