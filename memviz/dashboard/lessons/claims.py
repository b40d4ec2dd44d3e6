"""Hold what a lesson claims against its runs, one sentence a claim."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from memviz.core.errors import LessonError, MemvizError
from memviz.core.text.wording import counted, dollars, listed
from memviz.dashboard.lessons.lesson import (
    RELATIONS,
    Claim,
    Lesson,
    Point,
    Question,
    Step,
)
from memviz.dashboard.lessons.measure import Kind, Measure, Value
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import PlayedStudy, play_study, play_view
from memviz.dashboard.lessons.questions import prepare_question
from memviz.dashboard.lessons.study import View
from memviz.storage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim of a lesson with the measured value, and whether it holds."""

    step: int
    """The number of the step, from 1."""
    claim: Claim
    held: bool
    found: Value | None
    """The value that was measured; ``None`` where there is nothing to measure."""
    sentence: str
    """The verdict in words."""


def judge_claims(lesson: Lesson, workspace: Workspace) -> Iterator[JudgedClaim]:
    """Yield every claim of a lesson, held against its runs; one that names what is not there did not hold. Raises
    :class:`LessonError` where the lesson's conversation is not there."""
    for number, step in enumerate(lesson.steps, 1):
        if step.claims:
            played = play_study(step.view.study, workspace, lesson.id)
            yield from (judge_claim(claim, played, number) for claim in step.claims)


class LessonFinding(NamedTuple):
    """One line of the report that :func:`check_lesson` makes: a judged claim, or a fault of a step."""

    step: int
    """The number of the step, from 1."""
    is_held: bool | None
    """``None`` for a finding that is no claim, such as a number that no claim holds."""
    sentence: str


def check_lesson(lesson: Lesson, workspace: Workspace) -> Iterator[LessonFinding]:
    """Yield all findings on a lesson: its claims, what it shows or asks that is not there,
    and numbers that no claim holds."""
    for claim in judge_claims(lesson, workspace):
        yield LessonFinding(claim.step, claim.held, claim.sentence)
    for step, sentence in problems(lesson, workspace):
        yield LessonFinding(step, False, sentence)
    for step, sentence in find_unclaimed_numbers(lesson, workspace):
        yield LessonFinding(step, None, sentence)


def judge_claim(claim: Claim, played: PlayedStudy, step: int = 1) -> JudgedClaim:
    """Return one claim, held against the runs of its step."""
    measure = MEASURES[claim.point.measure]
    place = _place(claim.point, played)
    try:
        measured = measure.take(played, claim.point)
        wanted = claim.value
        if claim.than is not None:
            other = MEASURES[claim.than.measure]
            wanted = other.take(played, claim.than)
            if other.kind is Kind.NUMBER:
                wanted = float(wanted) * claim.times
    except LessonError as error:
        return JudgedClaim(step, claim, False, None, f"{place}: {error.problem}")
    holds = _holds(claim.relation, measured, wanted)
    parting = ": " if measure.kind is Kind.YES_OR_NO else " is "
    if measure.unit:
        parting = " "
    value = value_words(measure, measured, played)
    says = f"{RELATIONS[claim.relation][0]} {_expected_words(claim, wanted, measure, played)}"
    verdict = f"and the lesson says that it {says}"
    if holds:
        is_number = measure.kind is Kind.NUMBER
        verdict = f"which {says}" if is_number else "as the lesson says"
    sentence = f"{place}: {measure.words}{parting}{value}, {verdict}."
    return JudgedClaim(step, claim, holds, measured, sentence)


def list_numbers_without_claim(step: Step, played: PlayedStudy) -> list[str]:
    """Numbers in the text of a step that neither a claim nor what the step shows holds, as they are written. They are
    no errors, but nobody will notice once they are wrong."""
    texts = [step.title, step.text]
    if isinstance(step.asked, Question):
        texts += [step.asked.text, step.asked.reason]
    words = " ".join([f"{text.en} {text.zh}" for text in texts])
    known = _known_numbers(step, played)
    written = dict.fromkeys(_NUMBER.findall(words))
    return [number for number in written if not _is_known(number, known)]


_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
_COUNTED = 10
"""Smaller whole numbers are words of a text, such as "the 3 settings"."""


def _is_known(number: str, known: set[float]) -> bool:
    value = _as_number(number)
    decimals = len(number.partition(".")[2])
    if value < _COUNTED and not decimals:
        return True
    return any(round(known_number, decimals) == value for known_number in known)


def _as_number(written: str) -> float:
    return float(written.replace(",", ""))


