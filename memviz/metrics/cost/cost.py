"""The cost of a conversation under one strategy, with the provider's prompt cache taken into account.

Dollars are matrices [kinds of tokens x requests]; all sums are taken from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from memviz.core.errors import ParameterError
from memviz.metrics.cost.pricing import (
    MAIN_PARTS,
    SUMMARIZER_PARTS,
    CostParts,
    MissingPrice,
    Pricing,
    Usd,
    find_pricing,
    make_unpriced,
)
from memviz.metrics.requests.request_axis import count_calls_so_far
from memviz.metrics.requests.sent_requests import Tokens
from memviz.metrics.requests.traffic import Traffic, join_traffics
from memviz.models.cache_rules import CacheRules

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Cost", "Pricing", "find_pricing", "make_unpriced", "price_traffic"]


@dataclass(frozen=True, eq=False)
class Cost:
    """The cost of a run. Sums of dollars are ``None`` where a needed rate is unknown."""

    traffic: Traffic
    tokens: Tokens
    """[4 x requests]: fresh input (read at the plain price), input read from the cache, input
    written to it (and read, at the price of writing), output."""
    usd: Usd
    """US dollars of ``tokens``; NaN where the rate is unknown."""
    uncached_usd: Usd
    """US dollars of the tokens of each request, had there been no cache."""
    summaries_usd: Usd
    """[2 x summarizations]: US dollars of the summarizer's input and output, never cached."""
    missing: tuple[MissingPrice, ...] = ()
    """The needed rates that are unknown."""

    @property
    def fresh_tokens(self) -> Tokens:
        """Input tokens of each request at the plain price."""
        return np.asarray(self.tokens[0])

    @property
    def cached_tokens(self) -> Tokens:
        """Input tokens of each request that were read from the cache."""
        return np.asarray(self.tokens[1])

    @property
    def written_tokens(self) -> Tokens:
        """Input tokens of each request that were written to the cache."""
        return np.asarray(self.tokens[2])

    @property
    def request_usd(self) -> Usd | None:
        """US dollars of each request, output included."""
        return _known(self.usd.sum(axis=0))

    @property
    def uncached_request_usd(self) -> Usd | None:
        """US dollars of each request, had there been no cache."""
        return _known(self.uncached_usd.sum(axis=0))

    @property
    def summarizer_call_usd(self) -> Usd | None:
        """US dollars of each summarization."""
        return _known(self.summaries_usd.sum(axis=0))

    @property
    def main_usd(self) -> float | None:
        """US dollars of all requests."""
        return _add_totals(self.usd)

    @property
    def uncached_main_usd(self) -> float | None:
        """US dollars of all requests, had there been no cache."""
        return _add_totals(self.uncached_usd)

    @property
    def summarizer_usd(self) -> float | None:
        """US dollars of all summarizer calls."""
        return _add_totals(self.summaries_usd)

    @property
    def total_usd(self) -> float | None:
        """US dollars of both models."""
        return _add_totals(self.usd, self.summaries_usd)

    @property
    def uncached_total_usd(self) -> float | None:
        """US dollars of both models, had there been no cache."""
        return _add_totals(self.uncached_usd, self.summaries_usd)

    @property
    def hit_rate(self) -> float:
        """Share of the input tokens that was read from the cache; 0 where nothing was sent."""
        input_tokens = int(self.traffic.input_tokens.sum())
        return int(self.cached_tokens.sum()) / input_tokens if input_tokens else 0.0

    @cached_property
    def turns(self) -> Tokens:
        """The turn of each step, in order. A step is a request with the summarizations that it was the first to be
        changed by, or a turn in which the summarizer alone was asked."""
        turns = [self.traffic.turns, self._turns_without_request]
        return np.sort(np.concatenate(turns))

    @cached_property
    def calls(self) -> Tokens:
        """The number of each step in its turn, from 1: that of the call of the chat model."""
        return count_calls_so_far(self.turns)

    @property
    def has_calls(self) -> bool:
        """True where any turn has more than one step."""
        return bool((self.calls > 1).any())

    @cached_property
    def cumulative_usd(self) -> Usd | None:
        """US dollars of both models up to and including each step."""
        return self._add_up(self.request_usd)

    @cached_property
    def uncached_cumulative_usd(self) -> Usd | None:
        """US dollars of both models up to and including each step, had there been no cache."""
        return self._add_up(self.uncached_request_usd)

    @property
    def so_far_usd(self) -> Usd | None:
        """US dollars of both models up to and including each request."""
        if self.cumulative_usd is None:
            return None
        return self.cumulative_usd[self._request_steps]

    @cached_property
    def parts(self) -> CostParts:
        """Tokens and dollars of each step, by what is paid for."""
        traffic = self.traffic
        summaries = (traffic.summarizer_input_tokens, traffic.summarizer_output_tokens)
        by_model = (
            (MAIN_PARTS, self.tokens, self.usd, self._request_steps),
            (SUMMARIZER_PARTS, summaries, self.summaries_usd, self._summarizer_steps),
        )
        tokens = {}
        usd = {}
        for parts, counts, dollars, steps in by_model:
            for number, part in enumerate(parts):
                tokens[part] = self._by_step(counts[number], steps)
                usd[part] = self._usd_by_step(dollars[number], steps)
        return CostParts(self.turns, tokens, usd)

    def frame(self, by: Literal["turn", "request"] = "turn") -> DataFrame:
        """Return one row a turn: tokens of the chat model and of the summarizer, US dollars of both (NaN where
        unknown), and all US dollars so far, with the cache and without. ``by="request"`` has one row a step (see
        :attr:`turns`) with its ``call``. Raises :class:`ParameterError` for another ``by``."""
        if by not in ("turn", "request"):
            raise ParameterError("by", by, '"turn" or "request"')
        steps = self._frame_of_steps()
        if by == "request":
            return steps.drop(columns="requests")
        # Of a turn with several steps amounts are added up, and what was spent so far is that of the last one.
        so_far = ["cumulative_usd", "uncached_cumulative_usd"]
        sums = steps.drop(columns=["call", *so_far]).groupby("turn", as_index=False)
        last = steps.groupby("turn")[so_far].last()
        return sums.sum(min_count=1).join(last, on="turn")

    def _frame_of_steps(self) -> DataFrame:
        from pandas import DataFrame

        parts = self.parts
        fresh, cached, written, output, read, said = parts.tokens.values()
        uncached = self._usd_by_step(self.uncached_usd.sum(axis=0))
        columns = {
            "turn": self.turns,
            "call": self.calls,
            "requests": self._by_step(np.ones_like(self.traffic.turns)),
            "input_tokens": fresh + cached + written,
            "fresh_tokens": fresh,
            "cached_tokens": cached,
            "written_tokens": written,
            "output_tokens": output,
            "summarizer_input_tokens": read,
            "summarizer_output_tokens": said,
            "main_usd": parts.main_usd,
            "uncached_main_usd": uncached,
            "summarizer_usd": self._summarizer_usd_by_step,
            "cumulative_usd": self.cumulative_usd,
            "uncached_cumulative_usd": self.uncached_cumulative_usd,
        }
        unknown = [name for name, values in columns.items() if values is None]
        columns |= dict.fromkeys(unknown, np.full(len(self.turns), np.nan))
        return DataFrame(columns)

    def _add_up(self, request_usd: Usd | None) -> Usd | None:
        main = None if request_usd is None else self._usd_by_step(request_usd)
        summaries = self._summarizer_usd_by_step
        if main is None or summaries is None:
            return None
        return np.cumsum(main + summaries)

    @cached_property
    def _summarizer_usd_by_step(self) -> Usd | None:
        usd = self.summaries_usd.sum(axis=0)
        return self._usd_by_step(usd, self._summarizer_steps)

    def _by_step(
        self, values: NDArray[Any], steps: Tokens | None = None
    ) -> NDArray[Any]:
        """Return the sums of ``values`` by step; ``steps`` is that of each, by default for [requests]."""
        if steps is None:
            steps = self._request_steps
        sums = np.bincount(steps, weights=values, minlength=len(self.turns))
        return sums.astype(values.dtype)

    def _usd_by_step(self, usd: Usd, steps: Tokens | None = None) -> Usd | None:
        return None if _known(usd) is None else self._by_step(usd, steps)

    @cached_property
    def _turns_without_request(self) -> Tokens:
        return np.setdiff1d(self.traffic.summarizer_turns, self.traffic.turns)

    @cached_property
    def _request_steps(self) -> Tokens:
        turns = self.traffic.turns
        # Each turn in which the summarizer alone was asked is a step between the requests.
        steps_between = np.searchsorted(self._turns_without_request, turns)
        return np.arange(len(turns)) + steps_between

    @cached_property
    def _summarizer_steps(self) -> Tokens:
        """The step of the first request that each summarization changed; where there is none, the last one of its
        turn."""
        numbers = self.traffic.summarizer_requests
        # The 0 at the end is what the number -1 picks, and is not used.
        steps = np.append(self._request_steps, 0)
        behind = np.searchsorted(self.turns, self.traffic.summarizer_turns, "right")
        return np.where(numbers >= 0, steps[numbers], behind - 1)


