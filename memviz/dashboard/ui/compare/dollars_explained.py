"""The reasons behind the dollars: what the prompt cache saves, how close requests come to the context window, and which
prices count."""

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st

from memviz.core.text.wording import duration_words, listed, request_name
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost, requests_finding
from memviz.dashboard.charts.cost.window_use import (
    is_window_drawn,
    largest_request,
    window_use,
)
from memviz.dashboard.ui.controls.pictures import chart
from memviz.dashboard.ui.shell.elements import show_caption
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.prices import cache_in_words, prices_of
from memviz.dashboard.words.requests import forecast_words
from memviz.engine.compaction import REDUCING
from memviz.metrics.health.growth import find_unbounded_part
from memviz.metrics.requests.token_use import find_first_over, forecast_overflow
from memviz.metrics.summaries.events import grows_a_list
from memviz.models.cache_rules import CacheRules
from memviz.models.prices import context_window_tokens
from memviz.strategies.base import Trigger
from memviz.tuning.pricing_assumptions import PricingAssumptions

FEW_HITS = 0.5
"""A setting that reads less of its input from the cache than this is explained."""
_BEGINNING = noop(
    "A cache reuses the beginning of a request, up to the first token that differs from the request "
    "before."
)
_NEW_SUMMARY = noop(
    "A new summary changes the beginning, so what stands behind it is paid for in full again."
)
_SHORT = noop(
    "{names}: most requests are shorter than the {min_tokens:,} tokens that the cache needs."
)
_SLIDES = noop(
    "{names}: the oldest messages drop out, so requests soon begin differently. In a typical one no "
    "more than the first {shared:,} tokens are the same as before; the cache needs {min_tokens:,}."
)
_CLEARING = noop(
    "Clearing changes earlier messages, so what stands behind them is paid for in full again."
)


