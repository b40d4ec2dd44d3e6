"""Files that the library imports, and what it lists."""

from __future__ import annotations

import json
from time import monotonic

from streamlit.testing.v1 import AppTest

from tests.pages.driving import labelled, sentences

MESSAGES = [
    {"role": "user", "content": "The ferry to Vestmanna leaves at 7:40."},
    {"role": "assistant", "content": "Noted: 7:40."},
    {"role": "user", "content": "When does the ferry leave?"},
    {"role": "assistant", "content": "At 7:40."},
]

AS_JSON = json.dumps({"title": "Ferry times", "messages": MESSAGES}).encode()


def upload(session: AppTest, *files: tuple[str, bytes]) -> AppTest:
    imports = labelled(session.file_uploader, "Import conversations")
    imports.set_value([(name, content, "application/json") for name, content in files])
    return settled(session.run())


def settled(session: AppTest) -> AppTest:
    """The page once the files that it reads in the background are done."""
    deadline = monotonic() + 60
    while (
        any(button.label == "Cancel" for button in session.button)
        and monotonic() < deadline
    ):
        session.run()
    return session


def titles(session: AppTest) -> list[str]:
    """Titles of the rows, from the top."""
    return [
        text[2:-2]
        for text in sentences(session.markdown)
        if text.startswith("**") and text.endswith("**")
    ]
