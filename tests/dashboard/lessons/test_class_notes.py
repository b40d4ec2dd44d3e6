"""A lesson with a class on two servers, over what they keep in common."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memviz.dashboard.lessons.class_at_work import ClassAtWork, Phase, QuestionPlace
from memviz.dashboard.lessons.class_notes import StoredNotes
from memviz.dashboard.lessons.lesson import Question, Text
from memviz.storage.store import Store
from tests.dashboard.lessons.writing_lessons import STEP, lesson
from tests.postgres import running_postgres

LESSON = lesson(steps=[STEP | {"title": "One"}, STEP | {"title": "Two"}])
QUESTION = Question(
    Text("Which?", "哪个？"), tuple(map(Text, "abc")), answer=1, reason=Text("So.")
)
Servers = tuple[ClassAtWork, ClassAtWork]


def servers_over(database: str) -> Servers:
    first, second = (
        ClassAtWork(notes=StoredNotes(Store(database))) for _server in range(2)
    )
    return first, second


@pytest.fixture
def over_file(tmp_path: Path) -> Servers:
    return servers_over(str(tmp_path / "class.db"))


def test_what_one_server_notes_the_other_shows(over_file: Servers) -> None:
    of_teacher, of_ana = over_file
    assert not of_ana.shown.is_open
    of_teacher.open(LESSON, "teacher", step=1)
    at = QuestionPlace(1, 1)
    assert of_ana.shown == of_teacher.shown
    assert of_ana.shown.lesson == LESSON
    assert of_ana.join("ana", "Ana")
    of_ana.ask(at, QUESTION)
    assert of_ana.answer("ana", at, 2)
    assert of_teacher.participants == 1
    assert of_teacher.counts(at) == (0, 0, 1)
    of_teacher.reveal(at, Phase.COUNTED)
    assert not of_ana.answer("ana", at, 1), "the answers are shown by now"
    assert of_teacher.names(at) == {2: ["Ana"]}
    assert of_ana.results() == of_teacher.results()
    of_teacher.end()
    assert not of_ana.has("ana")
    of_ana.forget()
    assert of_teacher.results() == []


def test_a_page_that_looks_again_has_the_very_same_lesson(over_file: Servers) -> None:
    """By which it knows that nothing has to be drawn anew."""
    of_teacher, of_ana = over_file
    of_teacher.open(LESSON, "teacher")
    drawn = of_ana.shown
    of_ana.join("ana", "Ana")
    assert of_ana.shown == drawn
    assert of_ana.shown.lesson is drawn.lesson


@pytest.fixture(scope="module")
def over_server() -> Iterator[Servers]:
    with running_postgres() as cluster:
        yield servers_over(cluster.address(cluster.new_database()))


@pytest.mark.slow
def test_a_class_that_answers_on_two_servers_at_once_loses_no_answer(
    over_server: Servers,
) -> None:
    everybody = [f"visitor {number}" for number in range(30)]
    at = QuestionPlace(1, 0)
    over_server[0].open(LESSON, "teacher")
    over_server[1].ask(at, QUESTION)

    def take_part(number: int) -> None:
        work = over_server[number % 2]
        assert work.join(everybody[number], "")
        for choice in (0, number % 3):
            assert work.answer(everybody[number], at, choice)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(take_part, range(len(everybody))))
    for work in over_server:
        assert work.participants == len(everybody)
        assert work.counts(at) == (10, 10, 10)
