"""Prices and limits of models.

Prices are read from the price file that the litellm package carries. litellm itself is not
imported for that: it takes seconds, its file 30 milliseconds. What the file does not know is
``None``, never 0. These are list prices: discounts for batches or for the hours of the night
are not in them, nor are prices in steps (``tiered_pricing`` in the file, then ``None``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memviz.core.recently_used import RecentlyUsed
from memviz.models.base import Usage

PRICE_FILE = "model_prices_and_context_window_backup.json"
FREE_PROVIDERS = ("ollama", "lemonade")
"""Providers that run on one's own machine. Only there a price of 0 in the file means free; elsewhere
it stands for models whose price nobody has entered."""
_windows_found: RecentlyUsed[str, int] = RecentlyUsed(1_000)
_MODES = ("chat", "responses", "completion")
_RATE_KEYS = {
    "input_usd_per_token": "input_cost_per_token",
    "output_usd_per_token": "output_cost_per_token",
    "cache_read_usd_per_token": "cache_read_input_token_cost",
    "cache_write_usd_per_token": "cache_creation_input_token_cost",
}
"""The rates of :class:`TokenRates` by their keys in the price file."""
# "input_cost_per_token_above_200k_tokens"
_LONG_INPUT_KEY = re.compile(
    r"input_cost_per_token(?P<suffix>_above_(?P<number>\d+)(?P<thousands>k?)_tokens)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRates:
    """USD a token for requests with more than ``above_input_tokens`` input tokens. ``None`` where unknown.

    A cached token without a rate of its own costs as much as any other input token.
    """

    input_usd_per_token: float | None
    output_usd_per_token: float | None
    cache_read_usd_per_token: float | None
    cache_write_usd_per_token: float | None
    above_input_tokens: int = 0

    def cost_usd(self, usage: Usage, cache_write_tokens: int = 0) -> float | None:
        """The cost of ``usage``; ``cache_write_tokens`` and its cached tokens are part of its input tokens."""
        fresh = self.input_usd_per_token
        output = self.output_usd_per_token
        if fresh is None or output is None:
            return None
        cached = self.cache_read_usd_per_token
        if cached is None:
            cached = fresh
        write = self.cache_write_usd_per_token
        if write is None:
            write = fresh
        other_tokens = usage.cached_tokens + cache_write_tokens
        fresh_tokens = max(0, usage.input_tokens - other_tokens)
        input_usd = (
            fresh_tokens * fresh
            + usage.cached_tokens * cached
            + cache_write_tokens * write
        )
        return input_usd + usage.output_tokens * output


@dataclass(frozen=True, slots=True, kw_only=True)
class Price(TokenRates):
    """One model of the price file: list prices in USD a token and limits in tokens, ``None`` where unknown."""

    model: str
    provider: str
    mode: str
    max_input_tokens: int | None
    max_output_tokens: int | None
    long_input_rates: tuple[TokenRates, ...] = ()
    """Rates in place of the plain ones for requests with more input tokens than each says, in rising order."""
    retired_on: date | None = None
    """The day from which the provider no longer serves the model."""

    def rates(self, input_tokens: int) -> TokenRates:
        """The rates of a request with this many input tokens."""
        for rates in reversed(self.long_input_rates):
            if input_tokens > rates.above_input_tokens:
                return rates
        return self

    def cost_usd(self, usage: Usage, cache_write_tokens: int = 0) -> float | None:
        """The cost of a request with this ``usage`` at list price; ``None`` if a rate is unknown."""
        return TokenRates.cost_usd(
            self.rates(usage.input_tokens), usage, cache_write_tokens
        )


def price(model: str) -> Price | None:
    """The price of ``model``, with or without its provider's prefix; ``None`` if the file does not know it."""
    return _find_price(model, prices())


def embedding_price(model: str) -> Price | None:
    """The price of a ``model`` that gives vectors, of which what it writes costs nothing; ``None`` if the file does not
    know it."""
    return _find_price(model, _embedding_prices())


