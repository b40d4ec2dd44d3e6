"""Requests and prices that tests of costs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from memviz.metrics.cost.pricing import make_unpriced
from memviz.metrics.requests.traffic import Traffic
from memviz.models.planned_calls import PlannedCalls
from memviz.models.prices import Price, TokenRates

MILLION = 1_000_000

NOT_CACHED = {"cache_read_usd_per_token": None, "cache_write_usd_per_token": None}


def priced(
    name: str, usd_in: float | None, usd_out: float | None, *longer: TokenRates
) -> Price:
    """A model with these prices in dollars a million tokens."""
    return Price(
        model=name,
        provider="house",
        mode="chat",
        max_input_tokens=None,
        max_output_tokens=None,
        input_usd_per_token=None if usd_in is None else usd_in / MILLION,
        output_usd_per_token=None if usd_out is None else usd_out / MILLION,
        cache_read_usd_per_token=0.0,
        cache_write_usd_per_token=None,
        long_input_rates=longer,
    )


ABOVE_60 = TokenRates(
    input_usd_per_token=4 / MILLION,
    output_usd_per_token=20 / MILLION,
    above_input_tokens=60,
    **NOT_CACHED,
)

PRICES = {
    "house/plain": priced("house/plain", 2, 10),
    "house/small": priced("house/small", 1, 3),
    "house/long": priced("house/long", 2, 10, ABOVE_60),
    "house/half": priced("house/half", 2, None),
}

USUAL = make_unpriced("house").by_hand(
    input_usd_per_million=3,
    output_usd_per_million=15,
    cache_read_usd_per_million=0.3,
    cache_write_usd_per_million=3.75,
)


def traffic_of(
    rows: Sequence[tuple[int, ...]], summaries: Sequence[tuple[int, ...]] = ()
) -> Traffic:
    """Requests as (turn, input, shared, output) and summaries as (turn, input, output)."""
    turns, sent, shared, output = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    when, read, written = np.array(summaries, dtype=np.int64).reshape(-1, 3).T
    return Traffic(
        turns,
        sent,
        shared,
        output,
        when,
        read,
        written,
        np.full_like(when, -1),
        np.zeros_like(when),
    )


class Work(NamedTuple):
    """Calls of one kind in sum."""

    noun: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def work(part: PlannedCalls) -> Work:
    """The sums of what is planned."""
    return Work(part.noun, part.calls, part.input_tokens, part.output_tokens)
