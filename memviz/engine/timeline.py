"""The settings that a chat was held under, one after the other, and which compactions belong to which.

A chat goes on under another strategy without rewriting what was: its requests, compactions and summaries stay as they
were made. What a setting remembers is read off the compactions that were made under it alone, also where the chat was
held under another one in between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Annotated, Any, NamedTuple

from pydantic import PlainSerializer

from memviz.core.memory import Memory, MemorySpace
from memviz.engine.compaction import COUNTED, Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.stored import CompactionStop, Text, Turn, read_as
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy


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
    """The number of the last turn that was held under it."""
    compactions: CompactionStop
    """The number of the run's compactions when it was left."""

    def is_setting(self, strategy: Strategy, counter: str) -> bool:
        """True if it is this setting."""
        return (self.strategy, self.counter) == (strategy, counter)


class Timeline(NamedTuple):
    """All settings of a run: the ``strategy`` and the name of the ``counter`` that are in force, and those before."""

    strategy: Strategy
    counter: str
    earlier: tuple[EarlierSetting, ...] = ()

    def segments(
        self, compactions: Sequence[Compaction]
    ) -> Iterator[tuple[EarlierSetting, Sequence[Compaction]]]:
        """Every setting in the order in which it was in force, the one in force with no end, and the compactions that
        were made while it was."""
        in_force = EarlierSetting(
            self.strategy, self.counter, sys.maxsize, len(compactions)
        )
        start = 0
        for setting in (*self.earlier, in_force):
            yield setting, compactions[start : setting.compactions]
            start = setting.compactions

    def own(self, compactions: Sequence[Compaction]) -> list[Compaction]:
        """The compactions of the setting in force, also those of when it was in force before."""
        if not self.earlier:
            return [*compactions]
        own: list[Compaction] = []
        for setting, segment in self.segments(compactions):
            if setting.is_setting(self.strategy, self.counter):
                own += segment
        return own

    def makers(self, compactions: int) -> list[Strategy]:
        """The strategy that each of so many compactions was made under."""
        makers: list[Strategy] = []
        for setting in self.earlier:
            makers += [setting.strategy] * (setting.compactions - len(makers))
        return makers + [self.strategy] * (compactions - len(makers))

    def at(self, turn: int) -> Timeline:
        """The settings as they were when the request of ``turn`` was made."""
        for number, setting in enumerate(self.earlier):
            if turn <= setting.last_turn:
                return Timeline(
                    setting.strategy, setting.counter, self.earlier[:number]
                )
        return self

    def own_at(self, turn: int, compactions: Sequence[Compaction]) -> list[Compaction]:
        """The compactions of the setting that the request of ``turn`` was made under, in order."""
        then = self.at(turn)
        earlier_count = len(then.earlier)
        if earlier_count < len(self.earlier):
            compactions = compactions[: self.earlier[earlier_count].compactions]
        return then.own(compactions)

    def left(self, last_turn: int, compactions: int) -> Timeline:
        """The settings once the one in force is left, with so many compactions. Without a turn it leaves nothing
        behind."""
        if self.earlier and last_turn <= self.earlier[-1].last_turn:
            return self
        setting = EarlierSetting(self.strategy, self.counter, last_turn, compactions)
        return self._replace(earlier=(*self.earlier, setting))

    def cut(
        self, compactions: Sequence[Compaction], length: int, last_turn: int
    ) -> tuple[list[Compaction], Timeline]:
        """The compactions and settings that are left when the log is cut to ``length`` messages and ``last_turn`` is
        the last with a record.

        The setting in force stays in force, with what it remembers of these messages. Another one that no turn is left
        of goes, and its compactions with it.
        """
        past: list[Compaction] = []
        own: list[Compaction] = []
        earlier: list[EarlierSetting] = []
        for setting, segment in self.segments(compactions):
            within = [
                compaction
                for compaction in segment
                if compaction.after_message < length
            ]
            is_past = setting.last_turn < sys.maxsize
            turn_before = earlier[-1].last_turn if earlier else 0
            if is_past and turn_before < last_turn:
                past += within
                until = min(setting.last_turn, last_turn)
                earlier.append(replace(setting, last_turn=until, compactions=len(past)))
            elif setting.is_setting(self.strategy, self.counter):
                own += within
        while earlier and earlier[-1].is_setting(self.strategy, self.counter):
            earlier.pop()
        return [*past, *own], self._replace(earlier=tuple(earlier))

    def with_their_compactions(
        self, requests: Sequence[TurnRecord], compactions: Sequence[Compaction]
    ) -> tuple[list[TurnRecord], list[Compaction]]:
        """The records, each with the compactions that changed its request first, and those of the setting in force
        that changed none yet.

        What a setting summarized after its last turn changed no request of the setting that followed: it waits until
        the chat is given its own setting again.
        """
        sent: list[Compaction] = []
        for record in requests:
            sent += record.compactions
        are_in_place = all(map(is_, sent, compactions))
        if not self.earlier and are_in_place:
            return [*requests], [*compactions[len(sent) :]]
        records: list[TurnRecord] = []
        unsent_of: list[tuple[EarlierSetting, list[Compaction]]] = []
        unsent: list[Compaction] = []
        for setting, segment in self.segments(compactions):
            # What this setting had left to send when it was in force before comes first.
            unsent = []
            others = []
            for earlier, left_over in unsent_of:
                if earlier.is_setting(setting.strategy, setting.counter):
                    unsent += left_over
                else:
                    others.append((earlier, left_over))
            unsent += segment
            for record in requests[len(records) :]:
                if record.turn > setting.last_turn:
                    break
                length = record.memory.length
                own = [
                    compaction
                    for compaction in unsent
                    if compaction.after_message < length
                ]
                unsent = unsent[len(own) :]
                records.append(replace(record, compactions=tuple(own)))
            unsent_of = [*others, (setting, unsent)]
        return records, unsent


def renumbered(
    compactions: Sequence[Compaction], space: MemorySpace
) -> list[Compaction]:
    """The compactions with their summaries written into the empty ``space``, numbered from 1 on without a gap."""
    numbers = {0: 0}
    has_gap = False
    result = []
    for compaction in compactions:
        version = compaction.version
        if version is not None:
            numbers[version] = len(space.summaries) + 1
            has_gap = has_gap or numbers[version] != version
        if has_gap:
            compaction = _with_numbers(compaction, numbers, space)
        if compaction.written is not None:
            wording = compaction.strategy.summary_wording
            space.summaries.append(compaction.written, wording)
        result.append(compaction)
    return result


def _with_numbers(
    compaction: Compaction, numbers: dict[int, int], space: MemorySpace
) -> Compaction:
    """The compaction over ``space``, with new ``numbers`` of summaries by their old ones."""

    def new(number: int | None) -> int | None:
        return None if number is None else numbers[number]

    def moved(memory: Memory) -> Memory:
        count = numbers[memory.summary_count]
        return memory._replace(space=space, summary_count=count)

    version = compaction.written
    if version is not None:
        tokens = version.tokens
        version = replace(
            version,
            version=numbers[version.version],
            replaces=new(version.replaces),
            follows=new(version.follows),
        )
        version.__dict__["tokens"] = tokens  # counted before: not counted again
    renumbered_one = replace(
        compaction,
        before=moved(compaction.before),
        after=moved(compaction.after),
        written=version,
        replaces=new(compaction.replaces),
        revises=new(compaction.revises),
    )
    # The cached counts stay: nothing is counted again.
    for name in COUNTED:
        renumbered_one.__dict__[name] = getattr(compaction, name)
    return renumbered_one
