"""Bundled lessons are played, each in another language, theme and size, and a file of one is opened from disk."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import BrowserContext, Route, expect

import memviz
from memviz.dashboard.lessons.html import write_html_lesson
from memviz.storage.workspace import Workspace
from tests.browser.journeys import quiet, sees
from tests.browser.lessons import Scheme, play, ways
from tests.page_names import PLAYED_LESSONS

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard

WAYS = {way.name: way for way in ways()}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


@pytest.mark.slow
def test_on_a_phone_the_picture_follows_the_text_and_each_step_is_read_from_its_beginning(
    page: Page, dashboard: Dashboard
) -> None:
    """In Chinese and in the dark; the next test plays one the other way round, and ``tests/pages/test_lessons.py`` two
    more."""
    lesson = memviz.lesson(PLAYED_LESSONS[1])
    main = page.get_by_test_id("stMain")

    def look(number: int, what: str) -> None:
        if what == "step":
            assert main.evaluate("main => main.scrollTop") == 0, number
        if (number, what) == (SEEN_WHOLE, "step"):
            parts_follow_each_other(page)
        # The next step would begin where this one is left.
        onwards = page.locator(".st-key-lesson-onwards").get_by_role("button").last
        onwards.scroll_into_view_if_needed()
        if number == SEEN_WHOLE:
            assert main.evaluate("main => main.scrollTop") > 0

    play(page, dashboard.url, lesson, WAYS["zh-dark-390x844"], look)


SEEN_WHOLE = 2
"""The step of that lesson, from 1, that has a picture and a question."""


def parts_follow_each_other(page: Page) -> None:
    """Text, picture, question and buttons stand below one another, the first two on the first screen."""
    tops = [
        box["y"]
        for part in ("text", "picture", "question", "onwards")
        if (box := page.locator(f".st-key-lesson-{part}").bounding_box())
    ]
    assert len(tops) == 4
    assert tops == sorted(tops)
    assert tops[1] < page.evaluate("innerHeight")


@pytest.mark.slow
def test_a_lesson_has_no_sidebar_keeps_next_in_sight_and_ends_with_a_word(
    page: Page, dashboard: Dashboard
) -> None:
    lesson = memviz.lesson(PLAYED_LESSONS[0])

    def look(number: int, what: str) -> None:
        expect(page.get_by_test_id("stSidebar")).to_have_count(0)
        if lesson.steps[number - 1].asked is None or what == "answered":
            onwards = page.locator(".st-key-lesson-onwards").get_by_role("button").last
            expect(onwards).to_be_in_viewport(ratio=1)

    play(page, dashboard.url, lesson, WAYS["en-light-1280x720"], look)
    closing = page.locator(".st-key-lesson-closing")
    expect(closing).to_contain_text("You have finished")
    expect(closing).to_contain_text("answers right")
    closing.get_by_role("button", name="Next:").click()
    sees(page.locator(".st-key-lesson-walk"))


@pytest.mark.slow
def test_the_picture_stays_where_the_reader_put_it_until_the_step_changes(
    page: Page, dashboard: Dashboard
) -> None:
    lesson = memviz.lesson("a-fact-dies")
    several = next(
        n
        for n, step in enumerate(lesson.steps, 1)
        if (step.view.last_turn or 0) > (step.view.turn or 0)
    )
    at_step(page, dashboard, lesson.id, several)
    where = page.locator(".memviz-stage .where")
    begun = where.inner_text()
    page.keyboard.press("ArrowRight")
    rests(page)
    expect(where).not_to_have_text(begun)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(
        page.get_by_role("button", name="One request on")
    ).to_be_disabled()  # the last one
    rests(page)
    place = page.locator(".memviz-stage input[type=range]")
    last = place.input_value()
    # Long enough that the page has heard of it: it stays for the page as well.
    page.wait_for_timeout(1_000)
    quiet(page)
    expect(page.get_by_role("button", name="One request on")).to_be_disabled()
    page.locator(".st-key-lesson-walk").get_by_text("简体中文").click()
    sees(page.get_by_role("heading", name=lesson.steps[several - 1].title.zh))
    rests(page)
    expect(place).to_have_value(last)  # the picture speaks Chinese as well
    end = where.inner_text()
    page.locator(".st-key-lesson-next").get_by_role("button").click()
    expect(where).not_to_have_text(end)
    rests(page)
    # A setting that is chosen stays so when the page has heard of it.
    first = page.locator(".memviz-stage .labels button").first
    first.click()
    rests(page)
    expect(first).to_have_attribute("aria-pressed", "true")


SEEN_OF_SUMMARY = """
(reader) => {
    const text = reader.querySelector("p"), close = reader.querySelector("button").getBoundingClientRect();
    const first = text.getBoundingClientRect(), { bottom } = reader.getBoundingClientRect();
    const last = reader.getRootNode().elementFromPoint(first.left + 5, bottom - 12);
    return {
        lines: (bottom - first.top) / parseFloat(getComputedStyle(text).lineHeight),
        isCovered: !reader.contains(last),
        isBeside: close.left >= first.right,
        scrolled: reader.scrollTop,
        bottom,
    };
}
"""


@pytest.mark.slow
def test_a_long_name_a_summary_and_the_reason_are_seen_whole_beside_the_picture(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    at_step(page, dashboard, "a-fact-changes", 4)
    eight_lines_of_its_summary_are_seen_from_its_beginning(page)
    page.locator(".memviz-stage .reader").press("Escape")
    page.set_viewport_size({"width": 1280, "height": 720})
    rests(page)
    names = page.locator(".memviz-stage .labels .name")
    cut = "name => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 5"
    assert not [name for name in names.all() if name.evaluate(cut)]
    eight_lines_of_its_summary_are_seen_from_its_beginning(page)
    at_step(page, dashboard, "the-rule-is-lost", 5)
    page.locator(".st-key-lesson-question label").last.click()
    verdict = page.locator(".st-key-lesson-verdict")
    sees(verdict)
    quiet(page)
    expect(verdict).to_be_in_viewport(ratio=1)
    expect(page.locator(".memviz-stage canvas")).to_be_in_viewport(ratio=1)
    reason = verdict.bounding_box()
    onwards = page.locator(".st-key-lesson-onwards").bounding_box()
    assert reason is not None
    assert onwards is not None
    assert reason["y"] + reason["height"] <= onwards["y"] + 1


def eight_lines_of_its_summary_are_seen_from_its_beginning(page: Page) -> None:
    page.locator(".memviz-stage .labels button").last.click()
    page.get_by_role("button", name="Read the summary").click()
    reader = page.locator(".memviz-stage .reader")
    expect(reader).to_contain_text("- The user's name is Aoife")
    expect(reader).not_to_contain_text("<fact>")
    rests(page)
    seen = reader.evaluate(SEEN_OF_SUMMARY)
    assert seen["lines"] >= 8
    assert seen["scrolled"] == 0
    assert seen["isBeside"]
    assert not seen["isCovered"]
    height = page.evaluate("innerHeight")
    assert seen["bottom"] <= height
    lanes = page.locator(".memviz-stage canvas").bounding_box()
    assert lanes is not None
    if page.evaluate("innerWidth") > 400:
        assert lanes["y"] >= 0  # the stage is seen beside it


def at_step(page: Page, dashboard: Dashboard, lesson: str, step: int) -> None:
    """Open a step of a lesson by its address."""
    page.goto(f"{dashboard.url}/lessons?lesson={lesson}&step={step}")
    sees(page.locator(".memviz-stage canvas"))
    quiet(page)


def rests(page: Page) -> None:
    """The server has heard where the visitor is, and has answered."""
    page.wait_for_timeout(400)
    quiet(page)


@pytest.mark.slow
def test_a_file_of_a_lesson_plays_from_disk_and_asks_for_nothing(
    open_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    lesson = memviz.lesson("first-look")
    file = tmp_path / "lesson.html"
    file.write_text(write_html_lesson(lesson, Workspace(":memory:")), encoding="utf-8")
    context, asked = open_context(offline=True), list[str]()

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    context.route("http*://**", refuse)
    page = context.new_page()
    page.goto(f"{file.as_uri()}#step=2&language=zh")
    expect(page.get_by_role("heading", name=lesson.steps[1].title.zh)).to_be_visible()
    expect(page.locator(".memviz-stage canvas")).to_be_visible()
    expect(page.locator(".memviz-stage")).to_contain_text("turns 1 to 4")
    expect(page).to_have_title(lesson.title.zh)
    page.get_by_role("button", name="Copy").click()
    expect(
        page.get_by_role("button", name=re.compile("Copied|Selected"))
    ).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name=lesson.steps[1].title.en)).to_be_visible()
    page.get_by_role("radio").last.check()
    expect(page.get_by_text("1 of 1 right")).to_be_visible()
    expect(page.locator(".memviz-stage")).to_contain_text("turn 5 of 46")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        broken = page.evaluate(
            "axe.run(document).then(found => found.violations.map(rule => rule.id))"
        )
        assert broken == [], scheme
    page.emulate_media(media="print")
    for step in lesson.steps:
        expect(page.get_by_role("heading", name=step.title.en)).to_be_visible()
    expect(page.get_by_role("heading", name="Answers")).to_be_visible()
    expect(page.locator("svg.still")).to_have_count(len(lesson.steps))
    assert asked == []
