"""From a file of another program to a report: import, choose, compare, share, take away."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from memviz.dashboard.ui.library.importing import ROW_PIXELS
from tests.browser.dashboard import Dashboard
from tests.browser.journeys import (
    drawn,
    go,
    map_place,
    quiet,
    read_request,
    sees,
    stands,
    turn_to,
)

pytestmark = pytest.mark.slow


MARKUP = "<b>fat</b> %{x} &amp; \"quoted\" 'text' <a href='x'>link</a>"
TITLE = "<b>fat</b> **bold** $x^2$ :red[red] `code` [link](http://x.y) :smile: -> &lt; www.example.org"
FIRST = "This is message 1, on ferries."


def talk(title: str) -> dict[str, object]:
    """A conversation of twelve messages, all but the first full of markup."""
    texts = [FIRST] + [MARKUP] * 11
    roles = ("user", "assistant") * 6
    messages = [
        {"role": role, "content": text} for role, text in zip(roles, texts, strict=True)
    ]
    return {"title": title, "messages": messages}


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        target.writestr(
            "talks.json", json.dumps([talk("First"), talk(TITLE), talk("Third")])
        )
        target.writestr("picture.png", b"\x89PNG")
    return packed.getvalue()


def upload(page: Page, name: str, content: bytes) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def test_a_conversation_of_an_archive_is_chosen_compared_and_taken_away_and_its_markup_stays_text(
    page: Page, dashboard: Dashboard, tmp_path: Path
) -> None:
    go(page, f"{dashboard.url}/library", "library")
    upload(page, "export.zip", archive())

    # The second one is chosen, by the box of its row below the head.
    sees(page.get_by_text("holds 3 conversations. Which do you want?"))
    table = page.get_by_test_id("stDataFrame").bounding_box()
    assert table
    page.mouse.click(table["x"] + 18, table["y"] + 2.5 * ROW_PIXELS)
    page.get_by_role("button", name="Import 1 conversation").click()
    sees(page.get_by_text("Imported export.zip: 12 messages in 6 turns"))
    quiet(page)
    row = page.locator("[class*='st-key-conversation-']").first
    title = row.inner_text().splitlines()[0]
    assert title.replace("\u2060", "") == TITLE  # a word joiner has no width
    expect(row.get_by_role("link")).to_have_count(0)

    # It is compared, and taken away as a report.
    page.get_by_role("button", name="Compare").first.click()
    stands(page, "compare")
    drawn(page)
    sees(page.get_by_text("6 turns."))
    read_request(page)
    page.get_by_test_id("stPopover").get_by_text("Download", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report (HTML)").click()
    report = tmp_path / "report.html"
    download.value.save_as(report)
    assert FIRST in report.read_text(encoding="utf-8")
    page.keyboard.press("Escape")

    # A cell of its map shows the text as it is, and so does the message behind it.
    turn_to(page, "memory_map")
    x, y = map_place(page, 0, 3, 2)
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    tooltip = page.locator(".st-key-map-0 .hoverlayer .hovertext")
    expect(tooltip).to_contain_text(MARKUP[:43] + "…")
    page.mouse.click(x, y)
    message = page.get_by_role("spinbutton", name="Message", exact=True)
    expect(message).to_have_value("2")
    sees(page.get_by_test_id("stText").get_by_text(MARKUP))
