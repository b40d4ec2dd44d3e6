"""Models held to a budget: what is reserved, booked and refused, over real HTTP against a server on this machine."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz.core.counters import counter
from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.core.model_errors import BudgetSpentError, MissingKeyError, ModelError
from memviz.models.base import Reply, Usage
from memviz.models.budget import Budget
from memviz.models.budgeted import Budgeted
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.response_cache import CachedModel
from memviz.models.scripted import ScriptedModel
from memviz.models.tools import Tool
from tests.models import openai_server as answers
from tests.models.litellm_calls import (
    FAILURES,
    HELLO,
    LIMIT_EVENT,
    NAME,
    SHORT_TIMEOUT,
    TIMEOUT,
    Naps,
    client,
)
from tests.models.openai_server import OpenAIServer
from tests.tables import for_each

pytestmark = pytest.mark.usefixtures("no_provider_keys")

IN_USD, OUT_USD = 0.15e-6, 0.6e-6  # what a token of gpt-4o-mini costs
SMALL = {"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 50}
SMALL_USD = 10 * IN_USD + 40 * OUT_USD
BOUND = 50
OUR_OWN = "openai/our-own-model"


def small(server: OpenAIServer) -> None:
    """The server's answers cost no more than what is reserved for them."""
    server.otherwise = answers.text("Hello there.", usage=SMALL)


def budgeted(
    server: OpenAIServer, budget: Budget, name: str = NAME, **settings: Any
) -> Budgeted:
    own = {
        key: settings.pop(key)
        for key in ("usd_per_million", "counter")
        if key in settings
    }
    return Budgeted(
        client(server, name, **settings), budget, max_output_tokens=BOUND, **own
    )


# What is booked


def test_what_a_call_cost_is_booked(server: OpenAIServer) -> None:
    budget = Budget(1.0)
    reply = budgeted(server, budget).complete(HELLO)
    assert reply.cost_usd == pytest.approx(1000 * IN_USD + 100 * OUT_USD)
    assert (budget.spent_usd, budget.uncertain_usd, budget.calls) == (
        reply.cost_usd,
        0.0,
        1,
    )


def test_it_streams_and_summarizes_as_the_model_does(server: OpenAIServer) -> None:
    server.then(answers.text("Hello", " there"))
    budget = Budget(1.0)
    model = budgeted(server, budget)
    *pieces, _ = model.stream(HELLO)
    assert pieces == ["Hello", " there"]
    assert model.summarize(HELLO).text == "Hello there."
    assert (model.name, model.takes_tools, budget.calls) == (NAME, True, 2)


def test_prices_entered_by_hand_hold(server: OpenAIServer) -> None:
    budget = Budget(1.0)
    reply = budgeted(server, budget, OUR_OWN, usd_per_million=(2.0, 8.0)).complete(
        HELLO
    )
    assert reply.cost_usd == budget.spent_usd == pytest.approx(1000 * 2e-6 + 100 * 8e-6)
    cheaper = budgeted(server, budget, usd_per_million=(0.0, 1.0)).complete(HELLO)
    assert cheaper.cost_usd == pytest.approx(100e-6), "even where a list price is known"


def test_a_cost_that_the_model_does_not_tell_comes_from_its_usage() -> None:
    budget, model = Budget(1.0), ScriptedModel([Reply("Hello", usage=Usage(1000, 100))])
    model.name = NAME
    assert Budgeted(model, budget).complete(HELLO).cost_usd == pytest.approx(
        1000 * IN_USD + 100 * OUT_USD
    )
    assert budget.spent_usd == pytest.approx(1000 * IN_USD + 100 * OUT_USD)


@pytest.mark.parametrize("settings", [{}, {"usd_per_million": (0.15, 0.6)}])
def test_without_usage_the_most_it_may_have_cost_is_booked(
    server: OpenAIServer, settings: dict[str, Any]
) -> None:
    server.then(answers.text("Hello", usage=None))
    budget = Budget(1.0)
    model = budgeted(server, budget, **settings)
    assert model.complete(HELLO).cost_usd is None, "unknown, all the same"
    assert budget.spent_usd == budget.uncertain_usd == model.most_usd(HELLO) > 0


