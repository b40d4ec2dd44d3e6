"""Limits: what a strategy's token limit counts and how that is called, how large each request could be before it
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
from memviz.core.text.wording import counted
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import request_names
from memviz.metrics.requests.traffic import Traffic
from memviz.metrics.summaries.request_sizes import request_parts
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
