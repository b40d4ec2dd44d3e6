"""The sidebar in a browser: what is in sight, and what a click does."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.journeys import address_of, drawn, go, names_of_lines
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

    from tests.browser.dashboard import Dashboard

RECORDED = 'summary_buffer {"max_token_limit": 1500}'

WIDE: ViewportSize = {"width": 1280, "height": 720}
NARROW: ViewportSize = {"width": 390, "height": 844}

pytestmark = pytest.mark.slow


def test_three_settings_are_in_sight_and_changed_in_place_in_a_panel_that_stays_open(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size(WIDE)
    go(page, dashboard.url, "compare")
    for name in (
        "Full buffer",
        "Summary buffer",
        "Add a setting",
        "Models, sharing and more",
    ):
        sidebar = page.get_by_test_id("stSidebarUserContent")
        expect(sidebar.get_by_role("button", name=name)).to_be_in_viewport()
    expect(page.locator(".st-key-compare-at-request")).to_be_in_viewport()
    page.get_by_role("button", name="Sliding window 10 messages").click()
    expect(page.get_by_role("spinbutton", name="Window size")).to_be_focused()
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    drawn(page)
    expect(names_of_lines(page).filter(has_text="4 messages")).to_have_count(1)
    quiet(page)
    page.get_by_role("combobox", name="Strategy", exact=True).click()
    page.get_by_role("option", name="Token buffer", exact=True).click()
    quiet(page)
    limit = page.get_by_role("spinbutton", name="Max tokens (tokens)")
    limit.fill("1200")
    limit.press("Enter")
    quiet(page)
    expect(limit).to_have_value("1200")
    row = page.get_by_role("button", name="Token buffer 1,200 tokens")
    expect(row).to_have_attribute("aria-expanded", "true")
    row.click()
    quiet(page)
    expect(limit).to_have_count(0)


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

    for name in ("lessons", "library", "guide"):
        go(page, dashboard.url + address_of(name), name)
        stays()
    go(page, dashboard.url, "compare")
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
    # One of each page; its views have the line at the same place.
    for name in ("compare", "retention"):
        page.set_viewport_size(WIDE)
        go(page, dashboard.url + address_of(name, settings), name)
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)
            line = page.locator(".st-key-whose-summaries")
            writer = line.get_by_text("recorded · claude", exact=True)
            expect(writer).to_be_in_viewport(ratio=1)


def test_a_click_on_a_question_mark_never_turns_a_switch(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    switch = page.get_by_role("switch", name="Ask before summarizing")
    row = page.get_by_test_id("stHorizontalBlock").filter(has=switch).last
    row.get_by_role("button", name="Help").click()
    quiet(page)
    expect(page.get_by_text("Stops before messages are summarized")).to_be_visible()
    expect(switch).not_to_be_checked()
