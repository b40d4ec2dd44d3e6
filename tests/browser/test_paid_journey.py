"""A model that costs money, from its test to the end of the budget: what is said before, counted, and in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import Locator, Page, expect

from tests.browser.journeys import (
    bubbles,
    choose_model,
    drawn,
    go,
    open_models,
    quiet,
    say,
    sees,
    stands,
    turn_to,
)
from tests.models.openai_server import Answer, OpenAIServer, openai_server, text

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

NAME, KEY = "openai/gpt-5-mini", "a-key"
SLOWLY_SECONDS = 0.6
MORE_SLOWLY_SECONDS = 2


def slowly(answer: Answer, seconds: float = SLOWLY_SECONDS) -> Answer:
    """The same answer after a moment, in which a person can look."""

    def answered(handler: object) -> None:
        handler.server.closing.wait(seconds)  # type: ignore[attr-defined]
        answer(handler)  # type: ignore[arg-type]

    return answered


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.otherwise = slowly(text("A summary ", "of it."))
        yield running


def spent(page: Page) -> Locator:
    return page.get_by_test_id("stSidebar").get_by_text(
        re.compile(r"^Spent in this session: ")
    )


def set_budget(page: Page, usd: str) -> None:
    open_models(page)
    box = page.get_by_role("spinbutton", name="Budget (USD)")
    box.fill(usd)
    box.press("Enter")
    quiet(page)
    page.keyboard.press("Escape")


def test_what_is_spent_counts_while_a_sweep_and_a_replay_run_until_the_budget_ends(
    page: Page, dashboard: Dashboard, server: OpenAIServer
) -> None:
    # Nothing is spent yet when the page is drawn: what counts is drawn by the part of it that watches the sweep.
    server.otherwise = slowly(text("A summary ", "of it."), MORE_SLOWLY_SECONDS)
    go(page, f"{dashboard.url}/tune", "tune")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    expect(spent(page)).to_have_count(0)
    sees(page.get_by_text("best of each strategy", exact=False))
    quiet(page)
    choose_model(page, "Summarizer", NAME, server.api_base)
    expect(spent(page)).to_have_text("Spent in this session: $0.00 · budget $1.00")
    page.get_by_role("button", name="Sweep with").click()
    stop = page.get_by_role("button", name="Stop", exact=True)
    sees(stop)
    expect(spent(page)).not_to_have_text("Spent in this session: $0.00 · budget $1.00")
    sees(stop)
    stop.first.click()
    sees(page.get_by_text("runs were measured and are shown"))

    # The test of the model says what it costs and whether it streams.
    server.otherwise = slowly(text("A summary ", "of it."))
    turn_to(page, "compare")
    open_models(page)
    sees(page.get_by_text("At most $0.00048."))
    swept = spent(page).inner_text()
    page.get_by_role("button", name="Test the connection").click()
    sees(page.get_by_text("Its answers stream: this one came in 2 pieces."))
    list_price = "A million tokens cost $0.25 in and $2.00 out, by litellm's list."
    sees(page.get_by_text(list_price))
    tested = spent(page).inner_text()
    assert tested != swept
    page.keyboard.press("Escape")

    # A replay says what it costs at most, and what it did so far while it runs.
    most = r"is asked for about \d+ summaries when you say so\. At most \$0\.\d+\."
    sees(page.get_by_text(re.compile(most)))
    page.get_by_role("button", name="Replay with").click()
    sees(page.get_by_text(re.compile(r"\$0\.\d+ so far")))
    expect(spent(page)).not_to_have_text(tested)  # the sidebar follows
    under_way = spent(page).inner_text()
    expect(page.get_by_text("Not replayed yet")).to_have_count(0)
    drawn(page)
    stands(page, "compare")
    assert spent(page).inner_text() != under_way

    # Where the budget is spent a chat asks nobody, until it is raised.
    turn_to(page, "chat")
    whole = spent(page).inner_text()
    open_models(page)
    chooser = page.get_by_role("combobox", name="Chat model")
    chooser.click()
    chooser.fill(NAME)
    # With the summarizer's key and address, since it is the same model.
    chooser.press("Enter")
    quiet(page)
    page.keyboard.press("Escape")
    sees(page.get_by_text(re.compile(r"The next reply\. At most \$0\.\d+\.")))
    set_budget(page, "0.01")
    say(page, "My budget is 3,000 euros.")
    ended = r"The budget of \$0\.01 allows no further call: .* Raise the budget under Models"
    sees(page.get_by_text(re.compile(ended)))
    expect(bubbles(page)).to_have_count(1)
    expect(spent(page)).to_have_text(whole.replace("$1.00", "$0.01"))
    set_budget(page, "1")
    server.otherwise = text("A long reply. " * 2_000)  # costs enough to be seen
    page.get_by_role("button", name="Retry").first.click()
    expect(bubbles(page)).to_have_count(2)
    quiet(page)
    assert spent(page).inner_text() != whole
    for request in server.requests:
        assert request.headers["authorization"] == f"Bearer {KEY}"
