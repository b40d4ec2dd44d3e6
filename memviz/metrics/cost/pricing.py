"""The prices of a model's tokens, from litellm's price file or entered by hand, and the parts of a cost by them."""

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
"""The default of the user's pause between two turns."""
MILLION = 1_000_000
FREE = "free"
"""The source of the prices of models that answer without a provider."""
PRICE_FILE = "price file of litellm"
"""The source of list prices; its version follows."""
KINDS: tuple[Literal["input", "output"], ...] = ("input", "input", "input", "output")
"""The prices that fresh, cached, written and output tokens need at least, in this order."""
Usd = NDArray[np.float64]


class MissingPrice(NamedTuple):
    """A needed price that is unknown."""

    model: str
    kind: Literal["input", "output"]


@dataclass(frozen=True, slots=True)
class Pricing:
    """The prices of a model, in US dollars a token, and their source."""

    model: str
    rates: tuple[TokenRates, ...]
    """The first rates are for all requests, each further ones, in rising order, for requests with more input tokens
    than ``above_input_tokens``. A rate of ``None`` is unknown; without rates of their own, tokens read from the cache
    and written to it cost as much as other input."""
    source: str
    """The name of the price list, or :data:`FREE`; empty where no rate is from a list."""
    has_own: bool = False
    """True if some rates were entered by hand."""

    @property
    def plain(self) -> TokenRates:
        """The rates of short requests."""
        return self.rates[0]

    @property
    def cache_read_share(self) -> float | None:
        """The price of a token read from the cache, as a share of that of other input; ``None`` if one is unknown, or
        input is free."""
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
        """Return the prices with these rates, in US dollars a million tokens, in place of others.

        ``None`` keeps a rate. The new ones hold for requests of any length. Raises :class:`ValueError` for a negative
        rate.
        """
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
        # Without any rate of the list, the list is no source any more.
        source = self.source if has_list_rate else ""
        rates = replace(self.plain, **changed)
        return replace(self, rates=(rates,), source=source, has_own=True)

    def usd(self, tokens: Tokens) -> Usd:
        """Return the US dollars for ``tokens``, both [4 x requests]: fresh, cached, written, output.

        NaN stands where the rate is unknown. The whole input of a request decides which rates hold.
        """
        if not tokens.shape[1]:
            return np.zeros(tokens.shape)
        thresholds, rates_by_tier = _list_tiers(self.rates)
        tiers = np.searchsorted(thresholds, tokens[:-1].sum(axis=0))
        return np.where(tokens > 0, tokens * rates_by_tier[tiers].T, 0.0)

    def missing_prices(self, usd: Usd) -> list[MissingPrice]:
        """Return the unknown prices that ``usd``, a result of :meth:`usd`, needs."""
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
    # A listed price has further fields, which are left out.
    plain = {}
    for field in fields(TokenRates):
        plain[field.name] = getattr(listed_price, field.name)
    rates = (TokenRates(**plain), *listed_price.long_input_rates)
    return Pricing(name, rates, _name_price_file())


def make_unpriced(model_name: str) -> Pricing:
    """Return a model without known prices, to enter them by hand."""
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
    """Return the input tokens above which each further rate holds, and the US dollars a token [tiers x 4].

    It is cached, because a fleet asks for it a million times; callers must not change the arrays.
    """
    thresholds = [further.above_input_tokens for further in rates[1:]]
    usd = np.array([_list_rates(tier) for tier in rates], np.float64)
    return np.array(thresholds, np.int64), usd


def _list_rates(rates: TokenRates) -> Sequence[float]:
    """Return the US dollars for a fresh, cached, written and output token; NaN where unknown."""
    fresh = rates.input_usd_per_token
    read = rates.cache_read_usd_per_token
    write = rates.cache_write_usd_per_token
    # Without a rate of its own, a token of the cache costs as much as any other.
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
