"""What calls cost at most, in numbers and in words."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.counters import counter
from memviz.core.messages import Message
from memviz.models.budget import Spending
from memviz.models.budgeted import Accounted
from memviz.models.cost_bound import (
    CostBound,
    PlannedCalls,
    price_at_most,
    rounded_up,
)
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.names import OFFLINE
from tests.models.litellm_calls import NAME

IN_USD, OUT_USD = 0.15e-6, 0.6e-6  # what a token of gpt-4o-mini costs
OUR_OWN = "openai/our-own-model"
planned = PlannedCalls.at_most


def test_each_call_is_all_that_it_reads_and_the_longest_answer() -> None:
    bound = price_at_most([planned(NAME, [100, 200], 1000, margin=1.0)])
    assert bound.usd == pytest.approx(300 * IN_USD + 2000 * OUT_USD)
    assert (bound.calls, bound.unpriced) == (0, ())


def test_no_answer_is_longer_than_the_model_can_write() -> None:
    assert price_at_most([planned(NAME, [0], 10**9)]).usd == pytest.approx(
        16384 * OUT_USD
    )


def test_without_a_price_calls_and_tokens_are_bounded() -> None:
    bound = price_at_most([planned(OUR_OWN, [100, 200], 1000, margin=1.0)])
    assert bound == CostBound(0.0, 2, 300, 2000, (OUR_OWN,))
    assert bound.words() == (
        "The price of openai/our-own-model is not known: at most 2 calls, 300 tokens in and 2,000 out."
    )


def test_the_offline_model_and_no_call_at_all_cost_nothing() -> None:
    for free in (
        planned(OFFLINE, [100], 1000),
        planned(NAME, [], 1000),
        planned(OUR_OWN, [], 1),
    ):
        assert price_at_most([free]) == CostBound()
    assert CostBound().words() == "At no cost."


def test_calls_of_several_models_are_added() -> None:
    plan = [
        planned(NAME, [100], 1000),
        planned(OUR_OWN, [100], 1000, 1.0),
        planned(OUR_OWN, [1], 1, 1.0),
    ]
    assert price_at_most(plan).words() == (
        "At most $0.00063. The price of openai/our-own-model is not known: at most 2 calls, 101 tokens in and "
        "1,001 out."
    )


@pytest.mark.parametrize(
    ("usd", "left", "words"),
    [
        (0.0123, None, "At most $0.013."),
        (0.0123, 1.0, "At most $0.013."),
        (4.321, 1.0, "At most $1.00, where the budget ends it (up to $4.33 without)."),
        (inf, 0.5, "At most $0.50, where the budget ends it."),
    ],
)
def test_it_is_said_with_what_the_budget_has_left(
    usd: float, left: float | None, words: str
) -> None:
    assert CostBound(usd).words(left) == words


@given(st.floats(1e-9, 1e4))
def test_it_is_never_rounded_down(usd: float) -> None:
    said = float(rounded_up(usd).lstrip("$").replace(",", ""))
    assert usd * (1 - 1e-6) <= said <= usd * 1.1 + 0.01


@given(st.lists(st.text(max_size=200), min_size=1, max_size=5))
def test_it_is_what_a_budget_reserves_for_plain_text(texts: list[str]) -> None:
    """The JSON of a request is more than its texts, but no more than twice the texts with their format and names."""
    messages = [
        Message("user", text.encode("ascii", "ignore").decode() or "x")
        for text in texts
    ]
    reserved = Accounted(LiteLLMModel(NAME), Spending()).most_usd(messages)
    tokens = sum(counter("o200k_base")(message.content) + 40 for message in messages)
    call = planned(NAME, [tokens], Spending().reply_tokens)
    assert reserved <= price_at_most([call]).usd
