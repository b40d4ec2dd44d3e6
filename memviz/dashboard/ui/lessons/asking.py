"""The part of a step of one's own that asks: nothing, a question that is written here, or a prediction whose answer
comes from the run; and the parts of the lesson that is written, each with what a control puts into it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.lessons.field_readers import TEXT_CHARS
from memviz.dashboard.lessons.lesson import (
    PREDICTIONS,
    Language,
    Prediction,
    Question,
    Step,
    Text,
)
from memviz.dashboard.lessons.playing import PlayedStudy, play_study
from memviz.dashboard.lessons.questions import prepare_question
from memviz.dashboard.lessons.reading import CHOICE_CHARS, MAX_CHOICES
from memviz.dashboard.ui.lessons.answering import prose
from memviz.dashboard.ui.lessons.state import OwnLesson
from memviz.dashboard.ui.shell.elements import buttons_row, error_shown, segments
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain


@dataclass(frozen=True)
class Slot:
    """A part of a lesson, by its name."""

    own: OwnLesson
    name: str
    number: int | None = None
    """The step (0-based) that it is a part of; ``None``: the lesson itself."""
    is_asked: bool = False
    """True for a part of what the step asks."""

    @property
    def value(self) -> Any:
        """Return what stands in it."""
        if self.number is None:
            return getattr(self.own, self.name)
        step = self.own.steps[self.number]
        return getattr(step.asked if self.is_asked else step, self.name)

    def put(self, value: Any) -> None:
        """Let it hold ``value``."""
        if self.number is None:
            setattr(self.own, self.name, value)
            return
        step = self.own.steps[self.number]
        changed = {self.name: value}
        if not self.is_asked:
            step = replace(step, **changed)
        elif step.asked is not None:
            step = replace(step, asked=replace(step.asked, **changed))
        self.own.steps[self.number] = step

    def put_shown(self, key: str) -> None:
        """Let it hold what the widget of this key shows."""
        self.put(widget_value(key))

    def put_text(self, language: Language, key: str) -> None:
        """Let its text say in ``language`` what the widget of this key shows."""
        words = (widget_value(key) or "").strip()
        if self.number is None:
            words = " ".join(words.split())
        self.put(replace(self.value, **{language: words}))

    def write(
        self,
        draw: Callable[..., object],
        label: str,
        key_name: str,
        language: Language,
        **options: Any,
    ) -> None:
        """Draw, by one of Streamlit's fields for text, what it says in a language, to be changed."""
        place = key_name if self.number is None else f"{key_name}-{self.number}"
        key = self.own.key(f"{place}-{language}")
        on_change = partial(self.put_text, language, key)
        text = getattr(self.value, language)
        draw(label, text, key=key, on_change=on_change, **options)


NOTHING = "nothing"
QUESTION = "question"
PREDICTION = "prediction"
ASKS = {
    NOTHING: noop("Nothing"), QUESTION: noop("A question"), PREDICTION: noop("A prediction"),
}  # fmt: skip
ASKS_HELP = noop(
    "The reader answers before going on. A question is yours, with its answers; the answer and the "
    "reason of a prediction come from the run."
)
KINDS = {
    "summarizes": noop("Is a summary written before this turn?"),
    "stays": noop("How many messages are sent word for word?"),
    "knows": noop("Does the request still hold a fact?"),
    "cheapest": noop("Which setting has cost least so far?"),
}
CHOICES_HELP = noop("Two to {most}, each on a line of its own.")
LINE_PIXELS = 68
LINES_PIXELS = 110
TURN_PIXELS = 130


def choose_what_is_asked(own: OwnLesson, number: int, language: Language) -> None:
    """Draw the controls that say what step ``number`` (0-based) asks."""
    step = own.steps[number]
    key = own.key(f"asks-{number}")
    sorts = [NOTHING, QUESTION]
    if step.view.study.settings:
        sorts.append(PREDICTION)
    set_widget(key, _sort(step.asked))
    segments(
        _("It asks"),
        sorts,
        format_func=lambda sort: _(ASKS[sort]),
        key=key,
        help=_(ASKS_HELP),
        on_change=partial(_ask, own, number, key),
    )
    if isinstance(step.asked, Question):
        _draw_question(own, number, step.asked, language)
    elif step.asked is not None:
        _draw_prediction(own, number, step.asked, language)


def _sort(question: Question | Prediction | None) -> str:
    if question is None:
        return NOTHING
    return QUESTION if isinstance(question, Question) else PREDICTION


def _ask(own: OwnLesson, number: int, key: str) -> None:
    step = own.steps[number]
    sort = widget_value(key)
    if sort == _sort(step.asked):
        return
    question: Question | Prediction | None = None
    if sort == QUESTION:
        question = Question(Text(), (), 0)
    elif sort == PREDICTION:
        # About the turn and the setting that the step shows.
        view = step.view
        question = Prediction("summarizes", view.turn or 1, view.highlight.setting or 0)
    own.steps[number] = replace(step, asked=question)


