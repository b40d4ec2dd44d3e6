"""The sidebar in a browser: what is in sight, and what a click does."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.journeys import address_of, go, turn_to

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

    from tests.browser.dashboard import Dashboard

RECORDED = 'summary_buffer {"max_token_limit": 1500}'

WIDE: ViewportSize = {"width": 1280, "height": 720}
NARROW: ViewportSize = {"width": 390, "height": 844}

pytestmark = pytest.mark.slow


def test_the_navigation_stands_at_one_place_with_and_without_a_sidebar(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size(WIDE)
    first = page.get_by_test_id("stTopNavLink").first
    go(page, dashboard.url + address_of("compare"), "compare")
    # On a busy machine a page is there before its styles are. With them the navigation begins above the sidebar.
    sidebar = page.get_by_test_id("stSidebar").bounding_box()
    assert sidebar is not None
    page.wait_for_function(
        "([element, end]) => element.getBoundingClientRect().x < end",
        arg=[first.element_handle(), sidebar["x"] + sidebar["width"]],
    )
    place = first.bounding_box()

    def stays() -> None:
        for _ in range(100):
            if first.bounding_box() == place:
                return
            page.wait_for_timeout(100)
        raise AssertionError(f"it jumps: {first.bounding_box()}, and not {place}")

    for name in ("lessons", "library", "guide", "compare"):
        turn_to(page, name)
        stays()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    opens = page.get_by_test_id("stExpandSidebarButton")
    expect(opens).to_be_visible()
    stays()
    opens.click()
    expect(page.get_by_test_id("stSidebarUserContent")).to_be_visible()


def test_whose_summaries_they_are_is_in_sight_with_the_picture(
    page: Page, dashboard: Dashboard
) -> None:
    settings = urlencode(
        [
            ("conversation", "sample-trip"),
            *(("setting", one) for one in ("buffer", RECORDED, "summary")),
        ]
    )
    page.set_viewport_size(WIDE)
    go(page, dashboard.url + address_of("compare", settings), "compare")
    # One of each page; its views have the line at the same place.
    for name in ("compare", "retention"):
        if name != "compare":
            page.set_viewport_size(WIDE)
            turn_to(page, name)
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)
            line = page.locator(".st-key-whose-summaries")
            writer = line.get_by_text("recorded · claude", exact=True)
            expect(writer).to_be_in_viewport(ratio=1)
