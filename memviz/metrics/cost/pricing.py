"""Prices of the tokens of one model, from litellm's price file or entered by hand, and the parts
of a cost: tokens and US dollars of each kind of tokens that is paid for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cache, cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import compress
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.bounds import MAX_USD
from memviz.metrics.requests.sent_requests import Tokens
from memviz.models.names import OFFLINE
from memviz.models.prices import TokenRates, price

DEFAULT_PAUSE_SECONDS = 60.0
"""The user's pause between two turns, until another one is chosen."""
MILLION = 1_000_000
FREE = "free"
"""The source of the prices of what answers without a provider."""
PRICE_FILE = "price file of litellm"
"""The source of list prices, before its version."""
KINDS: tuple[Literal["input", "output"], ...] = ("input", "input", "input", "output")
"""The price that fresh, cached, written and output tokens need at least."""
Usd = NDArray[np.float64]


class MissingPrice(NamedTuple):
    """A price that is needed and unknown."""

    model: str
    kind: Literal["input", "output"]


@dataclass(frozen=True, slots=True)
class Pricing:
    """The rates of ``model`` in USD a token, and where they are from.

    The first of ``rates`` holds for every request, each further one, in rising order, instead for requests
    with more input tokens than its ``above_input_tokens``. A rate that is ``None`` is unknown; a cached or
    written token without a rate of its own costs as much as any other input token.
    """

    model: str
    rates: tuple[TokenRates, ...]
    source: str
    """The name of the list that they are from, or :data:`FREE`; empty where none of them is from a list."""
    has_own: bool = False
    """True where some of them were entered by hand, or all if there is no other source."""

    @property
    def plain(self) -> TokenRates:
        """The rates of short requests."""
        return self.rates[0]

    @property
    def cache_read_share(self) -> float | None:
        """The price of a token that is read from the cache, as a share of that of other input; ``None`` where one of
        them is unknown, or input is free."""
        cached = self.plain.cache_read_usd_per_token
        fresh = self.plain.input_usd_per_token
        return cached / fresh if fresh and cached is not None else None

    def by_hand(
        self,
        *,
        input_usd_per_million: float | None = None,
        output_usd_per_million: float | None = None,
        cache_read_usd_per_million: float | None = None,
        cache_write_usd_per_million: float | None = None,
    ) -> Pricing:
        """Return the same model with these rates, in USD a million tokens, in place of its own; ``None`` keeps the
        own one. They then hold for requests of any length. Raises :class:`ValueError` for a negative one."""
        typed_usd = {
            "input_usd_per_token": input_usd_per_million,
            "output_usd_per_token": output_usd_per_million,
            "cache_read_usd_per_token": cache_read_usd_per_million,
            "cache_write_usd_per_token": cache_write_usd_per_million,
        }
        changed: dict[str, Any] = {}
        has_list_rate = False
        for name, usd in typed_usd.items():
            if usd is not None:
                changed[name] = _price_token(usd)
            elif getattr(self.plain, name) is not None:
                has_list_rate = True
        if not changed:
            return self
        # Where no rate of the list is left, the list is no source any more.
        source = self.source if has_list_rate else ""
        rates = replace(self.plain, **changed)
        return replace(self, rates=(rates,), source=source, has_own=True)

    def usd(self, tokens: Tokens) -> Usd:
        """Return US dollars [4 x requests] for ``tokens`` [4 x requests]: fresh, cached, written, output. NaN where
        the rate that is needed is unknown. The input of a request, all but its output, decides which rates hold."""
        if not tokens.shape[1]:
            return np.zeros(tokens.shape)
        thresholds, rates_by_tier = _list_tiers(self.rates)
        tiers = np.searchsorted(thresholds, tokens[:-1].sum(axis=0))
        return np.where(tokens > 0, tokens * rates_by_tier[tiers].T, 0.0)

    def missing_prices(self, usd: Usd) -> list[MissingPrice]:
        """Return the prices that some of ``usd``, as :meth:`usd` gives them, needed and that are unknown."""
        unknown = compress(KINDS, [np.isnan(row).any() for row in usd])
        return [MissingPrice(self.model, kind) for kind in unknown]


def find_pricing(model_name: str) -> Pricing | None:
    """Return the list prices of ``model_name``; the offline model is free. ``None`` where no price is known."""
    name = model_name.strip()
    if name == OFFLINE:
        return Pricing(name, (_make_rates(0.0),), FREE)
    listed_price = price(name)
    if listed_price is None:
        return None
    # A price is the plain rates, and more that a pricing does not need.
    plain = {}
    for field in fields(TokenRates):
        plain[field.name] = getattr(listed_price, field.name)
    rates = (TokenRates(**plain), *listed_price.long_input_rates)
    return Pricing(name, rates, _name_price_file())


