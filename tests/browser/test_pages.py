"""Every page opens, in light and dark, wide and narrow, by link and by click."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import (
    address_of,
    drawn,
    go,
    quiet,
    read_request,
    sees,
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
def test_a_phone_shows_the_chart(page: Page, dashboard: Dashboard) -> None:
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


@pytest.mark.slow
def test_compare_shows_what_happened_above_the_fold_and_its_camera_covers_no_name(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, dashboard.url, "compare")
    drawn(page)
    said = page.locator(".st-key-compare-at-request .memviz-why").bounding_box()
    assert said is not None
    assert said["y"] + said["height"] <= 720
    for name, place in (
        ("compare", ".st-key-compare-tokens"),
        ("costs", ".st-key-costs-curve"),
    ):
        turn_to(page, name)
        chart = page.locator(f"{place} .js-plotly-plot")
        expect(chart.locator(".modebar-btn")).to_have_count(1)
        chart.hover()
        assert chart.evaluate(COVERED) == []


COVERED = """chart => {
    const camera = chart.querySelector(".modebar-btn").getBoundingClientRect();
    const meets = (box) => box.left < camera.right && camera.left < box.right;
    const covers = (box) => meets(box) && box.top < camera.bottom && camera.top < box.bottom;
    const words = [...chart.querySelectorAll("text")];
    return words.filter(text => covers(text.getBoundingClientRect())).map(text => text.textContent);
}"""
"""The words of a chart over which the button stands that saves it."""


@pytest.mark.slow
def test_a_low_window_shows_every_picture_of_compare_with_its_player(
    page: Page, dashboard: Dashboard
) -> None:
    """1280x720 at 125 % zoom."""
    page.set_viewport_size({"width": 1024, "height": 576})
    settings = [
        ("setting", one)
        for one in ("buffer", "window", 'summary_buffer {"max_token_limit": 1500}')
    ]
    query = urlencode([("conversation", "sample-trip"), *settings])
    pictures = {
        "compare": ["compare-tokens"],
        "costs": ["costs-curve"],
        "memory_map": ["map-0", "map-1", "map-2"],
    }
    for name, keys in pictures.items():
        go(
            page,
            dashboard.url + address_of(name, query),
            name,
        )
        for key in [*keys, "compare-player"]:
            place = page.locator(
                f".st-key-{key} .js-plotly-plot" if key in keys else f".st-key-{key}"
            )
            expect(place).to_be_visible()
            quiet(page)
            box = place.bounding_box()
            assert box is not None
            assert box["height"] > (180 if key.startswith("map-") else 50), key
            assert box["y"] + box["height"] <= 576, f"{key} of {name} is below the fold"


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
