"""What a step of one's own asks: nothing, a question that is written here, or a prediction whose answer comes from the
run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from memviz.errors import LessonError, MemvizError
from memviz.lessons.lesson import (
    PREDICTIONS,
    Language,
    Prediction,
    Question,
    Step,
    Text,
)
from memviz.lessons.playing import Played, play
from memviz.lessons.questions import question_of
from memviz.lessons.reading import CHOICE_CHARS, MAX_CHOICES, TEXT_CHARS
from memviz.ui.lessons.question import prose
from memviz.ui.shell.errors import show_error
from memviz.ui.shell.state import OwnLesson, set_widget, widget_value
from memviz.ui.shell.text import plain
from memviz.workspace import Workspace

NOTHING, QUESTION, PREDICTION = "nothing", "question", "prediction"
ASKS = {NOTHING: "Nothing", QUESTION: "A question", PREDICTION: "A prediction"}
ASKS_HELP = (
    "The reader answers before going on. A question is yours, with its answers; the answer and the reason of a "
    "prediction come from the run."
)
KINDS = {
    "summarizes": "Is a summary written before this turn?", "stays": "How many messages are sent word for word?",
    "knows": "Does the request still hold a fact?", "cheapest": "Which setting has cost least so far?",
}  # fmt: skip
CHOICES_HELP = f"Two to {MAX_CHOICES}, each on a line of its own."
LINE_PIXELS, LINES_PIXELS, TURN_PIXELS, CHOICE_PIXELS = 68, 110, 130, 330


def asked_in(
    workspace: Workspace, own: OwnLesson, number: int, language: Language
) -> None:
    """The controls that say what step ``number`` (0-based) asks."""
    asked, key = own.steps[number].asked, own.key(f"asks-{number}")
    has_runs = bool(own.steps[number].view.study.settings)
    set_widget(key, _sort(asked))
    st.segmented_control(
        "It asks",
        [NOTHING, QUESTION, *([PREDICTION] if has_runs else [])],
        format_func=ASKS.__getitem__,
        key=key,
        required=True,
        help=ASKS_HELP,
        on_change=partial(_ask, own, number, key),
    )
    if isinstance(asked, Question):
        _question(own, number, asked, language)
    elif asked is not None:
        _prediction(workspace, own, number, asked, language)


def _sort(asked: Question | Prediction | None) -> str:
    return (
        NOTHING
        if asked is None
        else QUESTION
        if isinstance(asked, Question)
        else PREDICTION
    )


def _ask(own: OwnLesson, number: int, key: str) -> None:
    step, sort = own.steps[number], widget_value(key)
    if sort == _sort(step.asked):
        return
    asked = (
        Question(Text(), (), 0)
        if sort == QUESTION
        else _first_prediction(step)
        if sort == PREDICTION
        else None
    )
    own.steps[number] = replace(step, asked=asked)


def _first_prediction(step: Step) -> Prediction:
    """About the turn and the setting that the step shows."""
    return Prediction(
        "summarizes", step.view.turn or 1, step.view.highlight.setting or 0
    )


def _change(own: OwnLesson, number: int, name: str, value: Any) -> None:
    asked = own.steps[number].asked
    if asked is not None:
        own.steps[number] = replace(
            own.steps[number], asked=replace(asked, **{name: value})
        )


def _question(own: OwnLesson, number: int, asked: Question, language: Language) -> None:
    key = own.key(f"question-{number}-{language}")
    st.text_area(
        "Question",
        getattr(asked.text, language),
        key=key,
        max_chars=TEXT_CHARS,
        height=LINE_PIXELS,
        on_change=partial(_word, own, number, "text", language, key),
    )
    key = own.key(f"choices-{number}-{language}")
    st.text_area(
        "Answers, one a line",
        "\n".join(getattr(choice, language) for choice in asked.choices),
        key=key,
        max_chars=MAX_CHOICES * CHOICE_CHARS,
        height=LINES_PIXELS,
        help=CHOICES_HELP,
        on_change=partial(_choose_from, own, number, language, key),
    )
    key = own.key(f"right-{number}")
    if asked.choices:
        set_widget(key, asked.answer)
        st.selectbox(
            "The right one",
            range(len(asked.choices)),
            key=key,
            format_func=lambda place: plain(asked.choices[place].said(language)),
            on_change=partial(_take, own, number, "answer", key),
        )
    key = own.key(f"reason-{number}-{language}")
    st.text_area(
        "Why (if you like)",
        getattr(asked.reason, language),
        key=key,
        max_chars=TEXT_CHARS,
        height=LINE_PIXELS,
        help="Shown once the question is answered.",
        on_change=partial(_word, own, number, "reason", language, key),
    )


def _word(own: OwnLesson, number: int, name: str, language: Language, key: str) -> None:
    before = getattr(own.steps[number].asked, name, Text())
    _change(
        own,
        number,
        name,
        replace(before, **{language: (widget_value(key) or "").strip()}),
    )


def _take(own: OwnLesson, number: int, name: str, key: str) -> None:
    _change(own, number, name, widget_value(key))


def _choose_from(own: OwnLesson, number: int, language: Language, key: str) -> None:
    asked = own.steps[number].asked
    if isinstance(asked, Question):
        lines = [line.strip() for line in (widget_value(key) or "").split("\n")]
        own.steps[number] = replace(
            own.steps[number], asked=with_choices(asked, language, lines)
        )


def with_choices(asked: Question, language: Language, lines: list[str]) -> Question:
    """The question with these choices in a ``language``, line by line beside those in the other one. The right one
    stays the right one, also where it moved to another line."""
    before = asked.choices
    places = range(max(len(lines), len(before)))
    said = [
        replace(
            before[n] if n < len(before) else Text(),
            **{language: lines[n] if n < len(lines) else ""},
        )
        for n in places
    ]
    choices = tuple(choice for choice in said if choice)
    right = (
        getattr(before[asked.answer], language) if asked.answer < len(before) else ""
    )
    moved = next(
        (
            n
            for n, choice in enumerate(choices)
            if right and getattr(choice, language) == right
        ),
        asked.answer,
    )
    return replace(asked, choices=choices, answer=min(moved, max(0, len(choices) - 1)))


def _prediction(
    workspace: Workspace,
    own: OwnLesson,
    number: int,
    asked: Prediction,
    language: Language,
) -> None:
    step = own.steps[number]
    try:
        with st.spinner("Replaying the conversation", show_time=True):
            played = play(step.view.study, workspace, f"Step {number + 1}")
    except LessonError as error:
        show_error(error)
        return
    with st.container(horizontal=True, gap="small"):
        _predicted(own, number, asked, played)
    _say(own.steps[number], played, language)


def _predicted(own: OwnLesson, number: int, asked: Prediction, played: Played) -> None:
    _chosen(own, number, "kind", "What it asks", _kinds(played), KINDS)
    turns = played.runs[0].log.turn_count
    key = own.key(f"turn-{number}")
    set_widget(key, min(asked.turn, turns))
    st.number_input(
        "At turn",
        1,
        turns,
        key=key,
        width=TURN_PIXELS,
        on_change=partial(_take, own, number, "turn", key),
    )
    if asked.kind != "cheapest" and len(played.labels) > 1:
        _chosen(
            own,
            number,
            "setting",
            "Under",
            range(len(played.labels)),
            dict(enumerate(played.labels)),
        )
    if asked.kind == "knows":
        facts = {place: probe.answers[0] for place, probe in enumerate(played.probes)}
        if (
            asked.fact not in facts
        ):  # named by its answer, as in a file, or not yet chosen
            _change(
                own,
                number,
                "fact",
                next((place for place, said in facts.items() if said == asked.fact), 0),
            )
        _chosen(own, number, "fact", "Fact", list(facts), facts)


def _kinds(played: Played) -> list[str]:
    needed = {"knows": bool(played.probes), "cheapest": len(played.runs) > 1}
    return [kind for kind in PREDICTIONS if needed.get(kind, True)]


def _chosen(
    own: OwnLesson, number: int, name: str, label: str, options: Any, words: Any
) -> None:
    key, value = own.key(f"{name}-{number}"), getattr(own.steps[number].asked, name)
    if value in options:
        set_widget(key, value)
    st.selectbox(
        label,
        options,
        key=key,
        format_func=lambda one: plain(words[one]),
        on_change=partial(_take, own, number, name, key),
    )


def _say(step: Step, played: Played, language: Language) -> None:
    """The question as the reader sees it, with its answer."""
    try:
        question = question_of(step, played)
    except MemvizError as error:
        show_error(error)
        return
    if question is not None:
        prose(question.text, language)
        st.caption(
            f"Answer of the run: {plain(question.choices[question.answer].said(language))}."
        )