def make_unpriced(model_name: str) -> Pricing:
    """Return a model of which nothing is known yet, to enter its rates by hand."""
    return Pricing(model_name.strip(), (_make_rates(None),), "", has_own=True)


def _make_rates(usd: float | None) -> TokenRates:
    return TokenRates(
        input_usd_per_token=usd,
        output_usd_per_token=usd,
        cache_read_usd_per_token=usd,
        cache_write_usd_per_token=usd,
    )


def _price_token(usd_per_million: float) -> float:
    if not 0 <= usd_per_million <= MAX_USD:
        allowed = f"a number, 0 or more and at most {MAX_USD:,.0f}"
        raise ValueError(
            f"A price of {usd_per_million:g} USD per million tokens: it has to be {allowed}."
        )
    return usd_per_million / MILLION


@lru_cache(maxsize=256)
def _list_tiers(rates: tuple[TokenRates, ...]) -> tuple[Tokens, Usd]:
    """Return the input tokens above which each further of ``rates`` holds, and the US dollars [tiers x 4]. Asked for
    each of a million conversations, so it is remembered; nobody may change what it returns."""
    thresholds = [further.above_input_tokens for further in rates[1:]]
    usd = np.array([_list_rates(tier) for tier in rates], np.float64)
    return np.array(thresholds, np.int64), usd


def _list_rates(rates: TokenRates) -> Sequence[float]:
    """Return the USD for a fresh, cached, written and output token; NaN where unknown."""
    fresh = rates.input_usd_per_token
    read = rates.cache_read_usd_per_token
    write = rates.cache_write_usd_per_token
    # Without a rate of its own a token of the cache costs as much as any other.
    usd = (
        fresh,
        fresh if read is None else read,
        fresh if write is None else write,
        rates.output_usd_per_token,
    )
    return [np.nan if rate is None else rate for rate in usd]


@cache
def _name_price_file() -> str:
    try:
        return f"{PRICE_FILE} {version('litellm')}"
    except PackageNotFoundError:
        return PRICE_FILE


class Part(Enum):
    """A kind of tokens that is paid for."""

    FRESH = "fresh"
    CACHED = "cached"
    """Read from the cache."""
    WRITTEN = "written"
    """Written to the cache."""
    OUTPUT = "output"
    SUMMARIZER_INPUT = "summarizer_input"
    SUMMARIZER_OUTPUT = "summarizer_output"


MAIN_PARTS = (Part.FRESH, Part.CACHED, Part.WRITTEN, Part.OUTPUT)

SUMMARIZER_PARTS = (Part.SUMMARIZER_INPUT, Part.SUMMARIZER_OUTPUT)


@dataclass(frozen=True, eq=False)
class CostParts:
    """Tokens and US dollars of each part, one entry a step (see
    :attr:`memviz.metrics.cost.cost.Cost.turns`)."""

    turns: Tokens
    """The turn of each step."""
    tokens: Mapping[Part, Tokens]
    usd: Mapping[Part, Usd | None]
    """``None`` where a rate that is needed is unknown."""

    @cached_property
    def main_usd(self) -> Usd | None:
        """US dollars of the chat model in each step."""
        return self._usd_of(MAIN_PARTS)

    @cached_property
    def summarizer_usd(self) -> Usd | None:
        """US dollars of the summarizer in each step."""
        return self._usd_of(SUMMARIZER_PARTS)

    @property
    def main_tokens(self) -> Tokens:
        """Tokens of the chat model in each step."""
        return self.tokens_of(MAIN_PARTS)

    @property
    def summarizer_tokens(self) -> Tokens:
        """Tokens of the summarizer in each step."""
        return self.tokens_of(SUMMARIZER_PARTS)

    def tokens_of(self, parts: tuple[Part, ...]) -> Tokens:
        """Return the tokens of these parts together in each step."""
        counts = (self.tokens[part] for part in parts)
        return sum(counts, np.zeros_like(self.turns))

    def total_usd(self, part: Part) -> float | None:
        """Return the US dollars of one part in all."""
        usd = self.usd[part]
        return None if usd is None else float(usd.sum())

    def _usd_of(self, parts: tuple[Part, ...]) -> Usd | None:
        amounts = [self.usd[part] for part in parts]
        known_usd = [usd for usd in amounts if usd is not None]
        return np.sum(known_usd, axis=0) if len(known_usd) == len(amounts) else None
