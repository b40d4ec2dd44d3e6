"""The prices, cache rules and pause that a cost is worked out with, in words: what, from where, and of when."""

from collections.abc import Iterable, Iterator

from memviz.core.text.wording import duration_words
from memviz.metrics.cost.cost import Part
from memviz.metrics.cost.pricing import FREE, MILLION, MissingPrice, Pricing, unpriced
from memviz.models.cache_rules import CacheRules
from memviz.models.names import approximation
from memviz.models.prices import TokenRates
from memviz.tuning.pricing_assumptions import PricingAssumptions

UNKNOWN = "unknown"
PART_NAMES = {
    Part.FRESH: "Input, fresh",
    Part.CACHED: "Input, read from the cache",
    Part.WRITTEN: "Input, written to the cache",
    Part.OUTPUT: "Output",
    Part.SUMMARIZER_INPUT: "Summarizer, input",
    Part.SUMMARIZER_OUTPUT: "Summarizer, output",
}
"""The name of each kind of tokens that is paid for, in a table."""


def whose(pricing: Pricing) -> str:
    """Return the owner of these prices, behind the word *prices*: ``of openai/gpt-5-mini``, ``entered by hand for
    openai/gpt-5-mini``, and where only some were, ``entered by hand (the rest of openai/gpt-5-mini)``."""
    if not pricing.has_own:
        return f"of {pricing.model}"
    if pricing.source:
        return f"entered by hand (the rest of {pricing.model})"
    return f"entered by hand for {pricing.model}"


def source_words(pricing: Pricing) -> str:
    """Return where these prices are from."""
    source = pricing.source
    if source == FREE:
        source = "answers without a provider"
    if not pricing.has_own:
        return source
    if source:
        return f"entered by hand, the rest: {source}"
    return "entered by hand"


def missing_price_name(missing: MissingPrice) -> str:
    """Return the name of a price that is needed and that nobody knows: ``openai/gpt-9: output price``."""
    if missing.kind == "input":
        return f"{missing.model}: input price"
    return f"{missing.model}: output price"


def missing_prices_by_model(missing: Iterable[MissingPrice]) -> Iterator[str]:
    """Yield for each model the prices that are needed and that nobody knows: ``input price and output price of
    openai/gpt-9``."""
    kinds: dict[str, list[str]] = {}
    for model, kind in dict.fromkeys(missing):
        kinds.setdefault(model, []).append(kind)
    for model, unknown in kinds.items():
        if len(unknown) > 1:
            yield f"input price and output price of {model}"
        elif unknown == ["input"]:
            yield f"input price of {model}"
        else:
            yield f"output price of {model}"


def prices_of(assumptions: PricingAssumptions) -> Iterator[str]:
    """Yield a sentence on the prices of each model, in plain text."""
    main = assumptions.main
    summarizer = assumptions.summarizer
    if main is not None:
        has_cache = assumptions.cache is not None
        yield prices_in_words(main, reads_a_cache=has_cache)
    if summarizer is not None and summarizer != main:
        yield f"Summarizer: {prices_in_words(summarizer, reads_a_cache=False)}"


def prices_in_words(pricing: Pricing, *, reads_a_cache: bool = True) -> str:
    """Return what a million tokens of a model cost, and who says so."""
    if pricing.plain == unpriced(pricing.model).plain:
        return f"{pricing.model} is in no price list here, so what it costs is unknown."
    told = _rates(pricing.plain, reads_a_cache)
    for rates in pricing.rates[1:]:
        above = f"in requests of more than {rates.above_input_tokens:,} input tokens"
        told += f"; {above} {_rates(rates, reads_a_cache)}"
    return f"{pricing.model}, USD per million tokens: {told}. Source: {source_words(pricing)}."


