"""Words explain themselves to a pointer, to the keyboard and to a finger, and the guide is reached from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

from memviz.dashboard.guide.glossary import tooltip
from tests.browser.journeys import drawn, go, sees, turn_to
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

    from tests.browser.dashboard import Dashboard

CAPTION_TERM = '[data-testid="stCaptionContainer"] a[href*="guide?term="]'


def tip(page: Page) -> Locator:
    return page.get_by_role("tooltip").filter(visible=True)


@pytest.mark.slow
def test_a_finger_sees_the_meaning_first_and_follows_the_link_then(
    open_context: Callable[..., BrowserContext], dashboard: Dashboard
) -> None:
    context = open_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    go(page, f"{dashboard.url}/compare?view=memory_map", "memory_map")
    page.wait_for_function(
        "window.memvizTerms"
    )  # until then it is a link like any other
    word = page.locator(CAPTION_TERM).first
    word.tap()
    expect(tip(page)).to_contain_text(tooltip("request"))
    assert len(context.pages) == 1
    with context.expect_page() as opened:
        word.tap()
    sees(opened.value.get_by_role("heading", name="What do the words mean?"))
    expect(opened.value.locator(".st-key-guide-asked")).to_contain_text(
        tooltip("request")
    )


@pytest.mark.slow
def test_words_explain_themselves_to_pointer_and_keyboard_and_the_guide_leads_to_compare_and_back(
    page: Page, dashboard: Dashboard
) -> None:
    # A word below the title explains itself, and one can point at what it says.
    go(page, f"{dashboard.url}/facts", "retention")
    word = page.locator(CAPTION_TERM).nth(1)
    word.hover()
    expect(tip(page)).to_contain_text(tooltip("request"))
    expect(word).to_have_attribute("aria-describedby", "memviz-tip")
    tip(page).hover()
    page.wait_for_timeout(400)
    expect(tip(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip(page)).to_have_count(0)
    page.locator(CAPTION_TERM).first.focus()
    expect(tip(page)).to_contain_text(tooltip("fact"))

    # So do the words of charts in the guide, and of those to which it leads.
    turn_to(page, "guide")
    page.get_by_role("link", name="Running summary", exact=True).click()
    sees(page.get_by_role("heading", name="Running summary"))
    quiet(page)
    assert "strategy=summary" in page.url
    drawn(page, ".st-key-guide-picture-summary .js-plotly-plot")
    page.locator(".legend .traces", has_text="Word for word").hover()
    expect(tip(page)).to_contain_text(tooltip("word for word"))
    page.get_by_role("link", name="Open this run in Compare").click()
    sees(page.get_by_text("Running summary · 8 messages"))
    sees(page.get_by_text("Request of turn 45"))
    drawn(page)
    page.locator(".st-key-compare-tokens .xtitle").first.hover()
    expect(tip(page)).to_contain_text(tooltip("turn"))
    page.keyboard.press("n")
    page.go_back()
    sees(page.get_by_role("heading", name="Running summary"))
    quiet(page)