def _known_numbers(step: Step, played: PlayedStudy) -> set[float]:
    """Return the numbers that a step may say: those claimed and measured, turns, messages, parameters, the pause of its
    prices, and those in the answers of facts."""
    view = step.view
    pause = view.study.pause_seconds
    values: list[object] = [pause, pause / 60, pause / 3600]
    values += [view.turn, view.first_turn, view.last_turn, view.highlight.message]
    values.append(getattr(step.asked, "turn", None))
    texts: list[str] = []
    for claim in step.claims:
        measured = judge_claim(claim, played).found
        values += [claim.value, measured, claim.times, *claim.point]
        values += claim.than or ()
        texts += [str(meant) for _name, meant in claim.point.where]
        if claim.point.measure == "fact_values":
            # A fact that is not there has a claim that does not hold, and says why.
            with suppress(LessonError):
                texts += played.probes[played.fact(claim.point.fact)].stale
    for setting in view.study.settings:
        values += setting.model_dump().values()
    for probe in played.probes:
        texts += probe.answers
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return {*numbers, *map(_as_number, _NUMBER.findall("\n".join(texts)))}


def _holds(relation: str, value: Value, wanted: Value | None) -> bool:
    if isinstance(value, str) or isinstance(wanted, str) or wanted is None:
        return (value == wanted) is (relation == "=")
    return RELATIONS[relation][1](float(value), float(wanted))


def _place(point: Point, played: PlayedStudy) -> str:
    if "answers" in MEASURES[point.measure].needs:
        meant = [f"{name} {value}" for name, value in point.where]
        return listed([f"In {point.answers}", *meant])
    turn = "At the end" if point.turn is None else f"At turn {point.turn}"
    call = "" if point.call is None else f", call {point.call}"
    return f"{turn}{call}, {played.labels[point.setting]}"


def _expected_words(
    claim: Claim, wanted: Value | None, measure: Measure, played: PlayedStudy
) -> str:
    if claim.than is None:
        return value_words(measure, wanted, played)
    other = MEASURES[claim.than.measure]
    times = "" if claim.times == 1 else f"{claim.times:g} times "
    what = value_words(other, wanted, played)
    place = _place(claim.than, played).replace("At", "at", 1)
    return f"{times}that {place}, {what}"


def value_words(measure: Measure, value: Value | None, played: PlayedStudy) -> str:
    """A value of this measure, in words."""
    if measure.kind is Kind.SETTING and isinstance(value, int | float):
        labels = dict(enumerate(played.labels))
        return labels.get(int(value), f"setting {int(value)}")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or value is None:
        return str(value)
    if measure.unit == "dollars":
        return dollars(value)
    if measure.unit == "percent":
        return f"{value:,.1f}%"
    number = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return f"{number} tokens" if measure.unit else number


def problems(lesson: Lesson, workspace: Workspace) -> Iterator[tuple[int, str]]:
    """Yield what a lesson shows or asks that is not there, as the number of the step (from 1) and a sentence. Raises
    :class:`memviz.LessonError` where its conversation is not there."""
    for number, step in enumerate(lesson.steps, 1):
        for view in (step.view, *(attempt.view for attempt in step.to_try)):
            played = play_view(view, workspace, lesson.id)
            for problem in _problems_of_view(view, played):
                yield number, problem
        try:
            prepare_question(step, play_view(step.view, workspace, lesson.id))
        except MemvizError as error:
            yield number, getattr(error, "problem", str(error))


def find_unclaimed_numbers(
    lesson: Lesson, workspace: Workspace
) -> Iterator[tuple[int, str]]:
    """Yield numbers in texts that nothing holds, as the number of the step and a sentence."""
    for number, step in enumerate(lesson.steps, 1):
        played = play_view(step.view, workspace, lesson.id)
        numbers = list_numbers_without_claim(step, played) if played else []
        if numbers:
            yield number, f"its text says {listed(numbers)}, which no claim holds."


def _problems_of_view(view: View, played: PlayedStudy | None) -> Iterator[str]:
    if played is None:
        return
    log = played.runs[0].log
    turns = log.turn_count
    for turn in (view.turn, view.first_turn, view.last_turn):
        if turn is not None and turn > turns:
            yield f"it shows turn {turn}, and the conversation has {counted(turns, 'turn')}."
    message = view.highlight.message
    if message is not None and message > len(log):
        yield f"it points at message {message}, and there are {len(log):,}."
    if view.highlight.fact is not None:
        try:
            played.fact(view.highlight.fact)
        except LessonError as error:
            yield error.problem
