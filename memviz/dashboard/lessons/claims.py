"""Hold what a lesson claims against its runs, one sentence a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memviz.core.errors import LessonError, MemvizError
from memviz.core.text.wording import counted, dollars, listed
from memviz.dashboard.lessons.lesson import (
    RELATIONS,
    Claim,
    Lesson,
    Point,
    Question,
    Step,
    Text,
)
from memviz.dashboard.lessons.measures import MEASURES, Kind, Measure, Value
from memviz.dashboard.lessons.playing import Played, play
from memviz.dashboard.lessons.questions import question_of
from memviz.dashboard.lessons.study import View
from memviz.storage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Held:
    """The verdict on one claim: whether it ``held``, what was ``found``, and the ``sentence`` that says so. ``step``
    counts from 1."""

    step: int
    claim: Claim
    held: bool
    found: Value | None
    sentence: str


def held(lesson: Lesson, workspace: Workspace) -> Iterator[Held]:
    """Every claim of a lesson, held against its runs; one that names what is not there did not hold. Raises
    :class:`LessonError` where the lesson's conversation is not there."""
    for number, step in enumerate(lesson.steps, 1):
        if step.claims:
            played = play(step.view.study, workspace, lesson.id)
            yield from (judged(claim, played, number) for claim in step.claims)


def judged(claim: Claim, played: Played, step: int = 1) -> Held:
    """One claim, held against the runs of its step."""
    measure = MEASURES[claim.point.measure]
    try:
        found = measure.take(played, claim.point)
        wanted = claim.value if claim.than is None else _than(claim, played)
    except LessonError as error:
        return Held(
            step, claim, False, None, f"{_place(claim.point, played)}: {error.problem}"
        )
    holds = _holds(claim.relation, found, wanted)
    measured = f"{_place(claim.point, played)}: {_measured(measure, found, played)}"
    says = f"{RELATIONS[claim.relation][0]} {_expected(claim, wanted, measure, played)}"
    if measure.kind is Kind.NUMBER:
        verdict = f"which {says}" if holds else f"and the lesson says that it {says}"
    else:
        verdict = (
            "as the lesson says" if holds else f"and the lesson says that it {says}"
        )
    return Held(step, claim, holds, found, f"{measured}, {verdict}.")


def numbers_without_claim(step: Step, played: Played) -> list[str]:
    """Numbers in the text of a step that neither a claim nor what the step shows holds, as they are written. They are
    no errors, but nobody will notice once they are wrong."""
    known = {*_known(step, played)}
    texts = [getattr(text, code) for text in _texts(step) for code in ("en", "zh")]
    written = dict.fromkeys(
        number for text in texts for number in _NUMBER.findall(text)
    )
    return [number for number in written if not _is_known(number, known)]


_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
_COUNTED = 10
"""Smaller whole numbers are words of a text, such as "the 3 settings"."""


def _is_known(number: str, known: set[float]) -> bool:
    value = float(number.replace(",", ""))
    decimals = len(number.partition(".")[2])
    return (value < _COUNTED and not decimals) or any(
        round(one, decimals) == value for one in known
    )


def _texts(step: Step) -> Iterable[Text]:
    yield from (step.title, step.text)
    if isinstance(step.asked, Question):
        yield from (step.asked.text, step.asked.reason)


def _known(step: Step, played: Played) -> Iterator[float]:
    """The numbers that a step may say: those claimed and found, turns, messages, parameters, prices' pause."""
    for claim in step.claims:
        result = judged(claim, played)
        points = [claim.point, *([claim.than] if claim.than else [])]
        values = [
            claim.value,
            result.found,
            claim.times,
            *(one for point in points for one in point),
        ]
        yield from (float(value) for value in values if isinstance(value, int | float))
    view = step.view
    yield from (
        float(turn)
        for turn in (view.turn, view.first_turn, view.last_turn)
        if turn is not None
    )
    yield from (
        float(n)
        for n in (view.highlight.message, getattr(step.asked, "turn", None))
        if isinstance(n, int)
    )
    yield from _parameters(view)
    pause = view.study.pause_seconds
    yield from (pause, pause / 60, pause / 3600)
    for probe in played.probes:
        yield from (
            float(n.replace(",", ""))
            for answer in probe.answers
            for n in _NUMBER.findall(answer)
        )


