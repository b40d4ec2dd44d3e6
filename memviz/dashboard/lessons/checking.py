"""What else has to be so for a lesson to be played: its turns, facts and messages are there."""

from __future__ import annotations

from collections.abc import Iterator

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted, listed
from memviz.dashboard.lessons.claims import numbers_without_claim
from memviz.dashboard.lessons.lesson import Lesson, View
from memviz.dashboard.lessons.playing import Played, play
from memviz.dashboard.lessons.questions import question_of
from memviz.storage.workspace import Workspace


def problems(lesson: Lesson, workspace: Workspace) -> Iterator[tuple[int, str]]:
    """What a lesson shows or asks that is not there, as the number of the step (from 1) and a sentence. Raises
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
