"""Limits: what a strategy's token limit counts, how large each request could be before it
reached it, and when requests are larger than the model's context window.

A limit holds for some parts of a request, such as the messages. Measured against whole requests it stands higher, by
what is sent besides and does not count: the system prompt, a summary, what the chat format adds.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.text.wording import RequestPlace
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import request_places
from memviz.metrics.requests.traffic import Traffic
from memviz.metrics.summaries.request_sizes import request_parts
from memviz.strategies.base import Strategy


class Limit(NamedTuple):
    """A token limit."""

    tokens: int
    counts: str
    """What it counts, as the strategy names it; may be empty."""
    parts: frozenset[str]
    """The parts of a request that it counts."""
    share: str = ""
    """Of what it is a share, where the strategy is named by something larger."""


def limit_of(strategy: Strategy) -> Limit | None:
    """Return the token limit of ``strategy``, if it has one."""
    if strategy.budget_tokens is None:
        return None
    nothing = dict.fromkeys(ALL_PARTS, 0)
    parts = frozenset(
        part for part in ALL_PARTS if strategy.counted_tokens({**nothing, part: 1})
    )
    return Limit(
        strategy.budget_tokens,
        strategy.limits,
        parts,
        strategy.budget_share,
    )


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
    """Return the settings of a run in order, those left out that no request was made under."""
    if not run.requests:
        return []
    ends = [setting.last_turn for setting in run.earlier_settings]
    ends.append(run.requests.turn_at(-1))
    starts = [run.requests.turn_at(0), *(end + 1 for end in ends[:-1])]
    found = zip(map(run.strategy_at, ends), starts, ends, strict=True)
    return [Spell(*one) for one in found if one[1] <= one[2]]


def ceilings(run: Run, spell: Spell) -> list[Ceiling]:
    """Return the ceilings of the requests of ``spell``; none without a token limit. Where a summarization changed a
    request there is one for the request without it and one for what was sent: what does not count may be the
    summary."""
    strategy = spell.strategy
    columns = run.columns
    limit = strategy.budget_tokens
    if limit is None:
        return []
    found = []
    changed_by = dict(run.requests.compactions())
    uncounted = columns.totals - strategy.counted_tokens(columns.tokens)
    whole = zip(columns.turns.tolist(), (uncounted + limit).tolist(), strict=True)
    for number, (turn, tokens) in enumerate(whole):
        if spell.first <= turn <= spell.last:
            for compaction in changed_by.get(number, ()):
                before, _, besides = request_parts(compaction, run)
                without = _uncounted(strategy, before) + besides + limit
                found.append(Ceiling(turn, without, number))
            found.append(Ceiling(turn, tokens, number))
    if spell.last == run.requests.turn_at(-1):
        done = sum(map(len, changed_by.values()))
        for compaction in run.compactions[done:]:
            for parts in request_parts(compaction, run)[:2]:
                tokens = _uncounted(strategy, parts) + limit
                place = len(run.requests) - 0.5
                found.append(Ceiling(spell.last + 0.5, tokens, place))
    return found


def _uncounted(strategy: Strategy, parts: Mapping[str, int]) -> int:
    return sum(parts.values()) - strategy.counted_tokens(parts)


PACE_REQUESTS = 20
"""The requests at the end that say how fast they grow."""
FEWEST_REQUESTS = 3


def passing_request(traffic: Traffic, window_tokens: int) -> RequestPlace | None:
    """Return the first request that is larger than the window; ``None`` if there is none."""
    too_large = np.flatnonzero(traffic.input_tokens > window_tokens)
    return request_places(traffic.turns)[too_large[0]] if too_large.size else None


def requests_to_overflow(traffic: Traffic, window_tokens: int) -> int | None:
    """Return after how many more requests one would be larger than the window, if they went on growing in a straight
    line as the last 20 did; ``None`` where they do not grow, or after fewer than 3. Only sensible for requests that
    nothing ever shortens."""
    sent: list[int] = traffic.input_tokens[-PACE_REQUESTS:].tolist()
    size = len(sent)
    if size < FEWEST_REQUESTS:
        return None
    # The line of least squares, exactly: floats would make a level line rise by a hair.
    x_sum = sum(range(size))
    y_sum = sum(sent)
    squares = size * sum(x * x for x in range(size)) - x_sum * x_sum
    products = size * sum(x * y for x, y in enumerate(sent)) - x_sum * y_sum
    tokens_a_request = Fraction(products, squares)
    if tokens_a_request <= 0:
        return None
    start_tokens = (y_sum - tokens_a_request * x_sum) / size
    reached = floor((window_tokens - start_tokens) / tokens_a_request)
    return max(reached + 2 - size, 1)


class Forecast(NamedTuple):
    """After how many more requests one would be larger than a window, if they go on growing."""

    more_requests: int
    turn: int | None
    """The turn of that one, where each turn took one request."""
    seen_requests: int
    """The last ones, that say how fast they grow."""


def forecast(traffic: Traffic, window_tokens: int) -> Forecast | None:
    """Return when requests will be larger than the window; ``None`` where that cannot be foretold."""
    more = requests_to_overflow(traffic, window_tokens)
    if more is None:
        return None
    turns = traffic.turns
    is_by_turn = len(np.unique(turns)) == len(turns)
    turn = int(turns[-1]) + more if is_by_turn else None
    return Forecast(more, turn, min(PACE_REQUESTS, len(turns)))
