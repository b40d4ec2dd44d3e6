"""Prices in words: from where and of when they are, with the rules of the cache and the pause that a cost is worked
out with."""

from collections.abc import Iterable, Iterator

from memviz.core.text.wording import COMMA, duration_words
from memviz.core.translation import _, noop
from memviz.metrics.cost.cache_breaks import Breaker
from memviz.metrics.cost.pricing import (
    FREE,
    MILLION,
    PRICE_FILE,
    MissingPrice,
    Part,
    Pricing,
    make_unpriced,
)
from memviz.models.cache_rules import CacheRules
from memviz.models.names import approximation
from memviz.models.prices import TokenRates
from memviz.tuning.pricing_assumptions import PricingAssumptions

UNKNOWN = noop("unknown")
PART_NAMES = {
    Part.FRESH: noop("Input, fresh"),
    Part.CACHED: noop("Input, read from the cache"),
    Part.WRITTEN: noop("Input, written to the cache"),
    Part.OUTPUT: noop("Output"),
    Part.SUMMARIZER_INPUT: noop("Summarizer, input"),
    Part.SUMMARIZER_OUTPUT: noop("Summarizer, output"),
}
"""The name of each kind of tokens that is paid for, in a table."""
BROKEN_BY = {
    Breaker.SUMMARY: noop("broken by a summary"),
    Breaker.REDUCTION: noop("broken by clearing"),
    Breaker.WINDOW: noop("broken by a window that moved"),
    Breaker.PAUSE: noop("broken by the pause"),
    Breaker.OTHER: noop("broken by a recall or a change"),
}
"""The words for what broke the prefix that the cache held, at its mark or in a legend."""


def whose(pricing: Pricing) -> str:
    """Return the owner of these prices, behind the word *prices*: ``of openai/gpt-5-mini``, ``entered by hand for
    openai/gpt-5-mini``, and where only some were, ``entered by hand (the rest of openai/gpt-5-mini)``."""
    template = noop("of {model}")
    if pricing.has_own:
        template = noop("entered by hand for {model}")
        if pricing.source:
            template = noop("entered by hand (the rest of {model})")
    return _(template, model=pricing.model)


def source_words(pricing: Pricing) -> str:
    """Return where these prices are from."""
    source = pricing.source
    if source == FREE:
        source = _("answers without a provider")
    elif source.startswith(f"{PRICE_FILE} "):
        source = _(
            "price file of litellm {version}",
            version=source.removeprefix(f"{PRICE_FILE} "),
        )
    if not pricing.has_own:
        return source
    if source:
        return _("entered by hand, the rest: {source}", source=source)
    return _("entered by hand")


_MISSING = {
    "input": noop("{model}: input price"),
    "output": noop("{model}: output price"),
}
_MISSING_OF_MODEL: dict[tuple[str, ...], str] = {
    ("input",): noop("input price of {model}"),
    ("output",): noop("output price of {model}"),
}
_BOTH_MISSING = noop("input price and output price of {model}")


def missing_price_name(missing: MissingPrice) -> str:
    """Return the name of a price that is needed and that nobody knows: ``openai/gpt-9: output price``."""
    return _(_MISSING[missing.kind], model=missing.model)


def missing_prices_by_model(missing: Iterable[MissingPrice]) -> Iterator[str]:
    """Yield for each model the prices that are needed and that nobody knows: ``input price and output price of
    openai/gpt-9``."""
    kinds: dict[str, list[str]] = {}
    for model, kind in dict.fromkeys(missing):
        kinds.setdefault(model, []).append(kind)
    for model, unknown in kinds.items():
        template = _MISSING_OF_MODEL.get(tuple(unknown), _BOTH_MISSING)
        yield _(template, model=model)


def prices_of(assumptions: PricingAssumptions) -> Iterator[str]:
    """Yield a sentence on the prices of each model, in plain text."""
    main = assumptions.main
    summarizer = assumptions.summarizer
    if main is not None:
        has_cache = assumptions.cache is not None
        yield prices_in_words(main, reads_a_cache=has_cache)
    if summarizer is not None and summarizer != main:
        yield _(
            "Summarizer: {prices}",
            prices=prices_in_words(summarizer, reads_a_cache=False),
        )


def prices_in_words(pricing: Pricing, *, reads_a_cache: bool = True) -> str:
    """Return what a million tokens of a model cost, and who says so."""
    if pricing.plain == make_unpriced(pricing.model).plain:
        return _(
            "{model} is in no price list here, so what it costs is unknown.",
            model=pricing.model,
        )
    words = _rates(pricing.plain, reads_a_cache)
    for rates in pricing.rates[1:]:
        above = _(
            "in requests of more than {above_input_tokens:,} input tokens",
            above_input_tokens=rates.above_input_tokens,
        )
        words += _("; {above} {rates}", above=above, rates=_rates(rates, reads_a_cache))
    return _(
        "{model}, USD per million tokens: {told}. Source: {source}.",
        model=pricing.model,
        told=words,
        source=source_words(pricing),
    )


