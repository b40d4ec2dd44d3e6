"""A visitor asks what a conversation costs, and what changes that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from tests.browser.journeys import drawn, go, quiet, sees, stands

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

CHART = ".st-key-costs-curve .js-plotly-plot"


def totals(page: Page) -> Locator:
    return page.get_by_test_id("stMetricValue")


def choose(page: Page, label: str, model: str) -> None:
    chooser = page.get_by_role("combobox", name=label)
    chooser.fill(model)
    chooser.press("Enter")
    quiet(page)


def test_totals_follow_the_model_and_the_pause(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/compare?view=dollars", "costs")
    drawn(page, CHART)
    first = totals(page).all_inner_texts()
    assert len(first) == 3
    assert all(total.startswith("$0.") for total in first)
    choose(page, "Prices of the chat model", "anthropic/claude-sonnet-4-5")
    expect(totals(page).first).not_to_have_text(first[0])
    quiet(page)
    cached = totals(page).all_inner_texts()
    page.get_by_role("combobox", name="Pause between turns").click()
    page.get_by_role(
        "option", name="5 min", exact=True
    ).click()  # which the cache does not outlast
    quiet(page)
    sees(page.get_by_text("After a pause of 5 min the prompt cache is empty"))
    expect(totals(page).first).not_to_have_text(cached[0])
    page.get_by_text("Which prices and cache rules are these?").click()
    sees(
        page.get_by_text("anthropic/claude-sonnet-4-5, USD per million tokens: input 3")
    )
    stands(page, "costs")


def test_a_price_that_nobody_knows_can_be_entered(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/compare?view=dollars", "costs")
    choose(page, "Prices of the chat model", "nobody/knows")
    expect(totals(page)).to_have_text(["unknown"] * 3)
    page.get_by_role("button", name="More prices").click()
    for name in ("Input", "Output"):
        box = page.get_by_role("spinbutton", name=name, exact=True)
        box.fill("2")
        box.press("Enter")
        quiet(page)
    page.keyboard.press("Escape")
    expect(totals(page).filter(has_text="unknown")).to_have_count(0)
    page.get_by_text("Which prices and cache rules are these?").click()
    sees(page.get_by_text("nobody/knows, USD per million tokens: input 2"))
    drawn(page, CHART)
    stands(page, "costs")


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
