"""A visitor talks, stops, comes back, and has two tabs open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import (
    SILENCE_SECONDS,
    asked,
    bubbles,
    choose_model,
    drawn,
    go,
    quiet,
    say,
    sees,
    turn_to,
)
from tests.models.openai_server import openai_server, slow

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

FACT = "My budget is 3,000 euros and my daughter Mira is allergic to nuts."
PLAN = "We want to travel in May, by train."
QUESTION = "What is my budget?"
CHAT_ADDRESS = re.compile(r"/chat\?chat=[\w-]+$")


def talk(page: Page, *texts: str) -> None:
    """Say each of ``texts`` when the reply before is there."""
    said = bubbles(page).count()
    for text in texts:
        said += 2
        say(page, text)
        expect(bubbles(page)).to_have_count(said)
        quiet(page)


@pytest.mark.slow
def test_talking_brings_the_reply_into_sight_and_two_tabs_lose_no_message(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")

    # A click on a question mark explains the switch beside it, and does not turn it.
    switch = page.get_by_role("switch", name="Ask before summarizing")
    row = page.get_by_test_id("stHorizontalBlock").filter(has=switch).last
    row.get_by_role("button", name="Help").click()
    quiet(page)
    expect(page.get_by_text("Stops before messages are summarized")).to_be_visible()
    expect(switch).not_to_be_checked()
    page.keyboard.press("Escape")

    # The model answers by what it was told, and two charts say what that took.
    talk(page, FACT, PLAN, QUESTION)
    expect(bubbles(page).last).to_contain_text("3,000 euros")
    drawn(page, ".st-key-chat-bar .js-plotly-plot")
    drawn(page, ".st-key-chat-tokens .js-plotly-plot")
    sees(page.get_by_text("Last request:"))

    # Who scrolled up, as to recall the first turn, sees the next reply all the same.
    page.set_viewport_size({"width": 1280, "height": 576})
    page.wait_for_timeout(
        1_000
    )  # up to 0.7 s after a reply the page may still bring it into view
    bubbles(page).first.scroll_into_view_if_needed()
    expect(bubbles(page).last).not_to_be_in_viewport()
    talk(page, QUESTION)
    expect(bubbles(page).last).to_be_in_viewport(ratio=1)

    # Two tabs on one chat.
    second = page.context.new_page()
    go(second, page.url, "chat")
    expect(bubbles(second)).to_have_count(8)
    talk(second, "In the second tab: the train leaves at 7:40.")
    say(page, "In the first tab: the hotel is called Aurora.")
    expect(page.get_by_text("In the first tab")).not_to_have_count(0)
    quiet(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    go(second, second.url, "chat")
    expect(second.get_by_text(FACT).first).to_be_visible()
    expect(second.get_by_text("In the second tab").first).to_be_visible()
    saved = second.get_by_text("In the first tab").count() > 0
    assert saved or page.get_by_text("another tab").count() > 0, (
        "the message was lost without a word"
    )


@pytest.mark.slow
@pytest.mark.provokes_console_errors
def test_a_new_server_leads_from_its_root_to_compare_and_after_a_kill_to_a_chat_with_all_that_was_in_it(
    page: Page, fresh_dashboard: Dashboard
) -> None:
    """The server is killed during a reply. What waits for the next request and is pinned is there as well."""
    go(
        page,
        f"{fresh_dashboard.url}/?conversation=sample-support&view=memory_map",
        "memory_map",
    )
    assert "/compare?" in page.url
    assert "conversation=sample-support" in page.url
    turn_to(page, "chat")
    talk(page, FACT, QUESTION)
    before = bubbles(page).all_inner_texts()
    page.get_by_role("button", name="Recall earlier turns").click()
    turns = page.get_by_role("textbox", name="Turns")
    turns.fill("1")
    turns.press("Enter")
    page.get_by_role("button", name="Recall 2 messages").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pin", exact=True).click()
    sees(page.get_by_role("button", name="Unpin"))
    quiet(page)
    with openai_server() as server:
        server.otherwise = slow(SILENCE_SECONDS)
        choose_model(page, "Chat model", "openai/silent", server.api_base)
        say(page, PLAN)
        expect(page).to_have_url(CHAT_ADDRESS)  # while its reply is on its way
        asked(server)
        link = page.url
        fresh_dashboard.kill()
    fresh_dashboard.start()
    go(page, link, "chat")  # the first visit of a server, by a deep link
    sees(page.get_by_role("link", name="Library", exact=True))
    expect(bubbles(page)).to_have_count(5)
    assert bubbles(page).all_inner_texts()[:4] == before
    sees(bubbles(page).last.get_by_text(PLAN))
    sees(page.get_by_text("Not answered yet"))
    sees(page.get_by_role("button", name="Unpin"))
    say(page, QUESTION)  # writing on instead of Retry works as well
    expect(bubbles(page)).to_have_count(7)
    expect(page.get_by_text("Not answered yet")).to_have_count(0)
    expect(bubbles(page).last).to_contain_text("3,000 euros")
