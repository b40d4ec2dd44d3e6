"""The tokens of a whole run, the token limit of its strategy, and when requests outgrow a context window."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from operator import mul
from typing import NamedTuple

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.text.wording import RequestPlace
from memviz.engine.compaction import REDUCING
from memviz.engine.part_tokens import find_reduced_positions
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import find_numbers_of_turn, find_place_at
from memviz.metrics.requests.traffic import Traffic, list_answered_calls
from memviz.models.base import sum_if_known
from memviz.strategies.base import Strategy


class Limit(NamedTuple):
    """The token limit of a strategy."""

    tokens: int
    counts: str
    """The words of the strategy for what it counts; may be empty."""
    parts: frozenset[str]
    """The parts of a request that count against it."""
    share: str = ""
    """The words for what it is a share of, such as a context window; empty where it is no share."""


def count_part(strategy: Strategy, part: str, tokens: int) -> int:
    """Return how many of the ``tokens`` in one ``part`` of a request count against the limit of ``strategy``."""
    parts = dict.fromkeys(ALL_PARTS, 0)
    return strategy.counted_tokens({**parts, part: tokens})


def find_limit(strategy: Strategy) -> Limit | None:
    """Return the token limit of ``strategy``, if it has one."""
    if strategy.budget_tokens is None:
        return None
    parts = frozenset(part for part in ALL_PARTS if count_part(strategy, part, 1))
    return Limit(
        strategy.budget_tokens,
        strategy.limits,
        parts,
        strategy.budget_share,
    )


PACE_REQUESTS = 20
"""The number of last requests from which the growth is predicted."""

FEWEST_REQUESTS = 3


def find_first_over(traffic: Traffic, window_tokens: int) -> RequestPlace | None:
    """Return the first request that is larger than the window; ``None`` if there is none."""
    too_large = np.flatnonzero(traffic.input_tokens > window_tokens)
    return find_place_at(traffic.turns, int(too_large[0])) if too_large.size else None


def count_requests_to_overflow(traffic: Traffic, window_tokens: int) -> int | None:
    """Return after how many more requests one is larger than the window, if they go on growing in a straight line.

    The line is that of the last 20 requests. ``None`` where they do not grow, or with fewer than 3 requests. This only
    makes sense for a strategy that never shortens requests.
    """
    sizes: list[int] = traffic.input_tokens[-PACE_REQUESTS:].tolist()
    count = len(sizes)
    if count < FEWEST_REQUESTS:
        return None
    # The line of least squares, in fractions, because floats would make a level line rise a little. The distances of
    # the requests from the middle one are doubled, so that they are whole numbers.
    distances = range(1 - count, count, 2)
    products = sum(map(mul, distances, sizes))
    tokens_a_request = Fraction(2 * products, sum(map(mul, distances, distances)))
    if tokens_a_request <= 0:
        return None
    start_tokens = Fraction(sum(sizes), count) - tokens_a_request * (count - 1) / 2
    # The request (0-based) at which the line reaches the window still fits; the next one does not.
    reached = floor((window_tokens - start_tokens) / tokens_a_request)
    return max(reached + 2 - count, 1)


class Forecast(NamedTuple):
    """A prediction of the first request that is larger than a context window."""

    more_requests: int
    """The number of requests until then, that one included."""
    turn: int | None
    """Its turn; ``None`` where some turns took several requests."""
    seen_requests: int
    """The number of last requests from which it is predicted."""


def forecast_overflow(traffic: Traffic, window_tokens: int) -> Forecast | None:
    """Return when requests will be larger than the window; ``None`` where that cannot be predicted."""
    more = count_requests_to_overflow(traffic, window_tokens)
    if more is None:
        return None
    turns = traffic.turns
    is_by_turn = len(np.unique(turns)) == len(turns)
    turn = int(turns[-1]) + more if is_by_turn else None
    return Forecast(more, turn, min(PACE_REQUESTS, len(turns)))


@dataclass(frozen=True, slots=True)
class TokenUse:
    """The tokens of a whole run.

    A summary that the user reworded before it was used counts as a summarization; a later edit does not.
    """

    requests: int
    sent_tokens: int
    """The tokens of all requests to the chat model."""
    reply_tokens: int
    summarizations: int
    failed_summarizations: int
    """Calls that gave no summary; their tokens are not counted."""
    summarizer_prompt_tokens: int
    """The tokens of the summarizer's prompts, those of drafts that the user discarded included."""
    summarizer_output_tokens: int
    summarizer_cost_usd: float | None
    over_budget_requests: int
    peak_tokens: int = 0
    """Tokens of the largest request."""
    peak_turn: int = 0
    peak_call: int = 1
    peak_calls: int = 1
    summarizer_calls: int = 0
    earlier_tokens: int = 0
    """The tokens of all requests except the last one of each turn."""
    thinking_tokens: int = 0
    """The tokens that the chat model wrote while thinking."""
    reductions: int = 0
    """How often a rule cleared or shortened messages, or restored them."""
    reduced_messages: int = 0
    """The messages that were cleared or shortened in the last request."""

    @property
    def mean_tokens(self) -> float:
        """Tokens of a request on average."""
        return self.sent_tokens / max(1, self.requests)

    @property
    def peak(self) -> RequestPlace:
        """The place of the largest request."""
        return self.peak_turn, self.peak_call, self.peak_calls

    @property
    def summarizer_tokens(self) -> int:
        """Tokens into and out of the summarizer."""
        return self.summarizer_prompt_tokens + self.summarizer_output_tokens

    @property
    def all_tokens(self) -> int:
        """Tokens sent to the chat model and tokens of the summarizer."""
        return self.sent_tokens + self.summarizer_tokens


