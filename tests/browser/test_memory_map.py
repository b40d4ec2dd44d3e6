"""A visitor points at what became of a message, and clicks on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="The browser tests need playwright (pip install playwright).")

from playwright.sync_api import BrowserContext, Locator, Page, expect

from memviz.transcripts.samples import sample
from tests.browser.journeys import drawn, go, map_place, quiet, sees, stands, turn_to

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

MARKUP = "<b>fat</b> %{x} &amp; \"quoted\" 'text' <a href='x'>link</a>"


def point_at(page: Page, number: int, turn: float, message: float) -> Locator:
    """Move the pointer onto a cell; returns the tooltip."""
    x, y = map_place(page, number, turn, message)
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    return page.locator(f".st-key-map-{number} .hoverlayer .hovertext")


def click_on(page: Page, number: int, turn: float, message: float) -> None:
    point_at(page, number, turn, message)
    page.mouse.click(*map_place(page, number, turn, message))


def test_pointing_and_clicking_at_a_cell(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/memory_map", "memory_map")
    tooltip = point_at(page, 2, 30, 12)
    expect(tooltip).to_contain_text("message 12 (assistant, turn 6)")
    expect(tooltip).to_contain_text("replaced by a summary (version 8),summarized 7 times")
    expect(tooltip).to_contain_text("at the request of turn 30: 1,539 tokens sent")
    expect(point_at(page, 1, 30, 12)).to_contain_text("dropped")
    click_on(page, 2, 30, 12)
    sees(page.get_by_text("Message 12 and the request of turn 30 are shown below."))
    expect(page.get_by_role("spinbutton", name="Message", exact=True)).to_have_value("12")
    expect(page.get_by_text(sample("trip").messages[11].content[:60]).first).to_be_visible()
    sees(page.get_by_text("Request of turn 30, 1,539 tokens"))
    sees(page.get_by_text("sent word for word until turn 8; replaced by a summary since turn 9"))
    stands(page, "memory_map")


def test_pointing_at_a_summarization(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/memory_map", "memory_map")
    first = page.locator(".st-key-map-2 .js-plotly-plot").evaluate(
        "chart => { const t = chart.data.find(t => t.name === 'summarizations'); return [t.x[0], t.y[0]]; }"
    )
    tooltip = point_at(page, 2, *first)
    expect(tooltip).to_contain_text("Summarized messages 1 to ")
    expect(tooltip).to_contain_text("tokens > 1,500")


def test_the_keyboard_walks_through_messages_and_turns(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/memory_map", "memory_map")
    box = page.get_by_role("spinbutton", name="Message", exact=True)
    box.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    sees(page.get_by_text("Message 2 · assistant, turn 1"))
    page.get_by_role("slider", name="Request of turn").focus()
    page.keyboard.press("ArrowLeft")
    sees(page.get_by_text("Request of turn 45, "))


def test_maps_stack_on_a_phone(open_context: Callable[..., BrowserContext], dashboard: Dashboard) -> None:
    page = open_context(viewport={"width": 420, "height": 900}).new_page()
    go(page, f"{dashboard.url}/memory_map", "memory_map")
    boxes = [drawn(page, f".st-key-map-{number} .js-plotly-plot").bounding_box() for number in range(3)]
    assert all(box is not None and 320 <= box["width"] <= 420 - box["x"] for box in boxes)
    assert len({box["x"] for box in boxes if box}) == 1
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 420


def test_maps_stand_side_by_side(page: Page, dashboard: Dashboard) -> None:
    page.set_viewport_size({"width": 1500, "height": 900})
    go(page, f"{dashboard.url}/memory_map", "memory_map")
    boxes = [drawn(page, f".st-key-map-{number} .js-plotly-plot").bounding_box() for number in range(3)]
    assert len({box["y"] for box in boxes if box}) == 1


def test_text_that_looks_like_markup_stays_text(page: Page, dashboard: Dashboard) -> None:
    said = [{"role": role, "content": MARKUP} for _ in range(3) for role in ("user", "assistant")]
    go(page, f"{dashboard.url}/library", "library")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "markup.json", "mimeType": "application/json", "buffer": json.dumps({"messages": said}).encode()}
    )
    sees(page.get_by_text("Imported markup.json"))
    page.get_by_role("button", name="Compare").first.click()
    stands(page, "compare")
    turn_to(page, "memory_map")
    quiet(page)
    expect(point_at(page, 0, 3, 2)).to_contain_text(MARKUP[:43] + "…")
    click_on(page, 0, 3, 2)
    expect(page.get_by_role("spinbutton", name="Message", exact=True)).to_have_value("2")
    sees(page.get_by_test_id("stText").get_by_text(MARKUP))
