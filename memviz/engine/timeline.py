"""The settings that a chat was held under, one after the other, and which compactions belong to which.

A chat goes on under another strategy without rewriting what was: its requests, compactions and summaries stay as they
were made. What a setting remembers is read off the compactions that were made under it alone, also where the chat was
held under another one in between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

from pydantic import PlainSerializer

from memviz.core.memory import MemorySpace
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
    """A setting that was left for another one: its ``strategy`` and the name of its ``counter``, the number of the
    ``last_turn`` that was held under it, and how many of the run's ``compactions`` had been made when it was left."""

    strategy: StoredStrategy
    counter: Text
    last_turn: Turn
    compactions: CompactionStop

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
        found: list[Compaction] = []
        for setting, made in self.segments(compactions):
            if setting.is_setting(self.strategy, self.counter):
                found += made
        return found

    def makers(self, compactions: int) -> list[Strategy]:
        """The strategy that each of so many compactions was made under."""
        found: list[Strategy] = []
        for setting in self.earlier:
            found += [setting.strategy] * (setting.compactions - len(found))
        return found + [self.strategy] * (compactions - len(found))

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
        if len(then.earlier) < len(self.earlier):
            compactions = compactions[: self.earlier[len(then.earlier)].compactions]
        return then.own(compactions)

    def left(self, last_turn: int, compactions: int) -> Timeline:
        """The settings once the one in force is left, with so many compactions. Without a turn it leaves nothing
        behind."""
        if self.earlier and last_turn <= self.earlier[-1].last_turn:
            return self
        gone = EarlierSetting(self.strategy, self.counter, last_turn, compactions)
        return self._replace(earlier=(*self.earlier, gone))

    def cut(
        self, compactions: Sequence[Compaction], length: int, last_turn: int
    ) -> tuple[list[Compaction], Timeline]:
        """The compactions and settings that are left when the log is cut to ``length`` messages and ``last_turn`` is
        the last with a record.

        The setting in force stays in force, with what it remembers of these messages. Another one that no turn is left
        of goes, and its compactions with it.
        """
        kept: list[Compaction] = []
        own: list[Compaction] = []
        left: list[EarlierSetting] = []
        for setting, done in self.segments(compactions):
            made = [one for one in done if one.after_message < length]
            is_past = setting.last_turn < sys.maxsize
            if is_past and last_turn > (left[-1].last_turn if left else 0):
                kept += made
                until = min(setting.last_turn, last_turn)
                left.append(replace(setting, last_turn=until, compactions=len(kept)))
            elif setting.is_setting(self.strategy, self.counter):
                own += made
        while left and left[-1].is_setting(self.strategy, self.counter):
            left.pop()
        return [*kept, *own], self._replace(earlier=tuple(left))

    def with_their_compactions(
        self, requests: Sequence[TurnRecord], compactions: Sequence[Compaction]
    ) -> tuple[list[TurnRecord], list[Compaction]]:
        """The records, each with the compactions that changed its request first, and those of the setting in force
        that changed none yet.

        What a setting summarized after its last turn changed no request of the setting that followed: it waits until
        the chat is given its own setting again.
        """
        sent = [one for record in requests for one in record.compactions]
        are_known = all(
            one is made for one, made in zip(sent, compactions, strict=False)
        )
        if not self.earlier and are_known:
            return [*requests], [*compactions[len(sent) :]]
        found: list[TurnRecord] = []
        left: list[tuple[EarlierSetting, list[Compaction]]] = []
        waiting: list[Compaction] = []
        for setting, made in self.segments(compactions):
            waiting = []
            others = []
            for before, unsent in left:
                if before.is_setting(setting.strategy, setting.counter):
                    waiting += unsent
                else:
                    others.append((before, unsent))
            left = others
            waiting += made
            for record in requests[len(found) :]:
                if record.turn > setting.last_turn:
                    break
                length = record.memory.length
                mine = [one for one in waiting if one.after_message < length]
                waiting = waiting[len(mine) :]
                found.append(replace(record, compactions=tuple(mine)))
            left.append((setting, waiting))
        return found, waiting


def renumbered(
    compactions: Sequence[Compaction], space: MemorySpace
) -> list[Compaction]:
    """The compactions with their summaries written into the empty ``space``, numbered from 1 on without a gap."""
    numbers = {0: 0}
    moved = False
    found = []
    for compaction in compactions:
        if (version := compaction.version) is not None:
            numbers[version] = len(space.summaries) + 1
            moved |= numbers[version] != version
        made = _with_numbers(compaction, numbers, space) if moved else compaction
        if made.written is not None:
            space.summaries.append(made.written, made.strategy.summary_wording)
        found.append(made)
    return found


def _with_numbers(
    compaction: Compaction, numbers: dict[int, int], space: MemorySpace
) -> Compaction:
    def new(number: int | None) -> int | None:
        return None if number is None else numbers[number]

    version = compaction.written
    before = compaction.before
    after = compaction.after
    if version is not None:
        tokens = version.tokens
        version = replace(
            version,
            version=numbers[version.version],
            replaces=new(version.replaces),
            follows=new(version.follows),
        )
        version.__dict__["tokens"] = tokens  # counted before: not counted again
    made = replace(
        compaction,
        before=before._replace(
            space=space, summary_count=numbers[before.summary_count]
        ),
        after=after._replace(space=space, summary_count=numbers[after.summary_count]),
        written=version,
        replaces=new(compaction.replaces),
        revises=new(compaction.revises),
    )
    made.__dict__.update({name: getattr(compaction, name) for name in COUNTED})
    return made
