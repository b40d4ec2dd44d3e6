"""A class: the code lets in, and what one visitor has no other reads, lists, opens or deletes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from memviz.models.class_door import ClassDoor, door_link
from tests.browser.dashboard import TALK, Dashboard
from tests.browser.diary import TITLE, import_diary
from tests.class_cookies import cookies_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

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


def enter(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Code of the class").fill(CODE)
    page.get_by_role("button", name="Open memviz").click()


def test_each_visitor_has_a_library_that_no_other_sees(
    served: Dashboard, tmp_path: Path, open_context: Callable[..., BrowserContext]
) -> None:
    ana, bo = open_context(), open_context()
    of_ana = ana.new_page()
    of_ana.goto(served.url + "/library")
    of_ana.get_by_label("Code of the class").fill("maple")
    of_ana.keyboard.press("Enter")
    alert = of_ana.get_by_role("alert").inner_text()
    assert alert == "This is not the code of the class."
    assert of_ana.evaluate(TALK, served.port) == "refused"
    enter(of_ana, served.url + "/library")
    import_diary(of_ana, tmp_path)
    assert of_ana.get_by_text("Kept in").count() == 0, "a path of the server"

    of_bo = bo.new_page()
    enter(of_bo, served.url + "/library")
    of_bo.get_by_role("button", name="Back up").wait_for()
    assert of_bo.get_by_text(TITLE).count() == 0

    of_ana.get_by_role("button", name="Compare", exact=True).first.click()
    of_ana.wait_for_url("**/compare?*conversation=*")
    address = of_ana.url
    of_bo.goto(address)
    of_bo.get_by_text("The conversation of the link is not in this library").wait_for()
    assert of_bo.get_by_text(TITLE).count() == 0

    other_tab = ana.new_page()
    other_tab.goto(served.url + "/library")
    other_tab.get_by_text(TITLE).first.wait_for()
    other_tab.get_by_role("button", name="Delete everything").click()
    other_tab.get_by_role("button", name="Delete everything of mine").click()
    other_tab.get_by_text(TITLE).first.wait_for(state="detached")
    of_bo.goto(served.url + "/library")
    of_bo.get_by_role("button", name="Back up").wait_for()


def test_visitors_are_known_again_after_the_server_was_started_anew(
    served: Dashboard, tmp_path: Path, open_context: Callable[..., BrowserContext]
) -> None:
    ana = open_context()
    page = ana.new_page()
    enter(page, served.url + "/library")
    import_diary(page, tmp_path)
    served.stop()
    served.start()
    page.goto(served.url + "/library")
    page.get_by_text(TITLE).first.wait_for()
    (cookie,) = [one for one in ana.cookies() if one["name"].startswith("memviz_")]
    visitor = cookie["value"].partition(".")[0]
    other = ("0" if visitor[0] != "0" else "1") + visitor[1:]
    forged = cookie["value"].replace(visitor, other)
    ana.add_cookies([{**cookie, "value": forged}])
    page.goto(served.url + "/library")
    page.get_by_label("Code of the class").wait_for()


def test_nothing_is_sent_to_who_has_no_cookie_of_this_class(
    served: Dashboard, tmp_path: Path
) -> None:
    """Pages, files of the program, downloads and uploads; only that the server runs is said to everybody."""
    ours = cookies_of(ClassDoor(CODE, tmp_path / "class"))
    other_class = cookies_of(ClassDoor(CODE, tmp_path / "other")).issue()
    other_code = cookies_of(ClassDoor("maple lane", tmp_path / "class")).issue()
    issued = ours.issue()
    visitor, _, signature = issued.partition(".")
    forged = (
        "",
        "x",
        visitor,
        f"{visitor}.",
        f"{visitor}.{signature[:-1]}",
        f"{'0' * 32}.{signature}",
        f"../{visitor}.{signature}",
        other_class,
        other_code,
    )
    addresses = (
        "/",
        "/library",
        "/compare?conversation=sample-trip",
        "/static/index.html",
        "/media/" + "0" * 64 + ".json",
        "/component/memviz_languages/index.html",
        "/_stcore/host-config",
        "/_stcore/metrics",
    )
    name = ours.name
    with httpx.Client(base_url=served.url) as client:
        for cookie in forged:
            headers = {"Cookie": f"{name}={cookie}"}
            for address in addresses:
                answer = client.get(address, headers=headers)
                assert answer.status_code == 401, (cookie, address)
            file = {"file": ("diary.json", b"[]")}
            upload = "/_stcore/upload_file/session/file"
            answer = client.put(upload, headers=headers, files=file)
            assert answer.status_code in (401, 403), cookie
        assert client.get("/_stcore/health").status_code == 200
        inside = client.get("/library", headers={"Cookie": f"{name}={issued}"})
        assert inside.status_code == 200


def test_a_link_enters_the_code_and_signing_out_takes_the_cookie(
    served: Dashboard, open_context: Callable[..., BrowserContext]
) -> None:
    ana = open_context()
    page = ana.new_page()
    page.goto(door_link(served.url, CODE))
    assert page.url == served.url + "/door"
    assert page.get_by_label("Code of the class").input_value() == CODE
    page.get_by_label("Your name (or none)").fill("Ana")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/door" not in url)
    page.goto(served.url + "/library")
    page.get_by_test_id("stSidebar").get_by_role("button", name="Sign out").click()
    page.locator("form").get_by_role("button", name="Sign out").click()
    page.get_by_label("Code of the class").wait_for()
    assert not [
        cookie for cookie in ana.cookies() if cookie["name"].startswith("memviz_")
    ]