def cache_in_words(cache: CacheRules | None) -> str:
    """Return the rules of the prompt cache, and who says so."""
    if cache is None:
        return _(
            "Prompt cache: none is counted, because none is known for this model or it was switched off."
        )
    lives = _("no lifetime is known")
    if cache.lifetime_seconds is not None:
        lives = _(
            "kept for {time} without use", time=duration_words(cache.lifetime_seconds)
        )
    template = noop(
        "Prompt cache: reuses what two requests begin with, from {tokens:,} tokens on; {lives}."
    )
    if cache.step_tokens > 1:
        template = noop(
            "Prompt cache: reuses what two requests begin with, from {tokens:,} tokens on, in steps of {step:,}; "
            "{lives}."
        )
    rules = _(template, tokens=cache.min_tokens, step=cache.step_tokens, lives=lives)
    template = noop("Source: {source}.")
    if cache.as_of:
        template = noop("Source: {source}, as of {day:%Y-%m-%d}.")
    source = _(template, source=_(cache.source), day=cache.as_of)
    return f"{rules} {source}"


def _rates(rates: TokenRates, reads_a_cache: bool) -> str:
    usd = rates.input_usd_per_token
    parts = [_("input {usd}", usd=_per_million(usd))]
    if reads_a_cache:
        parts += [
            _(
                "read from the cache {read}",
                read=_per_million(rates.cache_read_usd_per_token, usd),
            ),
            _(
                "written to it {written}",
                written=_per_million(rates.cache_write_usd_per_token, usd),
            ),
        ]
    parts.append(_("output {usd}", usd=_per_million(rates.output_usd_per_token)))
    return _(COMMA).join(parts)


def _per_million(
    usd_per_token: float | None, input_usd_per_token: float | None = None
) -> str:
    if usd_per_token is not None:
        return f"{usd_per_token * MILLION:,.6g}"
    if input_usd_per_token is not None:
        return _("{value:,.6g} (as input)", value=input_usd_per_token * MILLION)
    return _(UNKNOWN)


def basis_in_words(assumptions: PricingAssumptions, counter: str) -> str:
    """Return under which prices, pause and cache a comparison of costs holds: with a pause that the cache outlives the
    full buffer is often the cheapest, with a longer one it is not. It says so where ``counter``, which counted the
    tokens, is not that of the model whose prices count."""
    pause_seconds = assumptions.pause_seconds
    cache = assumptions.cache
    template = noop(
        "Costs hold for the prices {prices} and a pause of {pause} between turns, after which its prompt cache "
        "is empty."
    )
    if cache is None:
        template = noop(
            "Costs hold for the prices {prices} and a pause of {pause} between turns, without a prompt cache."
        )
    elif cache.is_alive(pause_seconds):
        template = noop(
            "Costs hold for the prices {prices} and a pause of {pause} between turns, shorter than its prompt cache "
            "lasts."
        )
    basis = _(
        template, prices=whose_prices(assumptions), pause=duration_words(pause_seconds)
    )
    inexact = approximation(assumptions.main.model, counter) if assumptions.main else ""
    return f"{basis} {inexact}" if inexact else basis


def whose_prices(assumptions: PricingAssumptions) -> str:
    """Return whose prices count, behind the word *prices*: ``of X``, or ``of X for the chat and of Y for the
    summaries``."""
    unknown = _("of an unknown model")
    main = whose(assumptions.main) if assumptions.main else unknown
    writer = whose(assumptions.summarizer) if assumptions.summarizer else unknown
    if main == writer:
        return main
    return _(
        "{main} for the chat and {writer} for the summaries", main=main, writer=writer
    )


def pause_effect_words(
    cache: CacheRules, pause_seconds: float, read_share: float | None
) -> str:
    """Return what the pause does, beside a sentence that says how long the prompt cache lives. ``read_share`` is the
    price of what is read from it, as a share of that of other input, where it is known."""
    template = noop(
        "After a pause of {pause} the prompt cache is empty, so all that is sent is paid in full."
    )
    if cache.is_alive(pause_seconds):
        template = noop(
            "After a pause of {pause} the next turn reads from the prompt cache."
        )
        if read_share is not None:
            template = noop(
                "The cache reads only a beginning that did not change, at {share:.0%} of the price; a window that "
                "moves or a new summary changes it."
            )
    return _(template, pause=duration_words(pause_seconds), share=read_share)


def pause_words(cache: CacheRules | None, pause_seconds: float) -> str:
    """Return what the pause does to the prompt cache."""
    if cache is None:
        return _("No prompt cache is counted, so the pause changes nothing.")
    if cache.lifetime_seconds is None:
        return _(
            "The provider does not say how long its prompt cache lives. It is taken to be empty after every "
            "pause, so all that is sent is paid in full."
        )
    template = noop(
        "The prompt cache lives {lives}. After this pause it is empty, so all that is sent is paid in full."
    )
    if cache.is_alive(pause_seconds):
        template = noop(
            "The pause is shorter than the {lives} that the prompt cache lives, so the next turn reads from it."
        )
    return _(template, lives=duration_words(cache.lifetime_seconds))