@pytest.mark.parametrize("fault", ["401", "404", "429", "429 quota", "context"])
def test_a_refused_call_costs_nothing(server: OpenAIServer, fault: str) -> None:
    answer, kind, _ = FAILURES[fault]
    server.then(answer)
    budget = Budget(1.0)
    model = budgeted(server, budget)
    with pytest.raises(kind):
        model.complete(HELLO)
    assert (budget.spent_usd, budget.calls) == (0.0, 0)
    budget.reserve(1.0)  # and nothing is held back


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        "500",
        "closed socket",
        "slow",
        "cut before any text",
        "empty text",
        "output limit",
        "content filter",
    ],
)
def test_a_call_that_failed_on_its_way_may_have_cost_all(
    server: OpenAIServer, fault: str
) -> None:
    answer, kind, _ = FAILURES[fault]
    server.then(answer)
    budget = Budget(1.0)
    model = budgeted(
        server, budget, timeout=SHORT_TIMEOUT if fault == "slow" else TIMEOUT
    )
    with pytest.raises(kind):
        model.complete(HELLO)
    assert budget.spent_usd == budget.uncertain_usd == model.most_usd(HELLO)
    assert budget.calls == 1


def test_so_may_one_that_broke_off_for_whatever_reason(server: OpenAIServer) -> None:
    server.then(answers.events(answers.chunk({"content": "Hello"}), LIMIT_EVENT))
    budget = Budget(1.0)
    with pytest.raises(ModelError):
        budgeted(server, budget).complete(HELLO)
    assert budget.calls == 1


def test_tries_that_fail_are_booked_once_together(server: OpenAIServer) -> None:
    server.then(
        FAILURES["500"][0],
        answers.status(429, "Slow down", Retry_After="1"),
        FAILURES["closed socket"][0],
    )
    budget = Budget(1.0)
    model = budgeted(server, budget, retries=3, sleep=Naps())
    reply = model.complete(HELLO)
    assert len(server.requests) == 4
    assert budget.calls == 2
    assert budget.uncertain_usd == pytest.approx(model.most_usd(HELLO))
    assert budget.spent_usd == pytest.approx(
        budget.uncertain_usd + (reply.cost_usd or 0)
    )


def test_a_stream_that_is_closed_early_may_have_cost_all(server: OpenAIServer) -> None:
    server.then(answers.endless)
    budget = Budget(1.0)
    model = budgeted(server, budget)
    stream = model.stream(HELLO)
    assert next(stream) == "word "
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert budget.spent_usd == budget.uncertain_usd == model.most_usd(HELLO)
    assert server.client_gone.wait(60)


def test_no_key_no_call_no_cost() -> None:
    budget = Budget(1.0)
    with pytest.raises(MissingKeyError):
        Budgeted(LiteLLMModel(NAME), budget).complete(HELLO)
    assert (budget.spent_usd, budget.calls) == (0.0, 0)


# What is refused


def test_a_call_that_might_exceed_the_limit_is_not_made(server: OpenAIServer) -> None:
    model = budgeted(server, Budget(1.0))
    short = budgeted(server, Budget(model.most_usd(HELLO) * 0.99))
    with pytest.raises(BudgetSpentError, match=NAME):
        short.complete(HELLO)
    assert server.requests == []
    exact = budgeted(server, Budget(model.most_usd(HELLO)))
    assert exact.complete(HELLO).text == "Hello there."


def test_a_further_try_that_might_exceed_it_is_not_made_either(
    server: OpenAIServer,
) -> None:
    server.then(FAILURES["500"][0])
    model = budgeted(server, Budget(1.0))
    short = budgeted(
        server, Budget(model.most_usd(HELLO) * 1.5), retries=3, sleep=Naps()
    )
    with pytest.raises(BudgetSpentError):
        short.complete(HELLO)
    assert len(server.requests) == 1


