"""The languages of a page: texts of a conversation are marked with theirs, and another one is chosen for the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

from tests.browser.journeys import address_of, go, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard


UNMARKED = """() => {
    const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement, text = texts.currentNode.data;
        const around = element.closest("[lang]")?.getAttribute("lang");
        if (/[\\u4e00-\\u9fff]{2}/.test(text) && !element.closest("script, style") && around !== "zh") found.push(text);
    }
    return found;
}"""


@pytest.mark.slow
def test_a_page_is_read_in_another_language_and_its_address_says_so(
    page: Page, dashboard: Dashboard
) -> None:
    # The page that shows most kinds of texts of a conversation marks those that are Chinese.
    query = "conversation=sample-chinese&turn=9"
    go(page, dashboard.url + address_of("retention", query), "retention")
    expect(page.locator("[data-memviz-lang]").first).to_be_attached()
    quiet(page)
    assert page.evaluate(UNMARKED) == []

    page.get_by_role("button", name="New here?").click()
    page.get_by_role("dialog").get_by_role("button", name="简体中文").click()
    navigation = page.get_by_test_id("stTopNavLink")
    expect(navigation.first).to_contain_text("比较")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page).to_have_url(re.compile("lang=zh"))
    assert "turn=9" in page.url
    page.reload()
    expect(navigation.first).to_contain_text("比较")
    page.get_by_role("button", name="第一次来？").click()
    page.get_by_role("dialog").get_by_role("button", name="English").click()
    expect(navigation.first).to_contain_text("Compare")
    expect(page.locator("html")).to_have_attribute("lang", "en")
