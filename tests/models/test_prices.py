"""Prices and limits, read from litellm's file and checked against litellm's own arithmetic."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from itertools import islice
from math import inf
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.counters import counter
from memviz.core.messages import Message
from memviz.models import prices as prices_module
from memviz.models.base import Usage
from memviz.models.budget import Spending
from memviz.models.budgeted import VisitorModel
from memviz.models.http_guard import load_litellm
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.names import OFFLINE
from memviz.models.planned_calls import (
    CostBound,
    PlannedCalls,
    price_at_most,
    rounded_up,
)
from memviz.models.prices import Price, TokenRates, price, prices
from tests.models.litellm_calls import NAME
from tests.tables import for_each

IN_USD, OUT_USD = 0.15e-6, 0.6e-6  # what a token of gpt-4o-mini costs
OUR_OWN = "openai/our-own-model"
planned = PlannedCalls.at_most


def test_a_price_has_rates_and_limits() -> None:
    found = price("gpt-4o-mini")
    assert found is not None
    assert found.input_usd_per_token == 0.15e-6
    assert found.output_usd_per_token == 0.6e-6
    assert found.cache_read_usd_per_token == 0.075e-6
    assert found.cache_write_usd_per_token is None
    assert (found.max_input_tokens, found.max_output_tokens) == (128_000, 16_384)
    assert (found.provider, found.mode) == ("openai", "chat")


@for_each(
    ("name", "same_as"),
    [
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("vertex_ai/gemini-2.5-pro", "gemini-2.5-pro"),
        ("ft:gpt-4o-2024-08-06:our-org::abc123", "ft:gpt-4o-2024-08-06"),
        ("openai/ft:gpt-4o-2024-08-06:our-org::abc123", "ft:gpt-4o-2024-08-06"),
    ],
)
def test_a_model_goes_by_several_names(name: str, same_as: str) -> None:
    assert price(name) is not None
    assert price(name) == prices()[same_as]


@for_each(
    "name",
    ["", "nonsense", "openai/nonsense", "anthropic/gpt-4o", "sample_spec", "dall-e-3"],
)
def test_an_unknown_model_has_no_price(name: str) -> None:
    assert price(name) is None


def test_no_price_is_0_but_for_models_on_ones_own_machine() -> None:
    local = price("ollama/llama3")
    assert local is not None
    assert local.cost_usd(Usage(1000, 100)) == 0.0
    for known in prices().values():
        if known.provider not in prices_module.FREE_PROVIDERS:
            rates = (known, *known.long_input_rates)
            assert all(
                each.input_usd_per_token != 0 and each.output_usd_per_token != 0
                for each in rates
            )


def test_a_model_in_the_file_without_rates_costs_an_unknown_amount() -> None:
    unpriced = next(
        known for known in prices().values() if known.input_usd_per_token is None
    )
    assert unpriced.cost_usd(Usage(1000, 100)) is None


RATES = TokenRates(
    input_usd_per_token=4.0,
    output_usd_per_token=10.0,
    cache_read_usd_per_token=1.0,
    cache_write_usd_per_token=5.0,
)


def test_cached_and_written_tokens_are_part_of_the_input() -> None:
    assert (
        RATES.cost_usd(Usage(100, 7, cached_tokens=60), cache_write_tokens=30)
        == 10 * 4 + 60 * 1 + 30 * 5 + 7 * 10
    )


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0, 1))
def test_a_cache_without_a_rate_of_its_own_saves_nothing(
    read: int, output: int, part: float
) -> None:
    plain = TokenRates(
        input_usd_per_token=4.0,
        output_usd_per_token=10.0,
        cache_read_usd_per_token=None,
        cache_write_usd_per_token=None,
    )
    assert plain.cost_usd(Usage(read, output, int(read * part))) == plain.cost_usd(
        Usage(read, output)
    )


def test_long_requests_have_their_own_rates() -> None:
    found = price("gemini/gemini-2.5-pro")
    assert found is not None
    assert found.cost_usd(Usage(200_000, 0)) == pytest.approx(200_000 * 1.25e-6)
    assert found.cost_usd(Usage(200_001, 0)) == pytest.approx(200_001 * 2.5e-6)


def _comparable() -> list[Price]:
    """Some hundred models of providers whose prices depend on nothing but tokens."""
    providers = {
        "openai",
        "anthropic",
        "gemini",
        "mistral",
        "groq",
        "xai",
        "moonshot",
        "cerebras",
    }
    priced = (
        each
        for each in prices().values()
        if each.provider in providers and each.mode == "chat"
    )
    known = [
        each
        for each in priced
        if each.input_usd_per_token and each.output_usd_per_token
    ]
    # Where a name stands in the file with and without its provider, litellm takes the other entry.
    return [
        each
        for each in known
        if "ft:" not in each.model and f"{each.provider}/{each.model}" not in prices()
    ][::3]


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [1_000, 150_000, 260_000, 900_000])
def test_costs_agree_with_litellm(tokens: int) -> None:
    litellm = load_litellm()
    models = _comparable()
    assert len(models) > 80
    for known in models:
        cached = tokens // 2 if known.cache_read_usd_per_token else 0
        theirs = litellm.cost_per_token(
            known.model,
            prompt_tokens=tokens,
            completion_tokens=500,
            cache_read_input_tokens=cached,
            custom_llm_provider=known.provider,
        )
        assert known.cost_usd(Usage(tokens, 500, cached)) == pytest.approx(
            sum(theirs)
        ), known.model


def test_days_of_retirement_are_dates() -> None:
    retired = [known.retired_on for known in prices().values() if known.retired_on]
    assert len(retired) > 100
    assert all(isinstance(day, date) for day in retired)


@pytest.mark.parametrize("content", [None, "{nope", "[]"])
def test_without_a_readable_file_every_price_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    if content is not None:
        (tmp_path / prices_module.PRICE_FILE).write_text(content)
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(prices_module, "find_spec", lambda _: found)
    assert prices.__wrapped__() == {}


def test_reading_prices_does_not_import_litellm() -> None:
    code = (
        "import json, sys; from memviz.models.prices import price; known = price('gpt-4o-mini');"
        "print(json.dumps([known.max_input_tokens, 'litellm' in sys.modules]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == [128_000, False]


def test_the_file_is_read_once() -> None:
    assert prices() is prices()
    assert list(islice(prices(), 1)) != []


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


@for_each(
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
    reserved = VisitorModel(LiteLLMModel(NAME), Spending()).most_usd(messages)
    tokens = sum(counter("o200k_base")(message.content) + 40 for message in messages)
    call = planned(NAME, [tokens], Spending().reply_tokens)
    assert reserved <= price_at_most([call]).usd