def test_it_ends_a_replay_and_is_no_failed_summarization(server: OpenAIServer) -> None:
    small(server)
    talk = [
        Message(role, f"{role} says {n}")
        for n in range(40)
        for role in ("user", "assistant")
    ]
    budget = Budget(10 * SMALL_USD)
    with pytest.raises(BudgetSpentError):
        memviz.replay(
            talk,
            memviz.strategy("summary", buffer_size=2),
            model=budgeted(server, budget),
            counter="chars4",
        )
    assert 1 < len(server.requests) == budget.calls < 10
    assert budget.spent_usd == pytest.approx(budget.calls * SMALL_USD)


def test_the_limit_holds_for_many_threads_and_models(server: OpenAIServer) -> None:
    small(server)
    budget = Budget(20 * SMALL_USD)
    models = [budgeted(server, budget, api_key=f"sk-key-number-{n}") for n in range(4)]

    def ask(n: int) -> bool:
        try:
            return bool(models[n % 4].complete(HELLO).text)
        except BudgetSpentError:
            return False

    with ThreadPoolExecutor(8) as pool:
        answered = list(pool.map(ask, range(40)))
    assert len(server.requests) == sum(answered) == budget.calls
    assert budget.spent_usd == pytest.approx(sum(answered) * SMALL_USD)
    assert budget.spent_usd <= budget.limit_usd
    room = models[0].most_usd(HELLO)
    assert budget.spent_usd > budget.limit_usd - room, (
        "and is used up as far as it can be"
    )


def test_a_model_whose_price_is_unknown_cannot_be_held_to_a_budget(
    server: OpenAIServer,
) -> None:
    with pytest.raises(ParameterError, match=rf"{OUR_OWN}.*usd_per_million"):
        budgeted(server, Budget(1.0), OUR_OWN)


@for_each(
    "settings",
    [
        {"usd_per_million": (-1.0, 1.0)},
        {"usd_per_million": (1.0, float("nan"))},
        {"max_output_tokens": 0},
    ],
)
def test_settings_out_of_range(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(settings))):
        Budgeted(LiteLLMModel(NAME), Budget(1.0), **settings)


# The bound


@pytest.mark.parametrize(
    ("name", "options", "sent"),
    [
        (NAME, {}, {"max_tokens": 50}),
        (NAME, {"max_tokens": 20}, {"max_tokens": 20}),
        (NAME, {"max_tokens": 9000}, {"max_tokens": 50}),
        (NAME, {"max_completion_tokens": 20}, {"max_completion_tokens": 20}),
        ("openai/gpt-5-mini", {}, {"max_completion_tokens": 50}),
        ("mistral/mistral-small-latest", {}, {"max_tokens": 50}),
    ],
)
def test_the_provider_is_told_the_bound(
    server: OpenAIServer, name: str, options: dict[str, int], sent: dict[str, int]
) -> None:
    budgeted(server, Budget(1.0), name, **options).complete(HELLO)
    body = server.requests[0].body
    assert {
        key: value for key, value in body.items() if key.endswith("_tokens")
    } == sent


def test_the_bound_is_never_above_what_the_model_can_write(
    server: OpenAIServer,
) -> None:
    Budgeted(client(server), Budget(1.0), max_output_tokens=10**9).complete(HELLO)
    assert server.requests[0].body["max_tokens"] == 16384


def test_a_model_that_cannot_be_told_may_write_as_much_as_it_can() -> None:
    model = ScriptedModel([])
    model.name = NAME
    assert (
        Budgeted(model, Budget(1.0), max_output_tokens=BOUND).max_output_tokens == 16384
    )
    by_hand = Budgeted(
        ScriptedModel([]),
        Budget(1.0),
        max_output_tokens=BOUND,
        usd_per_million=(1.0, 1.0),
    )
    assert by_hand.max_output_tokens == BOUND


