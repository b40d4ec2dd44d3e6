"""Play a lesson in a browser as a visitor does: every step, every question, to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from playwright.sync_api import expect

from memviz.dashboard.lessons.lesson import LANGUAGES, Language, Lesson, Step
from memviz.dashboard.lessons.markdown import as_plain
from tests.browser.journeys import sees
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

Scheme = Literal["light", "dark"]
SIZES: tuple[ViewportSize, ...] = (
    {"width": 1280, "height": 720},
    {"width": 390, "height": 844},
)
LIST_TITLE = "What do you want to learn?"
FIRST_CHARS = 40
Look = Callable[[int, str], object]
"""Called with the number of a step (from 1) and what is seen of it: ``step``, or once it is answered ``answered``."""


class Way(NamedTuple):
    """How a lesson is played."""

    language: Language
    scheme: Scheme
    size: ViewportSize

    @property
    def name(self) -> str:
        return (
            f"{self.language}-{self.scheme}-{self.size['width']}x{self.size['height']}"
        )


def ways() -> Iterator[Way]:
    """Every language, theme and size."""
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for language, scheme, size in product(LANGUAGES, schemes, SIZES):
        yield Way(language, scheme, size)


def play(
    page: Page, url: str, lesson: Lesson, way: Way, look: Look = lambda step, what: None
) -> None:
    """Play it from its link on; answers are the last choice of every question."""
    page.set_viewport_size(way.size)
    page.emulate_media(color_scheme=way.scheme)
    page.goto(f"{url}/lessons?lesson={lesson.id}&language={way.language}")
    for number, step in enumerate(lesson.steps, 1):
        _stands(page, lesson, step, number, way)
        look(number, "step")
        if step.asked is not None:
            _answer(page)
            look(number, "answered")
        page.get_by_role(
            "button", name="Next" if number < len(lesson.steps) else "Done", exact=True
        ).click()
    sees(page.get_by_role("heading", name=LIST_TITLE))
    quiet(page)
    row = page.locator(f".st-key-lesson-{lesson.id}")
    expect(
        row.get_by_text(f"{len(lesson.steps)} of {len(lesson.steps)} seen")
    ).to_be_visible()


def _stands(page: Page, lesson: Lesson, step: Step, number: int, way: Way) -> None:
    """The step is there as it should be."""
    sees(
        page.get_by_role(
            "heading", name=" ".join(step.title.said(way.language).split()), exact=True
        )
    )
    quiet(page)
    words = as_plain(step.text.said(way.language))[:FIRST_CHARS]
    shown = " ".join(page.locator(".memviz-prose").first.inner_text().split())
    assert "".join(words.split()) in "".join(shown.split()), (
        f"step {number} shows {shown!r}"
    )
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator('[data-testid="stAlertContentError"]')).to_have_count(0)
    if step.view.has_stage:
        expect(page.locator(".memviz-stage canvas")).to_be_visible()
    wide: Any = page.get_by_test_id("stMain").evaluate(
        "main => main.scrollWidth - main.clientWidth"
    )
    assert wide <= 1, f"step {number} is {wide} pixels wider than the window"
    assert f"step={number}" in page.url


def _answer(page: Page) -> None:
    question = page.locator(".st-key-lesson-question")
    question.get_by_role("radiogroup").locator("label").last.click()
    sees(question.locator(".st-key-lesson-verdict"))
    quiet(page)
