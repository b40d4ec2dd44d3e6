"""A model as a visitor asks it: paid out of the session's budget or counted, and billed at the moment it is left. Over
real HTTP against a server on this machine."""

from __future__ import annotations

from threading import Thread
from time import monotonic, sleep

import pytest

from memviz.core.model_errors import BudgetSpentError, ModelError
from memviz.models.budget import Budget, Spending
from memviz.models.budgeted import Budgeted, VisitorModel
from memviz.models.line import Interruptible
from tests.models.litellm_calls import FAILURES, HELLO, NAME, client
from tests.models.openai_server import OpenAIServer, slow, status, text
from tests.models.visitors import SILENCE_SECONDS, SOON_SECONDS, Stopped, Visitor

OUR_OWN = "openai/our-own-model"


def asked(
    server: OpenAIServer,
    spending: Spending,
    visitor: Visitor,
    name: str = NAME,
    retries: int = 0,
) -> VisitorModel:
    tried = client(server, name, retries=retries, sleep=lambda _: None)
    return VisitorModel(Interruptible(tried, visitor.look_up), spending)


def test_a_priced_call_is_paid_and_told_how_long_its_answer_may_be(
    server: OpenAIServer,
) -> None:
    spending = Spending()
    spending.reply_tokens = 77
    reply = asked(server, spending, Visitor()).complete(HELLO)
    assert spending.spent_usd == reply.cost_usd > 0  # type: ignore[operator]
    assert server.requests[0].body["max_tokens"] == 77


def test_one_whose_price_nobody_knows_is_made_and_counted(server: OpenAIServer) -> None:
    spending = Spending(0.0)
    model = asked(server, spending, Visitor(), OUR_OWN)
    assert model.complete(HELLO).text == "Hello there."
    assert (spending.spent_usd, spending.unpriced_calls, spending.unpriced_tokens) == (
        0.0,
        1,
        1100,
    )
    assert server.requests[0].body["max_tokens"] == spending.reply_tokens
    server.then(status(401, "Incorrect API key"))
    with pytest.raises(ModelError):
        model.complete(HELLO)
    assert spending.unpriced_calls == 1, "a refused call is none"
    server.then(FAILURES["500"][0])
    with pytest.raises(ModelError):
        model.complete(HELLO)
    assert spending.unpriced_calls == 2, "it may have come after tokens were written"


def test_a_budget_that_is_reached_ends_it_before_the_call(server: OpenAIServer) -> None:
    spending = Spending(0.0)
    with pytest.raises(BudgetSpentError, match="Raise the budget"):
        asked(server, spending, Visitor()).complete(HELLO)
    assert not server.requests
    spending.allow(1.0)
    assert asked(server, spending, Visitor()).complete(HELLO).text


@pytest.mark.parametrize("name", [NAME, OUR_OWN])
def test_a_silent_call_is_billed_when_it_is_left_and_not_tried_again(
    server: OpenAIServer, name: str
) -> None:
    server.otherwise = slow(SILENCE_SECONDS)
    spending = Spending()
    visitor = Visitor(lambda: bool(server.requests))
    model, begun = asked(server, spending, visitor, name, retries=2), monotonic()
    with pytest.raises(Stopped):
        model.complete(HELLO)
    assert monotonic() - begun < SOON_SECONDS
    if name == NAME:
        assert spending.spent_usd == spending.uncertain_usd == model.most_usd(HELLO) > 0
    else:
        assert (spending.spent_usd, spending.unpriced_calls) == (0.0, 1)
    spending.allow(model.most_usd(HELLO) * 2)
    server.otherwise = text("Here I am.")
    assert (
        asked(server, spending, Visitor(), name).complete(HELLO).text == "Here I am."
    ), "nothing is held back"


@pytest.mark.slow
def test_a_call_that_is_left_while_it_waits_for_the_budget_is_not_made(
    server: OpenAIServer,
) -> None:
    spending = Spending()
    held = spending.reserve(spending.limit_usd)
    begun = monotonic()
    visitor = Visitor(lambda: monotonic() - begun > 0.3)
    with pytest.raises(Stopped):
        asked(server, spending, visitor).complete(HELLO)
    spending.release(held)
    sleep(0.3)
    assert not server.requests
    assert (spending.spent_usd, spending.calls) == (0.0, 0)
    again = Thread(target=spending.reserve, args=(spending.limit_usd,), daemon=True)
    again.start()
    again.join(SOON_SECONDS)
    assert not again.is_alive(), "nothing is held back"


def test_tries_that_fail_are_billed_once_together_beside_the_one_that_succeeds(
    server: OpenAIServer,
) -> None:
    server.then(FAILURES["500"][0], FAILURES["500"][0])
    spending = Spending()
    model = asked(server, spending, Visitor(), retries=2)
    reply = model.complete(HELLO)
    assert len(server.requests) == 3
    assert spending.calls == 2
    assert spending.uncertain_usd == model.most_usd(HELLO)
    assert spending.spent_usd == pytest.approx(model.most_usd(HELLO) + reply.cost_usd)


@pytest.mark.parametrize("name", [NAME, OUR_OWN])
def test_a_call_that_fails_with_each_try_is_billed_once(
    server: OpenAIServer, name: str
) -> None:
    server.otherwise = FAILURES["500"][0]
    spending = Spending()
    model = asked(server, spending, Visitor(), name, retries=2)
    for number in (1, 2):
        with pytest.raises(ModelError):
            model.complete(HELLO)
        assert len(server.requests) == 3 * number
        assert (spending.calls or spending.unpriced_calls) == number
        assert spending.spent_usd == pytest.approx(number * model.most_usd(HELLO))


def test_a_refusal_before_a_failure_is_billed_to_nobody(server: OpenAIServer) -> None:
    server.then(FAILURES["429 bare"][0], FAILURES["500"][0], FAILURES["429 bare"][0])
    spending = Spending()
    model = asked(server, spending, Visitor(), retries=2)
    with pytest.raises(ModelError):
        model.complete(HELLO)
    assert (spending.calls, spending.spent_usd) == (1, model.most_usd(HELLO))


@pytest.mark.slow
def test_a_budgeted_call_that_was_left_is_not_tried_again_either(
    server: OpenAIServer,
) -> None:
    """As sweeps ask: the budget within, so that what a call brings after all is booked."""

    def late(handler: object) -> None:
        handler.server.closing.wait(0.5)  # type: ignore[attr-defined]
        FAILURES["500"][0](handler)  # type: ignore[arg-type]

    server.then(late)
    budget = Budget(1.0)
    visitor = Visitor(lambda: bool(server.requests))
    with pytest.raises(Stopped):
        Interruptible(
            Budgeted(client(server, retries=2), budget), visitor.look_up
        ).complete(HELLO)
    sleep(2.5)
    assert len(server.requests) == 1
    assert budget.calls == 1
