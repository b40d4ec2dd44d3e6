"""Prices, pause and cache in words."""

from __future__ import annotations

from dataclasses import replace

from memviz.dashboard.words.prices import (
    basis_in_words,
    missing_price_name,
    missing_prices_by_model,
    source_words,
)
from memviz.metrics.cost.pricing import MissingPrice, find_pricing, make_unpriced
from memviz.tuning.pricing_assumptions import PricingAssumptions

COUNTER = "o200k_base"


def test_a_comparison_of_costs_says_under_which_pause_and_cache_it_holds() -> None:
    def said(model: str, pause_seconds: float, summarizer: str | None = None) -> str:
        return basis_in_words(
            PricingAssumptions.of(model, summarizer, pause_seconds), COUNTER
        )

    whose = "Costs hold for the prices of openai/gpt-5-mini"
    warm = said("openai/gpt-5-mini", 60)
    assert (
        warm
        == f"{whose} and a pause of 1 min between turns, shorter than its prompt cache lasts."
    )
    assert said("openai/gpt-5-mini", 600).endswith(
        "10 min between turns, after which its prompt cache is empty."
    )
    assert said("nobody/knows", 60).endswith(
        "1 min between turns, without a prompt cache."
    )
    assert said("openai/gpt-5-mini", 60, "openai/gpt-5-nano").startswith(
        f"{whose} for the chat and of openai/gpt-5-nano for the summaries and a pause"
    )


def test_prices_that_were_entered_are_not_called_those_of_the_list() -> None:
    terms = PricingAssumptions.of("openai/gpt-5-mini")
    assert terms.main is not None
    rates = {"input_usd_per_million": 9.0, "output_usd_per_million": 9.0}
    some = terms.main.by_hand(**rates)
    all_of_them = make_unpriced("openai/gpt-5-mini").by_hand(**rates)
    assert (
        "the prices entered by hand (the rest of openai/gpt-5-mini) for the chat and of openai/gpt-5-mini for the "
        in (basis_in_words(replace(terms, main=some), COUNTER))
    )
    whose = "the prices entered by hand (the rest of openai/gpt-5-mini)"
    both = f"{whose} for the chat and of openai/gpt-5-mini for the summaries"
    assert both in basis_in_words(replace(terms, main=some), COUNTER)
    assert f"{whose} and a pause" in basis_in_words(
        replace(terms, main=some, summarizer=some), COUNTER
    )
    assert "the prices entered by hand for openai/gpt-5-mini and a pause" in (
        basis_in_words(
            replace(terms, main=all_of_them, summarizer=all_of_them), COUNTER
        )
    )


def test_it_says_where_the_counter_is_not_the_models_own() -> None:
    claude = PricingAssumptions.of("anthropic/claude-sonnet-4-5")
    said = "All tokens are approximate: o200k_base is not the tokenizer of anthropic/claude"
    assert said in basis_in_words(claude, COUNTER)
    assert "approximate" not in basis_in_words(
        PricingAssumptions.of("openai/gpt-5-mini"), COUNTER
    )


def test_the_source_of_prices_says_which_were_entered() -> None:
    listed = PricingAssumptions.of("openai/gpt-5-mini").main
    assert listed is not None
    assert source_words(listed) == listed.source
    some = listed.by_hand(input_usd_per_million=9.0)
    assert source_words(some) == f"entered by hand, the rest: {listed.source}"
    own = make_unpriced("x").by_hand(input_usd_per_million=9.0)
    assert source_words(own) == "entered by hand"
    free = find_pricing("offline")
    assert free is not None
    assert source_words(free) == "answers without a provider"


def test_prices_that_nobody_knows_are_named_once_a_model() -> None:
    missing = [
        MissingPrice("a", "input"),
        MissingPrice("b", "output"),
        MissingPrice("a", "output"),
        MissingPrice("b", "output"),
        MissingPrice("c", "input"),
    ]
    assert [*missing_prices_by_model(missing)] == [
        "input price and output price of a",
        "output price of b",
        "input price of c",
    ]
    assert [missing_price_name(one) for one in missing[:2]] == [
        "a: input price",
        "b: output price",
    ]
