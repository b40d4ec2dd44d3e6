"""Stop ends whatever a model is asked for, also while its server says nothing, and the page goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from tests.browser.journeys import (
    bubbles,
    choose_model,
    drawn,
    go,
    open_models,
    quiet,
    say,
    sees,
    stands,
)
from tests.models.openai_server import (
    OpenAIServer,
    openai_server,
    slow,
    stall,
    text,
)

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

SILENCE_SECONDS = 55
"""Less than the timeout that the pages come with."""
SOON_MILLISECONDS = 15_000
"""Within this a stopped page stands again: generous for a busy machine, and far from the silence."""
FACT = "My budget is 3,000 euros and my daughter Mira is allergic to nuts."


@pytest.fixture
def silent() -> Iterator[OpenAIServer]:
    """A server that takes requests and says nothing."""
    with openai_server() as server:
        server.otherwise = slow(SILENCE_SECONDS)
        yield server


def asked(server: OpenAIServer, number: int = 1) -> None:
    """Wait until the server was asked so often."""
    deadline = monotonic() + 60
    while len(server.requests) < number:
        assert monotonic() < deadline, "nobody asked the model"
        sleep(0.02)


def stop(page: Page, gone: Locator | None = None) -> None:
    """Click Stop, and see that it acted: the button is gone."""
    button = page.get_by_role("button", name="Stop", exact=True)
    button.first.click()
    expect(gone or button).to_have_count(0, timeout=SOON_MILLISECONDS)
    quiet(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_chat_with_a_silent_model(
    page: Page, dashboard: Dashboard, silent: OpenAIServer
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    choose_model(page, "Chat model", "openai/silent", silent.api_base)
    say(page, FACT)
    asked(silent)
    sleep(1)
    stop(page)
    sees(bubbles(page).first.get_by_text(FACT))
    silent.then(stall(SILENCE_SECONDS, "One ", "two "))
    page.get_by_role("button", name="Retry").first.click()
    sees(bubbles(page).last.get_by_text("One two"))
    sleep(1)
    stop(page)
    silent.then(text("Your budget is 3,000 euros."))
    page.get_by_role("button", name="Retry").first.click()
    sees(bubbles(page).last.get_by_text("Your budget is 3,000 euros."))
    stands(page, "chat")


@pytest.mark.provokes_console_errors
def test_a_message_is_there_after_a_kill_during_its_reply(
    page: Page, fresh_dashboard: Dashboard, silent: OpenAIServer
) -> None:
    go(page, f"{fresh_dashboard.url}/chat", "chat")
    choose_model(page, "Chat model", "openai/silent", silent.api_base)
    say(page, FACT)
    asked(silent)
    expect(page).to_have_url(
        re.compile(r"/chat\?chat=[\w-]+$")
    )  # while the first reply is on its way
    link = page.url
    fresh_dashboard.kill()
    fresh_dashboard.start()
    go(page, link, "chat")
    expect(bubbles(page)).to_have_count(1)
    sees(bubbles(page).first.get_by_text(FACT))
    sees(page.get_by_text("Not answered yet"))
    say(page, "We want to travel in May.")  # writing on instead of Retry works as well
    expect(bubbles(page)).to_have_count(3)
    expect(page.get_by_text("Not answered yet")).to_have_count(0)
    say(page, "What is my budget?")
    expect(bubbles(page)).to_have_count(5)
    expect(bubbles(page).last).to_contain_text("3,000 euros")


def test_a_draft_of_a_summary_that_is_to_be_reviewed(
    page: Page, dashboard: Dashboard, silent: OpenAIServer
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    choose_model(page, "Summarizer", "openai/silent", silent.api_base)
    page.keyboard.press("Escape")
    limit = page.get_by_role("spinbutton", name="Max token limit")
    limit.fill("100")
    limit.press("Enter")
    quiet(page)
    page.get_by_text("Ask before summarizing").click()
    quiet(page)
    say(
        page,
        "Tell me more about trams, museums, food and the weather in spring, with all details. "
        * 7,
    )
    asked(silent)
    stop(page)
    sees(page.get_by_text("No summary was written"))
    assert len(silent.requests) == 1, "it is not asked again by itself"
    page.get_by_role("button", name="Skip").click()
    sees(page.get_by_text("Messages not yet summarized"))
    stands(page, "chat")


def test_a_setting_whose_memory_a_silent_summarizer_would_derive(
    page: Page, dashboard: Dashboard, silent: OpenAIServer
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    say(
        page,
        "Tell me more about trams, museums, food and the weather in spring, with all details. "
        * 3,
    )
    expect(bubbles(page)).to_have_count(2)
    quiet(page)
    choose_model(page, "Summarizer", "openai/silent", silent.api_base)
    page.keyboard.press("Escape")
    limit = page.get_by_role("spinbutton", name="Max token limit")
    limit.fill("50")
    limit.press("Enter")
    page.get_by_role("button", name="Derive with").click()
    asked(silent)
    stop(page)
    expect(limit).to_have_value("500")
    expect(bubbles(page)).to_have_count(2)


def test_the_test_of_a_connection_and_a_replay_with_a_silent_summarizer(
    page: Page, dashboard: Dashboard, silent: OpenAIServer
) -> None:
    go(page, f"{dashboard.url}/compare", "compare")
    choose_model(page, "Summarizer", "openai/silent", silent.api_base)
    open_models(page)
    page.get_by_role("button", name="Test the connection").click()
    asked(silent)
    stop(page)
    silent.otherwise = text("1, ", "2, ", "3")
    page.get_by_role("button", name="Test the connection").click()
    sees(page.get_by_text("Its answers stream: this one came in 3 pieces."))
    quiet(page)
    page.keyboard.press("Escape")
    before, silent.otherwise = len(silent.requests), slow(SILENCE_SECONDS)
    page.get_by_role("button", name="Replay with").click()
    asked(silent, before + 1)
    stop(page)
    sees(page.get_by_text("Not replayed yet"))
    silent.otherwise = text("A summary.")
    page.get_by_role("button", name="Replay with").click()
    expect(page.get_by_text("Not replayed yet")).to_have_count(0)
    drawn(page)
    stands(page, "compare")


def test_a_judge_that_is_silent(
    page: Page, dashboard: Dashboard, silent: OpenAIServer
) -> None:
    go(page, f"{dashboard.url}/facts?view=lives", "retention")
    page.get_by_text("Ask a model").first.click()
    page.get_by_text("Let a model judge the answers").click()
    quiet(page)
    choose_model(page, "Judge", "openai/silent", silent.api_base)
    silent.then(text("RIGHT"))
    page.locator(".st-key-judged-ask").get_by_role("button").click()
    asked(silent, 2)
    stop(page)
    sees(page.get_by_text("1 of 54 answers so far"))
    sees(page.get_by_role("button", name="Go on with"))


def test_one_question_to_all_settings_and_a_free_run_with_a_silent_model(
    page: Page, dashboard: Dashboard, silent: OpenAIServer
) -> None:
    silent.then(text("It is 3,000 euros."))
    go(page, f"{dashboard.url}/compare", "compare")
    choose_model(page, "Chat model", "openai/silent", silent.api_base)
    page.get_by_role("textbox", name="One question to all settings").fill(
        "What is the budget?"
    )
    page.get_by_role("button", name="Ask 3 settings").click()
    asked(silent, 2)
    stop(page)
    sees(page.get_by_text("It is 3,000 euros."))
    before = len(silent.requests)
    silent.then(text("First."), text("Second."))
    open_models(page)
    page.get_by_role("radio", name="Free run").click()
    quiet(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Answer with").click()
    asked(silent, before + 3)
    stop(page)
    sees(page.get_by_text("2 of 138 turns answered so far"))
    sees(page.get_by_role("button", name="Go on with"))


def test_the_prompt_lab(page: Page, dashboard: Dashboard, silent: OpenAIServer) -> None:
    go(page, f"{dashboard.url}/facts?view=summaries", "summaries")
    silent.otherwise = text("A summary.")
    choose_model(page, "Summarizer", "openai/lab", silent.api_base)
    page.get_by_role("button", name="Replay with").click()
    sees(page.get_by_text("Full buffer never summarizes"))
    quiet(page)
    page.get_by_role("radio", name="Summary buffer").click()
    page.get_by_role("tab", name="Prompt lab").click()
    quiet(page)
    before, silent.otherwise = len(silent.requests), slow(SILENCE_SECONDS)
    page.get_by_role("button", name="Try both").click()
    asked(silent, before + 1)
    stop(page)
    sees(page.get_by_role("tab", name="Prompt lab", selected=True))


def test_a_paid_sweep(page: Page, dashboard: Dashboard, silent: OpenAIServer) -> None:
    go(page, f"{dashboard.url}/tune", "tune")
    # The free sweep ends by itself and draws the page anew, which may take away what is just being typed.
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    sees(page.get_by_text("best of each strategy", exact=False))
    quiet(page)
    open_models(page)
    chooser = page.locator(".st-key-summarizer-name").get_by_role("combobox")
    chooser.fill("openai/gpt-5-mini")
    chooser.press("Enter")
    quiet(page)
    base = page.get_by_role("textbox", name="Base URL")
    base.fill(silent.api_base)
    base.press("Enter")
    quiet(page)
    sees(page.get_by_text("not yet with openai/gpt-5-mini"))
    expect(base).to_have_value(silent.api_base)
    page.keyboard.press("Escape")  # the panel lies over the page
    page.get_by_role("button", name="Sweep with").click()
    asked(silent)
    stop(page)
    sees(page.get_by_text("runs were measured and are shown"))
    sees(page.get_by_role("button", name="Go on"))
