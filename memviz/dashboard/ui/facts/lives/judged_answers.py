"""The answers of a model to the questions about facts, under every setting: how right they were, and one question in
full."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from memviz.core.text.wording import counted, distinct_names, dollars
from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.authorship import draw_badge_of, say_who_answered
from memviz.dashboard.ui.controls.inspector import BadgeColor
from memviz.dashboard.ui.controls.pickers import ModelChoice, Models
from memviz.dashboard.ui.shell.elements import (
    box,
    buttons_row,
    card_places,
    show_caption,
    show_title,
)
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.engine.calls import ReplyFacts
from memviz.engine.judging import JudgedAnswer
from memviz.engine.run import Run
from memviz.metrics.answer_scores import AnswerScores, contains_answer, score_answers
from memviz.models.names import OFFLINE
from memviz.transcripts.base import Probe

QUESTION_KEY = "judged-one"
CARDS_A_ROW = 3
LABEL_CHARS = 110
NONE = "–"
JUDGED_RIGHT = noop("Judged right")
FAILED = noop("Failed")
COST = noop("Cost")
NO_COST = noop("none")
SAYS_NOTHING = {JUDGED_RIGHT: NONE, FAILED: "0", COST: NO_COST}
"""Rows that are left out where all of their cells are this."""
CONTAINED: dict[bool, tuple[BadgeColor, str]] = {
    True: ("green", noop("answer contained")),
    False: ("gray", noop("not contained")),
}
VERDICTS: dict[str | None, tuple[BadgeColor, str]] = {
    "right": ("green", noop("judged right")),
    "wrong": ("yellow", noop("judged wrong")),
    None: ("gray", noop("not judged")),
}


class Order(NamedTuple):
    """An order: who is asked what."""

    results: tuple[RetentionResult, ...]
    runs: tuple[Run, ...]
    """The runs of the results; two settings that are the same share one."""
    probes: tuple[Probe, ...]
    models: Models
    judge: ModelChoice | None

    def is_settled(self, answer: JudgedAnswer) -> bool:
        """Return true if nobody has to be asked about it again."""
        is_judged = self.judge is None or answer.verdict is not None
        return is_judged and answer.reply is not None

    @property
    def judge_name(self) -> str | None:
        """The name of the model that judges; ``None`` where none does."""
        return self.judge.name if self.judge else None

    def number_of(self, result: RetentionResult) -> int:
        """Return the number of a setting's run."""
        return self.runs.index(result.run)


def draw_answers(order: Order, answers: Sequence[JudgedAnswer]) -> None:
    """Draw how right the answers were, the first failure, and the answers to one question."""
    say_who_answered(answer.calls[-1] for answer in answers if answer.calls)
    st.table(
        _table(order, answers),
        border="horizontal",
        alt=_("How right the answers were, one column a setting"),
    )
    errors = [answer.error for answer in answers if answer.error]
    if errors:
        st.caption(_("The first failure said: {failed}", failed=plain(errors[0])))
    _draw_one_question(order, answers)


def _table(order: Order, answers: Sequence[JudgedAnswer]) -> pd.DataFrame:
    """Return a column a setting, as in the table of key numbers: of measures there are more than a phone has room
    for."""
    scores = score_answers(answers, len(order.runs))
    columns = {}
    for result in order.results:
        own_scores = scores[order.number_of(result)]
        columns[plain(result.setting.label)] = _column(own_scores, result, order)
    table = pd.DataFrame(columns)
    empty = []
    for name, words in SAYS_NOTHING.items():
        if (table.loc[name] == _(words)).all():
            empty.append(name)
    if COST not in empty and _cost_nothing(answers):
        empty.append(COST)
    return table.drop(index=empty).rename(index=_)


def _cost_nothing(answers: Sequence[JudgedAnswer]) -> bool:
    """Return whether all was played from a recording, which costs nothing now, or written by the built-in model."""
    calls: list[ReplyFacts] = []
    for answer in answers:
        calls += (*answer.calls, *answer.summaries, *answer.judging)
    return all(call.recorded or call.model == OFFLINE for call in calls)


def _column(
    scores: AnswerScores, result: RetentionResult, order: Order
) -> dict[str, str]:
    questions = len(order.probes)
    could_be_known = sum(map(bool, result.retention.retained[-1][:questions]))
    mean_f1 = NONE
    if scores.mean_f1 is not None:
        mean_f1 = f"{scores.mean_f1:.2f}"
    judged = scores.right + scores.wrong
    judged_right = NONE
    if judged:
        judged_right = _("{right:,} of {judged:,}", right=scores.right, judged=judged)
    cost = _(NO_COST)
    if scores.cost_usd is None:
        cost = _("unknown")
    elif scores.cost_usd:
        cost = plain(dollars(scores.cost_usd))
    return {
        noop("Could be known"): _(
            "{could:,} of {count:,}", could=could_be_known, count=questions
        ),
        noop("Answer contained"): _(
            "{containing:,} of {answered:,}",
            containing=scores.containing,
            answered=scores.answered,
        ),
        noop("Token F1, mean"): mean_f1,
        JUDGED_RIGHT: judged_right,
        FAILED: f"{scores.failed:,}",
        COST: cost,
    }


@st.fragment
def _draw_one_question(order: Order, answers: Sequence[JudgedAnswer]) -> None:
    """Draw all answers to one question, beside each other."""
    answered = [answer.probe for answer in answers]
    probes = [probe for probe in order.probes if probe in answered]
    labels = distinct_names([shorten(probe.question, LABEL_CHARS) for probe in probes])
    numbers = list(range(len(probes)))
    if widget_value(QUESTION_KEY) not in (None, *numbers):
        set_widget(QUESTION_KEY, None)
    number = st.selectbox(
        _("Answers to one question"),
        numbers,
        index=None,
        format_func=labels.__getitem__,
        key=QUESTION_KEY,
        placeholder=_("Choose a question to read the answers"),
    )
    if number is None:
        return
    probe = probes[number]
    st.caption(_("Accepted: {answers}", answers=plain(" / ".join(probe.answers))))
    answer_of = {answer.run: answer for answer in answers if answer.probe == probe}
    for place, result in card_places(order.results, CARDS_A_ROW):
        with place:
            _draw_card(result, answer_of.get(order.number_of(result)), probe)


def _draw_card(
    result: RetentionResult, answer: JudgedAnswer | None, probe: Probe
) -> None:
    with box():
        show_title(result.setting.label)
        if answer is None:
            st.caption(_("Not asked yet."))
            return
        st.text(answer.reply or _("There is no reply."))
        with buttons_row("xsmall"):
            badges = [CONTAINED[contains_answer(answer.reply or "", probe.answers)]]
            if answer.judging:
                badges.append(VERDICTS[answer.verdict])
            for color, words in badges:
                st.badge(_(words), color=color)
            if answer.calls:
                draw_badge_of(answer.calls[-1])
        if answer.error:
            show_caption(answer.error)
        st.caption(_("{tokens} sent", tokens=counted(answer.sent_tokens, "token")))
