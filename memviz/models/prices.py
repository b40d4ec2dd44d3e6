"""Prices and limits of models, and calls before they are made with the most that they may cost.

Prices are read from the price file that the litellm package carries. litellm itself is not
imported for that: it takes seconds, its file 30 milliseconds. What the file does not know is
``None``, never 0. These are list prices: discounts for batches or for the hours of the night
are not in them, nor are prices in steps (``tiered_pricing`` in the file, then ``None``).

The most that calls may cost are the same numbers that a budget reserves. What they likely
cost is in ``memviz/metrics/cost/estimate.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.util import find_spec
from math import ceil, floor, inf, log10
from pathlib import Path
from typing import Any

from memviz.core.recently_used import RecentlyUsed
from memviz.core.text.wording import counted, dollars, listed
from memviz.core.translation import _, ngettext, noop
from memviz.models.base import Usage
from memviz.models.names import is_free

PRICE_FILE = "model_prices_and_context_window_backup.json"
FREE_PROVIDERS = ("ollama", "lemonade")
"""Providers that run on one's own machine. Only there a price of 0 in the file means free; elsewhere
it stands for models whose price nobody has entered."""
_windows_found: RecentlyUsed[str, int] = RecentlyUsed(1_000)
_MODES = ("chat", "responses", "completion")
_LONG_INPUT_KEY = re.compile(
    r"input_cost_per_token(?P<suffix>_above_(?P<number>\d+)(?P<thousands>k?)_tokens)"
)
INPUT_MARGIN = 2.0
"""Reserved for each token counted: the model's own tokenizer may cut finer than the counter. Of letters other than
ASCII it may make a token for each byte: older tokenizers make 30 of a Hindi word of which o200k_base makes 5."""


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
        read = (
            fresh
            if self.cache_read_usd_per_token is None
            else self.cache_read_usd_per_token
        )
        write = (
            fresh
            if self.cache_write_usd_per_token is None
            else self.cache_write_usd_per_token
        )
        fresh_tokens = max(
            0, usage.input_tokens - usage.cached_tokens - cache_write_tokens
        )
        input_usd = (
            fresh_tokens * fresh
            + usage.cached_tokens * read
            + cache_write_tokens * write
        )
        return input_usd + usage.output_tokens * output


@dataclass(frozen=True, slots=True, kw_only=True)
class Price(TokenRates):
    """One model of the price file: list prices in USD a token and limits in tokens, ``None`` where unknown.

    ``long_input_rates`` hold instead of the plain rates for requests with more input tokens than each
    says, in rising order. ``retired_on`` is the day from which the provider no longer serves the model.
    """

    model: str
    provider: str
    mode: str
    max_input_tokens: int | None
    max_output_tokens: int | None
    long_input_rates: tuple[TokenRates, ...] = ()
    retired_on: date | None = None

    def rates(self, input_tokens: int) -> TokenRates:
        """The rates of a request with this many input tokens."""
        longer = (
            rates
            for rates in reversed(self.long_input_rates)
            if input_tokens > rates.above_input_tokens
        )
        return next(longer, self)

    def cost_usd(self, usage: Usage, cache_write_tokens: int = 0) -> float | None:
        """The cost of a request with this ``usage`` at list price; ``None`` if a rate is unknown."""
        return TokenRates.cost_usd(
            self.rates(usage.input_tokens), usage, cache_write_tokens
        )


def price(model: str) -> Price | None:
    """The price of ``model``, with or without its provider's prefix; ``None`` if the file does not know it."""
    return _find_price(model, prices())


def embedding_price(model: str) -> Price | None:
    """The same of a model that gives vectors; nothing is written by one."""
    return _find_price(model, _embedding_prices())


def _find_price(model: str, known: Mapping[str, Price]) -> Price | None:
    found = known.get(model)
    if found is not None:
        return found
    provider, slash, name = model.partition("/")
    if not slash:
        # A fine-tuned model is ft:<base>:<organization>:<name>:<id>, and costs what its base does.
        return (
            known.get(":".join(model.split(":")[:2]))
            if model.startswith("ft:")
            else None
        )
    found = _find_price(name, known)
    # The provider of bare names may be told apart further: cohere_chat, vertex_ai-language-models.
    return found if found is not None and found.provider.startswith(provider) else None


