"""A visitor asks what a conversation costs, and what changes that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import drawn, go, sees

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

CHART = ".st-key-costs-curve .js-plotly-plot"


def test_a_click_on_a_line_opens_the_request_of_its_setting_and_turn(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/compare?view=dollars", "costs")
    x, y = drawn(page, CHART).evaluate(
        """chart => {
            const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
            const line = chart._fullData.find(t => t.name === "Full buffer");
            return [box.left + xaxis._offset + xaxis.d2p(40), box.top + yaxis._offset + yaxis.d2p(line.y[39])];
        }"""
    )
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    expect(page.locator(f"{CHART} .hovertext")).to_contain_text("turn 40")
    page.mouse.click(x, y)
    sees(page.get_by_text("Request of turn 40"))
    expect(page.get_by_role("combobox", name="Setting", exact=True)).to_have_value(
        "Full buffer"
    )