def _find_price(model: str, prices_by_model: Mapping[str, Price]) -> Price | None:
    if model in prices_by_model:
        return prices_by_model[model]
    provider, slash, name = model.partition("/")
    if slash:
        bare = _find_price(name, prices_by_model)
        # The provider of bare names may be told apart further: cohere_chat, vertex_ai-language-models.
        if bare is None or not bare.provider.startswith(provider):
            return None
        return bare
    if model.startswith("ft:"):
        # A fine-tuned model is ft:<base>:<organization>:<name>:<id>, and costs what its base does.
        prefix, base, *_others = [*model.split(":"), ""]
        return prices_by_model.get(f"{prefix}:{base}")
    return None


def note_window(model: str, tokens: int) -> None:
    """The server of the user's own that serves ``model`` says how many tokens its window has. The last word counts,
    until the process ends."""
    _windows_found.put(model, tokens)


def context_window_tokens(model: str) -> int | None:
    """The most tokens that ``model`` takes in one request; ``None`` if that is not known."""
    tokens = _windows_found.get(model)
    if tokens is not None:
        return tokens
    list_price = price(model)
    return list_price.max_input_tokens if list_price else None


@cache
def prices() -> Mapping[str, Price]:
    """Every text model of the price file by name; empty if there is no such file."""
    return _read_prices(_MODES)


@cache
def _embedding_prices() -> Mapping[str, Price]:
    embedding_prices = _read_prices(("embedding",))
    for name, list_price in embedding_prices.items():
        embedding_prices[name] = replace(list_price, output_usd_per_token=0.0)
    return embedding_prices


def _read_prices(modes: Collection[str]) -> dict[str, Price]:
    by_name = {}
    for name, entry in json_file(PRICE_FILE).items():
        if not isinstance(entry, dict) or "litellm_provider" not in entry:
            continue
        if entry.get("mode") in modes:
            by_name[name] = _read_price(name, entry)
    return by_name


def json_file(path: str) -> dict[str, Any]:
    """A JSON object from litellm's folder, without importing litellm; empty if it cannot be read."""
    # To import litellm takes seconds, and the file lies beside it.
    spec = find_spec("litellm")
    folder = next(iter(spec.submodule_search_locations or ()), None) if spec else None
    if folder is None:
        return {}
    try:
        content = json.loads((Path(folder) / path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _read_price(name: str, entry: Mapping[str, Any]) -> Price:
    plain = _read_rates(entry)
    # The file names only rates that change above a threshold: all others go on as below it.
    longer = [plain]
    for above_tokens, suffix in sorted(_read_thresholds(entry)):
        rates = _read_rates(entry, suffix)
        own_rates = {key: value for key, value in rates.items() if value is not None}
        longer.append({**longer[-1], **own_rates, "above_input_tokens": above_tokens})
    return Price(
        **plain,
        model=name,
        provider=entry["litellm_provider"],
        mode=entry["mode"],
        max_input_tokens=_read_tokens(entry.get("max_input_tokens")),
        max_output_tokens=_read_tokens(entry.get("max_output_tokens")),
        long_input_rates=tuple(TokenRates(**rates) for rates in longer[1:]),
        retired_on=_read_day(entry.get("deprecation_date")),
    )


def _read_thresholds(entry: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Input tokens above which other rates hold, and how the file's keys for these rates end: 200,000 and
    ``_above_200k_tokens``."""
    for key in entry:
        # Few keys do, and to look for a text is faster than the pattern.
        if "_above_" not in key:
            continue
        match = _LONG_INPUT_KEY.fullmatch(key)
        if match:
            factor = 1000 if match["thousands"] else 1
            yield int(match["number"]) * factor, match["suffix"]


def _read_rates(entry: Mapping[str, Any], suffix: str = "") -> dict[str, Any]:
    # A price of 0 is one of a server of the user's own; of any other provider it stands for an unknown one.
    free = entry["litellm_provider"] in FREE_PROVIDERS

    def rate(key: str) -> float | None:
        value = entry.get(key + suffix)
        if not isinstance(value, int | float):
            return None
        is_known = value > 0 or (value == 0 and free)
        return float(value) if is_known else None

    return {field: rate(key) for field, key in _RATE_KEYS.items()}


def _read_tokens(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _read_day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def known_price(model: str) -> Price | None:
    """Return the price of ``model``, ``None`` unless what is read and what is written have one."""
    list_price = price(model) or embedding_price(model)
    if list_price is None:
        return None
    rates = (list_price.input_usd_per_token, list_price.output_usd_per_token)
    return None if None in rates else list_price