def count_token_use(run: Run) -> TokenUse:
    """Return the tokens of a run, added up."""
    return run.once(count_token_use, lambda: _add_up(run))


def _add_up(run: Run) -> TokenUse:
    columns = run.columns
    sizes = columns.totals
    compactions = run.compactions
    answered = list_answered_calls(run)
    beside = run.requests.extras.items()
    thinking = [number for number, record in beside if record.kind == "thinking"]
    use = TokenUse(
        requests=len(sizes),
        sent_tokens=int(sizes.sum()),
        reply_tokens=int(columns.reply_tokens.sum()),
        summarizations=sum(call.is_summarization for call in compactions),
        failed_summarizations=sum(call.failed_calls for call in compactions),
        summarizer_prompt_tokens=sum(call.prompt_tokens for call in answered),
        summarizer_output_tokens=sum(call.output_tokens for call in answered),
        summarizer_cost_usd=sum_if_known(call.total_cost_usd for call in answered),
        over_budget_requests=columns.over_budget,
        summarizer_calls=sum(call.calls for call in compactions),
        thinking_tokens=int(columns.reply_tokens[thinking].sum()),
        reductions=sum(compaction.kind in REDUCING for compaction in compactions),
    )
    if not len(sizes):
        return use
    # A request that the next one follows in the same turn is not the last call of its turn.
    is_earlier_call = columns.turns[:-1] == columns.turns[1:]
    earlier_sizes = sizes[:-1][is_earlier_call]
    # The first of the largest requests, if several are equally large.
    largest = int(sizes.argmax())
    turn = int(columns.turns[largest])
    messages = run.requests.parts_at(len(sizes) - 1).messages
    reduced = [find_reduced_positions(run.space, piece) for piece in messages]
    return replace(
        use,
        peak_tokens=int(sizes[largest]),
        peak_turn=turn,
        peak_call=int(columns.calls[largest]),
        peak_calls=len(find_numbers_of_turn(run, turn)),
        earlier_tokens=int(earlier_sizes.sum()),
        reduced_messages=sum(map(len, reduced)),
    )