def price_traffic(
    traffic: Traffic,
    main: Pricing | None,
    summarizer: Pricing | None,
    *,
    cache: CacheRules | None,
    pause_seconds: float,
) -> Cost:
    """Return the cost of ``traffic``.

    A request reads from the cache what it shares with the request before, if that is long enough for the cache and the
    pause was shorter than an entry lives. It writes all other input to the cache if the whole request is long enough,
    and otherwise pays the plain price.

    Args:
        traffic: The tokens of a run.
        main: The prices of the model that answers, and that writes blocks which only its provider can read.
        summarizer: The prices of the model that writes all other summaries. A model that is never asked needs none.
        cache: The rules of the main model's prompt cache; ``None`` for no cache.
        pause_seconds: The user's pause between two turns. Calls within a turn follow each other at once.
    """
    main = main or make_unpriced("chat model")
    summarizer = summarizer or make_unpriced("summarizer")
    input_tokens = traffic.input_tokens
    output = traffic.output_tokens
    cached, written = _split_by_cache(traffic, cache, pause_seconds)
    tokens = np.stack([input_tokens - cached - written, cached, written, output])
    usd = main.usd(tokens)
    summaries = _make_plain_tokens(
        traffic.summarizer_input_tokens, traffic.summarizer_output_tokens
    )
    # Blocks that only the provider can read are written by the chat model, all other summaries by the summarizer.
    blocks_usd = main.usd(summaries * traffic.by_chat_model)
    summaries_usd = summarizer.usd(summaries * (1 - traffic.by_chat_model))
    missing = main.missing_prices(usd) + main.missing_prices(blocks_usd)
    missing += summarizer.missing_prices(summaries_usd)
    summaries_usd += blocks_usd
    return Cost(
        traffic,
        tokens,
        usd,
        uncached_usd=main.usd(_make_plain_tokens(input_tokens, output)),
        summaries_usd=summaries_usd[[0, -1]],
        missing=tuple(dict.fromkeys(missing)),
    )


