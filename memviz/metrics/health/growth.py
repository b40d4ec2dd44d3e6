"""Requests that grow without bound."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import ceil

from memviz.conversation import Log, Message
from memviz.counters import Counter
from memviz.engine.run import Run
from memviz.engine.session import new_space
from memviz.memory import Memory
from memviz.metrics.health.warning import HealthWarning, turns_of
from memviz.strategies.base import Strategy

CONTEXT_WINDOW_TOKENS = 128_000
"""A common size of context window, to say how far the growth is from trouble."""
LEAST_REQUESTS = 8
_PROBE_MESSAGES, _PROBE_MESSAGE_TOKENS = 1_000, 2_000


def growth(run: Run) -> HealthWarning | None:
    """A part of the requests that never falls and still grows, where the strategy sets it no bound.

    A window that is not full yet grows just as a full buffer does. So the strategy is asked what it would
    send of a conversation of two million tokens.
    """
    part = unbounded_part(run.strategy) if len(run.turns) >= LEAST_REQUESTS else ""
    sizes = [record.tokens[part] for record in run.turns] if part else []
    if not sizes or any(later < earlier for earlier, later in pairwise(sizes)) or sizes[-1] <= sizes[len(sizes) // 2]:
        return None
    first, last = run.turns[0], run.turns[-1]
    pace = (sizes[-1] - sizes[0]) / (last.turn - first.turn)
    largest = max(record.total_tokens for record in run.turns)
    what = "The history sent" if part == "history" else "The list of summaries sent"
    return HealthWarning(
        "growth", "Grows without bound",
        f"{what} grew from {sizes[0]:,} to {sizes[-1]:,} tokens from turn {first.turn:,} to {last.turn:,}, about "
        f"{pace:,.0f} a turn, and never fell. {_outlook(run, pace)}",
        "Every turn costs more than the one before, until the model's context window is full and requests fail.",
        _remedy(part), turns_of(run.turns), "bad" if largest >= CONTEXT_WINDOW_TOKENS else "caution",
    )  # fmt: skip


def _outlook(run: Run, pace: float) -> str:
    passed = next((record for record in run.turns if record.total_tokens >= CONTEXT_WINDOW_TOKENS), None)
    if passed is not None:
        return f"{CONTEXT_WINDOW_TOKENS:,} tokens were reached at turn {passed.turn:,}."
    last = run.turns[-1]
    turn = last.turn + ceil((CONTEXT_WINDOW_TOKENS - last.total_tokens) / pace)
    return f"At this pace {CONTEXT_WINDOW_TOKENS:,} tokens are reached at turn {turn:,}."


def _remedy(part: str) -> str:
    if part == "history":
        return "Choose a strategy with a limit, such as a summary buffer, or end conversations before they are long."
    return "Choose a strategy that folds older summaries into one, such as the running summary."


def unbounded_part(strategy: Strategy) -> str:
    """``history`` or ``summary`` where the strategy sends all there is of it however long the conversation;
    empty where it does not."""
    log, count = _probe()
    space = new_space(log, strategy, count, None)
    full = Memory(space, _PROBE_MESSAGES)
    sent = sum(len(part) for part in strategy.select(full).history)
    if sent == _PROBE_MESSAGES and strategy.plan_compaction(full) is None:
        return "history"
    summarized = Memory(space, _PROBE_MESSAGES, _PROBE_MESSAGES // 2, _PROBE_MESSAGES)
    return "summary" if len(strategy.select(summarized).summaries) == _PROBE_MESSAGES // 2 else ""


@cache
def _probe() -> tuple[Log, Counter]:
    count = Counter("probe", lambda _: _PROBE_MESSAGE_TOKENS)
    return Log(Message(("user", "assistant")[at % 2], "") for at in range(_PROBE_MESSAGES)), count