def cache_in_words(cache: CacheRules | None) -> str:
    """Return the rules of the prompt cache, and who says so."""
    if cache is None:
        return "Prompt cache: none is counted, because none is known for this model or it was switched off."
    step = f", in steps of {cache.step_tokens:,}" if cache.step_tokens > 1 else ""
    lives = "no lifetime is known"
    if cache.lifetime_seconds is not None:
        lives = f"kept for {duration_words(cache.lifetime_seconds)} without use"
    of = f", as of {cache.as_of:%Y-%m-%d}" if cache.as_of else ""
    rules = f"Prompt cache: reuses what two requests begin with, from {cache.min_tokens:,} tokens on{step}; {lives}."
    return f"{rules} Source: {cache.source}{of}."


def _rates(rates: TokenRates, reads_a_cache: bool) -> str:
    usd = rates.input_usd_per_token
    told = [f"input {_per_million(usd)}"]
    if reads_a_cache:
        read = _per_million(rates.cache_read_usd_per_token, usd)
        written = _per_million(rates.cache_write_usd_per_token, usd)
        told += [f"read from the cache {read}", f"written to it {written}"]
    told.append(f"output {_per_million(rates.output_usd_per_token)}")
    return ", ".join(told)


def _per_million(
    usd_per_token: float | None, input_usd_per_token: float | None = None
) -> str:
    if usd_per_token is not None:
        return f"{usd_per_token * MILLION:,.6g}"
    if input_usd_per_token is not None:
        return f"{input_usd_per_token * MILLION:,.6g} (as input)"
    return UNKNOWN


def basis_in_words(assumptions: PricingAssumptions, counter: str) -> str:
    """Return under which prices, pause and cache a comparison of costs holds: with a pause that the cache outlives the
    full buffer is often the cheapest, with a longer one it is not. It says so where ``counter``, which counted the
    tokens, is not that of the model whose prices count."""
    held_for = f"Costs hold for the prices {whose_prices(assumptions)}"
    pause = duration_words(assumptions.pause_seconds)
    cache = assumptions.cache
    if cache is None:
        basis = (
            f"{held_for} and a pause of {pause} between turns, without a prompt cache."
        )
    elif cache.is_alive(assumptions.pause_seconds):
        basis = f"{held_for} and a pause of {pause} between turns, shorter than its prompt cache lasts."
    else:
        basis = f"{held_for} and a pause of {pause} between turns, after which its prompt cache is empty."
    inexact = approximation(assumptions.main.model, counter) if assumptions.main else ""
    return f"{basis} {inexact}" if inexact else basis


def whose_prices(assumptions: PricingAssumptions) -> str:
    """Return whose prices count, behind the word *prices*: ``of X``, or ``of X for the chat and of Y for the
    summaries``."""
    unknown = "of an unknown model"
    main = whose(assumptions.main) if assumptions.main else unknown
    writer = whose(assumptions.summarizer) if assumptions.summarizer else unknown
    if main == writer:
        return main
    return f"{main} for the chat and {writer} for the summaries"


def after_the_pause(cache: CacheRules, pause_seconds: float) -> str:
    """Return what the pause does, beside a sentence that says how long the prompt cache lives."""
    pause = f"After a pause of {duration_words(pause_seconds)}"
    if cache.is_alive(pause_seconds):
        return f"{pause} the next turn reads from the prompt cache."
    return f"{pause} the prompt cache is empty, so all that is sent is paid in full."


def pause_words(cache: CacheRules | None, pause_seconds: float) -> str:
    """Return what the pause does to the prompt cache."""
    if cache is None:
        return "No prompt cache is counted, so the pause changes nothing."
    if cache.lifetime_seconds is None:
        return (
            "The provider does not say how long its prompt cache lives. It is taken to be empty after every pause, so "
            "all that is sent is paid in full."
        )
    lives = duration_words(cache.lifetime_seconds)
    if cache.is_alive(pause_seconds):
        return f"The pause is shorter than the {lives} that the prompt cache lives, so the next turn reads from it."
    return f"The prompt cache lives {lives}. After this pause it is empty, so all that is sent is paid in full."
