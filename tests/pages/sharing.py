"""Links that pages share and open."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

from streamlit.testing.v1 import AppTest

from tests.pages.driving import open_address, page_of, sentences


def shared(session: AppTest) -> dict[str, list[str]]:
    """The query that the page writes into the address, and its copy button into the
    clipboard."""
    writers = {
        found.proto.component_name.rpartition("memviz_")[2]: found
        for found in session.get("bidi_component")
    }
    button = writers.get("copy_link") or writers["address"]
    data: dict[str, Any] = json.loads(button.proto.json or button.proto.mixed.json)
    return parse_qs(data["query"], strict_parsing=True)


def opened(page: str, query: dict[str, list[str]]) -> AppTest:
    session = open_address(page, query)
    assert page_of(session) == page
    return session


def passed_over(session: AppTest) -> list[str]:
    return [sentence for sentence in sentences(session.warning) if "link" in sentence]
