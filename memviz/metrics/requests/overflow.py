"""When requests are larger than the model's context window: which one was first, and which would be."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np

from memviz.core.text.wording import counted
from memviz.metrics.requests.request_axis import request_names
from memviz.metrics.requests.requests_sent import Tokens
from memviz.metrics.requests.traffic import Traffic

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
