"""How large each request could be before it reached its setting's token limit.

A limit holds for some parts of a request, such as the messages. Measured against whole requests it stands higher, by
what is sent besides and does not count: the system prompt, a summary, what the chat format adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from memviz.engine.run import Run
from memviz.metrics.summaries.request_sizes import request_parts
from memviz.strategies.base import Strategy


class Ceiling(NamedTuple):
    """At request number ``request`` (0-based), one of ``turn``, a whole request that reaches the limit has ``tokens``
    tokens. Half a turn and half a request behind the last ones: what would be sent next."""

    turn: float
    tokens: int
    request: float


class Spell(NamedTuple):
    """The turns from ``first`` to ``last`` that ``strategy`` was in force; all of them but in a chat that was given
    another setting."""

    strategy: Strategy
    first: int
    last: int


def spells(run: Run) -> list[Spell]:
    """The settings of a run in order, those left out that no request was made under."""
    if not run.requests:
        return []
    ends = [
        *(setting.last_turn for setting in run.earlier_settings),
        run.requests.turn_at(-1),
    ]
    starts = [run.requests.turn_at(0), *(end + 1 for end in ends[:-1])]
    return [
        Spell(run.strategy_at(end), start, end)
        for start, end in zip(starts, ends, strict=True)
        if start <= end
    ]


def ceilings(run: Run, spell: Spell) -> list[Ceiling]:
    """The ceilings of the requests of ``spell``; none without a token limit. Where a summarization changed a request
    there is one for the request without it and one for what was sent: what does not count may be the summary."""
    return (
        list(_ceilings(run, spell)) if spell.strategy.budget_tokens is not None else []
    )


def _ceilings(run: Run, spell: Spell) -> Iterator[Ceiling]:
    strategy, limit = spell.strategy, spell.strategy.budget_tokens or 0
    columns, changed_by = run.columns, dict(run.requests.compactions())
    uncounted = np.sum([*columns.tokens.values()], axis=0) - strategy.counted_tokens(
        columns.tokens
    )
    for number, (turn, tokens) in enumerate(
        zip(columns.turns.tolist(), uncounted.tolist(), strict=True)
    ):
        if not spell.first <= turn <= spell.last:
            continue
        for compaction in changed_by.get(number, ()):
            before, _, besides = request_parts(compaction, run)
            yield Ceiling(
                turn,
                sum(before.values())
                + besides
                - strategy.counted_tokens(before)
                + limit,
                number,
            )
        yield Ceiling(turn, tokens + limit, number)
    if spell.last == run.requests.turn_at(-1):
        for compaction in run.compactions[sum(map(len, changed_by.values())) :]:
            for parts in request_parts(compaction, run)[:2]:
                beyond = sum(parts.values()) - strategy.counted_tokens(parts)
                yield Ceiling(spell.last + 0.5, beyond + limit, len(run.requests) - 0.5)
