"""One warning about a run, and how its numbers are said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memviz.core.text.wording import counted, turn_list
from memviz.engine.run import Run
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
            return f"{counted(len(turns), 'turn')} from {turns[0]:,} to {turns[-1]:,}"
        return turn_list(turns) if turns else ""


def turns_at(run: Run, numbers: Iterable[int]) -> tuple[int, ...]:
    """The turns of the requests of these numbers (0-based), each once."""
    return tuple(dict.fromkeys(run.columns.turns[[*numbers]].tolist()))


def step_noun(run: Run) -> str:
    """What one step of ``run`` is called: a turn, as long as every turn took one request."""
    return "request" if run.has_calls else "turn"


def budget_name(strategy: Strategy) -> str:
    """The parameter that is the strategy's token budget."""
    name = strategy.main_parameter
    return (
        name
        if name and getattr(strategy, name) == strategy.budget_tokens
        else "token limit"
    )


def counted_tokens(strategy: Strategy, **tokens: int) -> int:
    """Which of these tokens, by part of a request, count against the budget."""
    parts: Sequence[str] = (
        "system",
        "summary",
        "recalled",
        "history",
        "input",
        "overhead",
    )
    return strategy.counted_tokens({**dict.fromkeys(parts, 0), **tokens})
