"""Judges whether a memory is over the limits of a strategy, and how much more may be said before it is.

Strategies compare one number with one limit (:class:`Fill`), or several joined by *and* and *or* (:func:`trigger_from`:
``4000 tokens or 20 messages``). Compactions and the forecasts on pages read the same values, so they cannot disagree.
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

    If nothing is left to summarize, the next message is assumed to be the user's.
    """

    amount: int
    """A plain user message with so many more triggers it, and nothing smaller does. 0: the
    next user message triggers it, whatever its size."""
    unit: str
    """``tokens`` of the content of what is said, ``messages`` of any role, or ``turns``. A
    turn counts when it begins, with a user message that follows no other; where each turn
    is summarized, when it is complete."""

    def due_at(self, memory: Memory) -> int:
        """Return the length of the log at which this much more than in ``memory`` was said.

        For turns it is the next message: nothing is due before it.
        """
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

    Both the compaction that is due and the forecast of the next one are made from it.
    """

    held: int
    limit: int
    """The largest amount for which nothing has to go."""
    unit: str
    counts: str
    """What is counted, in words: ``messages not yet summarized``."""
    regardless: bool = False
    """True if something has to go, however little is held."""

    @property
    def is_over(self) -> bool:
        """True if something has to go."""
        return self.regardless or self.held > self.limit

    @property
    def reason(self) -> str:
        """The comparison in numbers: ``4,012 tokens > 4,000``."""
        return f"{self.held:,} {self.unit} > {self.limit:,}"

    @property
    def headroom(self) -> Headroom | None:
        """The amount that may still be said; ``None`` for seconds, which nobody says."""
        return _headroom_to_limit(
            self.held, self.limit, self.unit, is_over=self.is_over
        )


def _headroom_to_limit(
    held: int, limit: int, unit: str, *, is_over: bool
) -> Headroom | None:
    if unit not in ("messages", "tokens"):
        return None
    missing = 0 if is_over else limit + 1 - held
    return Headroom(max(_least_headroom(unit), missing), unit)


def _least_headroom(unit: str) -> int:
    """The smallest headroom: a next message is always one message more, and may have no
    tokens."""
    return 1 if unit == "messages" else 0


class MemoryAmounts(NamedTuple):
    """The amounts of a memory that a trigger compares with its limits."""

    tokens: int = 0
    messages: int = 0
    turns: int = 0
    seconds: int = 0

    def of(self, unit: Unit) -> int:
        """Return the amount in this unit."""
        numbers: dict[str, int] = self._asdict()
        return numbers[unit]


def measure_memory(memory: Memory) -> MemoryAmounts:
    """Return the amounts of what is not summarized yet: content tokens, messages, and the turns that begin there.

    ``seconds`` are those between the last two messages, 0 if their times are unknown.
    """
    start = memory.cursor
    length = memory.length
    turns = 0
    if start < length:
        turn_before = memory.log.turn_number(start - 1) if start else 0
        turns = memory.turn - turn_before
    return MemoryAmounts(
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
    """A condition that says when a memory holds too much."""

    def judge(self, amounts: MemoryAmounts) -> Verdict:
        """Return whether ``amounts`` are too much, why, and how much more would be."""


@dataclass(frozen=True)
class AtLeast:
    """Fires from ``amount`` of one unit on."""

    amount: int
    unit: Unit
    share: float | None = None
    """The share of a window that the amount was made of, if it was."""

    def judge(self, amounts: MemoryAmounts) -> Verdict:
        """It is over from ``amount`` on."""
        amount = amounts.of(self.unit)
        is_over = amount >= self.amount
        reason = f"{amount:,} {self.unit} ≥ {self.amount:,}"
        if self.share is not None:
            reason += f" ({self.share:.0%} of the window)"
        room = _headroom_to_limit(amount, self.amount - 1, self.unit, is_over=is_over)
        return Verdict(is_over, reason, room)


@dataclass(frozen=True)
class Above:
    """Fires above ``amount`` of one unit."""

    amount: int
    unit: Unit

    def judge(self, amounts: MemoryAmounts) -> Verdict:
        """It is over above ``amount``."""
        amount = amounts.of(self.unit)
        is_over = amount > self.amount
        room = _headroom_to_limit(amount, self.amount, self.unit, is_over=is_over)
        return Verdict(is_over, f"{amount:,} {self.unit} > {self.amount:,}", room)


@dataclass(frozen=True)
class AnyOf:
    """Fires when one of the clauses does."""

    clauses: tuple[TriggerClause, ...]

    def judge(self, amounts: MemoryAmounts) -> Verdict:
        """It is over if any clause is. Those that are give the reason."""
        verdicts = [clause.judge(amounts) for clause in self.clauses]
        fired = [verdict for verdict in verdicts if verdict.is_over]
        reason = " or ".join(verdict.reason for verdict in fired)
        return Verdict(bool(fired), reason, _find_smallest_headroom(verdicts))


@dataclass(frozen=True)
class AllOf:
    """Fires when all of the clauses do."""

    clauses: tuple[TriggerClause, ...]

    def judge(self, amounts: MemoryAmounts) -> Verdict:
        """It is over if all clauses are. All of them give the reason."""
        verdicts = [clause.judge(amounts) for clause in self.clauses]
        waiting = [verdict for verdict in verdicts if not verdict.is_over]
        reason = " and ".join(verdict.reason for verdict in verdicts)
        is_over = bool(verdicts) and not waiting
        return Verdict(is_over, reason, _find_largest_headroom(waiting or verdicts))


def _find_smallest_headroom(verdicts: Sequence[Verdict]) -> Headroom | None:
    """Return the smallest headroom of any clause; ``None`` if their units differ, so that each may come first."""
    rooms = [verdict.headroom for verdict in verdicts]
    for room in rooms:
        # The next message triggers this clause, whatever the others need.
        if room is not None and room.amount <= _least_headroom(room.unit):
            return room
    comparable = _keep_comparable(rooms)
    return min(comparable) if comparable else None


def _find_largest_headroom(verdicts: Sequence[Verdict]) -> Headroom | None:
    """Return the largest headroom of any clause; ``None`` if their units differ."""
    comparable = _keep_comparable([verdict.headroom for verdict in verdicts])
    return max(comparable) if comparable else None


def _keep_comparable(rooms: Sequence[Headroom | None]) -> list[Headroom]:
    """Return the headrooms if they can be compared: all are known and of one unit. Else return none."""
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
    """Parse the text of a trigger: clauses such as ``4000 tokens``, ``20
    messages`` or ``0.8 of the window``, joined by *and* and, weaker, *or*.

    Raises :class:`ParameterError`, which names the ``parameter``, for anything else, and for
    clauses of other ``units`` (those of a window are of tokens).
    """
    alternatives = re.split(r"\bor\b", text)
    try:
        clauses = [_parse_all_of(part, window_tokens, units) for part in alternatives]
        return AnyOf(tuple(clauses))
    except ValueError:
        allowed = 'clauses such as "4000 tokens", "20 messages" or "0.8 of the window", joined by and, or'
        raise ParameterError(parameter, text, allowed) from None


def _parse_all_of(text: str, window_tokens: int, units: Sequence[str]) -> TriggerClause:
    clauses = [
        _parse_clause(part.strip(), window_tokens, units)
        for part in re.split(r"\band\b", text)
    ]
    return clauses[0] if len(clauses) == 1 else AllOf(tuple(clauses))


def _parse_clause(text: str, window_tokens: int, units: Sequence[str]) -> AtLeast:
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
