"""Stop ends what a model is asked for, also while its server says nothing, and the page goes on.

There are four ways: a reply of the chat; a ``Job``, for which the test of a connection stands (the judge, the prompt
lab, a question to all settings, a free run and a draft of a summary are others); a replay in the background; and work
that is watched, which ``test_paid_journey.py`` ends on Tune and ``tests/pages/test_deriving.py`` in a chat. What each
of them keeps when it ends early is tested on its page without a browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from tests.browser.journeys import (
    SILENCE_SECONDS,
    asked,
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

SOON_MILLISECONDS = 15_000
"""Within this a stopped page stands again: generous for a busy machine, and far from the silence."""
FACT = "My budget is 3,000 euros and my daughter Mira is allergic to nuts."


@pytest.fixture
def silent() -> Iterator[OpenAIServer]:
    """A server that takes requests and says nothing."""
    with openai_server() as server:
        server.otherwise = slow(SILENCE_SECONDS)
        yield server


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
    sees(bubbles(page).last.get_by_text("stopped before it was complete"))
    expect(bubbles(page).last).to_contain_text("One two")
    silent.then(text("Your budget is 3,000 euros."))
    page.get_by_role("button", name="Retry").first.click()
    sees(bubbles(page).last.get_by_text("Your budget is 3,000 euros."))
    stands(page, "chat")


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
