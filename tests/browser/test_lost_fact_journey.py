"""A visitor finds the summarization that lost the budget, reads what it changed, rewords it, and the fact lives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="The browser tests need playwright (pip install playwright).")

from playwright.sync_api import Page, expect

from tests.browser.journeys import drawn, go, quiet, sees, stands, turn_to

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

NOW = "The total budget for the trip is now 3,600 euros."
LIVES = ".st-key-retention-lives .js-plotly-plot"
STORY = re.compile("^Word for word from turn 18")
"""The sentence beside the picture; the table of all lives says it in small letters."""
SETTING = "Summary buffer · 900 tokens"


def load_the_trip(page: Page) -> None:
    chooser = page.get_by_role("combobox", name="Conversation")
    chooser.fill("Portugal")
    page.get_by_role("option", name="Two weeks in Portugal").click()
    quiet(page)


def pick_summary_buffer(page: Page) -> None:
    """One more setting beside those that a visitor finds."""
    settings = page.locator("[class*='st-key-setting-']")
    before = settings.count()
    page.get_by_role("button", name="Add a setting").click()
    expect(settings).to_have_count(before + 1)
    settings.last.get_by_role("button", name="Edit").click()
    strategy = page.get_by_role("combobox", name="Strategy")
    strategy.fill("Summary buffer")
    page.get_by_role("option", name="Summary buffer", exact=True).click()
    quiet(page)
    limit = page.get_by_role("spinbutton", name="Max token limit").last
    limit.fill("900")
    limit.press("Enter")
    quiet(page)
    page.keyboard.press("Escape")


def look_at_the_budget(page: Page, setting: str) -> None:
    """The story of the budget under ``setting`` on the Facts page."""
    turn_to(page, "retention")
    drawn(page, LIVES)
    page.get_by_role("radio", name=setting, exact=True).click()
    expect(page.get_by_role("radio", name=setting, exact=True)).to_be_checked()
    quiet(page)
    chooser = page.get_by_role("combobox", name="The story of one fact")
    chooser.click()
    chooser.fill("total budget")
    page.get_by_role("option", name="What is the total budget for the trip now?").click()
    quiet(page)
    sees(page.get_by_text("Stated in message 35 (turn 18)"))


def test_the_budget_dies_and_lives_again(page: Page, dashboard: Dashboard) -> None:
    go(page, f"{dashboard.url}/compare", "compare")
    load_the_trip(page)
    pick_summary_buffer(page)
    look_at_the_budget(page, SETTING)
    story = page.get_by_text(STORY)
    expect(story).to_contain_text("lost at turn 21")
    expect(story).to_contain_text("left it out")

    page.get_by_role("button", name="Open this summarization").click()
    stands(page, "summaries")
    expect(page.get_by_role("radio", name=SETTING, exact=True)).to_be_checked()
    sees(page.get_by_role("heading", name="Version 9 of 20, before the request of turn 21"))
    expect(page.locator(".memviz-diff ins").first).to_be_visible()
    expect(page.locator(".memviz-diff del").first).to_be_visible()

    page.get_by_role("tab", name="Reword").click()
    wording = page.get_by_role("textbox", name="Your wording of version 9")
    assert "3,600" not in wording.input_value()
    wording.fill(f"{wording.input_value()} {NOW}")
    wording.press("Control+Enter")
    page.get_by_role("button", name="Replay with my wording").click()
    expect(page.get_by_role("radio", name=f"{SETTING} · reworded", exact=True)).to_be_checked()
    quiet(page)

    look_at_the_budget(page, f"{SETTING} · reworded")
    expect(page.get_by_text(STORY)).to_contain_text("in the summary at turn 21")