def _draw_question(
    own: OwnLesson, number: int, question: Question, language: Language
) -> None:
    part = partial(Slot, own, number=number, is_asked=True)
    part("text").write(
        st.text_area,
        _("Question"),
        "question",
        language,
        max_chars=TEXT_CHARS,
        height=LINE_PIXELS,
    )
    key = own.key(f"choices-{number}-{language}")
    st.text_area(
        _("Answers, one a line"),
        "\n".join(getattr(choice, language) for choice in question.choices),
        key=key,
        max_chars=MAX_CHOICES * CHOICE_CHARS,
        height=LINES_PIXELS,
        help=_(CHOICES_HELP, most=MAX_CHOICES),
        on_change=partial(_choose_from, own, number, language, key),
    )
    if question.choices:
        choices = [plain(choice.said(language)) for choice in question.choices]
        _choose(part("answer"), _("The right one"), dict(enumerate(choices)))
    part("reason").write(
        st.text_area,
        _("Why (if you like)"),
        "reason",
        language,
        max_chars=TEXT_CHARS,
        height=LINE_PIXELS,
        help=_("Shown once the question is answered."),
    )


def _choose(slot: Slot, label: str, words: Mapping[Any, str]) -> None:
    """Choose what stands in a slot among the keys of ``words``."""
    key = slot.own.key(f"{slot.name}-{slot.number}")
    if slot.value in words:
        set_widget(key, slot.value)
    st.selectbox(
        label,
        list(words),
        key=key,
        format_func=words.__getitem__,
        on_change=partial(slot.put_shown, key),
    )


def _choose_from(own: OwnLesson, number: int, language: Language, key: str) -> None:
    step = own.steps[number]
    if isinstance(step.asked, Question):
        lines = [line.strip() for line in (widget_value(key) or "").split("\n")]
        own.steps[number] = replace(
            step, asked=with_choices(step.asked, language, lines)
        )


def with_choices(question: Question, language: Language, lines: list[str]) -> Question:
    """Return the question with these choices in a ``language``, line by line beside those in the other one. The right
    one stays the right one, also where it moved to another line."""
    texts = [
        replace(choice or Text(), **{language: line or ""})
        for line, choice in zip_longest(lines, question.choices)
    ]
    choices = tuple(filter(None, texts))
    answer = question.answer
    lines_before = [getattr(choice, language) for choice in question.choices]
    lines_now = [getattr(choice, language) for choice in choices]
    right = lines_before[answer] if answer < len(lines_before) else ""
    if right and right in lines_now:
        answer = lines_now.index(right)
    answer = min(answer, max(0, len(choices) - 1))
    return replace(question, choices=choices, answer=answer)


def _draw_prediction(
    own: OwnLesson, number: int, prediction: Prediction, language: Language
) -> None:
    with error_shown():
        with st.spinner(_("Replaying the conversation"), show_time=True):
            played = play_study(
                own.steps[number].view.study,
                workspace(),
                _("Step {number}", number=number + 1),
            )
        with buttons_row():
            _choose_prediction(own, number, prediction, played)
        _say(own.steps[number], played, language)


def _choose_prediction(
    own: OwnLesson, number: int, prediction: Prediction, played: PlayedStudy
) -> None:
    part = partial(Slot, own, number=number, is_asked=True)
    needed = {"knows": bool(played.probes), "cheapest": len(played.runs) > 1}
    kinds = {kind: _(KINDS[kind]) for kind in PREDICTIONS if needed.get(kind, True)}
    _choose(part("kind"), _("What it asks"), kinds)
    turns = played.runs[0].log.turn_count
    key = own.key(f"turn-{number}")
    set_widget(key, min(prediction.turn, turns))
    st.number_input(
        _("At turn"),
        1,
        turns,
        key=key,
        width=TURN_PIXELS,
        on_change=partial(part("turn").put_shown, key),
    )
    if prediction.kind != "cheapest" and len(played.labels) > 1:
        labels = [plain(label) for label in played.labels]
        _choose(part("setting"), _("Under"), dict(enumerate(labels)))
    if prediction.kind == "knows":
        answers = [probe.answers[0] for probe in played.probes]
        if prediction.fact not in range(len(answers)):
            # It is named by its answer, as in a file, or not yet chosen.
            fact_number = (
                answers.index(prediction.fact) if prediction.fact in answers else 0
            )
            part("fact").put(fact_number)
        facts = dict(enumerate(map(plain, answers)))
        _choose(part("fact"), _("Fact"), facts)


def _say(step: Step, played: PlayedStudy, language: Language) -> None:
    """Draw the question as the reader sees it, with its answer. Raises :class:`memviz.MemvizError`."""
    question = prepare_question(step, played)
    if question is not None:
        prose(question.text, language)
        answer = plain(question.choices[question.answer].said(language))
        st.caption(_("Answer of the run: {answer}.", answer=answer))
