"""A lesson with the class: the pages of a teacher and of students, each a session of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from memviz.core.storage_errors import StorageError
from memviz.dashboard.lessons.class_at_work import QuestionPlace
from memviz.dashboard.ui.lessons import class_line, player, with_class
from memviz.dashboard.ui.shell.frame import workspace
from memviz.models.class_door import Visitor
from tests.page_names import QUESTIONS
from tests.pages.driving import click, open_address, sentences

pytestmark = pytest.mark.one_library
TEACHER = Visitor("t", "Ms Lee", is_teacher=True)
ANA = Visitor("a", "Zoltana <b>")
BO = Visitor("b", "")
LESSON = "first-look"
TITLE = "A first look at a memory"


class Class:
    """A server with a class, and the pages of its visitors."""

    def __init__(self) -> None:
        self.visitor = TEACHER
        self.pages: dict[Visitor, AppTest] = {}

    def open(self, visitor: Visitor, **query: str) -> AppTest:
        """A new browser session of a visitor, on the page Lessons."""
        self.visitor = visitor
        parts = {name: [text] for name, text in query.items()}
        self.pages[visitor] = open_address("lessons", parts)
        return self.look(visitor)

    def look(self, visitor: Visitor) -> AppTest:
        """The page of a visitor after it has looked whether something has changed."""
        self.visitor = visitor
        page = self.pages[visitor].run()
        assert not page.exception, [error.message for error in page.exception]
        return page

    def click(self, visitor: Visitor, label: str) -> AppTest:
        self.visitor = visitor
        return click(self.pages[visitor], label)

    def choose(self, visitor: Visitor, choice: int) -> AppTest:
        page = self.look(visitor)
        return page.radio[0].set_value(choice).run()

    def walk(self, visitor: Visitor, *, is_led: bool) -> AppTest:
        page = self.look(visitor)
        return page.button_group(key="class-leading").set_value(is_led).run()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Class]:
    pages = Class()
    libraries = SimpleNamespace(open=lambda visitor: workspace())
    for module in (with_class, class_line):
        monkeypatch.setattr(module, "has_own_libraries", lambda: True)
    monkeypatch.setattr(with_class, "visitor_now", lambda: pages.visitor)
    monkeypatch.setattr(with_class, "own_libraries", lambda: libraries)
    with_class.class_at_work.cache_clear()
    yield pages
    with_class.class_at_work.cache_clear()


@pytest.fixture
def at_question(served: Class) -> Class:
    """The teacher stands at a question; Ana and Bo take part."""
    served.open(TEACHER, lesson=LESSON, language="en")
    served.click(TEACHER, "Open with the class")
    for visitor in (ANA, BO):
        served.open(visitor)
        served.click(visitor, "Join")
    served.click(TEACHER, "Next")
    return served


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def words(page: AppTest) -> str:
    return " ".join([*sentences(page.markdown), *sentences(page.caption)])


def choices(page: AppTest) -> list[str]:
    """What stands at each choice: ``"No 1 · right"``."""
    lists = [
        html.proto.body
        for html in page.get("html")
        if 'class="memviz-answered"' in html.proto.body
    ]
    if not lists:
        return []
    items = re.findall("<li.*?</li>", lists[0])
    return [unescape(re.sub("<[^>]+>", "", item)).strip() for item in items]


def test_students_are_invited_follow_leave_and_come_back(served: Class) -> None:
    served.open(TEACHER, lesson=LESSON, language="en")
    assert "Join" not in labels(served.open(ANA))
    served.click(TEACHER, "Open with the class")
    page = served.look(ANA)
    assert f"Your teacher has opened **{TITLE}** for the class." in words(page)
    assert page.title[0].value == QUESTIONS["lessons"]
    page = served.click(ANA, "Join")
    assert page.title[0].value == TITLE
    assert "1 participant" in words(served.look(TEACHER))
    served.click(TEACHER, "Next")
    page = served.look(ANA)
    assert page.query_params["step"] in ("2", ["2"])
    assert page.query_params["class"] in ("on", ["on"])
    assert not {"Next", "Back", "All lessons"} & set(labels(page)), "is led"
    page = served.click(ANA, "Leave the lesson")
    assert page.title[0].value == QUESTIONS["lessons"]
    assert "class" not in page.query_params
    assert "0 participants" in words(served.look(TEACHER))
    page = served.click(ANA, "Join")
    assert (page.title[0].value, page.header[0].value) == (
        TITLE,
        "Will this request summarize?",
    )


def test_a_click_is_kept_though_its_run_ends_before_the_line(
    served: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.open(TEACHER, lesson=LESSON, language="en")
    served.open(ANA)
    served.click(TEACHER, "Open with the class")
    served.look(ANA)
    with monkeypatch.context() as patch:
        # As where a part of the page begins the page anew.
        patch.setattr(class_line, "_draw_line", lambda **_: st.stop())
        served.click(ANA, "Join")
    assert served.look(ANA).title[0].value == TITLE
    assert "1 participant" in words(served.look(TEACHER))


def test_a_question_waits_for_the_answers_then_for_the_teacher_and_ends_in_results(
    at_question: Class,
) -> None:
    assert choices(at_question.look(TEACHER)) == ["Yes", "No"]
    assert "**0** of 2 have answered" in words(at_question.look(TEACHER))
    at_question.choose(ANA, 0)
    page = at_question.choose(ANA, 1)
    assert "You can change it until your teacher goes on." in words(page)
    at_question.choose(BO, 0)
    assert "**2** of 2 have answered" in words(at_question.look(TEACHER))
    page = at_question.click(TEACHER, "Show the answers")
    assert choices(page) == ["Yes 1", "No 1"]
    page = at_question.look(ANA)
    assert choices(page) == ["Yes", "No your answer"]
    assert not page.radio, "no answer is taken any more"
    page = at_question.click(TEACHER, "Show the reason")
    assert choices(page) == ["Yes 1", "No 1 · right"]
    page = at_question.look(ANA)
    assert choices(page) == ["Yes 1", "No 1 · right · your answer"]
    assert "**Right.**" in words(page)
    assert "**Not quite:**" in words(at_question.look(BO))
    page = at_question.click(TEACHER, "End for all")
    assert "**50%** right (1 of 2): Will this request summarize?" in words(page)
    assert "Zoltana <b>" in words(page)
    page = at_question.look(ANA)
    assert page.title[0].value == QUESTIONS["lessons"]
    assert "**50%** right (1 of 2): Will this request summarize?" in words(page)
    assert "Zoltana" not in words(page), "names are for the teacher alone"
    assert not is_list_shown(page), "what the class knows stands alone"
    assert is_list_shown(at_question.click(ANA, "All lessons"))
    page = at_question.click(TEACHER, "Put away")
    assert is_list_shown(page)
    assert "**50%**" not in words(at_question.look(BO))


def is_list_shown(page: AppTest) -> bool:
    return "play-" in " ".join(button.key or "" for button in page.button)


def test_whoever_walks_alone_sees_the_reason_at_once(at_question: Class) -> None:
    assert at_question.look(ANA).radio
    at_question.walk(TEACHER, is_led=False)
    page = at_question.choose(ANA, 1)
    assert choices(page) == ["Yes", "No right · your answer"]
    page = at_question.click(ANA, "Next")
    assert page.query_params["step"] in ("3", ["3"])
    assert "**1** of 2 have answered" in words(at_question.look(TEACHER))
    at_question.walk(TEACHER, is_led=True)
    page = at_question.look(ANA)
    assert page.query_params["step"] in ("2", ["2"]), "follows again"


def test_two_browsers_of_a_teacher_walk_together(
    served: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.open(TEACHER, lesson=LESSON, language="en")
    served.click(TEACHER, "Open with the class")
    served.click(TEACHER, "Next")
    second = Visitor("u", "", is_teacher=True)
    assert served.open(second).header[0].value == "Will this request summarize?"
    served.click(second, "Next")
    page = served.look(TEACHER)
    assert page.query_params["step"] in ("3", ["3"])
    served.click(TEACHER, "Back")
    assert served.look(second).header[0].value == "Will this request summarize?"
    work = with_class.class_at_work()
    monkeypatch.setattr(
        player,
        "play_lesson",
        lambda lesson: work.go_to(QuestionPlace(work.shown.opening, 2)),
    )
    served.look(TEACHER)
    assert work.shown.step == 2, (
        "a page that is drawn while the other browser moves does not go back"
    )


def test_a_lesson_that_a_restart_ended_is_said(served: Class) -> None:
    served.visitor = ANA
    page = open_address("lessons", {"lesson": [LESSON], "class": ["on"]})
    (warning,) = sentences(page.warning)
    assert warning.startswith("The class has no lesson open: it has ended, or")
    assert page.title[0].value == TITLE
    assert "class" not in page.query_params


def test_what_cannot_be_saved_or_read_is_a_sentence_and_can_be_tried_again(
    at_question: Class,
) -> None:
    look_of_the_teacher = partial(at_question.look, TEACHER)
    look_of_the_teacher()
    at_question.look(ANA)
    end = partial(at_question.click, TEACHER, "End for all")
    for failing, act in (
        ("answer", partial(at_question.choose, ANA, 0)),
        ("counts", look_of_the_teacher),
        ("reveal", partial(at_question.click, TEACHER, "Show the answers")),
        ("lead", partial(at_question.walk, TEACHER, is_led=False)),
        ("end", end),
    ):
        page = page_where_it_fails(failing, act)
        assert bool(page.radio) == (failing == "answer"), "it can be tried again"
    assert not at_question.choose(ANA, 0).error
    end()
    page_where_it_fails("forget", partial(at_question.click, TEACHER, "Put away"))


def page_where_it_fails(failing: str, act: Callable[[], AppTest]) -> AppTest:
    """The page after an act for which the class asks the database in vain."""

    def fail(*_parts: object, **_options: object) -> None:
        raise StorageError(f"The zebra database is away: {failing}.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(with_class.class_at_work(), failing, fail)
        page = act()
    assert not page.exception
    assert sentences(page.error) == [f"The zebra database is away: {failing}."]
    return page
