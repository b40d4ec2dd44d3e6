"""Limits scaled to one conversation: the same shares of a smaller window, and never what no limit may be."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece
from memviz.strategies import strategies, strategy
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import free_text, whole_number
from memviz.tuning.scaling import (
    WINDOW_PARAMETERS,
    is_scaled,
    scale_presets,
    scale_product,
)
from tests.tables import for_each


class Presets(Strategy):
    """Has the limits of a large window."""

    title: ClassVar[str] = "Presets"
    trigger_tokens: int = whole_number(
        100_000, "tokens", "Help.", (500, 100_000), minimum=0
    )
    at_least_tokens: int = whole_number(0, "tokens", "Help.", (1, 100), minimum=0)
    read_tokens: int = whole_number(4_000, "tokens", "Help.", (500, 5_000), minimum=500)
    thought_tokens: int = whole_number(
        4_000, "tokens", "Help.", (500, 5_000), live_only=True
    )
    kept: int = whole_number(20, "messages", "Help.", (1, 40))
    prompt: str | None = free_text("Help.")

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (Messages(0, memory.length),)


class OfAWindow(Presets):
    """Says what window its limits are of."""

    window_tokens: int = whole_number(128_000, "tokens", "Help.", (1_000, 200_000))


def test_limits_become_the_same_shares_of_what_the_conversation_needs() -> None:
    found = scale_presets(Presets, 14_000)
    assert found is not None
    assert (found.window_tokens, found.needed_tokens) == (200_000, 14_000), (
        "100,000 is half of a usual window"
    )
    assert found.values == {"trigger_tokens": 7_000, "read_tokens": 500}, (
        "280, but 500 is the least it may be"
    )
    assert found.words == (
        "Scaled from a window of 200,000 tokens to a conversation of 14,000: trigger tokens 100,000 → 7,000 and read "
        "tokens 4,000 → 500."
    )
    assert is_scaled(found, dict(found.values) | {"kept": 3})
    assert not is_scaled(found, dict(found.values) | {"trigger_tokens": 1})
    assert not is_scaled(None, {})


def test_a_strategy_that_names_its_window_is_given_the_smaller_one() -> None:
    found = scale_presets(OfAWindow, 12_800)
    assert found is not None
    assert found.values == {
        "trigger_tokens": 6_400,
        "read_tokens": 500,
        "window_tokens": 12_800,
    }


def test_a_product_is_a_setting_of_the_conversations_size() -> None:
    claude_code = scale_product("claude_code", 14_000)
    assert claude_code.name == "Claude Code"
    assert claude_code.model_dump()["window_tokens"] == 7_000
    assert scale_product("claude_code", 10**6) == strategy("claude_code")


def test_limits_that_are_reached_anyway_stay() -> None:
    assert scale_presets(strategies()["threshold_summary"], 14_000) is None


def test_a_window_that_only_shares_are_of_says_nothing_of_limits_that_are_far_smaller() -> (
    None
):
    """Its 4,000 tokens are no 3 % of the 128,000 of which shares may be given: half of a conversation of 2,000 then."""
    found = scale_presets(strategies()["threshold_summary"], 2_000)
    assert found is not None
    assert found.values == {"trigger_tokens": 1_000, "summarizer_reads_tokens": 1_000}


@for_each("needed_tokens", [0, 200_000, 1_000_000])
def test_a_conversation_that_fills_the_window_needs_no_scaling(
    needed_tokens: int,
) -> None:
    assert scale_presets(Presets, needed_tokens) is None


def test_a_strategy_without_a_limit_in_tokens_has_nothing_to_scale() -> None:
    assert scale_presets(strategies()["window"], 14_000) is None
    assert scale_presets(strategies()["buffer"], 14_000) is None


@given(needed_tokens=st.integers(1, 300_000), id=st.sampled_from([*strategies(), ""]))
def test_what_is_scaled_can_be_built_and_is_never_larger_than_the_preset(
    needed_tokens: int, id: str
) -> None:
    cls = strategies()[id] if id else Presets
    found = scale_presets(cls, needed_tokens)
    if found is not None:
        built = cls(**found.values)
        for parameter in cls.parameters():
            if (
                parameter.name in found.values
                and parameter.name not in WINDOW_PARAMETERS
            ):
                value = found.values[parameter.name]
                assert value <= found.presets[parameter.name]
                assert value <= max(parameter.minimum or 1, 1.05 * needed_tokens / 2), (
                    "so it is reached before the end"
                )
        assert scale_presets(type(built), needed_tokens) == found, (
            "scaling again changes nothing"
        )