def _parameters(view: View) -> Iterator[float]:
    for setting in view.study.settings:
        yield from (
            float(value)
            for value in setting.model_dump().values()
            if isinstance(value, int | float)
        )


def _than(claim: Claim, played: Played) -> Value:
    assert claim.than is not None  # noqa: S101 - the caller looks first
    found = MEASURES[claim.than.measure].take(played, claim.than)
    if MEASURES[claim.than.measure].kind is not Kind.NUMBER:
        return found
    return found * claim.times  # type: ignore[operator]


def _holds(relation: str, found: Value, wanted: Value | None) -> bool:
    if isinstance(found, str) or isinstance(wanted, str) or wanted is None:
        return (found == wanted) is (relation == "=")
    return RELATIONS[relation][1](float(found), float(wanted))


def _place(point: Point, played: Played) -> str:
    turn = "At the end" if point.turn is None else f"At turn {point.turn}"
    call = "" if point.call is None else f", call {point.call}"
    return f"{turn}{call}, {played.labels[point.setting]}"


def _measured(measure: Measure, found: Value, played: Played) -> str:
    parting = ": " if measure.kind is Kind.YES_OR_NO else " is "
    if measure.unit:
        parting = " "
    return f"{measure.words}{parting}{value_words(measure, found, played)}"


def _expected(
    claim: Claim, wanted: Value | None, measure: Measure, played: Played
) -> str:
    if claim.than is None:
        return value_words(measure, wanted, played)
    other = MEASURES[claim.than.measure]
    times = "" if claim.times == 1 else f"{claim.times:g} times "
    what = value_words(other, wanted, played)
    place = _place(claim.than, played)
    return f"{times}that {place[:1].lower()}{place[1:]}, {what}"


def value_words(measure: Measure, value: Value | None, played: Played) -> str:
    """A value of this measure, in words."""
    if measure.kind is Kind.SETTING and isinstance(value, int | float):
        place = int(value)
        return (
            played.labels[place] if place < len(played.labels) else f"setting {place}"
        )
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
    """Return what a lesson shows or asks that is not there, as the number of the step (from 1) and a sentence. Raises
    :class:`memviz.LessonError` where its conversation is not there."""
    for number, step in enumerate(lesson.steps, 1):
        for view in (step.view, *(one.view for one in step.to_try)):
            yield from (
                (number, text) for text in _problems_of_view(lesson, view, workspace)
            )
        try:
            question_of(step, _played(lesson, step.view, workspace))
        except MemvizError as error:
            yield number, getattr(error, "problem", str(error))


def unheld(lesson: Lesson, workspace: Workspace) -> Iterator[tuple[int, str]]:
    """Numbers in texts that nothing holds, as the number of the step and a sentence."""
    for number, step in enumerate(lesson.steps, 1):
        played = _played(lesson, step.view, workspace)
        numbers = numbers_without_claim(step, played) if played else []
        if numbers:
            yield number, f"its text says {listed(numbers)}, which no claim holds."


def _played(lesson: Lesson, view: View, workspace: Workspace) -> Played | None:
    return (
        play(view.study, workspace, lesson.id)
        if view.study.settings and view.study.conversation
        else None
    )


def _problems_of_view(
    lesson: Lesson, view: View, workspace: Workspace
) -> Iterator[str]:
    played = _played(lesson, view, workspace)
    if played is None:
        return
    turns = played.runs[0].log.turn_count
    for turn in (view.turn, view.first_turn, view.last_turn):
        if turn is not None and turn > turns:
            yield f"it shows turn {turn}, and the conversation has {counted(turns, 'turn')}."
    if view.highlight.message is not None and view.highlight.message > len(
        played.runs[0].log
    ):
        yield f"it points at message {view.highlight.message}, and there are {len(played.runs[0].log):,}."
    if view.highlight.fact is not None:
        try:
            played.fact(view.highlight.fact)
        except MemvizError as error:
            yield getattr(error, "problem", str(error))
