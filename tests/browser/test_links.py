"""Copy link: what it puts into the clipboard is what the page shows when it is clicked. Where a page may not write into
the clipboard, its buttons copy all the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

from tests.browser.journeys import go, open_models, quiet, stands

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

SETTINGS = "conversation=sample-trip&setting=buffer&setting=summary_buffer+%7B%22max_token_limit%22:900%7D&look=1"


def copied(page: Page) -> dict[str, str]:
    """The parts of the link that the button puts into the clipboard."""
    quiet(page)
    button = page.get_by_role("button", name="Copy link", exact=True)
    # Compare has it in a menu, with what else one shares; elsewhere it is one click.
    if "/compare" in page.url:
        open_models(page)
    button.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    return {name: texts[-1] for name, texts in parse_qs(urlsplit(link).query).items()}


WITHOUT_CLIPBOARD = (
    "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
)
"""As the pages of a server are seen from another machine without https."""


def pasted(page: Page) -> str:
    """What is in the clipboard, pasted into a field of the page."""
    box = page.get_by_role("textbox", name="One question to all settings")
    box.fill("")
    box.press("ControlOrMeta+v")
    return box.input_value()


def test_a_link_holds_what_was_changed_in_a_part_of_the_page_and_is_copied_without_a_clipboard_too(
    page: Page, dashboard: Dashboard
) -> None:
    page.context.grant_permissions(
        ["clipboard-read", "clipboard-write"], origin=dashboard.url
    )

    go(
        page,
        f"{dashboard.url}/facts?{SETTINGS}&fact=0&measure=Message+word+for+word",
        "retention",
    )
    page.get_by_role("combobox", name="The story of one fact").click()
    page.get_by_role("option").nth(3).click()
    quiet(page)  # the fact turns the page to the summarization that lost it
    page.get_by_role("radio", name="Full buffer", exact=True).click()
    expect(page).to_have_url(re.compile("look=0"))
    assert "look=1" not in page.url, "the address follows without a click on the button"
    lives = copied(page)
    assert lives["view"] == "lives"
    assert (lives["look"], lives["fact"] != "0") == ("0", True)

    go(
        page,
        f"{dashboard.url}/compare?{SETTINGS}&view=memory_map&turn=5&message=2",
        "memory_map",
    )
    page.get_by_role("combobox", name="Setting", exact=True).fill("Full buffer")
    page.get_by_role("option", name="Full buffer").click()
    quiet(page)
    page.get_by_role("slider", name="Turn").press("ArrowRight")
    quiet(page)
    page.get_by_role("spinbutton", name="Message").press("ArrowUp")
    map_link = copied(page)
    assert (map_link["turn"], map_link["message"], map_link["look"]) == ("6", "3", "0")
    rows = page.locator(".stHorizontalBlock[class*='st-key-setting-']")
    shadows = rows.evaluate_all(
        "rows => rows.map(row => getComputedStyle(row).boxShadow)"
    )
    assert ["2px" in shadow for shadow in shadows] == [True, False]

    # Without a clipboard a selection is copied.
    page.get_by_role("radio", name="Tokens", exact=True).click()
    stands(page, "compare")
    page.evaluate(WITHOUT_CLIPBOARD)
    open_models(page)
    page.get_by_role("button", name="Copy link", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.keyboard.press("Escape")
    assert pasted(page).startswith(f"{dashboard.url}/compare?conversation=sample-trip")

    open_models(page)
    page.get_by_role("button", name="Copy code").click()
    said = page.get_by_role("dialog").get_by_role("button", name="Copied")
    expect(said).to_be_focused()
    expect(page.get_by_role("button", name="Copy code")).to_be_visible()
    page.keyboard.press("Escape")
    quiet(page)
    assert pasted(page).startswith("<iframe src=")

    # Where that does not work either, the text is shown.
    page.evaluate("document.execCommand = () => false")
    quiet(page)
    shown: list[tuple[str, str]] = []

    def close(dialog: Dialog) -> None:
        shown.append((dialog.message, dialog.default_value))
        dialog.dismiss()

    open_models(page)
    page.on("dialog", close)
    with page.expect_event("dialog"):
        page.get_by_role("button", name="Copy link", exact=True).click()
    [(message, text)] = shown
    assert message == "Copy this address"
    assert text.startswith(f"{dashboard.url}/compare?conversation=sample-trip")
