"""Tune with a summarizer behind an API: the price first, a budget, answers that are paid once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memviz.tuning.executors import DEFAULT_CONCURRENCY
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.downloads import named
from tests.pages.driving import click, finished, labelled, sentences
from tests.pages.tuning import open_sweep, told

KEY, NAME = "sk-tune-0123456789abcdef", "openai/gpt-5-mini"
OWN = "A summary that the paid model wrote."


def with_paid_summarizer(server: OpenAIServer, **values: str) -> AppTest:
    """The page of a sweep that the built-in model measured, where a link has chosen a paid summarizer."""
    server.otherwise = text(OWN)
    page = open_sweep("summary_buffer", summarizer=NAME, **values)
    assert any(button.label.startswith("Sweep with") for button in page.button), (
        "a sweep that ends while the page waits for it is offered at once"
    )
    labelled(page.text_input, "API key").set_value(KEY)
    labelled(page.text_input, "Base URL").set_value(server.api_base)
    return finished(page.run())


@pytest.fixture
def paid(server: OpenAIServer) -> AppTest:
    """The page with few settings of one strategy."""
    return with_paid_summarizer(
        server, **{"summary_buffer.max_token_limit": '["1000", "2000"]'}
    )


def test_nothing_is_paid_before_the_button_and_the_price_is_told(
    paid: AppTest, server: OpenAIServer
) -> None:
    assert not server.requests
    assert "Measured with the built-in model's summaries" in told(paid)
    assert "summaries: about" in told(paid)


@pytest.mark.slow
def test_added_values_are_said_and_paid_summaries_are_saved_and_the_key_is_nowhere(
    made: dict[str, Callable[[], str | bytes]],
    server: OpenAIServer,
    database: Path,
) -> None:
    page = with_paid_summarizer(server)
    added = "the best one lay at the edge: Summary buffer · "
    assert added in told(page)
    values = labelled(page.multiselect, "Max token limit")
    value = told(page).partition(added)[2].partition(" tokens")[0].replace(",", "")
    assert value in values.value
    values.set_value([one for one in values.value if one != value])
    finished(page.run())
    assert added not in told(page)
    click(page, "Sweep with")
    finished(page)
    calls = len(server.requests)
    assert calls > 20
    assert {request.headers["authorization"] for request in server.requests} == {
        f"Bearer {KEY}"
    }
    assert "Measured with the built-in model" not in told(page)
    assert re.search(rf"Spent on {NAME}: \$\S+ in {calls} calls", told(page))
    page.run()  # the recording is offered once it is saved
    assert OWN in named(made, ".recording")
    for file in database.parent.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


@pytest.mark.slow
def test_a_budget_that_is_spent_ends_it_with_what_there_is(
    paid: AppTest, server: OpenAIServer
) -> None:
    labelled(paid.number_input, "Budget of this sweep").set_value(0.01)
    click(paid, "Sweep with")
    finished(paid)
    assert "budget" in told(paid).lower()
    assert 0 < len(server.requests) < 30
    assert any(button.label == "Go on" for button in paid.button)


@pytest.mark.slow
def test_a_wrong_key_ends_the_sweep_and_calls_that_failed_are_made_again(
    paid: AppTest, server: OpenAIServer
) -> None:
    server.otherwise = status(401, "Incorrect API key")
    click(paid, "Sweep with")
    finished(paid)
    refused = len(server.requests)
    assert 0 < refused <= DEFAULT_CONCURRENCY, "the calls that were under way together"
    (sentence,) = sentences(paid.error)
    assert re.search(
        r"was refused.* of \d runs are measured; the others were not tried", sentence
    )
    labelled(paid.text_input, "API key").set_value("another").run()
    assert not paid.error, "with another key it counts as not yet tried"
    server.then(status(400, "Not this one"))
    server.otherwise = text(OWN)
    click(paid, "Sweep with")
    finished(paid)
    (sentence,) = sentences(paid.error)
    assert re.search(r"In 1 of \d runs, calls of the summarizer failed", sentence)
    calls = len(server.requests) - refused
    assert calls > 20
    click(paid, "Try again")
    finished(paid)
    assert not paid.error
    assert len(server.requests) - refused - calls < calls / 2, (
        "answers that came are not asked for again"
    )
