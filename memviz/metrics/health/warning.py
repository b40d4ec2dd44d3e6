"""One warning about a run, and how its numbers are said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memviz.engine.records import TurnRecord
from memviz.strategies.base import Strategy

Severity = Literal["bad", "caution"]

_TURNS_NAMED = 4


@dataclass(frozen=True, slots=True)
class HealthWarning:
    """Something in a run that costs money, detail or a refused request.

    ``kind`` is stable and the same in every language of a page; ``numbers`` is a sentence with what was
    counted, ``why`` says what is bad about it and ``remedy`` what to change. ``turns`` are the turns
    concerned, in order, each once. ``bad`` is what a provider may refuse, what breaks the setting's own
    promise or what is paid for again and again; everything else is a ``caution``.
    """

    kind: str
    title: str
    numbers: str
    why: str
    remedy: str
    turns: tuple[int, ...] = ()
    severity: Severity = "caution"

    @property
    def turns_in_words(self) -> str:
        """The turns by number if they are few, else their range; empty if it concerns no turn."""
        turns = self.turns
        if len(turns) > _TURNS_NAMED:
            return f"{len(turns):,} turns from {turns[0]:,} to {turns[-1]:,}"
        if len(turns) < 2:
            return "".join(f"turn {turn:,}" for turn in turns)
        return f"turns {', '.join(f'{turn:,}' for turn in turns[:-1])} and {turns[-1]:,}"


def turns_of(records: Iterable[TurnRecord]) -> tuple[int, ...]:
    """The turn numbers of ``records``."""
    return tuple(record.turn for record in records)


def counted(number: int, noun: str) -> str:
    """``1 summary``, ``2 summaries``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("y") else f"{number:,} {noun}s"


def share_of(part: int, whole: int, noun: str) -> str:
    """``3 of 12 requests``."""
    return f"{part:,} of {counted(whole, noun)}"


def budget_name(strategy: Strategy) -> str:
    """The parameter that is the strategy's token budget."""
    name = strategy.main_parameter
    return name if name and getattr(strategy, name) == strategy.budget_tokens else "token budget"


def counted_tokens(strategy: Strategy, **tokens: int) -> int:
    """Which of these tokens, by part of a request, count against the budget."""
    parts: Sequence[str] = ("system", "summary", "recalled", "history", "input", "overhead")
    return strategy.counted_tokens({**dict.fromkeys(parts, 0), **tokens})
