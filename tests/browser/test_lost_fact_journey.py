"""A visitor finds the summarization that lost a date, reads what it changed, rewords it, and the fact lives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import address_of, drawn, go, quiet, sees, stands, turn_to

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

DATE = "Finn's passport expires on 9 July 2027."
LIVES = ".st-key-retention-lives .js-plotly-plot"
STORY = re.compile("^Word for word from turn 6")
"""The sentence beside the picture; the table of all lives says it in small letters."""
SETTINGS = "conversation=sample-trip&setting=buffer&setting=summary_buffer+%7B%22max_token_limit%22:900%7D"
SETTING = "Summary buffer · 900 tokens"


def look_at_the_passport(page: Page, setting: str) -> None:
    """The story of the passport under ``setting`` on the Facts page."""
    drawn(page, LIVES)
    page.get_by_role("radio", name=setting, exact=True).click()
    expect(page.get_by_role("radio", name=setting, exact=True)).to_be_checked()
    quiet(page)
    chooser = page.get_by_role("combobox", name="The story of one fact")
    chooser.click()
    chooser.fill("passport")
    page.get_by_role(
        "option", name="What is the date on which Finn's old passport expires?"
    ).click()
    quiet(page)
    sees(page.get_by_text("Stated in message 11 (turn 6)"))


def test_the_date_of_a_passport_dies_and_lives_again(
    page: Page, dashboard: Dashboard
) -> None:
    go(page, dashboard.url + address_of("retention", SETTINGS), "retention")
    look_at_the_passport(page, SETTING)
    story = page.get_by_text(STORY)
    expect(story).to_contain_text("lost at turn 27")
    expect(story).to_contain_text("left it out")

    page.get_by_role("button", name="Open this summarization").click()
    stands(page, "summaries")
    expect(page.get_by_role("radio", name=SETTING, exact=True)).to_be_checked()
    sees(
        page.get_by_role(
            "heading", name="Version 12 of 20, before the request of turn 27"
        )
    )
    expect(page.locator(".memviz-diff ins").first).to_be_visible()
    expect(page.locator(".memviz-diff del").first).to_be_visible()

    page.get_by_role("tab", name="Reword").click()
    wording = page.get_by_role("textbox", name="Your wording of version 12")
    assert "9 July 2027" not in wording.input_value()
    wording.fill(f"{wording.input_value()} {DATE}")
    wording.press("Control+Enter")
    page.get_by_role("button", name="Replay with my wording").click()
    expect(
        page.get_by_role("radio", name=f"{SETTING} · reworded", exact=True)
    ).to_be_checked()
    quiet(page)

    turn_to(page, "retention")
    look_at_the_passport(page, f"{SETTING} · reworded")
    expect(page.get_by_text(STORY)).to_contain_text(
        re.compile(r"in the summary from turn \d+ to (?:2[7-9]|[34]\d)")
    )
