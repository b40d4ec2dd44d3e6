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

from playwright.sync_api import Page

from memviz.dashboard.ui.library.importing import ROW_PIXELS
from tests.browser.dashboard import Dashboard
from tests.browser.journeys import (
    drawn,
    go,
    read_request,
    sees,
    stands,
)

pytestmark = pytest.mark.slow


def talk(number: int) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [
        {
            "role": roles[n % 2],
            "content": f"Talk {number}: this is message {n}, on ferries.",
        }
        for n in range(12)
    ]


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        target.writestr("talks.json", json.dumps([talk(1), talk(2), talk(3)]))
        target.writestr("picture.png", b"\x89PNG")
    return packed.getvalue()


def upload(page: Page, name: str, content: bytes) -> None:
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def test_a_conversation_of_an_archive_is_chosen_compared_and_taken_away(
    page: Page, dashboard: Dashboard, tmp_path: Path
) -> None:
    go(page, f"{dashboard.url}/library", "library")
    upload(page, "export.zip", archive())
    sees(page.get_by_text("holds 3 conversations. Which do you want?"))
    table = page.get_by_test_id("stDataFrame").bounding_box()
    assert table
    page.mouse.click(
        table["x"] + 18, table["y"] + 2.5 * ROW_PIXELS
    )  # the box of the second row, below the head
    page.get_by_role("button", name="Import 1 conversation").click()
    sees(page.get_by_text("Imported export.zip: 12 messages in 6 turns"))
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
    assert "Talk 2: this is message 0, on ferries." in report.read_text(
        encoding="utf-8"
    )
