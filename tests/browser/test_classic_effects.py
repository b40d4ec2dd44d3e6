"""Classic effects, one after the other in one session, as somebody clicks through them: one of each kind.

``tests/pages/test_classic_effects.py`` reads all ten addresses and opens some."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

from memviz.dashboard.lessons.library import classic_effects
from tests.browser.journeys import go, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow

ONE_OF_EACH_KIND = (5, 9, 2)
"""By number: one with a recall, one of another view, and one with another counter, each after one of another kind."""


def test_a_click_shows_an_effect_whatever_was_shown_before(
    page: Page, dashboard: Dashboard
) -> None:
    go(
        page,
        f"{dashboard.url}/compare?conversation=sample-tutoring&setting=buffer",
        "compare",
    )
    for number in ONE_OF_EACH_KIND:
        one = classic_effects()[number - 1]
        if not urlsplit(page.url).path.endswith("/compare"):
            page.get_by_role("link", name="Compare").first.click()
            quiet(page)
        page.get_by_role("button", name="New here?").click()
        page.get_by_role("button", name=f"{number}. {one.title.en}").click()
        expect(page.get_by_text(f"{one.title.en}. {one.text.en}")).to_be_visible()
        expect(
            page.get_by_role("button", name=f"{number}. {one.title.en}")
        ).to_have_count(0)  # the list closed
        quiet(page)
        study = one.view.study
        page.wait_for_url(
            lambda url, id=study.conversation_id, turn=one.view.turn: (
                {"conversation": [id], "turn": [str(turn)]}.items()
                <= parse_qs(urlsplit(url).query).items()
            )
        )  # the page's address follows its picture
        address = urlsplit(page.url)
        shown = {name: texts[0] for name, texts in parse_qs(address.query).items()}
        assert address.path == f"/{one.view.page}"
        assert (shown["conversation"], shown["turn"]) == (
            one.view.study.conversation_id,
            str(one.view.turn),
        )
        assert (shown["counter"], shown["view"]) == (
            one.view.study.counter,
            one.view.show,
        )
        assert "recall" in shown if one.view.study.recalls else "recall" not in shown
