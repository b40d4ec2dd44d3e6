"""A visitor compares strategies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="The browser tests need playwright (pip install playwright).")

from playwright.sync_api import Page, expect

from tests.browser.journeys import drawn, go, marker_places, quiet, stands

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard


def request_of(page: Page, turn: int) -> None:
    expect(page.get_by_text(f"Request of turn {turn},")).to_be_visible()


def test_the_chart_is_there_without_a_click_and_follows_a_parameter(page: Page, dashboard: Dashboard) -> None:
    go(page, dashboard.url, "compare")
    chart = drawn(page)
    names = chart.locator(".legendtext")
    expect(names).to_have_text(["Full buffer", "Sliding window · 10 messages", "Summary buffer · 1,500 tokens"])
    window = page.get_by_test_id("stMetric").nth(1)
    before = window.get_by_test_id("stMetricValue").inner_text()
    page.get_by_text("Sliding window · 10 messages").first.click()
    box = page.get_by_role("spinbutton", name="Window size (messages)")
    box.fill("4")
    box.press("Enter")
    expect(names.nth(1)).to_have_text("Sliding window · 4 messages")
    expect(window.get_by_test_id("stMetricValue")).not_to_have_text(before)
    stands(page, "compare")


def test_a_click_on_a_summarization_moves_the_inspector(page: Page, dashboard: Dashboard) -> None:
    go(page, dashboard.url, "compare")
    drawn(page)
    place = marker_places(page)[2]
    page.mouse.move(place["x"], place["y"])
    tooltip = page.locator(".hoverlayer .hovertext")
    expect(tooltip).to_contain_text("summarized")
    expect(tooltip).to_contain_text("tokens > 1,500")
    page.mouse.click(place["x"], place["y"])
    request_of(page, place["turn"])
    expect(page.get_by_role("slider", name="Turn")).to_have_attribute("aria-valuetext", str(place["turn"]))


def test_the_slider_walks_through_the_turns(page: Page, dashboard: Dashboard) -> None:
    go(page, dashboard.url, "compare")
    slider = page.get_by_role("slider", name="Turn")
    turn = int(slider.get_attribute("aria-valuetext") or 0)
    slider.focus()
    for step in (1, 2):
        page.keyboard.press("ArrowLeft")
        request_of(page, turn - step)
    quiet(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_an_imported_file_opens_in_compare(page: Page, dashboard: Dashboard) -> None:
    messages = [
        {"role": role, "content": f"{role} says number {number}."}
        for number in range(7)
        for role in ("user", "assistant")
    ]
    content = json.dumps({"title": "Seven numbers", "messages": messages}).encode()
    go(page, f"{dashboard.url}/library", "library")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "seven.json", "mimeType": "application/json", "buffer": content}
    )
    expect(page.get_by_text("Imported seven.json: 14 messages in 7 turns.")).to_be_visible()
    page.get_by_role("button", name="Compare").first.click()
    stands(page, "compare")
    drawn(page)
    expect(page.get_by_text("7 turns.")).to_be_visible()
    request_of(page, 7)


def test_a_broken_file_is_a_sentence(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/library", "library")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "broken.json", "mimeType": "application/json", "buffer": b'{"messages": ['}
    )
    expect(page.get_by_text("broken.json was not imported.")).to_be_visible()
    stands(page, "library")
