"""What letting a paid model answer will cost, by hand."""

from __future__ import annotations

import pytest

import memviz
from memviz import Message, ModelError, Reply, Run, ScriptedModel, Usage
from memviz.dashboard.words.estimates import estimate_words
from memviz.metrics.cost import pricing as cost_pricing
from memviz.metrics.cost.estimate import Estimate, estimate_asking
from memviz.models.planned_calls import PlannedCalls
from tests.metrics.cost.priced_traffic import MILLION, PRICES, Work, work


@pytest.fixture(autouse=True)
def _prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_pricing, "price", PRICES.get)


# Tokens as chars4 counts them: 10, 20, 10, 20, 1, 20; so a full buffer sends 17, 55 and 84.
ROLES = ("user", "assistant") * 3
MESSAGES = [
    Message(role, "x" * 4 * size)
    for role, size in zip(ROLES, (10, 20, 10, 20, 1, 20), strict=True)
]
IN, OUT = 17 + 55 + 84, 20 + 20 + 20


def run_of(
    id: str = "buffer", *answers: str | Reply | ModelError, **parameters: int
) -> Run:
    return memviz.replay(
        MESSAGES,
        memviz.strategy(id, **parameters),
        model=ScriptedModel(answers),
        counter=memviz.counter("chars4"),
    )


def test_a_full_buffer_by_hand() -> None:
    found = estimate_asking([run_of()], "house/plain", "house/small")
    assert [*map(work, found.parts)] == [
        Work("request", 3, IN, OUT),
        Work("summary", 0, 0, 0),
    ]
    assert found.usd == pytest.approx((156 * 2 + 60 * 10) / MILLION)
    assert (
        estimate_words(found)
        == "3 requests: about 156 tokens in and 60 out, about $0.00091 at list price."
    )


def test_every_run_is_answered() -> None:
    """A window of one message sends 10, 10 and 1 tokens, and 7 more each."""
    found = estimate_asking(
        [run_of(), run_of("window", window_size=1)], "house/plain", "offline"
    )
    assert work(found.part("request")) == Work("request", 6, IN + 17 + 17 + 8, 2 * OUT)
    assert found.usd == pytest.approx((198 * 2 + 120 * 10) / MILLION)


def test_the_summarizer_has_a_price_of_its_own() -> None:
    """Messages 1-2 are summarized for turn 2 (billed 100 in, 7 out); 3-4 would be for turn 3, in vain."""
    summary = Reply("s" * 8, usage=Usage(100, 7))
    run = run_of("summary", summary, ModelError("down"), buffer_size=1)
    failed = run.compactions[1]
    assert failed.error
    found = estimate_asking([run], "house/plain", "house/small")
    chat_work, summaries = found.parts
    assert (summaries.calls, summaries.output_tokens) == (2, 7)
    assert summaries.input_tokens == 100 + failed.prompt_tokens > 100
    chat = (chat_work.input_tokens * 2 + 60 * 10) / MILLION
    assert found.usd == pytest.approx(
        chat + ((100 + failed.prompt_tokens) * 1 + 7 * 3) / MILLION
    )
    assert estimate_words(found).startswith(
        f"3 requests: about {chat_work.input_tokens} tokens in and 60 out; 2 summaries: about "
        f"{summaries.input_tokens} tokens in and 7 out, in all about $"
    )
    assert estimate_asking([run], "house/plain", "offline").usd == pytest.approx(chat)
    assert estimate_asking([run], "offline", "house/small").usd == pytest.approx(
        found.usd - chat
    )  # type: ignore[operator]


def test_what_is_dropped_without_a_summarizer_costs_nothing() -> None:
    run = memviz.replay(
        MESSAGES,
        memviz.strategy("chat_summary_buffer", token_limit=30),
        model=None,
        counter="chars4",
    )
    assert run.compactions
    found = estimate_asking([run], "offline", "house/unheard-of")
    assert (work(found.part("summary")), found.usd) == (Work("summary"), 0.0)


def test_a_long_request_has_its_own_price() -> None:
    """Only the third request is over 60 tokens; all three together being so does not matter."""
    found = estimate_asking([run_of()], "house/long", "offline")
    assert found.usd == pytest.approx(
        ((17 + 55) * 2 + 40 * 10 + 84 * 4 + 20 * 20) / MILLION
    )


@pytest.mark.parametrize("model", ["house/unheard-of", "house/half"])
def test_an_unknown_price_is_not_0(model: str) -> None:
    found = estimate_asking([run_of()], model, "house/small")
    assert (found.usd, found.unknown_prices) == (None, (model,))
    assert (
        estimate_words(found)
        == f"3 requests: about 156 tokens in and 60 out. The price of {model} is unknown."
    )


def test_every_unknown_price_is_named_once() -> None:
    run = run_of("summary", "s", "s", buffer_size=1)
    assert estimate_words(estimate_asking([run], "our/a", "our/b")).endswith(
        " out. The prices of our/a and our/b are unknown."
    )
    assert estimate_words(estimate_asking([run], "our/a", "our/a")).endswith(
        " out. The price of our/a is unknown."
    )
    half_known = estimate_asking([run], "offline", "our/b")
    assert (half_known.usd, half_known.unknown_prices) == (None, ("our/b",))


def test_nobody_needs_the_price_of_a_summarizer_that_is_not_asked() -> None:
    assert estimate_asking([run_of()], "house/plain", "our/b").usd == pytest.approx(
        912 / MILLION
    )


def test_the_offline_model_costs_nothing() -> None:
    found = estimate_asking(
        [run_of("summary", "s", "s", buffer_size=1)], "offline", " offline "
    )
    assert found.usd == 0.0
    assert estimate_words(found).endswith(", at no cost.")


def test_nothing_to_do_costs_nothing() -> None:
    assert estimate_asking([], "our/a", "our/b") == Estimate(
        (
            PlannedCalls("our/a", noun="request"),
            PlannedCalls("our/b", noun="summary"),
        ),
        0.0,
    )


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (1, "1"),
        (999, "999"),
        (1_234, "1,230"),
        (123_456, "123,000"),
        (999_999, "1,000,000"),
        (9_000, "9,000"),
    ],
)
def test_tokens_are_said_to_three_digits(tokens: int, text: str) -> None:
    found = Estimate((PlannedCalls("our/a", (Usage(tokens, 2),), "request"),), 0.41)
    assert (
        estimate_words(found)
        == f"1 request: about {text} tokens in and 2 out, about $0.41 at list price."
    )


def test_a_real_price_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    found = estimate_asking([run_of()], "openai/gpt-4o-mini", "offline")
    assert found.usd == pytest.approx((156 * 0.15 + 60 * 0.6) / MILLION)
