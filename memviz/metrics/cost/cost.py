"""What a conversation costs under one strategy, with the provider's prompt cache taken into account."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from memviz.core.errors import ParameterError
from memviz.core.text.wording import RequestPlace
from memviz.metrics.cost.pricing import Pricing, Usd, pricing, unpriced
from memviz.metrics.requests.request_axis import RequestAxis, calls_of
from memviz.metrics.requests.requests_sent import Tokens
from memviz.metrics.requests.traffic import Traffic
from memviz.models.cache_rules import CacheRules

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Cost", "Pricing", "break_even_request", "cost", "pricing", "unpriced"]


@dataclass(frozen=True, eq=False)
class Cost:
    """What one run costs.

    One entry a request, as in ``traffic``: ``fresh_tokens`` (read at the plain price), ``cached_tokens`` (read from the
    cache) and ``written_tokens`` (read and put into it) are together its input. ``request_usd`` and
    ``uncached_request_usd`` are US dollars with and without the cache, output included; ``summarizer_call_usd``
    has one entry a summarization, never cached. All three are ``None`` where a rate that is needed is unknown;
    ``missing`` then names it.
    """

    traffic: Traffic
    fresh_tokens: Tokens
    cached_tokens: Tokens
    written_tokens: Tokens
    request_usd: Usd | None
    uncached_request_usd: Usd | None
    summarizer_call_usd: Usd | None
    missing: tuple[str, ...] = ()

    @property
    def main_usd(self) -> float | None:
        """US dollars of all requests."""
        return _total(self.request_usd)

    @property
    def uncached_main_usd(self) -> float | None:
        """US dollars of all requests, had there been no cache."""
        return _total(self.uncached_request_usd)

    @property
    def summarizer_usd(self) -> float | None:
        """US dollars of all summarizer calls."""
        return _total(self.summarizer_call_usd)

    @property
    def total_usd(self) -> float | None:
        """US dollars of both models."""
        return _sum(self.main_usd, self.summarizer_usd)

    @property
    def uncached_total_usd(self) -> float | None:
        """US dollars of both models, had there been no cache."""
        return _sum(self.uncached_main_usd, self.summarizer_usd)

    @property
    def hit_rate(self) -> float:
        """Share of the input tokens that was read from the cache; 0 where nothing was sent."""
        sent = int(self.traffic.input_tokens.sum())
        return int(self.cached_tokens.sum()) / sent if sent else 0.0

    @cached_property
    def turns(self) -> Tokens:
        """The turn of each step, in order. A step is a request with the summarizations that it was the first to be
        changed by, or a turn in which the summarizer alone was asked."""
        return np.sort(
            np.concatenate([self.traffic.turns, self._turns_without_request])
        )

    @cached_property
    def calls(self) -> Tokens:
        """The number of each step in its turn, from 1: that of the call of the chat model."""
        return calls_of(self.turns)

    @property
    def has_calls(self) -> bool:
        """Whether any turn has more than one step."""
        return bool((self.calls > 1).any())

    @cached_property
    def cumulative_usd(self) -> Usd | None:
        """US dollars of both models up to and including each step."""
        return self._cumulative(self.request_usd)

    @cached_property
    def uncached_cumulative_usd(self) -> Usd | None:
        """The same, had there been no cache."""
        return self._cumulative(self.uncached_request_usd)

    @property
    def so_far_usd(self) -> Usd | None:
        """US dollars of both models up to and including each request."""
        so_far = self.cumulative_usd
        return None if so_far is None else so_far[self._request_steps]

    def by_step(
        self, values: NDArray[Any], *, summarizer: bool = False
    ) -> NDArray[Any]:
        """The sum in each step of ``values`` [requests], or [summarizations] of the ``summarizer``."""
        steps = self._summarizer_steps if summarizer else self._request_steps
        return np.bincount(steps, weights=values, minlength=len(self.turns)).astype(
            values.dtype
        )

    def frame(self, by: Literal["turn", "request"] = "turn") -> DataFrame:
        """One row a turn: tokens of the chat model and of the summarizer, US dollars of both (NaN where unknown), and
        all US dollars so far, with the cache and without. ``by="request"`` has one row a step (see :attr:`turns`) with
        its ``call``. Raises :class:`ParameterError` for another ``by``."""
        if by not in ("turn", "request"):
            raise ParameterError("by", by, '"turn" or "request"')
        steps = self._step_frame()
        if by == "request":
            return steps.drop(columns="requests")
        so_far = ["cumulative_usd", "uncached_cumulative_usd"]
        turns = (
            steps.drop(columns=["call", *so_far])
            .groupby("turn", as_index=False)
            .sum(min_count=1)
        )
        return turns.join(steps.groupby("turn")[so_far].last(), on="turn")

    def _step_frame(self) -> DataFrame:
        from pandas import DataFrame

        sent, summaries, size = self.traffic, {"summarizer": True}, len(self.turns)
        columns: dict[str, NDArray[np.int64] | Usd | None] = {
            "turn": self.turns,
            "call": self.calls,
            "requests": self._by_step(np.ones_like(sent.turns)),
            "input_tokens": self._by_step(sent.input_tokens),
            "fresh_tokens": self._by_step(self.fresh_tokens),
            "cached_tokens": self._by_step(self.cached_tokens),
            "written_tokens": self._by_step(self.written_tokens),
            "output_tokens": self._by_step(sent.output_tokens),
            "summarizer_input_tokens": self._by_step(
                sent.summarizer_input_tokens, **summaries
            ),
            "summarizer_output_tokens": self._by_step(
                sent.summarizer_output_tokens, **summaries
            ),
            "main_usd": self._by_step(self.request_usd),
            "uncached_main_usd": self._by_step(self.uncached_request_usd),
            "summarizer_usd": self._by_step(self.summarizer_call_usd, **summaries),
            "cumulative_usd": self.cumulative_usd,
            "uncached_cumulative_usd": self.uncached_cumulative_usd,
        }
        return DataFrame(
            {
                name: np.full(size, np.nan) if v is None else v
                for name, v in columns.items()
            }
        )

    def _cumulative(self, request_usd: Usd | None) -> Usd | None:
        main, summaries = (
            self._by_step(request_usd),
            self._by_step(self.summarizer_call_usd, summarizer=True),
        )
        return (
            None if main is None or summaries is None else np.cumsum(main + summaries)
        )

    def _by_step(
        self, values: NDArray[Any] | None, *, summarizer: bool = False
    ) -> NDArray[Any] | None:
        return None if values is None else self.by_step(values, summarizer=summarizer)

    @cached_property
    def _turns_without_request(self) -> Tokens:
        return np.setdiff1d(self.traffic.summarizer_turns, self.traffic.turns)

    @cached_property
    def _request_steps(self) -> Tokens:
        turns = self.traffic.turns
        return np.arange(len(turns)) + np.searchsorted(
            self._turns_without_request, turns
        )

    @cached_property
    def _summarizer_steps(self) -> Tokens:
        """That of the first request that was changed; where there is none, the last one of the turn."""
        numbers, steps = (
            self.traffic.summarizer_requests,
            np.append(self._request_steps, 0),
        )
        last = (
            np.searchsorted(self.turns, self.traffic.summarizer_turns, side="right") - 1
        )
        return np.where(numbers >= 0, steps[numbers], last)


def cost(
    traffic: Traffic,
    main: Pricing | None,
    summarizer: Pricing | None,
    *,
    cache: CacheRules | None,
    pause_seconds: float,
) -> Cost:
    """What ``traffic`` costs where ``main`` answers, ``summarizer`` summarizes and the user takes ``pause_seconds``
    from one request to the next turn's; calls within a turn follow each other at once.

    A request reads from the cache what it shares with the request before, if that is enough for the rules of ``cache``
    and the pause is shorter than an entry lives. One that has the smallest number of tokens writes all that it did not
    read; a shorter one pays the plain price. ``cache=None``: there is none. A model that is asked nothing needs no
    price.
    """
    cached, written = _cached_and_written(traffic, cache, pause_seconds)
    fresh, nothing = traffic.input_tokens - cached - written, np.zeros_like(cached)
    answers, output = main or unpriced("chat model"), traffic.output_tokens
    request_usd, missing = answers.usd(fresh, cached, written, output)
    uncached_request_usd, _ = answers.usd(
        traffic.input_tokens, nothing, nothing, output
    )
    read, none = (
        traffic.summarizer_input_tokens,
        np.zeros_like(traffic.summarizer_input_tokens),
    )
    summarizes = summarizer or unpriced("summarizer")
    summarizer_call_usd, also_missing = summarizes.usd(
        read, none, none, traffic.summarizer_output_tokens
    )
    return Cost(
        traffic,
        fresh,
        cached,
        written,
        request_usd,
        uncached_request_usd,
        summarizer_call_usd,
        tuple(dict.fromkeys((*missing, *also_missing))),
    )


def _cached_and_written(
    traffic: Traffic, cache: CacheRules | None, pause_seconds: float
) -> tuple[Tokens, Tokens]:
    sent, shared = traffic.input_tokens, traffic.shared_tokens
    if cache is None:
        return np.zeros_like(sent), np.zeros_like(sent)
    is_alive = np.full(len(sent), cache.is_alive(pause_seconds))
    is_alive[1:] |= traffic.turns[1:] == traffic.turns[:-1]
    hits = is_alive & (shared >= cache.min_tokens)
    cached = np.where(hits, shared // cache.step_tokens * cache.step_tokens, 0)
    return cached, np.where(sent >= cache.min_tokens, sent - cached, 0)


def break_even_request(one: Cost, other: Cost) -> RequestPlace | None:
    """The first request from which on ``one`` has cost less than ``other`` in total, up to the end; ``None`` if there
    is none, or if a price is unknown. Where one of them took fewer calls in a turn, its last one stands beside the last
    one of the other."""
    if one.cumulative_usd is None or other.cumulative_usd is None:
        return None
    axis = RequestAxis.of([one.turns, other.turns])
    places = np.union1d(axis.places(one.turns), axis.places(other.turns))
    usd, other_usd = _so_far(one, axis, places), _so_far(other, axis, places)
    costs_less = (usd < other_usd) & ~np.isclose(
        usd, other_usd, rtol=1e-9, atol=0
    )  # sums of floats, so nearly equal
    if not costs_less.size or not costs_less[-1]:
        return None
    dearer = np.flatnonzero(~costs_less)
    return axis.request_at(int(places[dearer[-1] + 1 if dearer.size else 0]))


def _so_far(cost: Cost, axis: RequestAxis, places: Tokens) -> Usd:
    assert cost.cumulative_usd is not None  # noqa: S101 - both callers look first
    steps_by_then = np.searchsorted(axis.places(cost.turns), places, side="right")
    known: Usd = np.concatenate([[0.0], cost.cumulative_usd])[steps_by_then]
    return known


def _total(usd: Usd | None) -> float | None:
    return None if usd is None else float(usd.sum())


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
