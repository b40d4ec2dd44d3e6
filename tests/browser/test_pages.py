"""Every page opens, in light and dark, wide and narrow, by link and by click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import (
    drawn,
    go,
    quiet,
    read_request,
    sees,
    stands,
    turn_to,
)

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard


def lightness(page: Page) -> float:
    """How light the background is, from 0 to 255."""
    background = page.get_by_test_id("stApp").evaluate(
        "app => getComputedStyle(app).backgroundColor"
    )
    return sum(int(part) for part in background.strip("rgb()").split(",")) / 3


@pytest.mark.slow
def test_a_phone_shows_the_chart_and_one_map_below_the_other(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    go(page, dashboard.url, "compare")
    chart = drawn(page)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert 300 <= box["width"] <= 400 - box["x"]
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 400
    middle = [box["x"] + box["width"] / 2, box["y"] + 100]
    covered = "([x, y]) => document.elementFromPoint(x, y)?.closest('.js-plotly-plot') === null"
    assert not page.evaluate(covered, middle), "something lies over the chart"

    page.get_by_role("radio", name="Memory map", exact=True).click()
    stands(page, "memory_map")
    maps = [
        drawn(page, f".st-key-map-{number} .js-plotly-plot").bounding_box()
        for number in range(3)
    ]
    assert all(each and 300 <= each["width"] <= 400 - each["x"] for each in maps)
    assert len({each["x"] for each in maps if each}) == 1
    assert len({each["y"] for each in maps if each}) == 3
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 400


@pytest.mark.slow
def test_another_page_opens_whatever_is_open_or_under_way_on_this_one(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, dashboard.url, "compare")
    read_request(page)
    page.get_by_role("button", name="Download", exact=True).click()
    sees(page.get_by_role("button", name="Report (HTML)"))
    turn_to(page, "library")
    is_light_or_dark_as_the_browser_is(page)
    page.get_by_role("link", name="Compare", exact=True).click()
    sees(page.get_by_role("slider", name="Turn"))
    page.keyboard.press("n")  # the rest of the page is not drawn yet
    turn_to(page, "guide")
    turn_to(page, "compare")
    # A panel that tells when it closes: the click on the link closes it.
    page.get_by_role("button", name="Sliding window 10 messages").click()
    expect(page.get_by_role("spinbutton", name="Window size")).to_be_visible()
    quiet(page)
    turn_to(page, "retention")


def is_light_or_dark_as_the_browser_is(page: Page) -> None:
    assert lightness(page) > 127
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    assert lightness(page) < 127
