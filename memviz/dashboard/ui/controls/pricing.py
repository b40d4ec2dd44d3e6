"""Whose prices count, how the prompt cache works and how long the user pauses: chosen beside the charts of
costs, for every page that speaks of money."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from memviz.core.bounds import MAX_DIGITS, MAX_SECONDS, MAX_USD
from memviz.core.text.wording import duration_words
from memviz.dashboard.ui.controls.local_models import names_found
from memviz.dashboard.ui.shell.linked import linked, linked_number
from memviz.dashboard.ui.shell.state import begin_with, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.cost.pricing import MILLION, Pricing, pricing, unpriced
from memviz.models.cache_rules import FIVE_MINUTES, CacheRules, cache_rules
from memviz.models.registry import OFFLINE, known_models
from memviz.tuning.pricing_assumptions import (
    DEFAULT_MODEL,
    DEFAULT_PAUSE_SECONDS,
    PricingAssumptions,
)

PANEL_PIXELS = 290
MODEL_PIXELS, PAUSE_PIXELS = 230, 150
MORE = "More prices"
"""What opens the prices of the summarizer, those entered by hand, and the rules of the cache."""
SAME = "The same model"
AS_PROVIDED, BY_HAND, NO_CACHE = "As the provider's", "By hand", "None"
PAUSES_SECONDS = (
    5.0,
    15.0,
    30.0,
    DEFAULT_PAUSE_SECONDS,
    120.0,
    FIVE_MINUTES,
    600.0,
    1800.0,
    3600.0,
    14400.0,
    86400.0,
)
MODEL_HELP = (
    "List prices of this model are laid on the tokens of every setting. No model is asked. Choose one, or type any "
    "name that litellm knows, as provider/model."
)
SUMMARIZER_HELP = (
    "Summaries are often left to a cheaper model. It reads and writes without a cache."
)
PAUSE_HELP = (
    "From one reply to the user's next message. What counts is whether it outlasts the prompt cache: providers keep "
    "the beginning of a request for a while, and read it at a fraction of the price if the next one begins alike."
)
CACHE_HELP = "As the provider's: the rules that its own pages give for this model, where they give any."
_PRICES = (
    ("Input", "input_usd_per_million", "input_usd_per_token", "Everything read that is not in the cache."),
    ("Output", "output_usd_per_million", "output_usd_per_token", "Everything written, thinking included."),
    ("Read from the cache", "cache_read_usd_per_million", "cache_read_usd_per_token",
     "Often a tenth of the input price. Where it is unknown, the price of input is taken."),
    ("Written to the cache", "cache_write_usd_per_million", "cache_write_usd_per_token",
     "Some providers charge more for what they keep. Where it is unknown, the price of input is taken."),
)  # fmt: skip


def price_row() -> PricingAssumptions:
    """The terms on which everything is priced, chosen in one row that stands beside the chart that it changes; a phone
    wraps it. What is chosen holds on all pages of the session."""
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", key="price-row"
    ):
        return price_controls()


def price_controls() -> PricingAssumptions:
    """What is changed most, and the rest in one panel."""
    linked("prices", "prices-model")
    linked("summary-prices", "prices-summarizer")
    begin_with("prices-pause", DEFAULT_PAUSE_SECONDS)
    linked("pause", "prices-pause", PAUSES_SECONDS)
    model = _choose_model(
        "Prices of the chat model",
        "prices-model",
        DEFAULT_MODEL,
        MODEL_HELP,
        MODEL_PIXELS,
    )
    pause_seconds = st.selectbox(
        "Pause between turns",
        PAUSES_SECONDS,
        key="prices-pause",
        format_func=duration_words,
        help=PAUSE_HELP,
        persist_state="session",
        width=PAUSE_PIXELS,
    )
    panel = st.popover(MORE, key="prices-more", icon=":material/edit:", width="content")
    with panel, st.container(width=PANEL_PIXELS):
        other = _choose_model(
            "Prices of the summarizer", "prices-summarizer", SAME, SUMMARIZER_HELP
        )
        summarizer = model if other == SAME else other
        main = _priced_by_hand(model, "chat")
        # Another model has prices of its own; the same one has them entered once.
        writer = (
            main if summarizer == model else _priced_by_hand(summarizer, "summarizer")
        )
        cache = _choose_cache(model)
    return PricingAssumptions(main, writer, cache, pause_seconds)


def prices_in_force() -> PricingAssumptions:
    """The terms that were chosen in this session, or the first ones, for a page that does not ask for them."""
    model = widget_value("prices-model") or DEFAULT_MODEL
    chosen = widget_value("prices-summarizer") or SAME
    given = {
        name: widget_value(f"prices-chat-{name}-{model}") for _, name, _, _ in _PRICES
    }
    main = (pricing(model) or unpriced(model)).by_hand(**given)
    summarizer = main if chosen in (SAME, model) else pricing(chosen)
    pause_seconds = widget_value("prices-pause") or DEFAULT_PAUSE_SECONDS
    return PricingAssumptions(main, summarizer, _cache_in_force(model), pause_seconds)


def _cache_in_force(model: str) -> CacheRules | None:
    """The cache that was chosen; rules that were entered by hand count as far as they were entered."""
    provided, chosen = (
        cache_rules(model),
        widget_value(f"prices-cache-{model}") or AS_PROVIDED,
    )
    if chosen == NO_CACHE:
        return None
    if chosen == AS_PROVIDED:
        return provided
    minutes = widget_value(f"prices-cache-minutes-{model}")
    first = provided or CacheRules(min_tokens=1024, lifetime_seconds=FIVE_MINUTES)
    return CacheRules(
        min_tokens=widget_value(f"prices-cache-min-{model}") or first.min_tokens,
        step_tokens=widget_value(f"prices-cache-step-{model}") or first.step_tokens,
        lifetime_seconds=first.lifetime_seconds if minutes is None else minutes * 60,
    )


def _choose_model(
    label: str,
    key: str,
    first: str,
    help: str,
    width: int | Literal["stretch"] = "stretch",
) -> str:
    known = [name for name in (*known_models(), *names_found()) if name != OFFLINE]
    names = list(dict.fromkeys([first, *known])) if first == SAME else known
    if first not in names:
        names.insert(0, first)
    begin_with(key, first)
    chosen = st.selectbox(
        label,
        names,
        key=key,
        accept_new_options=True,
        help=help,
        placeholder="provider/model",
        persist_state="session",
        width=width,
    )
    return (chosen or first).strip()


def _priced_by_hand(model: str, whose: str) -> Pricing:
    """The list prices of a model, as far as nothing else is entered; they belong to this model alone."""
    listed = pricing(model) or unpriced(model)
    st.markdown(f"**{plain(model)}**, USD per million tokens")
    given: dict[str, float | None] = {}
    for label, name, field, help in _PRICES if whose == "chat" else _PRICES[:2]:
        key = f"prices-{whose}-{name}-{model}"
        linked_number(f"{whose}-{name}", key, 0.0, MAX_USD)
        given[name] = st.number_input(
            label,
            0.0,
            MAX_USD,
            value=None,
            step=0.05,
            format="%.4g",
            key=key,
            help=help,
            placeholder=_listed(listed, field),
            persist_state="session",
        )
    return listed.by_hand(**given)


def _listed(pricing: Pricing, field: str) -> str:
    """What counts while nothing is entered."""
    rate, read = getattr(pricing.plain, field), pricing.plain.input_usd_per_token
    if rate is None and field.startswith("cache") and read is not None:
        return f"as input: {read * MILLION:.6g}"
    return "unknown" if rate is None else f"list price: {rate * MILLION:.6g}"


def _choose_cache(model: str) -> CacheRules | None:
    provided = cache_rules(model)
    linked("cache", f"prices-cache-{model}", (AS_PROVIDED, BY_HAND, NO_CACHE))
    chosen = st.segmented_control(
        "Prompt cache",
        (AS_PROVIDED, BY_HAND, NO_CACHE),
        default=AS_PROVIDED,
        required=True,
        key=f"prices-cache-{model}",
        help=CACHE_HELP,
        persist_state="session",
    )
    if chosen == NO_CACHE:
        return None
    return _cache_by_hand(provided, model) if chosen == BY_HAND else provided


def _cache_by_hand(provided: CacheRules | None, model: str) -> CacheRules:
    first = provided or CacheRules(min_tokens=1024, lifetime_seconds=FIVE_MINUTES)
    linked("cache-min", f"prices-cache-min-{model}", range(1, 10**MAX_DIGITS))
    smallest = st.number_input(
        "Smallest prefix (tokens)",
        1,
        value=first.min_tokens,
        key=f"prices-cache-min-{model}",
        persist_state="session",
        help="Requests that have less than this in common with the one before read nothing from the cache.",
    )
    linked("cache-step", f"prices-cache-step-{model}", range(1, 10**MAX_DIGITS))
    step = st.number_input(
        "Reused in steps of (tokens)",
        1,
        value=first.step_tokens,
        key=f"prices-cache-step-{model}",
        persist_state="session",
        help="What is in common is rounded down to a multiple of this.",
    )
    linked_number(
        "cache-minutes", f"prices-cache-minutes-{model}", 0.0, MAX_SECONDS / 60
    )
    minutes = st.number_input(
        "Lifetime (minutes)",
        0.0,
        MAX_SECONDS / 60,
        value=(first.lifetime_seconds or 0.0) / 60,
        key=f"prices-cache-minutes-{model}",
        format="%.4g",
        persist_state="session",
        help="How long it is kept without use. A longer pause begins with an empty cache.",
    )
    return CacheRules(
        min_tokens=smallest, step_tokens=step, lifetime_seconds=minutes * 60
    )
