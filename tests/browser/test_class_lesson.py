"""A lesson with the class in two browsers: a teacher at a projector, and a student with a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.dashboard import Dashboard
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Locator, Page

CODE = "maple street"
TEACHER_CODE = "oak tree avenue"
PHONE = {"width": 390, "height": 844}
SOON_MILLISECONDS = 60_000
pytestmark = [pytest.mark.slow, pytest.mark.provokes_console_errors]


@pytest.fixture
def served(
    chromium_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Dashboard]:
    monkeypatch.setenv("MEMVIZ_CLASS", CODE)
    monkeypatch.setenv("MEMVIZ_TEACHER_CODE", TEACHER_CODE)
    monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(tmp_path / "class"))
    server = Dashboard(tmp_path)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert "(most recent call last)" not in server.output.read_text()


def enter(page: Page, address: str, code: str, name: str) -> None:
    page.goto(address)
    page.get_by_label("Code of the class").fill(code)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Open memviz").click()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def shows(place: Locator) -> None:
    """It is seen, at the latest after the page has looked again."""
    expect(place).to_be_visible(timeout=SOON_MILLISECONDS)


def whole_runs(page: Page) -> list[ForwardMsg]:
    """Return the list of the beginnings of all runs of the whole page, and not of a part, from now on."""
    runs: list[ForwardMsg] = []

    def read(frame: str | bytes) -> None:
        message = ForwardMsg.FromString(frame) if isinstance(frame, bytes) else None
        if message is not None and message.WhichOneof("type") == "new_session":
            if not message.metadata.run.fragment_ids:
                runs.append(message)

    page.on("websocket", lambda socket: socket.on("framereceived", read))
    return runs


def test_a_class_follows_predicts_and_sees_what_it_knows(
    served: Dashboard, page: Page, open_context: Callable[..., BrowserContext]
) -> None:
    teacher = page
    phone = open_context(viewport=PHONE).new_page()
    runs = whole_runs(phone)
    enter(teacher, served.url + "/lessons?lesson=first-look", TEACHER_CODE, "Ms Lee")
    enter(phone, served.url + "/library", CODE, "Zoltana")
    shows(phone.get_by_role("button", name="Back up"))

    press(teacher, "Open with the class")
    shows(phone.get_by_text("Your teacher has opened A first look at a memory"))
    press(phone, "Join")
    shows(phone.get_by_role("heading", name="Everything is sent again"))
    shows(teacher.get_by_text("1 participant"))
    quiet(phone)
    runs_before = len(runs)
    assert runs_before
    press(teacher, "Next")
    question = phone.locator(".st-key-lesson-question")
    shows(question)
    expect(phone).to_have_url(re.compile("step=2"))
    assert phone.locator('[data-testid="stMain"]').evaluate("it => it.scrollTop") == 0
    picture = phone.locator(".st-key-lesson-picture")
    assert question.bounding_box()["y"] < picture.bounding_box()["y"]  # type: ignore[index]

    question.locator("label", has_text="No").click()
    shows(teacher.get_by_text("1 of 1 have answered"))
    press(teacher, "Show the answers")
    bars = teacher.locator(".memviz-answered .counted")
    expect(bars).to_have_text([re.compile("Yes 0"), re.compile("No 1")])
    shows(question.get_by_text("The answers are closed"))
    expect(question.locator(".right")).to_have_count(0)
    press(teacher, "Show the reason")
    shows(question.get_by_text("It is not time"))
    expect(question.locator(".counted.right")).to_contain_text(
        "No 1 · right · your answer"
    )
    assert len(runs) == runs_before  # only the step was drawn again

    languages = phone.locator(".st-key-lesson-walk")
    languages.get_by_text("简体中文").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("初识对话记忆")
    languages.get_by_text("English").click()
    shows(question.get_by_text("It is not time"))

    press(phone, "Leave the lesson")
    shows(teacher.get_by_text("0 participants"))
    press(phone, "Join")
    shows(question.get_by_text("It is not time"))
    phone.reload()
    shows(question.get_by_text("It is not time"))

    press(teacher, "End for all")
    shows(teacher.get_by_text("100% right (1 of 1)"))
    teacher.get_by_role("button", name="Who answered what").click()
    shows(teacher.get_by_text("Zoltana"))
    shows(phone.get_by_text("100% right (1 of 1)"))
    expect(phone.get_by_text("Zoltana")).to_have_count(0)