def cache_words(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> list[str]:
    """Return what is to be learnt from the picture of the cache, in plain text."""
    why = explain_empty_cache(costs, assumptions)
    if why or assumptions.cache is None:
        return [why]
    return list(explain_cache(costs, assumptions.cache))


def explain_empty_cache(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> str:
    """The reason if no setting read anything from the cache, for which there is then no picture; else empty."""
    cache = assumptions.cache
    if any(setting_cost.cost.cached_tokens.any() for setting_cost in costs):
        return ""
    if cache is None:
        return _("No prompt cache is counted, so every token is paid for in full.")
    largest = max(
        int(setting_cost.cost.traffic.input_tokens.max(initial=0))
        for setting_cost in costs
    )
    if largest < cache.min_tokens:
        return _(
            "Nothing: this cache works from {min_tokens:,} tokens on, and the largest request has {largest:,}. "
            "All of it is paid for in full.",
            min_tokens=cache.min_tokens,
            largest=largest,
        )
    if not cache.is_alive(assumptions.pause_seconds):
        pause = duration_words(assumptions.pause_seconds)
        if cache.lifetime_seconds is None:
            return _(
                "Nothing: the cache lives for an unknown time, and the user pauses {pause}.",
                pause=pause,
            )
        return _(
            "Nothing: the cache lives {lives}, and the user pauses {pause}.",
            lives=duration_words(cache.lifetime_seconds),
            pause=pause,
        )
    return _(
        "Nothing: no two requests begin with the same {min_tokens:,} tokens.",
        min_tokens=cache.min_tokens,
    )


def explain_cache(costs: Sequence[SettingCost], cache: CacheRules) -> Iterator[str]:
    """Yield why the cache holds so much or so little: in general, then of settings that
    mostly miss, those of one reason together."""
    yield _(_BEGINNING)
    runs = [setting_cost.setting.run for setting_cost in costs]
    if any(run.summaries and not grows_a_list(run) for run in runs):
        yield _(_NEW_SUMMARY)
    kinds = {compaction.kind for run in runs for compaction in run.compactions}
    if kinds & set(REDUCING):
        yield _(_CLEARING)
    yield from _explain_misses(costs, cache)
    losses = [setting_cost for setting_cost in costs if _is_a_loss(setting_cost)]
    if losses:
        yield _(
            "Cheaper without a cache, because writing to it costs more than reading saves: {names}.",
            names=_names(losses),
        )


def _explain_misses(costs: Sequence[SettingCost], cache: CacheRules) -> Iterator[str]:
    """Yield why requests mostly miss the cache: they are too short for it, or a window moves on with each of them."""
    min_tokens = cache.min_tokens
    with_short_requests = []
    with_window = []
    shared_tokens = 0
    for setting_cost in costs:
        traffic = setting_cost.cost.traffic
        # A first request has none before it that it could share anything with.
        if setting_cost.cost.hit_rate >= FEW_HITS or len(traffic.turns) < 2:
            continue
        if np.median(traffic.input_tokens) < min_tokens:
            with_short_requests.append(setting_cost)
        elif _drops_messages(setting_cost, cache):
            with_window.append(setting_cost)
            own_tokens = int(np.median(traffic.shared_tokens[1:]))
            shared_tokens = max(shared_tokens, own_tokens)
    if with_short_requests:
        yield _(_SHORT, names=_names(with_short_requests), min_tokens=min_tokens)
    if with_window:
        yield _(
            _SLIDES,
            names=_names(with_window),
            shared=shared_tokens,
            min_tokens=min_tokens,
        )


def _names(costs: Sequence[SettingCost]) -> str:
    return listed(setting_cost.label for setting_cost in costs)


def _drops_messages(setting_cost: SettingCost, cache: CacheRules) -> bool:
    """Return whether it drops messages for good, as far as its requests tell, and mostly misses for that."""
    if setting_cost.setting.run.strategy.trigger is not Trigger.NEVER:
        return False
    shared = setting_cost.cost.traffic.shared_tokens
    has_dropped = bool((np.diff(shared) < 0).any())
    return has_dropped and bool(np.median(shared[1:]) < cache.min_tokens)


def _is_a_loss(setting_cost: SettingCost) -> bool:
    usd = setting_cost.cost.total_usd
    uncached_usd = setting_cost.cost.uncached_total_usd
    if usd is None or uncached_usd is None:
        return False
    return usd > uncached_usd * (1 + 1e-9)


SMALLEST_SHARE = 0.001


def draw_against_the_window(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> None:
    """Draw the picture of the context window, and a sentence on when there is no room any more."""
    window = window_tokens(assumptions)
    model = assumptions.main.model if assumptions.main else _("the model")
    chart(window_use(costs, window), "costs-window", requests_finding(costs))
    if window is None:
        st.caption(
            _(
                "How many tokens {model} takes in one request is unknown.",
                model=plain(model),
            )
        )
        return
    sentences = map(plain, window_words(costs, window, model))
    st.caption(" ".join(sentences))


def window_words(
    costs: Sequence[SettingCost], window: int, model: str
) -> Iterator[str]:
    """Yield what the picture means, in plain text."""
    largest = largest_request(costs)
    if not is_window_drawn(costs, window):
        yield (
            _(
                "Not drawn, because far above every request: {model} takes {window:,} tokens. The largest request "
                "here has {largest:,}, {share} of that.",
                model=model,
                window=window,
                largest=largest,
                share=_share_words(largest / window),
            )
        )
    for setting_cost in costs:
        traffic = setting_cost.cost.traffic
        passing = find_first_over(traffic, window)
        foretold = forecast_overflow(traffic, window)
        # Only messages that are never dropped go on growing as they did.
        keeps_growing = (
            find_unbounded_part(setting_cost.setting.run.strategy) == "history"
        )
        if passing is not None:
            yield _(
                "{label}: from {name} on a request is larger than the window, and would be refused.",
                label=setting_cost.label,
                name=request_name(*passing),
            )
        elif foretold and keeps_growing:
            yield forecast_words(setting_cost.label, window, foretold)


def _share_words(share: float) -> str:
    return f"{share:.1%}" if share >= SMALLEST_SHARE else _("less than 0.1%")


def draw_prices_and_rules(assumptions: PricingAssumptions) -> None:
    """Draw the prices and the rules that every number of a page rests on."""
    for sentence in prices_of(assumptions):
        show_caption(sentence)
    st.caption(
        plain(cache_in_words(assumptions.cache)),
        help=plain(assumptions.cache.note if assumptions.cache else "") or None,
    )


def window_tokens(assumptions: PricingAssumptions) -> int | None:
    """The context window of the model whose prices count, in tokens of input; ``None`` if it is not known."""
    return context_window_tokens(assumptions.main.model) if assumptions.main else None
