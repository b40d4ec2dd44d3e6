"""What a strategy's token limit counts: which parts of a request, how many tokens of it, and how that is called."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from memviz.context import ALL_PARTS
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import request_names
from memviz.metrics.requests.shared_prefix import Tokens
from memviz.metrics.requests.traffic import Traffic
from memviz.metrics.summaries.request_sizes import request_parts
from memviz.strategies.base import Strategy, Trigger
from memviz.text.wording import counted

PARTS = ALL_PARTS


class Limit(NamedTuple):
    """A token limit: how many ``tokens``, of what (``counts``, in words), and which ``parts`` of a request that is.
    ``share`` says of what it is a share, where the strategy is named by something larger."""

    tokens: int
    counts: str
    parts: frozenset[str]
    share: str = ""

    @property
    def words(self) -> str:
        """``limit for messages not yet summarized 1,500``, for the line on a chart."""
        return f"limit for {self.counts} {self.tokens:,}{self.share_words}"

    @property
    def share_words(self) -> str:
        """`` (70% of 6,000)``, or nothing."""
        return f" ({self.share})" if self.share else ""


def limit_of(strategy: Strategy) -> Limit | None:
    """The token limit of ``strategy``, if it has one."""
    if strategy.budget_tokens is None:
        return None
    nothing = dict.fromkeys(PARTS, 0)
    parts = frozenset(
        part for part in PARTS if strategy.counted_tokens({**nothing, part: 1})
    )
    return Limit(
        strategy.budget_tokens,
        strategy.limits or "what the strategy counts",
        parts,
        strategy.budget_share,
    )


def limit_rule(strategy: Strategy) -> str:
    """``summarizes when messages pass 1,500 tokens``, ``clears when messages pass 1,500 tokens`` where no summarizer is
    asked, ``keeps messages to 1,000 tokens`` where nothing ever happens; empty where ``strategy`` has no token limit.
    """
    limit = limit_of(strategy)
    if limit is None:
        return ""
    counts = limit.counts.removesuffix(" not yet summarized")
    tokens = f"{counted(limit.tokens, 'token')}{limit.share_words}"
    if strategy.trigger is Trigger.NEVER:
        return f"keeps {counts} to {tokens}"
    acts = "summarizes" if strategy.writes_notes else "clears"
    return f"{acts} when {counts} pass {tokens}"


def limited_tokens(record: TurnRecord, strategy: Strategy) -> int:
    """Tokens of the request that count toward the limit of ``strategy``, its own: as it counts them."""
    return strategy.counted_tokens(record.tokens)


def over_limit_words(record: TurnRecord, strategy: Strategy) -> str:
    """What it means that a request is flagged as larger than its limit."""
    limit = limit_of(strategy)
    if limit is None:
        return ""
    return (
        f"Over its limit: {limited_tokens(record, strategy):,} tokens of {limit.counts}, {limit.tokens:,} allowed. "
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


PACE_REQUESTS = 20
"""The requests at the end that say how fast they grow."""
FEWEST_REQUESTS = 3


def overflow_name(traffic: Traffic, window_tokens: int) -> str | None:
    """The first request that is larger than the window, as people name it; ``None`` if there is none."""
    too_large = np.flatnonzero(traffic.input_tokens > window_tokens)
    return request_names(traffic.turns)[too_large[0]] if too_large.size else None


def requests_to_overflow(traffic: Traffic, window_tokens: int) -> int | None:
    """After how many more requests one would be larger than the window, if they went on growing in a straight line as
    the last 20 did; ``None`` where they do not grow, or after fewer than 3. Only sensible for requests that nothing
    ever shortens."""
    sent = traffic.input_tokens[-PACE_REQUESTS:]
    if len(sent) < FEWEST_REQUESTS:
        return None
    start_tokens, tokens_a_request = _line_through(np.arange(len(sent)), sent)
    if tokens_a_request <= 0:
        return None
    return max(
        floor((window_tokens - start_tokens) / tokens_a_request) + 2 - len(sent), 1
    )


def forecast_words(traffic: Traffic, window_tokens: int) -> str:
    """``after 1,479 more requests, if they go on growing as the last 20 did``, and where each turn took one request
    ``after 24 more requests, at turn 64, if …``; empty where none can be foretold."""
    more = requests_to_overflow(traffic, window_tokens)
    if more is None:
        return ""
    turns = traffic.turns
    turn = (
        f", at turn {turns[-1] + more:,},"
        if len(np.unique(turns)) == len(turns)
        else ","
    )
    pace = min(PACE_REQUESTS, len(turns))
    return f"after {counted(more, 'more request')}{turn} if they go on growing as the last {pace} did"


def _line_through(x: Tokens, y: Tokens) -> tuple[Fraction, Fraction]:
    """Start and slope of the line of least squares, exactly: floats would make a level line rise by a hair."""
    size, x_sum, y_sum = len(x), int(x.sum()), int(y.sum())
    slope = Fraction(
        size * int((x * y).sum()) - x_sum * y_sum,
        size * int((x * x).sum()) - x_sum * x_sum,
    )
    return (y_sum - slope * x_sum) / size, slope
