"""The rules by which a strategy acts, as values: how full a memory is against a limit, and several limits joined by
*any* or *all*.

A clause answers two questions from the same arithmetic: is it over, and how much more is needed until it is? So the
forecast on a page cannot disagree with the deed.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from memviz.core.bounds import LARGEST_NUMBER
from memviz.core.errors import ParameterError
from memviz.core.memory import Memory
from memviz.core.text.wording import counted

UNITS = ("tokens", "messages", "turns", "seconds")
Unit = Literal["tokens", "messages", "turns", "seconds"]


class Headroom(NamedTuple):
    """The amount that can still be said before the next compaction.

    Where nothing is left unsummarized, the next message is taken to be the user's.
    """

    amount: int
    """A plain user message with so many more triggers it, and nothing smaller does. 0: the
    next user message triggers it, whatever its size."""
    unit: str
    """``tokens`` of the content of what is said, ``messages`` of any role, or ``turns``. A
    turn counts when it begins, with a user message that follows no other; where each turn
    is summarized, when it is complete."""

    def due_at(self, memory: Memory) -> int:
        """The length of the log with which so much more than in ``memory`` is said. Of turns that is the next message,
        which is safe: nothing is due before it."""
        if self.unit == "messages":
            return memory.length + self.amount
        if self.unit == "tokens":
            totals = memory.sums.totals
            full = totals[memory.length] + self.amount
            return bisect_left(totals, full, memory.length + 1)
        return memory.length + 1

    def __str__(self) -> str:
        if not self.amount:
            return "the next message"
        return counted(self.amount, f"more {self.unit.removesuffix('s')}")


class Fill(NamedTuple):
    """The fill of a memory against one limit.

    Both the compaction that is due and the forecast of the next one are read off it, so they
    cannot disagree.
    """

    held: int
    limit: int
    """More than this is too much."""
    unit: str
    counts: str
    """What is counted, in words: ``messages not yet summarized``."""
    regardless: bool = False
    """Something has to go, however little is held."""

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
        """The amount that makes it too much; ``None`` for what nobody says: time that
        passes."""
        return _headroom(self.held, self.limit, self.unit, is_over=self.is_over)


def _headroom(held: int, limit: int, unit: str, *, is_over: bool) -> Headroom | None:
    if unit not in ("messages", "tokens"):
        return None
    missing = 0 if is_over else limit + 1 - held
    return Headroom(max(_least(unit), missing), unit)


def _least(unit: str) -> int:
    """The smallest headroom: a next message is always one message more, and may have no
    tokens."""
    return 1 if unit == "messages" else 0


class Held(NamedTuple):
    """The numbers of a memory that a trigger counts."""

    tokens: int = 0
    messages: int = 0
    turns: int = 0
    seconds: int = 0

    def of(self, unit: Unit) -> int:
        """The number of this unit."""
        numbers: dict[str, int] = self._asdict()
        return numbers[unit]


def held_by(memory: Memory) -> Held:
    """The numbers of what a memory has not summarized: content tokens, messages, the turns
    that begin there, and the seconds that passed before the last message, 0 where times are
    not known."""
    start = memory.cursor
    length = memory.length
    turns = 0
    if start < length:
        turn_before = memory.log.turn_number(start - 1) if start else 0
        turns = memory.turn - turn_before
    return Held(
        tokens=memory.pending_tokens,
        messages=memory.pending,
        turns=turns,
        seconds=_idle_seconds(memory),
    )


def _idle_seconds(memory: Memory) -> int:
    if memory.length < 2:
        return 0
    last = memory.log[memory.length - 1].said_at
    before = memory.log[memory.length - 2].said_at
    if before is None or last is None:
        return 0
    return max(0, int((last - before).total_seconds()))


class Verdict(NamedTuple):
    """The verdict of a trigger on a memory."""

    is_over: bool
    reason: str
    """The numbers of the clauses that fired."""
    headroom: Headroom | None
    """``None`` where no single number says it."""


class TriggerClause(Protocol):
    """Something that says when a memory holds too much."""

    def judge(self, held: Held) -> Verdict:
        """Return whether ``held`` is too much, why, and how much more would be."""


@dataclass(frozen=True)
class AtLeast:
    """Fires from ``amount`` of one unit on."""

    amount: int
    unit: Unit
    share: float | None = None
    """The share of a window that the amount was made of, if it was."""

    def judge(self, held: Held) -> Verdict:
        """Too much from ``amount`` on."""
        has = held.of(self.unit)
        is_over = has >= self.amount
        reason = f"{has:,} {self.unit} ≥ {self.amount:,}"
        if self.share is not None:
            reason += f" ({self.share:.0%} of the window)"
        room = _headroom(has, self.amount - 1, self.unit, is_over=is_over)
        return Verdict(is_over, reason, room)


@dataclass(frozen=True)
class Above:
    """Fires above ``amount`` of one unit."""

    amount: int
    unit: Unit

    def judge(self, held: Held) -> Verdict:
        """Too much above ``amount``."""
        has = held.of(self.unit)
        is_over = has > self.amount
        room = _headroom(has, self.amount, self.unit, is_over=is_over)
        return Verdict(is_over, f"{has:,} {self.unit} > {self.amount:,}", room)


@dataclass(frozen=True)
class AnyOf:
    """Fires when one of the clauses does."""

    clauses: tuple[TriggerClause, ...]

    def judge(self, held: Held) -> Verdict:
        """Too much where any clause fires. Those that do give the reason."""
        verdicts = [clause.judge(held) for clause in self.clauses]
        fired = [verdict for verdict in verdicts if verdict.is_over]
        reason = " or ".join(verdict.reason for verdict in fired)
        return Verdict(bool(fired), reason, _smallest_headroom(verdicts))


@dataclass(frozen=True)
class AllOf:
    """Fires when all of the clauses do."""

    clauses: tuple[TriggerClause, ...]

    def judge(self, held: Held) -> Verdict:
        """Too much where all clauses fire. All of them give the reason."""
        verdicts = [clause.judge(held) for clause in self.clauses]
        waiting = [verdict for verdict in verdicts if not verdict.is_over]
        reason = " and ".join(verdict.reason for verdict in verdicts)
        is_over = bool(verdicts) and not waiting
        return Verdict(is_over, reason, _largest_headroom(waiting or verdicts))


def _smallest_headroom(verdicts: Sequence[Verdict]) -> Headroom | None:
    """The least that any clause still needs; ``None`` where clauses of different units may
    each come first."""
    rooms = [verdict.headroom for verdict in verdicts]
    for room in rooms:
        # The next message sets it off, whatever the others say.
        if room is not None and room.amount <= _least(room.unit):
            return room
    comparable = _of_one_unit(rooms)
    return min(comparable) if comparable else None


def _largest_headroom(verdicts: Sequence[Verdict]) -> Headroom | None:
    """The most that any clause still needs; ``None`` where they are of different units."""
    comparable = _of_one_unit([verdict.headroom for verdict in verdicts])
    return max(comparable) if comparable else None


def _of_one_unit(rooms: Sequence[Headroom | None]) -> list[Headroom]:
    """The rooms, if all are known and of one unit: only then can they be compared. Else
    none."""
    known = [room for room in rooms if room is not None]
    units = {room.unit for room in known}
    if len(known) < len(rooms) or len(units) != 1:
        return []
    return known


_COUNT = re.compile(r"(?P<amount>\d[\d,]*) *(?P<unit>token|message|turn|second)s?")
"""``4,000 tokens``"""
_SHARE = re.compile(r"(?P<share>0?\.\d+|1(\.0+)?) *(of the )?window")
"""``0.8 of the window``"""


def trigger_from(
    text: str,
    window_tokens: int,
    parameter: str = "trigger",
    units: Sequence[str] = UNITS,
) -> AnyOf:
    """Return the trigger that a text says: clauses such as ``4000 tokens``, ``20
    messages`` or ``0.8 of the window``, joined by *and* and, weaker, *or*.

    Raises :class:`ParameterError`, which names the ``parameter``, for anything else, and for
    clauses of other ``units`` (those of a window are of tokens).
    """
    alternatives = re.split(r"\bor\b", text)
    try:
        clauses = [_all_of(part, window_tokens, units) for part in alternatives]
        return AnyOf(tuple(clauses))
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
    share = _SHARE.fullmatch(text)
    if share is not None:
        of_window = float(share["share"])
        unit = "tokens"
        amount = int(of_window * window_tokens)
    else:
        count = _COUNT.fullmatch(text)
        if count is None:
            raise ValueError(text)
        of_window = None
        unit = f"{count['unit']}s"
        amount = int(count["amount"].replace(",", ""))
    if unit not in units or amount > LARGEST_NUMBER:
        raise ValueError(text)
    return AtLeast(max(1, amount), unit, of_window)  # type: ignore[arg-type]  # the patterns have no other unit