def price_together(
    traffics: Sequence[Traffic],
    main: Pricing | None,
    summarizer: Pricing | None,
    *,
    cache: CacheRules | None,
    pause_seconds: float,
) -> list[Cost]:
    """Return the costs of ``traffics``, each as :func:`price_traffic` gives it.

    All of them are priced as one traffic, which is faster where they are many and short.
    """
    if not traffics:
        return []
    pause = pause_seconds
    price = partial(
        price_traffic,
        main=main,
        summarizer=summarizer,
        cache=cache,
        pause_seconds=pause,
    )
    # The first request of each shares nothing with the one before, so no conversation reads what another wrote.
    whole = price(join_traffics(traffics))
    if whole.missing:
        # Not all of them need the rates that are unknown.
        return [price(traffic) for traffic in traffics]
    costs = []
    start = 0
    first = 0
    for traffic in traffics:
        stop = start + len(traffic.turns)
        last = first + len(traffic.summarizer_turns)
        own_cost = Cost(
            traffic,
            whole.tokens[:, start:stop],
            whole.usd[:, start:stop],
            whole.uncached_usd[:, start:stop],
            whole.summaries_usd[:, first:last],
        )
        costs.append(own_cost)
        start = stop
        first = last
    return costs


def _split_by_cache(
    traffic: Traffic, cache: CacheRules | None, pause_seconds: float
) -> tuple[Tokens, Tokens]:
    """Return the input tokens that each request reads from the cache and writes to it."""
    input_tokens = traffic.input_tokens
    if cache is None:
        return np.zeros_like(input_tokens), np.zeros_like(input_tokens)
    # Between two calls of one turn the user does not pause.
    is_alive = np.full(len(input_tokens), cache.is_alive(pause_seconds))
    is_alive[1:] |= traffic.turns[1:] == traffic.turns[:-1]
    hits = is_alive & (traffic.shared_tokens >= cache.min_tokens)
    steps = traffic.shared_tokens // cache.step_tokens
    cached = np.where(hits, steps * cache.step_tokens, 0)
    return cached, np.where(input_tokens >= cache.min_tokens, input_tokens - cached, 0)


def _make_plain_tokens(input_tokens: Tokens, output_tokens: Tokens) -> Tokens:
    nothing = np.zeros_like(input_tokens)
    return np.stack([input_tokens, nothing, nothing, output_tokens])


def _known(usd: Usd) -> Usd | None:
    return None if np.isnan(usd).any() else usd


def _add_totals(*parts: Usd) -> float | None:
    total = sum(float(usd.sum(axis=0).sum()) for usd in parts)
    return None if isnan(total) else total
