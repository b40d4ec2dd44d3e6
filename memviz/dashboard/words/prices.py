"""Money and time in words.

The prices, cache rules and pause that a cost is worked out with, from where and of when;
estimates of work that a model is paid for; the time that a sweep takes, and what it leaves
out.
"""

from collections.abc import Iterable, Iterator
from math import ceil

from memviz.core.text.wording import (
    COMMA,
    counted,
    dollars,
    duration_words,
    listed,
    rounded_tokens,
)
from memviz.core.translation import _, ngettext, noop
from memviz.metrics.cost.cache_breaks import Breaker
from memviz.metrics.cost.estimate import Estimate
from memviz.metrics.cost.pricing import (
    FREE,
    MILLION,
    PRICE_FILE,
    MissingPrice,
    Part,
    Pricing,
    unpriced,
)
from memviz.models.cache_rules import CacheRules
from memviz.models.names import approximation
from memviz.models.planned_calls import PlannedCalls
from memviz.models.prices import TokenRates
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep

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
"""What broke the prefix that the cache held, at its mark or in a legend."""


def whose(pricing: Pricing) -> str:
    """Return the owner of these prices, behind the word *prices*: ``of openai/gpt-5-mini``, ``entered by hand for
    openai/gpt-5-mini``, and where only some were, ``entered by hand (the rest of openai/gpt-5-mini)``."""
    if not pricing.has_own:
        return _("of {model}", model=pricing.model)
    if pricing.source:
        return _("entered by hand (the rest of {model})", model=pricing.model)
    return _("entered by hand for {model}", model=pricing.model)


def source_words(pricing: Pricing) -> str:
    """Return where these prices are from."""
    source = pricing.source
    if source == FREE:
        source = _("answers without a provider")
    elif source.startswith(f"{PRICE_FILE} "):
        version = source.removeprefix(f"{PRICE_FILE} ")
        source = _("price file of litellm {version}", version=version)
    if not pricing.has_own:
        return source
    if source:
        return _("entered by hand, the rest: {source}", source=source)
    return _("entered by hand")


def missing_price_name(missing: MissingPrice) -> str:
    """Return the name of a price that is needed and that nobody knows: ``openai/gpt-9: output price``."""
    if missing.kind == "input":
        return _("{model}: input price", model=missing.model)
    return _("{model}: output price", model=missing.model)


def missing_prices_by_model(missing: Iterable[MissingPrice]) -> Iterator[str]:
    """Yield for each model the prices that are needed and that nobody knows: ``input price and output price of
    openai/gpt-9``."""
    kinds: dict[str, list[str]] = {}
    for model, kind in dict.fromkeys(missing):
        kinds.setdefault(model, []).append(kind)
    for model, unknown in kinds.items():
        if len(unknown) > 1:
            yield _("input price and output price of {model}", model=model)
        elif unknown == ["input"]:
            yield _("input price of {model}", model=model)
        else:
            yield _("output price of {model}", model=model)


def prices_of(assumptions: PricingAssumptions) -> Iterator[str]:
    """Yield a sentence on the prices of each model, in plain text."""
    main = assumptions.main
    summarizer = assumptions.summarizer
    if main is not None:
        has_cache = assumptions.cache is not None
        yield prices_in_words(main, reads_a_cache=has_cache)
    if summarizer is not None and summarizer != main:
        prices = prices_in_words(summarizer, reads_a_cache=False)
        yield _("Summarizer: {prices}", prices=prices)


