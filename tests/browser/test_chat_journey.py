"""A visitor talks, stops, comes back, and has two tabs open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import (
    bubbles,
    choose_model,
    drawn,
    go,
    quiet,
    say,
    sees,
    stands,
    turn_to,
)
from tests.models.openai_server import chunk, openai_server

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

FACT = "My budget is 3,000 euros and my daughter Mira is allergic to nuts."
PLAN = "We want to travel in May, by train."
QUESTION = "What is my budget?"


def counting(handler: Any) -> None:
    """A reply without end, until the client goes away."""
    handler.start_events()
    number = 0
    while not handler.server.closing.wait(0.05):
        number += 1
        handler.send_event(chunk({"content": f"{number} "}))


def talk(page: Page, *texts: str) -> None:
    """Say each of ``texts`` when the reply before is there."""
    said = bubbles(page).count()
    for text in texts:
        said += 2
        say(page, text)
        expect(bubbles(page)).to_have_count(said)
        quiet(page)


@pytest.mark.slow
def test_three_turns(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    talk(page, FACT, PLAN, QUESTION)
    expect(bubbles(page).last).to_contain_text("3,000 euros")
    drawn(page, ".st-key-chat-bar .js-plotly-plot")
    drawn(page, ".st-key-chat-tokens .js-plotly-plot")
    sees(page.get_by_text("Last request:"))
    page.set_viewport_size({"width": 1280, "height": 576})
    page.wait_for_timeout(
        1_000
    )  # up to 0.7 s after a reply the page may still bring it into view
    bubbles(
        page
    ).first.scroll_into_view_if_needed()  # to recall the first turn one has to scroll up
    expect(bubbles(page).last).not_to_be_in_viewport()
    talk(page, QUESTION)
    expect(bubbles(page).last).to_be_in_viewport(ratio=1)
    stands(page, "chat")


@pytest.mark.slow
def test_stop_keeps_what_had_arrived(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    with openai_server() as server:
        server.then(counting)
        choose_model(page, "Chat model", "openai/counting", server.api_base)
        say(page, FACT)
        expect(bubbles(page).last).to_contain_text("1 2 3 4 5")
        page.get_by_role("button", name="Stop").click()
        sees(bubbles(page).last.get_by_text("stopped before it was complete"))
        assert server.client_gone.wait(60)
    expect(bubbles(page).last).to_contain_text("1 2 3 4 5")
    sees(page.get_by_role("button", name="Retry"))
    stands(page, "chat")


@pytest.mark.slow
def test_two_tabs_on_one_chat_lose_no_message(page: Page, dashboard: Dashboard) -> None:
    first = page
    go(first, f"{dashboard.url}/chat", "chat")
    talk(first, FACT, PLAN)
    second = page.context.new_page()
    go(second, first.url, "chat")
    expect(bubbles(second)).to_have_count(4)
    talk(second, "In the second tab: the train leaves at 7:40.")
    say(first, "In the first tab: the hotel is called Aurora.")
    expect(first.get_by_text("In the first tab")).not_to_have_count(0)
    quiet(first)
    expect(first.get_by_test_id("stException")).to_have_count(0)
    go(second, second.url, "chat")
    expect(second.get_by_text("In the second tab").first).to_be_visible()
    saved = second.get_by_text("In the first tab").count() > 0
    assert saved or first.get_by_text("another tab").count() > 0, (
        "the message was lost without a word"
    )


@pytest.mark.slow
def test_a_dropped_fact_is_recalled_for_one_request(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    page.get_by_role("combobox", name="Strategy").click()
    page.get_by_role("option", name="Sliding window").click()
    size = page.get_by_role("spinbutton", name="Window size")
    size.fill("2")
    size.press("Enter")
    quiet(page)
    talk(page, FACT, PLAN, "The weather is fine.", QUESTION)
    expect(bubbles(page).last).not_to_contain_text("3,000")
    page.get_by_role("button", name="Recall earlier turns").click()
    turns = page.get_by_role("textbox", name="Turns")
    turns.fill("1")
    turns.press("Enter")
    page.get_by_role("button", name="Recall 2 messages").click()
    expect(page.get_by_text("2 messages recalled").filter(visible=True)).to_have_count(
        1
    )
    page.keyboard.press("Escape")
    talk(page, QUESTION)
    expect(bubbles(page).last).to_contain_text("3,000 euros")
    talk(page, "Thank you.")
    expect(page.get_by_text("2 messages recalled")).to_have_count(0)
    expect(page.locator(".st-key-chat-bar")).to_be_visible()
    stands(page, "chat")


@pytest.mark.slow
def test_the_model_recalls_by_itself_where_only_summaries_are_sent(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    page.get_by_role("combobox", name="Strategy").click()
    page.get_by_role("option", name="Summary only").click()
    quiet(page)
    talk(page, FACT, PLAN)
    expect(page.get_by_text("The model recalled")).to_have_count(0)
    say(page, QUESTION)
    recalled = page.get_by_text("The model recalled: 1 call")
    expect(recalled).to_be_visible()
    expect(bubbles(page).last).to_contain_text("You told me")
    expect(bubbles(page).last).to_contain_text("3,000 euros")
    quiet(page)
    call = page.get_by_test_id("stCode").get_by_text(
        'recall_conversation({"turn_numbers": [1]})'
    )
    expect(call).not_to_be_visible()
    recalled.click()
    expect(call).to_be_visible()
    expect(page.get_by_text("Recalled 2 messages").filter(visible=True)).to_have_count(
        1
    )
    block = page.locator(".stMarkdownBadge").filter(
        has_text=re.compile(r"^Recalled \d")
    )  # below the context bar
    expect(block).to_have_count(1)
    talk(page, "Thank you.")
    expect(block).to_have_count(0)
    stands(page, "chat")


@pytest.mark.slow
@pytest.mark.provokes_console_errors
def test_a_new_server_leads_from_its_root_to_compare_and_after_a_restart_to_a_chat_with_what_waits_and_is_pinned(
    page: Page, fresh_dashboard: Dashboard
) -> None:
    go(
        page,
        f"{fresh_dashboard.url}/?conversation=sample-support&view=memory_map",
        "memory_map",
    )
    assert "/compare?" in page.url
    assert "conversation=sample-support" in page.url
    turn_to(page, "chat")
    talk(page, FACT, QUESTION)
    expect(page).to_have_url(re.compile(r"/chat\?chat=[\w-]+$"))
    page.get_by_role("button", name="Recall earlier turns").click()
    turns = page.get_by_role("textbox", name="Turns")
    turns.fill("1")
    turns.press("Enter")
    page.get_by_role("button", name="Recall 2 messages").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pin", exact=True).click()
    sees(page.get_by_role("button", name="Unpin"))
    quiet(page)
    link = page.url
    before = bubbles(page).all_inner_texts()
    fresh_dashboard.stop()
    fresh_dashboard.start()
    go(page, link, "chat")  # the first visit of a server, by a deep link
    sees(page.get_by_role("link", name="Library", exact=True))
    sees(page.get_by_role("button", name="Unpin"))
    expect(bubbles(page)).to_have_count(4)
    assert bubbles(page).all_inner_texts() == before
    talk(page, PLAN)
