"""Two servers for one class over one database: what one saves the other shows, and where one is stopped the class goes
on with the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.dashboard import Dashboard
from tests.browser.diary import TITLE, import_diary
from tests.postgres import PostgresCluster, running_postgres

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Locator, Page

CODE, TEACHER_CODE = "maple street", "oak and linden"
SOON_MILLISECONDS = 60_000
pytestmark = [pytest.mark.slow, pytest.mark.provokes_console_errors]


@pytest.fixture(scope="module")
def database() -> Iterator[PostgresCluster]:
    with running_postgres() as cluster:
        yield cluster


@pytest.fixture
def servers(
    chromium_path: str,
    database: PostgresCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Dashboard, Dashboard]]:
    """Two processes that know of each other by the database alone: each has a folder of its own."""
    monkeypatch.setenv("MEMVIZ_CLASS", CODE)
    monkeypatch.setenv("MEMVIZ_TEACHER_CODE", TEACHER_CODE)
    address = database.address(database.new_database())
    started = []
    try:
        for name in ("first", "second"):
            folder = tmp_path / name
            folder.mkdir()
            monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(folder / "class"))
            server = Dashboard(folder)
            server.database = address
            server.start()
            started.append(server)
        yield started[0], started[1]
    finally:
        for server in started:
            server.stop()
    for server in started:
        assert "(most recent call last)" not in server.output.read_text()
        assert not (server.output.parent / "class").exists()


def enter(page: Page, server: Dashboard, place: str, code: str, name: str) -> None:
    page.goto(server.url + place)
    page.get_by_label("Code of the class").fill(code)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Open memviz").click()


def shows(place: Locator) -> None:
    expect(place).to_be_visible(timeout=SOON_MILLISECONDS)


def test_a_class_goes_on_where_one_of_its_servers_is_stopped(
    servers: tuple[Dashboard, Dashboard],
    page: Page,
    open_context: Callable[..., BrowserContext],
    tmp_path: Path,
) -> None:
    first, second = servers
    ana, teacher = page, open_context().new_page()
    enter(ana, first, "/library", CODE, "Ana")
    import_diary(ana, tmp_path)
    ana.get_by_test_id("stMain").get_by_text(TITLE).first.wait_for()

    lesson = "/lessons?lesson=first-look"
    enter(teacher, second, lesson, TEACHER_CODE, "Ms Lee")
    teacher.get_by_role("button", name="Open with the class", exact=True).click()
    shows(ana.get_by_text("Your teacher has opened A first look at a memory"))
    ana.get_by_role("button", name="Join", exact=True).click()
    shows(ana.get_by_role("heading", name="Everything is sent again"))
    shows(teacher.get_by_text("1 participant"))

    # The proxy leads Ana to the other server now, with the cookie that she has.
    first.stop()
    teacher.get_by_role("button", name="Next", exact=True).click()
    ana.goto(second.url + "/lessons")
    question = ana.locator(".st-key-lesson-question")
    shows(question)
    question.locator("label", has_text="No").click()
    shows(teacher.get_by_text("1 of 1 have answered"))
    ana.goto(second.url + "/library")
    shows(ana.get_by_test_id("stMain").get_by_text(TITLE).first)