def note_window(model: str, tokens: int) -> None:
    """The server of the user's own that serves ``model`` says how many tokens its window has. The last word counts,
    until the process ends."""
    _windows_found.put(model, tokens)


def context_window_tokens(model: str) -> int | None:
    """The most tokens that ``model`` takes in one request; ``None`` if that is not known."""
    if (tokens := _windows_found.get(model)) is not None:
        return tokens
    found = price(model)
    return found.max_input_tokens if found else None


@cache
def prices() -> Mapping[str, Price]:
    """Every text model of the price file by name; empty if there is no such file."""
    return _prices_of(_MODES)


@cache
def _embedding_prices() -> Mapping[str, Price]:
    found = _prices_of(("embedding",))
    return {name: replace(one, output_usd_per_token=0.0) for name, one in found.items()}


def _prices_of(modes: Collection[str]) -> dict[str, Price]:
    return {
        name: _price(name, entry)
        for name, entry in json_file(PRICE_FILE).items()
        if isinstance(entry, dict)
        and entry.get("mode") in modes
        and "litellm_provider" in entry
    }


def json_file(path: str) -> dict[str, Any]:
    """A JSON object from litellm's folder, without importing litellm; empty if it cannot be read."""
    spec = find_spec("litellm")
    folder = next(iter(spec.submodule_search_locations or ()), None) if spec else None
    if folder is None:
        return {}
    try:
        content = json.loads((Path(folder) / path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _price(name: str, entry: Mapping[str, Any]) -> Price:
    plain = _rates(entry)
    longer = [plain]
    for above_tokens, suffix in sorted(_thresholds(entry)):
        rates = _rates(entry, suffix)
        own = {key: value for key, value in rates.items() if value is not None}
        longer.append({**longer[-1], **own, "above_input_tokens": above_tokens})
    return Price(
        **plain,
        model=name,
        provider=entry["litellm_provider"],
        mode=entry["mode"],
        max_input_tokens=_tokens(entry.get("max_input_tokens")),
        max_output_tokens=_tokens(entry.get("max_output_tokens")),
        long_input_rates=tuple(TokenRates(**rates) for rates in longer[1:]),
        retired_on=_day(entry.get("deprecation_date")),
    )


def _thresholds(entry: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Input tokens above which other rates hold, and how the file's keys for these rates end."""
    for key in entry:
        if "_above_" in key and (match := _LONG_INPUT_KEY.fullmatch(key)):
            yield (
                int(match["number"]) * (1000 if match["thousands"] else 1),
                match["suffix"],
            )


def _rates(entry: Mapping[str, Any], suffix: str = "") -> dict[str, Any]:
    free = entry["litellm_provider"] in FREE_PROVIDERS

    def rate(key: str) -> float | None:
        value = entry.get(key + suffix)
        return (
            float(value)
            if isinstance(value, int | float) and (value > 0 or (value == 0 and free))
            else None
        )

    return {
        "input_usd_per_token": rate("input_cost_per_token"),
        "output_usd_per_token": rate("output_cost_per_token"),
        "cache_read_usd_per_token": rate("cache_read_input_token_cost"),
        "cache_write_usd_per_token": rate("cache_creation_input_token_cost"),
    }


def _tokens(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def usd_at_most(known: Price, input_tokens: float, output_tokens: float) -> float:
    """The most that one call of so many tokens costs, in US dollars: none of them is read from a cache, all may be
    written to it."""
    rates = known.rates(int(input_tokens))
    dearest = max(
        rates.input_usd_per_token or 0.0, rates.cache_write_usd_per_token or 0.0
    )
    return input_tokens * dearest + output_tokens * (rates.output_usd_per_token or 0.0)


def known_price(model: str) -> Price | None:
    """Return the price of ``model``, ``None`` unless what is read and what is written have one."""
    found = price(model) or embedding_price(model)
    if found is None or None in (found.input_usd_per_token, found.output_usd_per_token):
        return None
    return found


_UP_TO = noop("At most {left}, where the budget ends it (up to {most} without).")

_ENDED = noop("At most {left}, where the budget ends it.")


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls of ``model`` that are not made yet. They are priced by :func:`price_at_most` where ``usages`` are the most
    that each may use, by :func:`memviz.metrics.cost.estimate.price_likely` where they are what each likely uses."""

    model: str
    usages: tuple[Usage, ...] = ()
    noun: str = "call"
    """What a call gives: "request", "summary"."""

    @classmethod
    def at_most(
        cls,
        model: str,
        input_tokens: Iterable[float],
        reply_tokens: int,
        margin: float = INPUT_MARGIN,
    ) -> PlannedCalls:
        """Return one call for each number of ``input_tokens``, as they were counted, with at most ``reply_tokens``
        written by each. ``margin`` is what the model's own tokenizer may make of a token counted."""
        return cls(
            model,
            tuple(
                Usage(ceil(tokens * margin), reply_tokens) for tokens in input_tokens
            ),
        )

    @property
    def calls(self) -> int:
        """Their number."""
        return len(self.usages)

    @property
    def input_tokens(self) -> int:
        """Tokens that all of them read."""
        return sum(usage.input_tokens for usage in self.usages)

    @property
    def output_tokens(self) -> int:
        """Tokens that all of them write."""
        return sum(usage.output_tokens for usage in self.usages)


@dataclass(frozen=True, slots=True)
class CostBound:
    """The most that some calls cost together. ``usd`` is of those whose price is known; ``calls``, ``input_tokens`` and
    ``output_tokens`` are of the others, made of the models ``unpriced``."""

    usd: float = 0.0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unpriced: tuple[str, ...] = ()

    def words(self, left_usd: float | None = None) -> str:
        """The bound as a sentence: *At most $0.013.* With ``left_usd``, what a budget has left, no more than that."""
        said = []
        if self.usd and left_usd is not None and self.usd > left_usd:
            sentence = _UP_TO if self.usd < inf else _ENDED
            most = rounded_up(self.usd) if self.usd < inf else ""
            said.append(_(sentence, left=dollars(left_usd), most=most))
        elif self.usd:
            said.append(_("At most {most}.", most=rounded_up(self.usd)))
        if self.unpriced:
            said.append(
                ngettext(
                    "The price of {models} is not known: at most {calls}, {tokens} in and {output_tokens:,} out.",
                    "The prices of {models} are not known: at most {calls}, {tokens} in and {output_tokens:,} out.",
                    len(self.unpriced),
                    models=listed(self.unpriced),
                    calls=counted(self.calls, "call"),
                    tokens=counted(self.input_tokens, "token"),
                    output_tokens=self.output_tokens,
                )
            )
        return " ".join(said) or _("At no cost.")


def price_at_most(plan: Iterable[PlannedCalls]) -> CostBound:
    """Return the most that all calls of ``plan`` cost together."""
    usd = 0.0
    unpriced = []
    for calls in plan:
        if is_free(calls.model):
            continue
        known = known_price(calls.model)
        if known is not None:
            longest = known.max_output_tokens or inf
            for usage in calls.usages:
                written = min(usage.output_tokens, longest)
                usd += usd_at_most(known, usage.input_tokens, written)
        elif calls.usages:
            unpriced.append(calls)
    return CostBound(
        usd,
        sum(one.calls for one in unpriced),
        sum(one.input_tokens for one in unpriced),
        sum(one.output_tokens for one in unpriced),
        tuple(dict.fromkeys(one.model for one in unpriced)),
    )


def rounded_up(usd: float) -> str:
    """An amount that is not less than ``usd``, to two digits that are not zero."""
    if not usd:
        return dollars(0.0)
    digits = max(2, 1 - floor(log10(abs(usd))))
    return dollars(ceil(round(usd * 10**digits, 6)) / 10**digits)
