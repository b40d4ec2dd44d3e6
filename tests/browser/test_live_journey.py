"""The page Live: what a program says while somebody looks appears by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

from memviz.storage.store import Store
from memviz.watching.keeper import Keeper
from tests.browser.journeys import go

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard


@pytest.mark.slow
def test_what_is_said_meanwhile_appears_without_a_click(
    page: Page, dashboard: Dashboard
) -> None:
    keeper = Keeper(Store(dashboard.database))

    def say(number: int) -> None:
        asked = {"role": "user", "content": f"Question {number} <b>bold</b>"}
        told = {"role": "assistant", "content": "word " * 1_000}
        keys = [f"u{number}", f"a{number}"]
        keeper.append("claude_code", "one", [asked, told], keys=keys, title="Buses")

    go(page, f"{dashboard.url}/live", "live")
    expect(page.get_by_text("memviz watch --db")).to_be_visible()
    say(1)
    page.reload()
    expect(page.get_by_text("About 1,0")).to_be_visible()
    expect(page.locator(".memviz-stage")).to_be_visible()
    say(2)
    expect(page.get_by_text("About 2,0")).to_be_visible()
    expect(page.get_by_text("(its own rule)")).to_be_visible()

    page.set_viewport_size({"width": 1280, "height": 900})
    lanes = page.locator(".memviz-stage .labels button")
    sentence = page.locator(".memviz-stage .sentence")
    page.wait_for_function(
        "([lane, sentence]) => lane.getBoundingClientRect().bottom < sentence.getBoundingClientRect().top",
        arg=[lanes.last.element_handle(), sentence.element_handle()],
    )
