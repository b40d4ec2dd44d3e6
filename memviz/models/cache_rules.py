"""The rules of providers' prompt caches: what they reuse of a request, and for how long.

Only what a provider's own pages say is in here, looked up in November 2026; the smallest prefix of Claude and
Gemini models comes from the price file of the litellm package, model by model. A provider that names no smallest
prefix has no rules, so nothing is taken to be cached. What reading and writing cost stands in
``models/prices.py``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from memviz.models.prices import PRICE_FILE, Price, json_file, price

FIVE_MINUTES = 5 * 60.0
_LOOKED_UP = date(2026, 11, 22)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """The rules of one cache. A common prefix of at least ``min_tokens`` is reused, rounded down to ``step_tokens``,
    if its last use is less than ``lifetime_seconds`` ago; each use renews it.

    Raises :class:`ValueError` for a number that cannot be: less than one token, or a negative time.
    """

    min_tokens: int
    step_tokens: int = 1
    lifetime_seconds: float | None = None
    """``None`` where the provider names no lifetime, so that nothing is taken to outlast a pause."""
    source: str = "entered by hand"
    """The title of the page that the rules are from, and its owner."""
    as_of: date | None = None
    """The page's own date, or the day it was read."""
    note: str = ""
    """The exceptions that these rules leave out."""

    def __post_init__(self) -> None:
        if self.min_tokens < 1 or self.step_tokens < 1:
            raise ValueError(
                f"A prefix of {self.min_tokens} tokens in steps of {self.step_tokens}: both start at 1."
            )
        if self.lifetime_seconds is not None and not self.lifetime_seconds >= 0:
            raise ValueError(
                f"A lifetime of {self.lifetime_seconds} seconds: it has to be 0 or more."
            )

    def is_alive(self, pause_seconds: float) -> bool:
        """Return whether an entry outlasts this pause."""
        return (
            self.lifetime_seconds is not None and pause_seconds < self.lifetime_seconds
        )


OPENAI = CacheRules(
    min_tokens=1024,
    step_tokens=128,
    lifetime_seconds=FIVE_MINUTES,
    source="Prompt caching, OpenAI API guides; Prompt Caching 201, OpenAI Cookbook",
    as_of=_LOOKED_UP,
    note="Kept for 5 to 10 minutes without use, at most an hour, and up to 24 hours where that is switched on; the "
    "shortest of these counts.",
)
OPENAI_WITH_WRITE_PRICE = CacheRules(
    min_tokens=1024,
    lifetime_seconds=30 * 60.0,
    source="Prompt caching and prompt_cache_options, OpenAI API guides (GPT-5.6 and later)",
    as_of=_LOOKED_UP,
    note="Matched only where an earlier request ended or a breakpoint was set; any common prefix counts here.",
)
AZURE = replace(OPENAI, source="Prompt caching, Azure OpenAI in Microsoft Foundry")
AZURE_WITH_WRITE_PRICE = replace(
    OPENAI_WITH_WRITE_PRICE,
    source="Prompt caching, Azure OpenAI in Microsoft Foundry (GPT-5.6 and later)",
)
CLAUDE = CacheRules(
    min_tokens=1024,
    lifetime_seconds=FIVE_MINUTES,
    source="Prompt caching, Claude API docs; smallest prefix from litellm's price file",
    as_of=_LOOKED_UP,
    note="Has to be switched on in the request, and is matched at its breakpoints; any common prefix counts here. The "
    "one-hour lifetime, at twice the input price, is left out.",
)
BEDROCK_CLAUDE = replace(
    CLAUDE,
    source="Prompt caching for faster model inference, Amazon Bedrock; smallest prefix from litellm's price file",
)
VERTEX_CLAUDE = replace(
    CLAUDE,
    source="Prompt caching, Claude models on Google Cloud; smallest prefix from litellm's price file",
)
GEMINI = CacheRules(
    min_tokens=2048,
    source="Context caching, Gemini API docs; smallest prefix from litellm's price file",
    as_of=date(2026, 10, 13),
    note="Implicit caching of Gemini 2.5 and later. Hits are likelier shortly after each other; no lifetime is named.",
)
DEEPSEEK = CacheRules(
    min_tokens=64,
    step_tokens=64,
    lifetime_seconds=60 * 60.0,
    source="Context Caching, DeepSeek API docs; Context Caching on Disk, DeepSeek news of August 2, 2024",
    as_of=_LOOKED_UP,
    note="Kept from a few hours to a few days, best effort; one hour counts here. Newer models store a prefix where a "
    "request ended; any common prefix counts here.",
)
GROQ = CacheRules(
    min_tokens=1024,
    lifetime_seconds=2 * 60 * 60.0,
    source="Prompt Caching, GroqDocs",
    as_of=_LOOKED_UP,
    note="The smallest prefix is 128 to 1,024 tokens, depending on the model; the largest of these counts.",
)
MISTRAL = CacheRules(
    min_tokens=64,
    step_tokens=64,
    source="Prompt caching, Mistral Docs",
    as_of=_LOOKED_UP,
    note="Wants the same prompt_cache_key in each request. No lifetime is named.",
)

_SAME_FOR_ALL_MODELS = {"deepseek": DEEPSEEK, "groq": GROQ, "mistral": MISTRAL}
_BY_WRITE_PRICE = {
    "openai": (OPENAI, OPENAI_WITH_WRITE_PRICE),
    "azure": (AZURE, AZURE_WITH_WRITE_PRICE),
}
_BY_MODEL = {
    "anthropic": CLAUDE,
    "bedrock": BEDROCK_CLAUDE,
    "bedrock_converse": BEDROCK_CLAUDE,
    "vertex_ai-anthropic_models": VERTEX_CLAUDE,
    "gemini": GEMINI,
}
_MIN_TOKENS_ON_THE_PAGE = {"gemini/gemini-2.5-flash": 2048}
"""Models of which the price file does not know the smallest prefix."""


def cache_rules(model_name: str) -> CacheRules | None:
    """The rules of the cache that serves ``model_name``; ``None`` where it has none, or none are known.

    A model whose price file entry has no price for cached tokens is taken to have no cache.
    """
    about = price(model_name)
    if about is None or about.cache_read_usd_per_token is None:
        return None
    # Models that bill the writing of the cache have other rules than those of the same provider that do not.
    if about.provider in _BY_WRITE_PRICE:
        bills_writing = about.cache_write_usd_per_token is not None
        return _BY_WRITE_PRICE[about.provider][bills_writing]
    if about.provider in _BY_MODEL:
        return _of_model(about, _BY_MODEL[about.provider])
    return _SAME_FOR_ALL_MODELS.get(about.provider)


def _of_model(about: Price, rules: CacheRules) -> CacheRules | None:
    min_tokens = _min_tokens().get(about.model)
    return replace(rules, min_tokens=min_tokens) if min_tokens else None


@cache
def _min_tokens() -> dict[str, int]:
    """The smallest cached prefix of each model that names one."""
    entries: Iterable[tuple[str, object]] = json_file(PRICE_FILE).items()
    in_file = {}
    for name, entry in entries:
        if not isinstance(entry, dict):
            continue
        tokens = entry.get("prompt_cache_min_tokens")
        if isinstance(tokens, int | float) and tokens >= 1:
            in_file[name] = int(tokens)
    # What the price file says counts for more than what was read on the provider's page.
    return {**_MIN_TOKENS_ON_THE_PAGE, **in_file}
