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
from tests.pages.driving import click, finished, labelled, open_page, sentences
from tests.pages.tuning import open_sweep, told

KEY, NAME = "sk-tune-0123456789abcdef", "openai/gpt-5-mini"
OWN = "A summary that the paid model wrote."


@pytest.fixture
def paid(server: OpenAIServer) -> AppTest:
    """The page with six settings of one strategy and a paid summarizer chosen, measured with the offline one."""
    server.otherwise = text(OWN)
    page = open_sweep("summary_buffer")
    labelled(page.selectbox, "Summarizer").set_value(NAME).run()
    labelled(page.text_input, "API key").set_value(KEY)
    labelled(page.text_input, "Base URL").set_value(server.api_base)
    return finished(page.run())


def test_nothing_is_paid_before_the_button_and_the_price_is_told(
    paid: AppTest, server: OpenAIServer
) -> None:
    assert not server.requests
    assert "Measured with the built-in model's summaries" in told(paid)
    assert "summaries: about" in told(paid)


@pytest.mark.slow
def test_values_that_were_added_are_said_before_they_are_paid_for(
    paid: AppTest,
) -> None:
    added = "the best one lay at the edge: Summary buffer · "
    assert added in told(paid)
    values = labelled(paid.multiselect, "Max token limit")
    value = told(paid).partition(added)[2].partition(" tokens")[0].replace(",", "")
    assert value in values.value
    values.set_value([one for one in values.value if one != value])
    finished(paid.run())
    assert any(button.label.startswith("Sweep with") for button in paid.button)
    assert added not in told(paid)


def test_a_sweep_that_ends_while_the_page_waits_for_it_is_offered_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memviz.dashboard.ui.tune.run.AT_ONCE_SECONDS", 60.0)
    page = open_page("tune", **{"try": '["summary_buffer"]', "summarizer": NAME})
    assert any(button.label.startswith("Sweep with") for button in page.button)


@pytest.mark.slow
def test_the_paid_summaries_are_measured_and_saved_and_the_key_is_nowhere(
    made: dict[str, Callable[[], str | bytes]],
    paid: AppTest,
    server: OpenAIServer,
    database: Path,
) -> None:
    click(paid, "Sweep with")
    finished(paid)
    calls = len(server.requests)
    assert calls > 20
    assert {request.headers["authorization"] for request in server.requests} == {
        f"Bearer {KEY}"
    }
    assert "Measured with the built-in model" not in told(paid)
    assert re.search(rf"Spent on {NAME}: \$\S+ in {calls} calls", told(paid))
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
    assert len(server.requests) < 150
    assert any(button.label == "Go on" for button in paid.button)


@pytest.mark.slow
def test_a_wrong_key_ends_the_sweep_and_it_goes_on_once_that_is_mended(
    paid: AppTest, server: OpenAIServer
) -> None:
    server.otherwise = status(401, "Incorrect API key")
    click(paid, "Sweep with")
    finished(paid)
    assert 0 < len(server.requests) <= DEFAULT_CONCURRENCY, (
        "the calls that were under way together"
    )
    (sentence,) = sentences(paid.error)
    assert re.search(
        r"was refused.* of 7 runs are measured; the others were not tried", sentence
    )
    labelled(paid.text_input, "API key").set_value("another").run()
    assert not paid.error, "with another key it counts as not yet tried"
    server.otherwise = text(OWN)
    click(paid, "Sweep with")
    finished(paid)
    assert not paid.error
    assert len(server.requests) > 20


@pytest.mark.slow
def test_calls_that_failed_are_said_with_a_way_to_make_them_again(
    paid: AppTest, server: OpenAIServer
) -> None:
    server.then(status(400, "Not this one"))
    click(paid, "Sweep with")
    finished(paid)
    (sentence,) = sentences(paid.error)
    assert re.search(r"In 1 of 7 runs, calls of the summarizer failed", sentence)
    calls = len(server.requests)
    click(paid, "Try again")
    finished(paid)
    assert not paid.error
    assert len(server.requests) - calls < calls / 2, (
        "answers that came are not asked for again"
    )
