"""Rules of prompt caches: which model has which, and that every one says where it is from."""

from __future__ import annotations

from datetime import date

import pytest

from memviz.models import cache_rules as rules_module
from memviz.models.cache_rules import CacheRules, cache_rules
from memviz.models.prices import price, prices
from tests.tables import for_each


@for_each(
    ("model", "min_tokens", "step_tokens", "lifetime_seconds"),
    [
        ("openai/gpt-4o-mini", 1024, 128, 300),
        ("gpt-5", 1024, 128, 300),
        ("azure/gpt-5", 1024, 128, 300),
        ("gpt-5.6", 1024, 1, 1800),
        ("anthropic/claude-opus-4-5", 4096, 1, 300),
        ("claude-sonnet-4-5", 1024, 1, 300),
        ("claude-opus-4-7", 2048, 1, 300),
        ("claude-opus-5", 512, 1, 300),
        ("anthropic.claude-haiku-4-5-20251001-v1:0", 4096, 1, 300),
        ("vertex_ai/claude-opus-4-8", 1024, 1, 300),
        ("gemini/gemini-2.5-pro", 2048, 1, None),
        ("gemini/gemini-2.5-flash", 2048, 1, None),
        ("gemini/gemini-3.5-flash", 4096, 1, None),
        ("mistral/mistral-large-latest", 64, 64, None),
        ("deepseek/deepseek-chat", 64, 64, 3600),
        ("groq/openai/gpt-oss-20b", 1024, 1, 7200),
    ],
)
def test_the_rules_of_a_provider(
    model: str, min_tokens: int, step_tokens: int, lifetime_seconds: float | None
) -> None:
    found = cache_rules(model)
    assert found is not None
    assert (found.min_tokens, found.step_tokens, found.lifetime_seconds) == (
        min_tokens,
        step_tokens,
        lifetime_seconds,
    )


@for_each(
    "model",
    [
        "",
        "offline",
        "nonsense",
        "gpt-4",
        "ollama/llama3",
        "xai/grok-4.5",
        "moonshot/kimi-k2.6",
        "cerebras/gpt-oss-120b",
    ],
)
def test_what_is_not_known_is_no_cache(model: str) -> None:
    assert cache_rules(model) is None


def test_a_model_of_unknown_smallest_prefix_has_no_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert cache_rules("claude-opus-5") is not None
    monkeypatch.setattr(rules_module, "_min_tokens", dict)
    assert cache_rules("claude-opus-5") is None
    assert cache_rules("gpt-5") is not None


def test_rules_name_their_source_and_day() -> None:
    known = {rules for name in prices() if (rules := cache_rules(name)) is not None}
    assert len(known) > 8
    for rules in known:
        assert len(rules.source) > 10
        assert rules.as_of is not None
        assert date(2026, 1, 1) <= rules.as_of <= date(2026, 11, 22)
        assert rules.note.endswith(".")


def test_only_models_with_a_price_for_cached_tokens_have_rules() -> None:
    for name in prices():
        about = price(name)
        assert about is not None
        assert cache_rules(name) is None or about.cache_read_usd_per_token is not None


def test_an_entry_lives_until_its_lifetime_is_over() -> None:
    rules = CacheRules(min_tokens=1, lifetime_seconds=300)
    assert [rules.is_alive(pause) for pause in (0, 299.9, 300, 301)] == [
        True,
        True,
        False,
        False,
    ]
    assert not CacheRules(min_tokens=1).is_alive(0)
    assert CacheRules(min_tokens=1).source == "entered by hand"


@for_each(
    "wrong",
    [
        {"min_tokens": 0},
        {"min_tokens": 1, "step_tokens": 0},
        {"min_tokens": 1, "lifetime_seconds": -1.0},
        {"min_tokens": 1, "lifetime_seconds": float("nan")},
    ],
)
def test_rules_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"has to be|start at 1"):
        CacheRules(**wrong)  # type: ignore[arg-type]
