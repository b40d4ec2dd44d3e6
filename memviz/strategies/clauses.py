"""The rules by which a strategy acts, as values: how full a memory is against a limit, and several limits joined by
*any* or *all*.

A clause answers two questions from the same arithmetic: is it over, and how much more is needed until it is? So the
forecast on a page cannot disagree with the deed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from memviz.core.bounds import LARGEST_NUMBER
from memviz.core.errors import ParameterError
from memviz.core.memory import Memory
from memviz.core.text.wording import counted

UNITS = ("tokens", "messages", "turns", "seconds")
Unit = Literal["tokens", "messages", "turns", "seconds"]


class Headroom(NamedTuple):
    """The distance to the next compaction: none comes before ``amount`` of ``unit`` more, and a plain user message
    with that many makes it come; 0: the next user message does, whatever its size. Where nothing is left
    unsummarized, what comes next is taken to begin with the user's message.

    A *token* is one of the content of what is said, a *message* one of any role. A *turn* is one that begins, with a
    user message that follows no other; where each turn is summarized, it is one that is complete.
    """

    amount: int
    unit: str

    def __str__(self) -> str:
        if not self.amount:
            return "the next message"
        return counted(self.amount, f"more {self.unit.removesuffix('s')}")


class Fill(NamedTuple):
    """The fill of a memory: so many ``unit`` of what ``counts`` (in words) are ``held``, and more than ``limit`` is
    too much. ``regardless``: something has to go, however little is held.

    Both the compaction that is due and the forecast of the next one are read off it, so they cannot disagree.
    """

    held: int
    limit: int
    unit: str
    counts: str
    regardless: bool = False

    @property
    def is_over(self) -> bool:
        """True if something has to go."""
        return self.regardless or self.held > self.limit

    @property
    def reason(self) -> str:
        """The arithmetic in numbers."""
        return f"{self.held:,} {self.unit} > {self.limit:,}"

    @property
    def headroom(self) -> Headroom | None:
        """The amount that makes it too much. A message is one message more, also where there are too many already.
        ``None`` for what nobody says: time that passes."""
        if self.unit not in ("messages", "tokens"):
            return None
        least = 1 if self.unit == "messages" else 0
        return Headroom(
            least if self.is_over else max(least, self.limit + 1 - self.held), self.unit
        )


class Held(NamedTuple):
    """The numbers of a memory that a trigger counts."""

    tokens: int = 0
    messages: int = 0
    turns: int = 0
    seconds: int = 0

    def of(self, unit: Unit) -> int:
        """The number of this unit."""
        amount: int = getattr(self, unit)
        return amount


def held_by(memory: Memory, start: int | None = None) -> Held:
    """The numbers of a memory from log position ``start`` on, or of what is not summarized: content tokens,
    messages, the turns that begin there, and the seconds that passed before the last message, as far as times are
    known."""
    start = memory.cursor if start is None else start
    log = memory.log
    length = memory.length
    before = log.turn_number(start - 1) if start else 0
    turns = memory.turn - before if start < length else 0
    return Held(
        memory.sums.between(start, length), length - start, turns, _idle_seconds(memory)
    )


def _idle_seconds(memory: Memory) -> int:
    if memory.length < 2:
        return 0
    before, last = (memory.log[memory.length - back].said_at for back in (2, 1))
    return (
        0
        if before is None or last is None
        else max(0, int((last - before).total_seconds()))
    )


class Verdict(NamedTuple):
    """The verdict of a trigger on a memory: whether it ``is_over``, the ``reason`` in numbers of the clauses that
    fired, and the ``headroom``, ``None`` where no single number says it."""

    is_over: bool
    reason: str
    headroom: Headroom | None


class TriggerClause(Protocol):
    """Something that says when a memory holds too much."""

    def judge(self, held: Held) -> Verdict:
        """The verdict on ``held``: whether it is too much, why, and how much more would be."""


@dataclass(frozen=True)
class AtLeast:
    """So many of one unit, or more. ``share`` is the fraction of a window that the number was made of, if it was."""

    amount: int
    unit: Unit
    share: float | None = None

    def judge(self, held: Held) -> Verdict:
        """Too much from ``amount`` on."""
        has = held.of(self.unit)
        fill = Fill(has, self.amount - 1, self.unit, "")
        part = f" ({self.share:.0%} of the window)" if self.share is not None else ""
        return Verdict(
            fill.is_over, f"{has:,} {self.unit} ≥ {self.amount:,}{part}", fill.headroom
        )


@dataclass(frozen=True)
class Above:
    """More than so many of one unit."""

    amount: int
    unit: Unit

    def judge(self, held: Held) -> Verdict:
        """Too much above ``amount``."""
        fill = Fill(held.of(self.unit), self.amount, self.unit, "")
        return Verdict(fill.is_over, fill.reason, fill.headroom)


@dataclass(frozen=True)
class AnyOf:
    """Fires when one of the clauses does."""

    clauses: tuple[TriggerClause, ...]

    def judge(self, held: Held) -> Verdict:
        """The first clause that fires gives the reason."""
        verdicts = [clause.judge(held) for clause in self.clauses]
        fired = [verdict for verdict in verdicts if verdict.is_over]
        return Verdict(
            bool(fired), " or ".join(one.reason for one in fired), _soonest(verdicts)
        )


@dataclass(frozen=True)
class AllOf:
    """Fires when all of the clauses do."""

    clauses: tuple[TriggerClause, ...]

    def judge(self, held: Held) -> Verdict:
        """All clauses together give the reason."""
        verdicts = [clause.judge(held) for clause in self.clauses]
        is_over = bool(verdicts) and all(verdict.is_over for verdict in verdicts)
        left = [verdict for verdict in verdicts if not verdict.is_over] or verdicts
        return Verdict(
            is_over, " and ".join(one.reason for one in verdicts), _last(left)
        )


def _soonest(verdicts: Sequence[Verdict]) -> Headroom | None:
    """The least of what any clause still needs; ``None`` where clauses of different units may each come first."""
    rooms = [verdict.headroom for verdict in verdicts]
    for room in rooms:
        if room is not None and room.amount <= (1 if room.unit == "messages" else 0):
            return room  # the next message sets it off, whatever the others say
    return _one_unit(rooms, min)


def _last(verdicts: Sequence[Verdict]) -> Headroom | None:
    """The most of what the clauses still need; ``None`` where they are of different units."""
    return _one_unit([verdict.headroom for verdict in verdicts], max)


def _one_unit(
    rooms: Sequence[Headroom | None], choose: Callable[[Sequence[Headroom]], Headroom]
) -> Headroom | None:
    known = [room for room in rooms if room is not None]
    if len(known) < len(rooms) or len({room.unit for room in known}) != 1:
        return None
    return choose(known)


_CLAUSE = re.compile(
    r"(?P<amount>\d[\d,]*|0?\.\d+|1(\.0+)?) *(of the )?(?P<unit>tokens?|messages?|turns?|seconds?|window)"
)


def trigger_from(
    text: str,
    window_tokens: int,
    parameter: str = "trigger",
    units: Sequence[str] = UNITS,
) -> AnyOf:
    """The trigger that a text says: clauses such as ``4000 tokens``, ``20 messages`` or ``0.8 of the window``, joined
    by *and* and, weaker, *or*. Raises :class:`ParameterError`, which calls it by the name of the ``parameter``, for
    anything else, and for clauses of other ``units``."""
    try:
        return AnyOf(
            tuple(
                _all_of(part, window_tokens, units)
                for part in re.split(r"\bor\b", text)
            )
        )
    except ValueError:
        allowed = 'clauses such as "4000 tokens", "20 messages" or "0.8 of the window", joined by and, or'
        raise ParameterError(parameter, text, allowed) from None


def _all_of(text: str, window_tokens: int, units: Sequence[str]) -> TriggerClause:
    clauses = [
        _clause(part.strip(), window_tokens, units)
        for part in re.split(r"\band\b", text)
    ]
    return clauses[0] if len(clauses) == 1 else AllOf(tuple(clauses))


def _clause(text: str, window_tokens: int, units: Sequence[str]) -> AtLeast:
    found = _CLAUSE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    amount = float(found["amount"].replace(",", ""))
    unit = found["unit"].removesuffix("s") + "s"
    if unit == "windows" and amount <= 1:
        return AtLeast(max(1, int(amount * window_tokens)), "tokens", amount)
    if unit not in units or amount > LARGEST_NUMBER:
        raise ValueError(text)
    return AtLeast(max(1, int(amount)), unit)  # type: ignore[arg-type]  # it is one of them
