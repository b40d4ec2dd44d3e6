"""What is larger than the setting's own token budget: a summary, what a summarization keeps, an input."""

from __future__ import annotations

import numpy as np

from memviz.core.text.wording import message_number, share_of
from memviz.engine.run import Run
from memviz.metrics.health.warning import (
    HealthWarning,
    budget_name,
    counted_tokens,
    turns_at,
)
from memviz.metrics.requests.request_axis import name_of
from memviz.strategies.base import Trigger

LARGE_SHARE = 2
"""A summary that counts against the budget is large when it takes more than one in so many parts of it."""


def large_summary(run: Run) -> HealthWarning | None:
    """Summaries sent that are over the budget; where they count against it, over half of it."""
    strategy, budget = run.strategy, run.strategy.budget_tokens
    if budget is None:
        return None
    counts = counted_tokens(strategy, summary=1) > 0
    sizes = run.columns.tokens["summary"]
    large = np.flatnonzero(sizes * (LARGE_SHARE if counts else 1) > budget)
    if not len(large):
        return None
    worst = run.requests[int(large[sizes[large].argmax()])]
    peak, name = worst.tokens["summary"], budget_name(strategy)
    part = f"more than half of the {name}" if counts else f"more than the {name}"
    return HealthWarning(
        "large_summary",
        "A summary too large for its limit",
        f"In {share_of(len(large), len(run.requests), 'request')} the summary took {part} of {budget:,} tokens: "
        f"{peak:,} at {name_of(run, worst)}.",
        "It counts against the limit, so it leaves little room for the messages themselves."
        if counts
        else "The limit does not count the summary, so requests are more than twice what the limit promises.",
        f"Raise {name} to {LARGE_SHARE * peak:,}, or choose a summarizer that writes less.",
        turns_at(run, large),
        "bad" if peak > budget else "caution",
    )


def kept_above_trigger(run: Run) -> HealthWarning | None:
    """Summarizations after which the messages kept are still over the limit that triggers the next one."""
    strategy, budget = run.strategy, run.strategy.budget_tokens
    if budget is None or strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST):
        return None
    # Only what takes messages out of those not yet summarized says what was kept of them.
    done = [
        c
        for c in run.compactions
        if (c.is_summarization or c.dropped) and c.after.cursor > c.before.cursor
    ]
    above = [
        c
        for c in done
        if counted_tokens(strategy, history=c.after.pending_tokens) > budget
    ]
    if not above:
        return None
    worst = max(above, key=lambda compaction: compaction.after.pending_tokens)
    peak, name = worst.after.pending_tokens, budget_name(strategy)
    return HealthWarning(
        "kept_above_trigger",
        "What is kept triggers the next summarization",
        f"After {share_of(len(above), len(done), 'summarization')} the messages kept were still over the {name} of "
        f"{budget:,} tokens: {peak:,} tokens after message {message_number(worst.after_message):,}.",
        "It has to summarize again at once, and once more, until the large message has left.",
        f"Raise {name} to {2 * peak:,}, so that half of it holds what was kept, or shorten long messages such as "
        "tool results before they are remembered.",
        tuple(
            sorted(
                {
                    run.request_turn(compaction) or compaction.turn
                    for compaction in above
                }
            )
        ),
        "bad",
    )


def over_budget(run: Run) -> HealthWarning | None:
    """Requests whose counted part is over the budget, and how many of these because of the input alone."""
    strategy, budget = run.strategy, run.strategy.budget_tokens
    tokens = run.columns.tokens
    sizes = strategy.counted_tokens(tokens)
    over = np.flatnonzero(sizes > budget) if budget is not None else ()
    if budget is None or not len(over):
        return None
    worst = run.requests[int(over[sizes[over].argmax()])]
    peak, name = strategy.counted_tokens(worst.tokens), budget_name(strategy)
    alone = sum(
        counted_tokens(strategy, input=size) > budget
        for size in tokens["input"][over].tolist()
    )
    return HealthWarning(
        "over_budget",
        "Requests over their limit",
        f"{share_of(len(over), len(run.requests), 'request')} were over the {name} of {budget:,} tokens for "
        f"{strategy.limits or 'what it counts'}, "
        f"{alone or 'none'} of them because the input alone is larger. "
        f"The largest had {peak:,} tokens, at {name_of(run, worst)}.",
        "The input is always sent whole; where it fills the limit, hardly anything else is sent."
        if alone
        else "The summary and the messages kept are larger together than the limit promises.",
        f"Raise {name} to {peak:,} or more, or shorten long inputs."
        if alone
        else f"Expect {peak:,} tokens where the {name} says {budget:,}, or choose a summarizer that writes less.",
        turns_at(run, over),
        "bad" if alone else "caution",
    )