def test_the_limited_model_is_the_same_in_all_else(server: OpenAIServer) -> None:
    naps = Naps()
    model = client(
        server, temperature=0.5, retries=1, timeout=3.0, longest_wait=99, sleep=naps
    ).limited(BOUND)
    server.then(answers.status(429, "Slow down", Retry_After="70"))
    model.complete(HELLO)
    assert naps == [70.0]
    assert (model.timeout, server.requests[1].body["temperature"]) == (3.0, 0.5)
    assert server.requests[1].headers == server.requests[0].headers


@given(st.lists(st.text(max_size=200), min_size=1, max_size=5), st.booleans())
@example(["न्सन्त्रकेकिनसो"], False)  # 5 tokens by o200k_base, 30 by p50k_base
def test_what_is_reserved_is_at_least_what_any_tokenizer_makes_of_it(
    texts: list[str], with_tools: bool
) -> None:
    messages = [
        Message("user", text.encode("utf-8", "replace").decode()) for text in texts
    ]
    tools = [Tool("recall", "Look it up.", {"type": "object"})] if with_tools else []
    model = Budgeted(LiteLLMModel(NAME), Budget(1.0), max_output_tokens=BOUND)
    for name in ("o200k_base", "cl100k_base", "p50k_base"):
        tokens = 3 + sum(3 + 1 + counter(name)(message.content) for message in messages)
        assert (
            model.most_usd(messages, tools)
            >= min(
                tokens * IN_USD, sum(len(m.content.encode()) for m in messages) * IN_USD
            )
            + BOUND * OUT_USD
        )
    assert model.most_usd(messages, [*tools, Tool("x", "y", {})]) > model.most_usd(
        messages, tools
    )


# With a cache


def test_an_answer_at_hand_is_free_even_when_the_budget_is_used_up(
    server: OpenAIServer, tmp_path: Path
) -> None:
    small(server)
    price = budgeted(server, Budget(1.0)).most_usd(HELLO)
    for expected_cost, expected_calls in ((SMALL_USD, 1), (0.0, 0)):
        budget = Budget(price)
        model = Budgeted(
            CachedModel(client(server), tmp_path), budget, max_output_tokens=BOUND
        )
        reply = model.complete(HELLO)
        assert reply.cost_usd == budget.spent_usd == pytest.approx(expected_cost)
        assert budget.calls == expected_calls
        assert model.complete(HELLO).cached
    assert len(server.requests) == 1
    with pytest.raises(BudgetSpentError):
        model.complete([Message("user", "x" * 10_000)])


def test_the_same_sweep_is_paid_once_by_many_threads(
    server: OpenAIServer, tmp_path: Path
) -> None:
    small(server)
    questions = [[Message("user", f"Question {n}")] for n in range(10)] * 4
    random.Random(0).shuffle(questions)
    spent = []
    for _ in range(2):
        budget = Budget(1.0)
        model = Budgeted(
            CachedModel(client(server), tmp_path), budget, max_output_tokens=BOUND
        )
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(model.complete, questions))
        spent.append(budget.spent_usd)
    assert spent == [pytest.approx(10 * SMALL_USD), 0.0]
    assert len(server.requests) == 10


def test_a_question_at_the_end_of_a_run_is_held_to_a_budget_in_python() -> None:
    run = memviz.replay(
        [Message("user", "We fly on 4 May."), Message("assistant", "Noted.")],
        memviz.strategy("buffer"),
    )
    asked = memviz.ScriptedModel(["On 4 May."] * 2)
    model = memviz.Budgeted(asked, memviz.Budget(1.0), usd_per_million=(1.0, 1.0))
    assert memviz.ask(run, "When do we fly?", model=model).reply == "On 4 May."
    assert (
        0 < model.budget.spent_usd <= model.most_usd(run.turns[-1].context.messages) * 2
    )
    poor = memviz.Budgeted(asked, memviz.Budget(1e-9), usd_per_million=(1.0, 1.0))
    with pytest.raises(memviz.BudgetSpentError):
        memviz.ask(run, "When do we fly?", model=poor)
    assert len(asked.requests) == 1