def prices_in_words(pricing: Pricing, *, reads_a_cache: bool = True) -> str:
    """Return what a million tokens of a model cost, and who says so."""
    if pricing.plain == unpriced(pricing.model).plain:
        return _(
            "{model} is in no price list here, so what it costs is unknown.",
            model=pricing.model,
        )
    told = _rates(pricing.plain, reads_a_cache)
    for rates in pricing.rates[1:]:
        above = _(
            "in requests of more than {above_input_tokens:,} input tokens",
            above_input_tokens=rates.above_input_tokens,
        )
        told += _("; {above} {rates}", above=above, rates=_rates(rates, reads_a_cache))
    return _(
        "{model}, USD per million tokens: {told}. Source: {source}.",
        model=pricing.model,
        told=told,
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
        time = duration_words(cache.lifetime_seconds)
        lives = _("kept for {time} without use", time=time)
    if cache.step_tokens > 1:
        rules = _(
            "Prompt cache: reuses what two requests begin with, from {tokens:,} tokens on, in steps of {step:,}; "
            "{lives}.",
            tokens=cache.min_tokens,
            step=cache.step_tokens,
            lives=lives,
        )
    else:
        rules = _(
            "Prompt cache: reuses what two requests begin with, from {tokens:,} tokens on; {lives}.",
            tokens=cache.min_tokens,
            lives=lives,
        )
    source = _(cache.source)
    if not cache.as_of:
        return rules + " " + _("Source: {source}.", source=source)
    of = _("Source: {source}, as of {day:%Y-%m-%d}.", source=source, day=cache.as_of)
    return rules + " " + of


def _rates(rates: TokenRates, reads_a_cache: bool) -> str:
    usd = rates.input_usd_per_token
    told = [_("input {usd}", usd=_per_million(usd))]
    if reads_a_cache:
        read = _per_million(rates.cache_read_usd_per_token, usd)
        written = _per_million(rates.cache_write_usd_per_token, usd)
        told += [
            _("read from the cache {read}", read=read),
            _("written to it {written}", written=written),
        ]
    told.append(_("output {usd}", usd=_per_million(rates.output_usd_per_token)))
    return _(COMMA).join(told)


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
    prices = whose_prices(assumptions)
    pause = duration_words(assumptions.pause_seconds)
    cache = assumptions.cache
    if cache is None:
        basis = _(
            "Costs hold for the prices {prices} and a pause of {pause} between turns, without a prompt cache.",
            prices=prices,
            pause=pause,
        )
    elif cache.is_alive(assumptions.pause_seconds):
        basis = _(
            "Costs hold for the prices {prices} and a pause of {pause} between turns, shorter than its prompt cache "
            "lasts.",
            prices=prices,
            pause=pause,
        )
    else:
        basis = _(
            "Costs hold for the prices {prices} and a pause of {pause} between turns, after which its prompt cache "
            "is empty.",
            prices=prices,
            pause=pause,
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


def after_the_pause(
    cache: CacheRules, pause_seconds: float, read_share: float | None = None
) -> str:
    """Return what the pause does, beside a sentence that says how long the prompt cache lives. ``read_share`` is the
    price of what is read from it, as a share of that of other input, where it is known."""
    pause = duration_words(pause_seconds)
    if cache.is_alive(pause_seconds):
        if read_share is not None:
            return _(
                "The cache reads only a beginning that did not change, at {share:.0%} of the price; a window that "
                "moves or a new summary changes it.",
                share=read_share,
            )
        return _(
            "After a pause of {pause} the next turn reads from the prompt cache.",
            pause=pause,
        )
    return _(
        "After a pause of {pause} the prompt cache is empty, so all that is sent is paid in full.",
        pause=pause,
    )


def pause_words(cache: CacheRules | None, pause_seconds: float) -> str:
    """Return what the pause does to the prompt cache."""
    if cache is None:
        return _("No prompt cache is counted, so the pause changes nothing.")
    if cache.lifetime_seconds is None:
        return _(
            "The provider does not say how long its prompt cache lives. It is taken to be empty after every "
            "pause, so all that is sent is paid in full."
        )
    lives = duration_words(cache.lifetime_seconds)
    if cache.is_alive(pause_seconds):
        return _(
            "The pause is shorter than the {lives} that the prompt cache lives, so the next turn reads from it.",
            lives=lives,
        )
    return _(
        "The prompt cache lives {lives}. After this pause it is empty, so all that is sent is paid in full.",
        lives=lives,
    )


def work_words(work: PlannedCalls) -> str:
    """Return ``12 requests: about 3,400 tokens in and 560 out``."""
    calls = counted(work.calls, work.noun)
    read = rounded_tokens(work.input_tokens)
    written = rounded_tokens(work.output_tokens)
    return _(
        "{calls}: about {read} tokens in and {written} out",
        calls=calls,
        read=read,
        written=written,
    )


def estimate_words(estimate: Estimate) -> str:
    """Return an estimate as a sentence. Parts without a call are left out, except for the first."""
    first, *others = estimate.parts
    parts = [first, *(part for part in others if part.calls)]
    work = "; ".join(map(work_words, parts))
    usd = estimate.usd
    if usd is None:
        models = listed(estimate.unknown_prices)
        if len(estimate.unknown_prices) == 1:
            return _(
                "{work}. The price of {models} is unknown.", work=work, models=models
            )
        return _(
            "{work}. The prices of {models} are unknown.", work=work, models=models
        )
    if not usd:
        return _("{work}, at no cost.", work=work)
    if len(parts) == 1:
        if estimate.at_list_price:
            return _(
                "{work}, about {dollars} at list price.",
                work=work,
                dollars=dollars(usd),
            )
        return _(
            "{work}, about {dollars} at the prices given.",
            work=work,
            dollars=dollars(usd),
        )
    if estimate.at_list_price:
        return _(
            "{work}, in all about {dollars} at list price.",
            work=work,
            dollars=dollars(usd),
        )
    return _(
        "{work}, in all about {dollars} at the prices given.",
        work=work,
        dollars=dollars(usd),
    )


def likely_words(estimate: Estimate) -> str:
    """Return the estimate of work that may cost more, as a sentence."""
    return _("Likely {estimate}", estimate=estimate_words(estimate))


def summaries_words(summarizer: str, estimate: Estimate) -> str:
    """Return what the summarizer of this name would write, as a sentence."""
    return _(
        "{summarizer} would write {estimate}",
        summarizer=summarizer,
        estimate=estimate_words(estimate),
    )


def time_words(seconds: float) -> str:
    """Return a time that was worked out, rounded up: ``30 s``, ``5 min``."""
    whole = max(1, ceil(seconds))
    if whole >= 100:
        whole = 60 * ceil(whole / 60)
    return duration_words(whole)


def left_out_words(sweep: Sweep) -> Iterator[str]:
    """The sentences on the settings that were not measured: strategies of which none was, and how many of others."""
    left_out = sweep.left_out
    tried = {sweep.settings[place.setting].id for place in sweep.cells}
    missing = dict.fromkeys(_(one.title) for one in left_out if one.id not in tried)
    if missing:
        yield _("Not tried at all: {strategies}.", strategies=listed(missing))
    others = sum(one.id in tried for one in left_out)
    if others:
        yield ngettext(
            "{number:,} more setting is left out: values in the middle and at the ends come first.",
            "{number:,} more settings are left out: values in the middle and at the ends come first.",
            others,
            number=others,
        )
