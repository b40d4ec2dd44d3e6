"""Which prices and cache rules count, in words: what, from where, and of when."""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.shell.text import plain
from memviz.models.prices import context_window_tokens
from memviz.tuning.price_words import cache_in_words, prices_of
from memviz.tuning.pricing_assumptions import PricingAssumptions


def which_prices(assumptions: PricingAssumptions) -> None:
    """The prices and the rules that every number of a page rests on."""
    for sentence in prices_of(assumptions):
        st.caption(plain(sentence))
    st.caption(
        plain(cache_in_words(assumptions.cache)),
        help=plain(assumptions.cache.note if assumptions.cache else "") or None,
    )


def window_tokens(assumptions: PricingAssumptions) -> int | None:
    """The context window of the model whose prices count, in tokens of input; ``None`` if it is not known."""
    return context_window_tokens(assumptions.main.model) if assumptions.main else None
