"""Limits: what a strategy's token limit counts, and when requests are larger than the
model's context window."""

from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.text.wording import RequestPlace
from memviz.metrics.requests.request_axis import place_at
from memviz.metrics.requests.traffic import Traffic
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


PACE_REQUESTS = 20
"""The requests at the end that say how fast they grow."""
FEWEST_REQUESTS = 3


def passing_request(traffic: Traffic, window_tokens: int) -> RequestPlace | None:
    """Return the first request that is larger than the window; ``None`` if there is none."""
    too_large = np.flatnonzero(traffic.input_tokens > window_tokens)
    return place_at(traffic.turns, int(too_large[0])) if too_large.size else None


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
