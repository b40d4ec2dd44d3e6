"""A visitor finds a real llama.cpp server on this machine, chats with its model and lets it summarize.

``tests/models/test_llama_cpp.py`` replays a conversation with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Page, expect

from tests.browser.journeys import (
    bubbles,
    drawn,
    go,
    open_models,
    quiet,
    say,
    sees,
    stands,
)
from tests.models.llama_cpp_server import llama_cpp_server

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

NAME = "llamafile/SmolLM2"
MOST_TOKENS = 24
LIMIT_TOKENS = 60
NOTES = (
    "My name is Ada and I live in Lisbon with two cats, Miso and Tofu.",
    "My budget for the trip in May is 1,800 euros.",
    "The ferry to the island leaves at seven o'clock.",
)


@pytest.fixture
def address() -> Iterator[str]:
    with llama_cpp_server(most_tokens=MOST_TOKENS) as running:
        yield running


def test_a_model_of_this_machine_is_found_answers_and_summarizes(
    page: Page, dashboard: Dashboard, address: str
) -> None:
    go(page, f"{dashboard.url}/chat", "chat")
    limit = page.get_by_role("spinbutton", name="Max token limit (tokens)")
    limit.fill(str(LIMIT_TOKENS))
    limit.press("Enter")
    quiet(page)
    open_models(page)
    page.get_by_role("button", name="Find models on this machine").click()
    port = page.get_by_role("textbox", name="Another port of this machine")
    port.fill(address.partition(":")[2])
    port.press("Enter")
    found = page.locator(".st-key-local-models").filter(has_text="SmolLM2")
    sees(found.get_by_text("llama.cpp · 2,048 tokens of context"))
    for use in ("For summaries", "For answers"):
        found.get_by_role("button", name=use).click()
        expect(found.get_by_role("button", name=use)).to_be_disabled()
        quiet(page)
    limit = page.get_by_role("spinbutton", name="Reply limit")
    limit.fill(str(MOST_TOKENS))  # so small a model finds no end by itself
    limit.press("Enter")
    quiet(page)
    page.keyboard.press("Escape")
    sees(page.get_by_text(f"Summaries and answers: {NAME}"))

    for number, note in enumerate(NOTES, start=1):
        say(page, note)
        expect(bubbles(page)).to_have_count(2 * number)
        quiet(page)
    for number in range(len(NOTES)):
        expect(bubbles(page).nth(2 * number + 1)).not_to_be_empty()
    drawn(page, ".st-key-chat-tokens .js-plotly-plot")
    sees(page.get_by_text("Last request:"))
    sees(page.get_by_text("replaced by a summary").first)
    stands(page, "chat")
