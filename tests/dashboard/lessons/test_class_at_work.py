"""A lesson with a class: against a naive model of one, and under many threads."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from threading import Thread

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from memviz.dashboard.lessons.class_at_work import (
    ClassAtWork,
    MemoryNotes,
    Phase,
    QuestionPlace,
    Result,
)
from memviz.dashboard.lessons.class_notes import read_state, write_state
from memviz.dashboard.lessons.lesson import Lesson, Question, Text
from tests.dashboard.lessons.writing_lessons import STEP, lesson

STEPS = 3
CHOICES = 3
ROOM = 4
VISITORS = ("ana", "bo", "cai", "dov", "eva", "fay")
NAMES = {"ana": "Ana", "bo": "Bo", "cai": "", "dov": "Dov", "eva": "", "fay": "Fay"}
LESSON = lesson(steps=[STEP | {"title": name} for name in ("One", "Two", "Three")])
SHORT_LESSON = lesson()
QUESTION = Question(
    Text("Which?"), tuple(map(Text, "abc")), answer=1, reason=Text("So.")
)
visitors = st.sampled_from(VISITORS)
steps = st.integers(0, STEPS)
choices = st.integers(-1, CHOICES)


def place(work: ClassAtWork, step: int = 0) -> QuestionPlace:
    return QuestionPlace(work.shown.opening, step)


def opened(*visitors: str, room: int = ROOM) -> ClassAtWork:
    """A class in which these take part, at a question."""
    work = ClassAtWork(room, notes=MemoryNotes())
    work.open(LESSON, "teacher")
    work.ask(place(work), QUESTION)
    for visitor in visitors:
        assert work.join(visitor, NAMES.get(visitor, ""))
    return work


class AnyClass(RuleBasedStateMachine):
    """What a class may do in any order, beside what a naive reader would note of it."""

    def __init__(self) -> None:
        super().__init__()
        self.work = ClassAtWork(ROOM, notes=MemoryNotes())
        self.is_open = False
        self.is_led = True
        self.step = 0
        self.length = 0
        self.came: set[str] = set()
        self.here: set[str] = set()
        self.phases: dict[int, Phase] = {}
        self.asked: set[int] = set()
        self.chosen: dict[tuple[int, str], int] = {}
        self.final: set[tuple[int, str]] = set()

    @initialize()
    def begin(self) -> None:
        """Most of what may go wrong needs a lesson with questions, and somebody there."""
        self.open(LESSON, 0)
        for step in range(STEPS):
            self.ask(step)
        for visitor in VISITORS[:2]:
            self.join(visitor)

    @rule(opens=st.sampled_from([LESSON, SHORT_LESSON]), step=steps)
    def open(self, opens: Lesson, step: int) -> None:
        earlier = place(self.work)
        self.work.open(opens, "teacher", step)
        self.length = len(opens.steps)
        self.is_open = True
        self.step = min(step, self.length - 1)
        self.came = set(self.here)
        self.phases, self.asked, self.chosen, self.final = {}, set(), {}, set()
        self.work.ask(earlier, QUESTION)  # from a page that is a lesson behind
        assert not self.work.answer("ana", earlier, 0)

    @rule(step=st.integers(-2, STEPS + 2))
    def go_to(self, step: int) -> None:
        self.work.go_to(QuestionPlace(self.work.shown.opening, step))
        if self.is_open:
            self.step = min(max(0, step), self.length - 1)

    @rule(is_led=st.booleans())
    def lead(self, is_led: bool) -> None:
        self.work.lead(is_led=is_led)
        self.is_led = is_led
        if not is_led:
            self.final |= set(self.chosen)

    @rule(step=steps)
    def ask(self, step: int) -> None:
        self.work.ask(place(self.work, step), QUESTION)
        self.work.ask(place(self.work, step), replace(QUESTION, answer=0))
        if step < self.length:
            self.asked.add(step)

    @rule(step=steps, phase=st.sampled_from(Phase))
    def reveal(self, step: int, phase: Phase) -> None:
        self.work.reveal(place(self.work, step), phase)
        if self.is_open and step in self.asked:
            self.phases[step] = max(self.phases.get(step, Phase.ASKED), phase)

    @rule(visitor=visitors)
    def join(self, visitor: str) -> None:
        has_room = visitor in self.came or len(self.came) < ROOM
        is_taken = self.is_open and has_room
        assert self.work.join(visitor, NAMES[visitor]) == is_taken
        if is_taken:
            self.came.add(visitor)
            self.here.add(visitor)

    @rule(visitor=visitors)
    def leave(self, visitor: str) -> None:
        self.work.leave(visitor)
        self.here.discard(visitor)

    @rule(visitor=visitors, step=steps, choice=choices)
    def answer(self, visitor: str, step: int, choice: int) -> None:
        counts = (
            self.is_open
            and visitor in self.here
            and step in self.asked
            and choice in range(CHOICES)
            and self.phases.get(step, Phase.ASKED) == Phase.ASKED
            and (step, visitor) not in self.final
        )
        assert self.work.answer(visitor, place(self.work, step), choice) == counts
        if counts:
            self.chosen[step, visitor] = choice
            if not self.is_led:
                self.final.add((step, visitor))

    @precondition(lambda self: self.is_open)
    @rule()
    def end(self) -> None:
        self.work.end()
        self.is_open = False
        self.here.clear()

    @invariant()
    def the_pages_show_what_was_done(self) -> None:
        shown = self.work.shown
        assert (shown.is_open, shown.is_led) == (self.is_open, self.is_led)
        assert shown.step == self.step
        phases = [self.phases.get(step, Phase.ASKED) for step in range(self.length)]
        assert list(shown.phases) == phases
        assert self.work.participants == len(self.here)
        assert all(self.work.has(visitor) for visitor in self.here)

    @invariant()
    def every_answer_is_counted_once(self) -> None:
        for step in range(STEPS):
            given = {
                visitor: choice
                for (at, visitor), choice in self.chosen.items()
                if at == step
            }
            counts = [list(given.values()).count(choice) for choice in range(CHOICES)]
            at = place(self.work, step)
            assert list(self.work.counts(at)) == (counts if step in self.asked else [])
            for visitor in VISITORS:
                answer = self.work.answer_of(visitor, at)
                assert (answer and answer.choice) == given.get(visitor)
                sees_reason = (step, visitor) in self.final or (
                    self.phases.get(step) == Phase.EXPLAINED
                )
                assert self.work.is_explained_to(visitor, at) == sees_reason
            names = Counter(NAMES[visitor] for visitor in given if NAMES[visitor])
            listed = [name for names in self.work.names(at).values() for name in names]
            assert Counter(listed) == names

    @invariant()
    def results_have_all_answers_the_best_known_first(self) -> None:
        results = self.work.results()
        answered = {step for step, _visitor in self.chosen}
        assert {result.place.step for result in results} == answered
        assert sum(result.answers for result in results) == len(self.chosen)
        shares = [result.share_right for result in results]
        assert shares == sorted(shares, reverse=True)

    @invariant()
    def no_more_is_kept_than_a_class_can_say(self) -> None:
        with self.work._notes.reading() as state:
            assert len(state.names) <= ROOM
            assert len(state.questions) <= self.length
            assert all(len(kept) <= ROOM for kept in state.answers.values())

    @invariant()
    def another_server_reads_all_that_is_noted(self) -> None:
        with self.work._notes.reading() as state:
            assert read_state(write_state(state)) == state


AnyClass.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None
)
TestAnyClass = AnyClass.TestCase


def test_an_answer_may_be_changed_until_the_answers_are_shown() -> None:
    work = opened("ana", "bo")
    at = place(work)
    assert work.answer("ana", at, 0)
    assert work.answer("ana", at, 1)
    assert work.answer("bo", at, 2)
    assert work.counts(at) == (0, 1, 1)
    assert not work.is_explained_to("ana", at)
    work.reveal(at, Phase.COUNTED)
    assert not work.answer("ana", at, 2)
    assert not work.is_explained_to("ana", at)
    work.reveal(at, Phase.EXPLAINED)
    work.reveal(at, Phase.COUNTED)
    assert work.is_explained_to("ana", at)
    (result,) = work.results()
    assert result == Result(at, QUESTION, (0, 1, 1))
    assert (result.right, result.answers, result.share_right) == (1, 2, 0.5)
    assert work.names(at) == {1: ["Ana"], 2: ["Bo"]}


def test_a_page_of_the_lesson_before_moves_and_asks_nothing() -> None:
    work = opened("ana")
    before = place(work)
    work.open(LESSON, "teacher")
    work.ask(before, QUESTION)
    assert work.counts(before._replace(opening=work.shown.opening)) == ()
    step = work.shown.step
    work.go_to(QuestionPlace(before.opening, step + 1))
    assert work.shown.step == step


def test_who_walks_alone_answers_once_and_sees_the_reason() -> None:
    work = opened("ana", "bo")
    at = place(work)
    work.answer("ana", at, 0)
    work.lead(is_led=False)
    assert work.is_explained_to("ana", at)
    assert not work.is_explained_to("bo", at)
    assert work.answer("bo", at, 1)
    assert not work.answer("bo", at, 2)
    assert work.is_explained_to("bo", at)


def test_whoever_left_comes_back_to_the_own_answer() -> None:
    work = opened("ana")
    at = place(work)
    work.answer("ana", at, 2)
    work.leave("ana")
    assert not work.answer("ana", at, 1)
    assert work.counts(at) == (0, 0, 1)
    work.join("ana", "Ana B")
    answer = work.answer_of("ana", at)
    assert answer is not None
    assert answer.choice == 2
    assert work.names(at) == {2: ["Ana B"]}


def test_a_page_draws_again_only_for_what_it_shows() -> None:
    work = opened("ana")
    drawn = work.shown.for_student()
    work.join("bo", "Bo")
    work.answer("ana", place(work), 1)
    work.leave("bo")
    assert work.shown.for_student() == drawn
    work.go_to(QuestionPlace(work.shown.opening, 1))
    assert work.shown.for_student() != drawn
    work.lead(is_led=False)
    alone = work.shown.for_student()
    work.go_to(QuestionPlace(work.shown.opening, 2))
    assert work.shown.for_student() == alone
    work.reveal(place(work), Phase.COUNTED)
    assert work.shown.for_student() != alone
    work.open(LESSON, "teacher")
    assert work.shown.for_student() != alone
    assert work.has("ana"), "the class goes on to the next lesson together"


def test_a_class_that_answers_at_once_loses_no_answer() -> None:
    everybody = [f"visitor {number}" for number in range(60)]
    work = opened(*everybody, room=60)
    at = place(work)

    def answer(visitor: str, choice: int) -> None:
        for turn in range(50):
            work.answer(visitor, at, (choice + turn) % CHOICES)
            assert sum(work.counts(at)) <= len(everybody)

    threads = [
        Thread(target=answer, args=(visitor, number % CHOICES))
        for number, visitor in enumerate(everybody)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert work.counts(at) == (20, 20, 20)
