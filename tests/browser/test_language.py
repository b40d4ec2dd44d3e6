"""Another language is chosen on a page: it is drawn anew at once, its address and its links keep it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

from tests.browser.journeys import go

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard


@pytest.mark.slow
def test_a_page_is_read_in_another_language_and_its_address_says_so(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, f"{dashboard.url}/compare?turn=9", "compare")
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
