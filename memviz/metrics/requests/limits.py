"""Limits: what a strategy's token limit counts and how that is called, and when requests
are larger than the model's context window."""

from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.text.wording import counted
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_axis import request_names
from memviz.metrics.requests.traffic import Traffic
from memviz.strategies.base import Strategy, Trigger


class Limit(NamedTuple):
    """A token limit."""

    tokens: int
    counts: str
    """What it counts, in words."""
    parts: frozenset[str]
    """The parts of a request that it counts."""
    share: str = ""
    """Of what it is a share, where the strategy is named by something larger."""

    @property
    def words(self) -> str:
        """``limit for messages not yet summarized 1,500``, for the line on a chart."""
        return f"limit for {self.counts} {self.tokens:,}{self.share_words}"

    @property
    def share_words(self) -> str:
        """`` (70% of 6,000)``, or nothing."""
        return f" ({self.share})" if self.share else ""


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
        strategy.limits or "what the strategy counts",
        parts,
        strategy.budget_share,
    )


def limit_rule(strategy: Strategy) -> str:
    """Return ``summarizes when messages pass 1,500 tokens``, ``clears when messages pass 1,500 tokens`` where no
    summarizer is asked, ``keeps messages to 1,000 tokens`` where nothing ever happens; empty where ``strategy`` has no
    token limit."""
    limit = limit_of(strategy)
    if limit is None:
        return ""
    counts = limit.counts.removesuffix(" not yet summarized")
    tokens = f"{counted(limit.tokens, 'token')}{limit.share_words}"
    if strategy.trigger is Trigger.NEVER:
        return f"keeps {counts} to {tokens}"
    acts = "summarizes" if strategy.writes_notes else "clears"
    return f"{acts} when {counts} pass {tokens}"


def over_limit_words(record: TurnRecord, strategy: Strategy) -> str:
    """Return what it means that a request is flagged as larger than its limit."""
    limit = limit_of(strategy)
    if limit is None:
        return ""
    tokens = strategy.counted_tokens(record.tokens)
    return (
        f"Over its limit: {tokens:,} tokens of {limit.counts}, {limit.tokens:,} allowed. "
        "The input is sent all the same."
    )


PACE_REQUESTS = 20
"""The requests at the end that say how fast they grow."""
FEWEST_REQUESTS = 3


def overflow_name(traffic: Traffic, window_tokens: int) -> str | None:
    """Return the first request that is larger than the window, as people name it; ``None`` if there is none."""
    too_large = np.flatnonzero(traffic.input_tokens > window_tokens)
    return request_names(traffic.turns)[too_large[0]] if too_large.size else None


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


def forecast_words(traffic: Traffic, window_tokens: int) -> str:
    """Return ``after 1,479 more requests, if they go on growing as the last 20 did``, and where each turn took one
    request ``after 24 more requests, at turn 64, if …``; empty where none can be foretold."""
    more = requests_to_overflow(traffic, window_tokens)
    if more is None:
        return ""
    turns = traffic.turns
    turn = ""
    if len(np.unique(turns)) == len(turns):
        turn = f" at turn {turns[-1] + more:,},"
    pace = min(PACE_REQUESTS, len(turns))
    return f"after {counted(more, 'more request')},{turn} if they go on growing as the last {pace} did"
