"""A conversation that one visitor imports, and no other may see."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

TITLE = "Zebra diary"


def import_diary(page: Page, folder: Path) -> None:
    """Import it on the page Library that is open."""
    file = folder / "diary.json"
    messages = [
        {"role": "user", "content": "I saw a zebra."},
        {"role": "assistant", "content": "Where?"},
    ]
    file.write_text(json.dumps({"title": TITLE, "messages": messages}))
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    page.get_by_text(TITLE).first.wait_for()
