"""A visitor points at what became of a message, and clicks on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from memviz.transcripts.samples import sample
from tests.browser.journeys import (
    drawn,
    go,
    map_place,
    quiet,
    sees,
    stands,
)

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow


def point_at(page: Page, number: int, turn: float, message: float) -> Locator:
    """Move the pointer onto a cell; returns the tooltip."""
    x, y = map_place(page, number, turn, message)
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    return page.locator(f".st-key-map-{number} .hoverlayer .hovertext")


def test_three_maps_are_seen_at_once_and_pointer_and_keyboard_lead_to_cells_and_summarizations(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, f"{dashboard.url}/compare?view=memory_map", "memory_map")
    boxes = [
        drawn(page, f".st-key-map-{number} .js-plotly-plot").bounding_box()
        for number in range(3)
    ]
    assert len({box["y"] for box in boxes if box}) == 1
    assert all(box is not None and box["y"] + box["height"] <= 720 for box in boxes)

    first = page.locator(".st-key-map-2 .js-plotly-plot").evaluate(
        "chart => { const t = chart.data.find(t => t.name === 'summarizations'); return [t.x[0], t.y[0]]; }"
    )
    tooltip = point_at(page, 2, *first)
    expect(tooltip).to_contain_text("Summarized messages 1 to ")
    expect(tooltip).to_contain_text("1,584 tokens >")
    expect(point_at(page, 1, 30, 12)).to_contain_text("dropped")
    tooltip = point_at(page, 2, 30, 12)
    expect(tooltip).to_contain_text("replaced by a summary (version 8),summarized ")
    page.mouse.click(*map_place(page, 2, 30, 12))
    # A cell has 2 or 3 pixels, so it may be a neighbour.
    sees(page.get_by_text(re.compile(r"^Request of turn (29|30|31) ·")))
    said = page.get_by_text(
        re.compile(
            r"^Message 1[0-4] \(.*under Summary buffer.*replaced by a summary since"
        )
    )
    sees(said)
    quiet(page)  # the field stands below the sentence, and is drawn after it
    message = page.get_by_role("spinbutton", name="Message", exact=True).input_value()
    expect(said).to_contain_text(f"Message {message} (")
    expect(
        page.get_by_text(sample("trip").messages[int(message) - 1].content[:60]).first
    ).to_be_visible()
    before = page.get_by_text(re.compile("^Request of turn [0-9]+ ·")).inner_text()
    page.get_by_role(
        "heading", name="What became of every message?"
    ).click()  # a page without a focus hears no key
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(before)).to_have_count(0)
    box = page.get_by_role("spinbutton", name="Message", exact=True)
    box.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    sees(page.get_by_text(f"Message {int(message) + 1} ("))
    stands(page, "memory_map")
