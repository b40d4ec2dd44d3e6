"""A visitor looks at a summary before it is used, leaves the page meanwhile, and rewords it afterwards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from tests.browser.journeys import bubbles, go, quiet, say, sees, stands

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

FACT = "My budget for the trip to Lisbon is 3,100 euros and my daughter Mira is allergic to hazelnuts."
LONG = (
    "Tell me more about trams, museums, food and the weather in spring, with all details that you know. "
    * 3
)


def proposal(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Proposed summary")


def ask_until_due(page: Page) -> None:
    """A chat under a small summary buffer that asks before it summarizes."""
    limit = page.get_by_role("spinbutton", name="Max token limit")
    limit.fill("160")
    limit.press("Enter")
    quiet(page)
    page.get_by_text("Ask before summarizing").click()
    quiet(page)
    for text in (FACT, LONG, LONG, LONG):
        said = bubbles(page).count()
        say(page, text)
        expect(bubbles(page).nth(said)).to_be_visible()
        quiet(page)
        if proposal(page).count():
            return
    raise AssertionError("nothing was due")


def test_a_summary_is_reworded_before_and_after_it_is_used(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    ask_until_due(page)
    page.get_by_role("link", name="Library", exact=True).click()
    stands(page, "library")
    page.get_by_role("link", name="Chat", exact=True).click()
    stands(page, "chat")
    expect(proposal(page)).to_have_value(re.compile("3,100 euros"))
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_disabled()
    proposal(page).fill("The budget is 4,200 euros.")
    proposal(page).press("Control+Enter")
    page.get_by_role("button", name="Use my wording").click()
    expect(proposal(page)).to_have_count(0)
    quiet(page)
    desk = page.locator(".st-key-summary-desk")
    desk.get_by_text("What the summary says").click()
    text = desk.get_by_role("textbox")
    expect(text).to_have_value("The budget is 4,200 euros.")
    text.fill("The budget is 5,300 euros.")
    text.press("Control+Enter")
    desk.get_by_role("button", name="Save my wording").click()
    sees(desk.get_by_role("button", name="Undo the edit"))
    quiet(page)
    say(page, "What is the budget?")
    expect(bubbles(page).last).to_contain_text("5,300 euros")
    stands(page, "chat")
