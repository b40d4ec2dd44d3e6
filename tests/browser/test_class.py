"""A class: the code lets in, and what one visitor has no other reads, lists, opens or deletes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from memviz.models.class_door import door_link
from tests.browser.dashboard import TALK, Dashboard
from tests.browser.diary import TITLE, import_diary

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Cookie, Page

CODE = "maple street"
pytestmark = [pytest.mark.slow, pytest.mark.provokes_console_errors]


@pytest.fixture
def served(
    chromium_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Dashboard]:
    monkeypatch.setenv("MEMVIZ_CLASS", CODE)
    monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(tmp_path / "class"))
    server = Dashboard(tmp_path)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def class_cookies(context: BrowserContext) -> list[Cookie]:
    return [
        cookie for cookie in context.cookies() if cookie["name"].startswith("memviz_")
    ]


def test_each_visitor_has_a_library_that_no_other_sees_also_after_the_server_was_started_anew(
    served: Dashboard,
    tmp_path: Path,
    page: Page,
    open_context: Callable[..., BrowserContext],
) -> None:
    library = served.url + "/library"
    of_ana, bo = page, open_context()
    of_bo = bo.new_page()

    # Another code does not let in.
    of_ana.goto(library)
    of_ana.get_by_label("Code of the class").fill("maple")
    of_ana.keyboard.press("Enter")
    alert = of_ana.get_by_role("alert").inner_text()
    assert alert == "This is not the code of the class."
    assert of_ana.evaluate(TALK, served.port) == "refused"
    of_ana.get_by_label("Code of the class").fill(CODE)
    of_ana.get_by_role("button", name="Open memviz").click()
    import_diary(of_ana, tmp_path)
    assert of_ana.get_by_text("Kept in").count() == 0, "a path of the server"
    of_ana.get_by_role("button", name="Compare", exact=True).first.click()
    of_ana.wait_for_url("**/compare?*conversation=*")

    # A link brings the code; its address does not show another what is hers.
    of_bo.goto(door_link(served.url, CODE))
    assert of_bo.url == served.url + "/door"
    assert of_bo.get_by_label("Code of the class").input_value() == CODE
    of_bo.get_by_label("Your name (or none)").fill("Bo")
    of_bo.keyboard.press("Enter")
    of_bo.wait_for_url(lambda url: "/door" not in url)
    of_bo.goto(of_ana.url)
    of_bo.get_by_text("The conversation of the link is not in this library").wait_for()
    assert of_bo.get_by_text(TITLE).count() == 0
    of_bo.get_by_role("link", name="Library", exact=True).click()
    of_bo.get_by_role("button", name="Back up").wait_for()
    assert of_bo.get_by_text(TITLE).count() == 0

    # She is known again, and what she deletes is hers alone.
    served.stop()
    served.start()
    of_ana.goto(library)
    of_ana.get_by_text(TITLE).first.wait_for()
    of_ana.get_by_role("button", name="Delete everything").click()
    of_ana.get_by_role("button", name="Delete everything of mine").click()
    of_ana.get_by_text(TITLE).first.wait_for(state="detached")
    of_bo.goto(library)
    of_bo.get_by_role("button", name="Back up").wait_for()

    # Signing out takes the cookie.
    assert class_cookies(bo)
    of_bo.get_by_test_id("stSidebar").get_by_role("button", name="Sign out").click()
    of_bo.locator("form").get_by_role("button", name="Sign out").click()
    of_bo.get_by_label("Code of the class").wait_for()
    assert not class_cookies(bo)
