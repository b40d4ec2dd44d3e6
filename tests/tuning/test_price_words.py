"""Prices, pause and cache in words."""

from __future__ import annotations

from memviz.tuning.price_words import basis_in_words
from memviz.tuning.pricing_assumptions import PricingAssumptions


def test_a_comparison_of_costs_says_under_which_pause_and_cache_it_holds() -> None:
    def said(model: str, pause_seconds: float, summarizer: str | None = None) -> str:
        return basis_in_words(PricingAssumptions.of(model, summarizer, pause_seconds))

    whose = "Costs hold for the prices of openai/gpt-5-mini"
    warm = said("openai/gpt-5-mini", 60)
    assert warm == f"{whose} and a pause of 1 min between turns, shorter than its prompt cache lasts."
    assert said("openai/gpt-5-mini", 600).endswith("10 min between turns, after which its prompt cache is empty.")
    assert said("nobody/knows", 60).endswith("1 min between turns, without a prompt cache.")
    assert said("openai/gpt-5-mini", 60, "openai/gpt-5-nano").startswith(
        f"{whose} for the chat and openai/gpt-5-nano for the summaries and a pause"
    )
