"""What models cost on the pages: said before each click, counted, held to one budget of the session, in sight."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from tests.models.connection_replies import CALLED, COUNTED, listing
from tests.models.openai_server import OpenAIServer, text
from tests.pages.asking import FLIGHT, ask, cards
from tests.pages.chatting import KEY, bubbles, use_model
from tests.pages.driving import click, finished, labelled, open_page, say, sentences
from tests.pages.paid_replays import replayed
from tests.pages.reviewing import FACT, FILLER

CALL_USD = 1000 * 0.25e-6 + 100 * 2e-6
"""What one call costs that the server answers: gpt-5-mini at list price."""
REFUSED = "The budget of $0 allows no further call: $0 is spent, and the next call of model openai/gpt-5-mini may cost "
GO_ON = "Raise the budget under Models in the sidebar to go on."


def spent(session: AppTest) -> str:
    """What the sidebar says was spent; empty where it says nothing."""
    return next(
        (
            said
            for said in sentences(session.sidebar.caption)
            if said.startswith("Spent in")
        ),
        "",
    )


def with_budget(session: AppTest, usd: float) -> AppTest:
    return labelled(session.number_input, "Budget (USD)").set_value(usd).run()


def said(session: AppTest) -> str:
    """Everything that the page says."""
    kinds = (
        session.caption,
        session.markdown,
        session.error,
        session.info,
        session.warning,
    )
    return " ".join(word for kind in kinds for word in sentences(kind))


class Place(NamedTuple):
    """Where a click may cost something: how to get there with a paid model, and what the click is."""

    reach: Callable[[str], AppTest]
    click: Callable[[AppTest], AppTest]
    again: Callable[[AppTest], AppTest]


def _paid_compare(api_base: str) -> AppTest:
    return use_model(open_page("compare"), "Summarizer", api_base)


def _ask(api_base: str) -> AppTest:
    return use_model(open_page("compare"), "Chat model", api_base)


def _chat(api_base: str) -> AppTest:
    return use_model(open_page("chat"), "Chat model", api_base)


def _review(api_base: str) -> AppTest:
    session = open_page("chat")
    labelled(session.number_input, "Max token limit").set_value(160).run()
    labelled(session.toggle, "Ask before").set_value(True).run()
    use_model(session, "Summarizer", api_base)
    return say(session, FACT)


def _due(session: AppTest) -> AppTest:
    while not session.chat_input[0].disabled:
        say(session, FILLER)
    return session


def _clicking(label: str) -> Callable[[AppTest], AppTest]:
    return lambda session: finished(click(session, label))


PLACES = {
    "replay": Place(
        _paid_compare, _clicking("Replay with"), _clicking("Try again with")
    ),
    "ask": Place(
        _ask, lambda session: ask(session, FLIGHT), _clicking("Try again with")
    ),
    "chat": Place(_chat, lambda session: say(session, FACT), _clicking("Retry")),
    "review": Place(_review, _due, _clicking("Try again")),
}
"""One of each kind. A chat's memory is derived as a replay is made. A question to all settings is a ``Job``, as free
runs, judges, the prompt lab and the test of a connection are, whose own pages say what they may cost. A sweep with a
budget is in ``test_tune_paid.py``."""


@pytest.mark.slow
def test_it_is_in_sight_from_the_first_paid_model_on_and_on_other_pages_too(
    server: OpenAIServer,
) -> None:
    page = open_page("compare")
    assert not spent(page), "who uses free models sees nothing of money"
    assert not any(
        field.label.startswith("Budget (USD)") for field in page.number_input
    )
    assert "At most $" not in said(page)
    use_model(page, "Chat model", server.api_base)
    at_first = "Spent in this session: $0.00 · budget $1.00"
    assert spent(page) == at_first
    ask(page, FLIGHT)
    now = spent(page)
    assert now == "Spent in this session: $0.0014 · budget $1.00", (
        "three calls, without another click"
    )
    for address in ("library", "compare"):
        page.switch_page(f"pages/{address}.py").run()
        assert spent(page) == now, address
    labelled(page.selectbox, "Chat model").select("offline").run()
    assert spent(page) == now
    other = use_model(open_page("compare"), "Chat model", server.api_base)
    assert spent(other) == at_first, "each session has its own"


@pytest.mark.slow
def test_calls_without_a_price_are_counted_and_bounded_in_calls(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "budgeted",
        "prices",
    ):  # AppTest chooses no model that is not on the list, and those have one
        monkeypatch.setattr(f"memviz.models.{module}.price", lambda name: None)
    page = with_budget(
        use_model(open_page("compare"), "Chat model", server.api_base), 0.0
    )
    assert "The price of openai/gpt-5-mini is not known: at most 3 calls, " in said(
        page
    )
    ask(page, FLIGHT)
    assert (
        spent(page)
        == "Spent in this session: $0.00 + 3 calls whose price is not known · budget $0.00"
    )
    assert len(cards(page)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", PLACES)
def test_a_click_says_before_what_it_costs_and_a_budget_that_is_reached_is_one_sentence(
    name: str, server: OpenAIServer
) -> None:
    server.otherwise = text("A summary.")
    place = PLACES[name]
    page = place.reach(server.api_base)
    before = len(server.requests)
    if name != "review":  # whose draft is asked for once it is due, not at a click
        assert re.search(r"At most \$\d", said(page))
        with_budget(page, 0.0001)
        assert re.search(r"At most \$0\.00(01)?, where the budget ends it", said(page))
    with_budget(page, 0.0)
    refused = REFUSED if not before else "The budget of $0 allows no further call: "
    place.click(page)
    assert not page.exception
    assert len(server.requests) == before, "no call was made"
    told = [
        one
        for kind in (page.error, page.warning)
        for one in sentences(kind)
        if refused in one
    ]
    (sentence,) = told
    assert sentence.count(refused) == 1
    assert GO_ON in sentence
    with_budget(page, 1.0)
    place.again(page)
    assert not page.exception
    assert len(server.requests) > before
    assert refused not in said(page)
    if name == "chat":
        assert [who for who, _ in bubbles(page)] == ["user", "assistant"]


@pytest.mark.slow
def test_a_replay_that_the_budget_ends_half_way_goes_on_from_there(
    server: OpenAIServer,
) -> None:
    server.otherwise = text("A short summary.")
    page = with_budget(_paid_compare(server.api_base), 0.014)
    click(page, "Replay with")
    made = len(server.requests)
    assert 0 < made < 13
    assert (
        f"The budget of $0.014 allows no further call: ${made * CALL_USD:.6f}".rstrip(
            "0"
        )
        in said(page)
    )
    assert (
        spent(page) == f"Spent in this session: ${made * CALL_USD:.2g} · budget $0.014"
    )
    click(with_budget(page, 1.0), "Try again with")
    assert replayed(page)
    bodies = [str(request.body["messages"]) for request in server.requests]
    assert len(set(bodies)) == len(bodies), "nothing is paid twice"


@pytest.mark.slow
def test_the_test_of_a_connection(server: OpenAIServer) -> None:
    page = _paid_compare(server.api_base)
    assert not server.requests, "nothing is asked before the click"
    server.then(COUNTED, listing("gpt-5-mini"), CALLED)
    click(page, "Test the connection")
    whole = said(page)
    assert "Its server lists gpt-5-mini." in whole
    assert "It takes tools: it called the one that it was offered." in whole
    assert spent(page).startswith("Spent in this session: $0.0009 ")
    page.run()
    assert "Its server lists gpt-5-mini." in said(page), "it stays"
    labelled(page.text_input, "API key").set_value("another").run()
    assert "Its server lists" not in said(page), "another key was not tested"
    labelled(page.text_input, "API key").set_value(KEY).run()
    server.otherwise = listing(KEY)
    click(page, "Test the connection")
    shown = [element.value for element in page.main if hasattr(element, "value")]
    shown += [
        element.value
        for element in page.sidebar
        if hasattr(element, "value") and element.type != "text_input"
    ]
    assert not any(KEY in str(value) for value in shown), "no key is shown"


def test_the_reply_limit_bounds_what_is_said_and_what_is_asked(
    server: OpenAIServer,
) -> None:
    page = use_model(open_page("chat"), "Chat model", server.api_base)
    before = next(one for one in sentences(page.caption) if "The next reply" in one)
    labelled(page.number_input, "Reply limit").set_value(100).run()
    after = next(one for one in sentences(page.caption) if "The next reply" in one)
    assert before != after
    say(page, FACT)
    assert server.requests[-1].body["max_completion_tokens"] == 100
