"""Whose tokenizer a counter is."""

from __future__ import annotations

from memviz.models.names import approximation, counter_of_model
from tests.tables import for_each


@for_each(
    ("model", "counter"),
    [
        ("openai/gpt-5-mini", "o200k_base"),
        ("gpt-4o", "o200k_base"),
        ("azure/gpt-4", "cl100k_base"),
        ("anthropic/claude-sonnet-4-5", None),
        ("gemini/gemini-2.5-pro", None),
        ("groq/llama-3.3-70b-versatile", None),
        ("offline", None),
    ],
)
def test_counters_of_models(model: str, counter: str | None) -> None:
    assert counter_of_model(model) == counter


def test_totals_are_called_approximate_where_the_counter_is_not_the_models_own() -> (
    None
):
    assert approximation("openai/gpt-5-mini", "o200k_base") == ""
    assert "approximate" in approximation("openai/gpt-5-mini", "chars4")
    assert "approximate" in approximation("anthropic/claude-sonnet-4-5", "o200k_base")
    assert "1.04 to 1.25" in approximation("openai/SmolLM2-135M-Instruct", "o200k_base")
    assert (
        approximation("", "o200k_base")
        == approximation("anthropic/claude-sonnet-4-5", "")
        == ""
    )
