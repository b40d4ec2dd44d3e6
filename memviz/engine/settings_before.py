"""The settings that a chat was held under before the one in force, and which compactions belong to which.

A chat goes on under another strategy without rewriting what was: its requests, compactions and summaries stay as they
were made. What a setting remembers is read off the compactions that were made under it alone, also where the chat was
held under another one in between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memviz.core.memory import MemorySpace
from memviz.engine.compaction import COUNTED, Compaction
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy


@dataclass(frozen=True, slots=True)
class EarlierSetting:
    """A setting that was left for another one: its ``strategy`` and the name of its ``counter``, the number of the
    ``last_turn`` that was held under it, and how many of the run's ``compactions`` had been made when it was left."""

    strategy: Strategy
    counter: str
    last_turn: int
    compactions: int

    def is_setting(self, strategy: Strategy, counter: str) -> bool:
        """Whether it is this setting."""
        return (self.strategy, self.counter) == (strategy, counter)

    def to_dict(self) -> dict[str, Any]:
        """The setting as JSON."""
        strategy = {"id": self.strategy.id, "parameters": self.strategy.model_dump()}
        counts = {"last_turn": self.last_turn, "compactions": self.compactions}
        return {"strategy": strategy, "counter": self.counter, **counts}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> EarlierSetting:
        """The setting that :meth:`to_dict` described."""
        strategy = make_strategy(
            value["strategy"]["id"], **value["strategy"]["parameters"]
        )
        return cls(strategy, value["counter"], value["last_turn"], value["compactions"])


def strategies_of(
    strategy: Strategy, earlier: Sequence[EarlierSetting], compactions: int
) -> list[Strategy]:
    """The strategy that each of so many compactions was made under; ``strategy`` is the one in force."""
    found: list[Strategy] = []
    for setting in earlier:
        found += [setting.strategy] * (setting.compactions - len(found))
    return found + [strategy] * (compactions - len(found))


def strategy_of(
    turn: int, strategy: Strategy, earlier: Sequence[EarlierSetting]
) -> Strategy:
    """The strategy that the requests of ``turn`` were made under; ``strategy`` is the one in force."""
    return next(
        (setting.strategy for setting in earlier if turn <= setting.last_turn), strategy
    )


def segments(
    strategy: Strategy,
    counter: str,
    compactions: Sequence[Compaction],
    earlier: Sequence[EarlierSetting],
) -> Iterator[tuple[EarlierSetting, Sequence[Compaction]]]:
    """Every setting in the order in which it was in force, the one in force with no end, and the compactions that were
    made while it was."""
    start = 0
    for setting in (
        *earlier,
        EarlierSetting(strategy, counter, sys.maxsize, len(compactions)),
    ):
        yield setting, compactions[start : setting.compactions]
        start = setting.compactions


def made_under(
    strategy: Strategy,
    counter: str,
    compactions: Sequence[Compaction],
    earlier: Sequence[EarlierSetting],
) -> list[Compaction]:
    """The compactions of the setting in force, ``strategy`` and ``counter``, also those of when it was in force
    before."""
    found: list[Compaction] = []
    start = 0
    for setting in earlier:
        if setting.is_setting(strategy, counter):
            found += compactions[start : setting.compactions]
        start = setting.compactions
    return [*found, *compactions[start:]]


def cut_off(
    strategy: Strategy,
    counter: str,
    compactions: Sequence[Compaction],
    earlier: Sequence[EarlierSetting],
    length: int,
    last_turn: int,
) -> tuple[list[Compaction], tuple[EarlierSetting, ...]]:
    """What is left of both when the log is cut to ``length`` messages and ``last_turn`` is the last with a record.

    The setting in force stays in force, with what it remembers of these messages. Another one that no turn is left of
    goes, and its compactions with it.
    """
    kept: list[Compaction] = []
    left: list[EarlierSetting] = []
    own: list[Compaction] = []
    start = 0
    for setting in earlier:
        made = [
            c
            for c in compactions[start : setting.compactions]
            if c.after_message < length
        ]
        start = setting.compactions
        if last_turn > (left[-1].last_turn if left else 0):
            kept += made
            until = min(setting.last_turn, last_turn)
            left.append(replace(setting, last_turn=until, compactions=len(kept)))
        elif setting.is_setting(strategy, counter):
            own += made
    kept += own + [c for c in compactions[start:] if c.after_message < length]
    while left and left[-1].is_setting(strategy, counter):
        left.pop()
    return kept, tuple(left)


def renumbered(
    compactions: Sequence[Compaction], space: MemorySpace
) -> list[Compaction]:
    """The compactions with their summaries written into the empty ``space``, numbered from 1 on without a gap."""
    numbers, moved, found = {0: 0}, False, []
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

    version, before, after = compaction.written, compaction.before, compaction.after
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
