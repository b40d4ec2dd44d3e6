"""The prices that count, the rules of the prompt cache and the pause of the user: chosen beside the charts of
costs, for every page that speaks of money."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from memviz.core.bounds import MAX_DIGITS, MAX_SECONDS, MAX_USD
from memviz.core.text.wording import duration_words
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.local_models import names_found
from memviz.dashboard.ui.shell.elements import (
    popup,
    segments,
    session_choice,
    session_number,
)
from memviz.dashboard.ui.shell.linked import linked, linked_number
from memviz.dashboard.ui.shell.state import begin_with, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.cost.pricing import (
    DEFAULT_PAUSE_SECONDS,
    MILLION,
    Pricing,
    find_pricing,
    make_unpriced,
)
from memviz.models.cache_rules import FIVE_MINUTES, CacheRules, cache_rules
from memviz.models.names import DEFAULT_MODEL, OFFLINE
from memviz.models.registry import known_models
from memviz.tuning.pricing_assumptions import PricingAssumptions

PANEL_PIXELS = 290
MODEL_PIXELS = 230
PAUSE_PIXELS = 150
MORE = noop("More prices")
"""The label of the panel with the prices of the summarizer, those entered by hand, and the rules of the cache."""
SAME = noop("The same model")
AS_PROVIDED = noop("As the provider's")
BY_HAND = noop("By hand")
NO_CACHE = noop("None")
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
MODEL_HELP = noop(
    "List prices of this model are laid on the tokens of every setting. No model is asked. Choose one, "
    "or type any name that litellm knows, as provider/model."
)
SUMMARIZER_HELP = noop(
    "Summaries are often left to a cheaper model. It reads and writes without a cache."
)
PAUSE_HELP = noop(
    "From one reply to the user's next message. What counts is whether it outlasts the prompt cache: "
    "providers keep the beginning of a request for a while, and read it at a fraction of the price if "
    "the next one begins alike."
)
SMALLEST_HELP = noop(
    "Requests that have less than this in common with the one before read nothing from the cache."
)
STEP_HELP = noop("What is in common is rounded down to a multiple of this.")
LIFETIME_HELP = noop(
    "How long it is kept without use. A longer pause begins with an empty cache."
)
CACHE_HELP = noop(
    "As the provider's: the rules that its own pages give for this model, where they give any."
)
_PRICES = (
    (noop("Input"), "input_usd_per_million", "input_usd_per_token", noop("Everything read that is not in the cache.")),
    (noop("Output"), "output_usd_per_million", "output_usd_per_token", noop("Everything written, thinking included.")),
    (noop("Read from the cache"), "cache_read_usd_per_million", "cache_read_usd_per_token",
     noop("Often a tenth of the input price. Where it is unknown, the price of input is taken.")),
    (noop("Written to the cache"), "cache_write_usd_per_million", "cache_write_usd_per_token",
     noop("Some providers charge more for what they keep. Where it is unknown, the price of input is taken.")),
)  # fmt: skip


def price_row() -> PricingAssumptions:
    """Draw the terms on which everything is priced, in one row that stands beside the chart that it changes, and return
    them; a phone wraps it. They hold on all pages of the session."""
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", key="price-row"
    ):
        return price_controls()


def price_controls() -> PricingAssumptions:
    """Draw the choices that are changed most, and the rest in one panel."""
    linked("prices", "prices-model")
    linked("summary-prices", "prices-summarizer")
    linked("pause", "prices-pause", PAUSES_SECONDS)
    model = _choose_model(
        _("Prices of the chat model"),
        "prices-model",
        DEFAULT_MODEL,
        _(MODEL_HELP),
        MODEL_PIXELS,
    )
    pause_seconds = session_choice(
        _("Pause between turns"),
        PAUSES_SECONDS,
        index=PAUSES_SECONDS.index(begin_with("prices-pause", DEFAULT_PAUSE_SECONDS)),
        key="prices-pause",
        format_func=duration_words,
        help=_(PAUSE_HELP),
        width=PAUSE_PIXELS,
    )
    panel = popup(_(MORE), ":material/edit:", "prices-more", width="content")
    with panel, st.container(width=PANEL_PIXELS):
        summarizer_name = _choose_model(
            _("Prices of the summarizer"),
            "prices-summarizer",
            SAME,
            _(SUMMARIZER_HELP),
        )
        summarizer = model if summarizer_name == SAME else summarizer_name
        main = _priced_by_hand(model, "chat")
        # Another model has prices of its own; the same one has them entered once.
        writer = (
            main if summarizer == model else _priced_by_hand(summarizer, "summarizer")
        )
        cache = _choose_cache(model)
    return PricingAssumptions(main, writer, cache, pause_seconds)


def prices_in_force() -> PricingAssumptions:
    """Return the terms that were chosen in this session, or the first ones, for a page that does not ask for them."""
    model = widget_value("prices-model") or DEFAULT_MODEL
    summarizer_name = widget_value("prices-summarizer") or SAME
    main = _entered_prices(model, "chat")
    summarizer = (
        main if summarizer_name in (SAME, model) else find_pricing(summarizer_name)
    )
    pause_seconds = widget_value("prices-pause") or DEFAULT_PAUSE_SECONDS
    return PricingAssumptions(main, summarizer, _cache_in_force(model), pause_seconds)


def _choose_model(
    label: str,
    key: str,
    first: str,
    help: str,
    width: int | Literal["stretch"] = "stretch",
) -> str:
    names = [name for name in (*known_models(), *names_found()) if name != OFFLINE]
    if first == SAME:
        names = list(dict.fromkeys(names))
    if first not in names:
        names.insert(0, first)
    current_name = begin_with(key, first) or first
    if current_name not in names:
        names.append(current_name)
    chosen = session_choice(
        label,
        names,
        index=names.index(current_name),
        key=key,
        accept_new_options=True,
        format_func=_,
        help=help,
        placeholder=_("provider/model"),
        width=width,
    )
    return (chosen or first).strip()


def _priced_by_hand(model: str, whose: str) -> Pricing:
    """Return the list prices of a model, as far as nothing else is entered; they belong to this model alone."""
    list_prices = find_pricing(model) or make_unpriced(model)
    st.markdown(_("**{model}**, USD per million tokens", model=plain(model)))
    for label, name, field, help in _PRICES if whose == "chat" else _PRICES[:2]:
        key = f"prices-{whose}-{name}-{model}"
        linked_number(f"{whose}-{name}", key, MAX_USD)
        session_number(
            _(label),
            0.0,
            MAX_USD,
            value=None,
            step=0.05,
            format="%.4g",
            key=key,
            help=_(help),
            placeholder=_listed_words(list_prices, field),
        )
    return _entered_prices(model, whose)


def _entered_prices(model: str, whose: str) -> Pricing:
    names = [name for _label, name, _rate, _help in _PRICES]
    entered_prices = {
        name: widget_value(f"prices-{whose}-{name}-{model}") for name in names
    }
    return (find_pricing(model) or make_unpriced(model)).by_hand(**entered_prices)


def _listed_words(pricing: Pricing, field: str) -> str:
    """Return what counts while nothing is entered."""
    template = noop("list price: {usd:.6g}")
    rate = getattr(pricing.plain, field)
    if rate is None and field.startswith("cache"):
        template = noop("as input: {usd:.6g}")
        rate = pricing.plain.input_usd_per_token
    return _("unknown") if rate is None else _(template, usd=rate * MILLION)


def _choose_cache(model: str) -> CacheRules | None:
    key = f"prices-cache-{model}"
    choices = (AS_PROVIDED, BY_HAND, NO_CACHE)
    linked("cache", key, choices)
    cache_choice = segments(
        _("Prompt cache"),
        choices,
        default=AS_PROVIDED,
        format_func=_,
        key=key,
        help=_(CACHE_HELP),
        persist_state="session",
    )
    if cache_choice == BY_HAND:
        _enter_cache_rules(model)
    return _cache_in_force(model)


def _enter_cache_rules(model: str) -> None:
    first = _first_rules(model)
    fields = [
        ("min", _("Smallest prefix (tokens)"), first.min_tokens, _(SMALLEST_HELP)),
        ("step", _("Reused in steps of (tokens)"), first.step_tokens, _(STEP_HELP)),
    ]
    for name, label, tokens, help in fields:
        key = f"prices-cache-{name}-{model}"
        linked(f"cache-{name}", key, range(1, 10**MAX_DIGITS))
        session_number(label, 1, value=tokens, key=key, help=help)
    key = f"prices-cache-minutes-{model}"
    linked_number("cache-minutes", key, MAX_SECONDS / 60)
    session_number(
        _("Lifetime (minutes)"),
        0.0,
        MAX_SECONDS / 60,
        value=(first.lifetime_seconds or 0.0) / 60,
        key=key,
        format="%.4g",
        help=_(LIFETIME_HELP),
    )


def _first_rules(model: str) -> CacheRules:
    first = CacheRules(min_tokens=1024, lifetime_seconds=FIVE_MINUTES)
    return cache_rules(model) or first


def _cache_in_force(model: str) -> CacheRules | None:
    """Return the cache that was chosen; rules that were entered by hand count as far as they were entered."""
    cache_choice = widget_value(f"prices-cache-{model}") or AS_PROVIDED
    if cache_choice == NO_CACHE:
        return None
    if cache_choice == AS_PROVIDED:
        return cache_rules(model)
    first = _first_rules(model)
    minutes = widget_value(f"prices-cache-minutes-{model}")
    return CacheRules(
        min_tokens=widget_value(f"prices-cache-min-{model}") or first.min_tokens,
        step_tokens=widget_value(f"prices-cache-step-{model}") or first.step_tokens,
        lifetime_seconds=first.lifetime_seconds if minutes is None else minutes * 60,
    )
