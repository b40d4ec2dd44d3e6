"""Let a model answer the facts' questions under every setting, and another one judge the answers."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from memviz.core.text.wording import counted, distinct_names, dollars
from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.authorship import draw_badge_of, say_who_answered
from memviz.dashboard.ui.controls.inspector import BadgeColor
from memviz.dashboard.ui.controls.jobs import Job, Tell, start_verb
from memviz.dashboard.ui.controls.pickers import (
    JUDGE,
    ModelChoice,
    Models,
    model_picker,
    switch,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import (
    box,
    buttons_row,
    card_places,
    drawer,
    show_caption,
    show_title,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.server.checks import is_shared
from memviz.dashboard.ui.shell.state import of_session, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.dashboard.words.estimates import likely_words
from memviz.engine.calls import ReplyFacts
from memviz.engine.judging import JudgedAnswer, Judging
from memviz.engine.run import Run
from memviz.metrics.answer_scores import AnswerScores, answer_scores, contains_answer
from memviz.metrics.cost.bounds import bound_judging
from memviz.metrics.cost.estimate import judge_estimate
from memviz.models.names import OFFLINE
from memviz.models.planned_calls import CostBound
from memviz.transcripts.base import Probe

SETTINGS_KEY = "judged-settings"
ONE_KEY = "judged-one"
MOST_RESULTS = 12
"""Judgings that a session keeps."""
CARDS_A_ROW = 3
LABEL_CHARS = 110
SAYS_NOTHING = {"Judged right": "–", "Failed": "0", "Cost": noop("none")}
CONTAINED: dict[bool, tuple[BadgeColor, str]] = {
    True: ("green", noop("answer contained")),
    False: ("gray", noop("not contained")),
}
VERDICTS: dict[str | None, tuple[BadgeColor, str]] = {
    "right": ("green", noop("judged right")),
    "wrong": ("yellow", noop("judged wrong")),
    None: ("gray", noop("not judged")),
}


class _Order(NamedTuple):
    """An order: who is asked what. ``key`` is equal for the same settings, models and probes."""

    results: tuple[RetentionResult, ...]
    runs: tuple[Run, ...]
    probes: tuple[Probe, ...]
    models: Models
    judge: ModelChoice | None

    @property
    def key(self) -> str:
        """The key of the results, as a hash: settings by what a question would be sent, models by name."""
        settings = []
        for run in self.runs:
            texts = [version.text for version in run.summaries]
            strategy = [run.strategy.id, run.strategy.model_dump()]
            settings.append([*strategy, run.counter.name, len(run.log), texts])
        models = [self.models.answerer, self.models.summarizer, self.judge]
        names = [model.label if model else None for model in models]
        parts = [settings, names, [probe.to_dict() for probe in self.probes]]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def is_settled(self, answer: JudgedAnswer) -> bool:
        """Return true if nobody has to be asked about it again."""
        is_judged = self.judge is None or answer.verdict is not None
        return is_judged and answer.reply is not None

    @property
    def judge_name(self) -> str | None:
        """The name of the model that judges; ``None`` where none does."""
        return self.judge.name if self.judge else None

    def number_of(self, result: RetentionResult) -> int:
        """The number of a setting's run; two settings that are the same share one."""
        return self.runs.index(result.run)


def ask_a_model(
    results: Sequence[RetentionResult],
    probes: Sequence[Probe],
    models: Models,
) -> None:
    """The panel: who is asked what, what it will cost, and what came of it. It is no fragment: Streamlit would let
    one that is running finish before it hears of a click on Stop."""
    with drawer(_("Ask a model"), ":material/quiz:", "judged"):
        st.caption(
            _(
                "Everything above is about what a model could know. Here a model is asked every question after the "
                "last turn, under each setting, and it answers from exactly what would be sent."
            )
        )
        order = _choose(results, probes, models)
        if not order.runs or not order.probes:
            st.caption(_("Choose a setting to ask."))
            return
        judged = _judged()
        id = compare_state().conversation_id or ""
        key = order.key
        if key not in judged:
            judged[key] = () if is_shared() else workspace().judged_answers(id, key)
        so_far = judged[key]
        settled = sum(map(order.is_settled, so_far))
        total = len(order.runs) * len(order.probes)
        if settled < total:
            has_failed = any(answer.error for answer in so_far)
            job = Job(
                "judged-ask",
                partial(_judge, id, order, key),
                verb=start_verb(_("Ask"), is_begun=bool(so_far), has_failed=has_failed),
                model=models.answerer.label,
                bound=_bound(order, so_far),
                before=_likely(order),
            )
            progress = _(
                "{settled:,} of {answers} so far.",
                settled=settled,
                answers=counted(total, "answer"),
            )
            job.run_when_asked(so_far=progress if so_far else "")
        answers = judged.get(key)
        if answers:
            _show(order, answers)


def _judged() -> dict[str, tuple[JudgedAnswer, ...]]:
    """The answers that were judged in this session, by who was asked what under which settings."""
    return of_session("judged-answers", dict[str, tuple[JudgedAnswer, ...]])


def _choose(
    results: Sequence[RetentionResult], probes: Sequence[Probe], models: Models
) -> _Order:
    labels = [result.setting.label for result in results]
    if not set(widget_value(SETTINGS_KEY) or labels) <= set(labels):
        set_widget(SETTINGS_KEY, labels)
    left, right = st.columns([3, 2], gap="medium")
    names = left.pills(
        _("Settings"),
        labels,
        selection_mode="multi",
        default=labels if widget_value(SETTINGS_KEY) is None else None,
        key=SETTINGS_KEY,
        wrap=True,
    )
    most = len(probes)
    count = most
    if most > 1:
        count = right.slider(
            _("Questions"),
            1,
            most,
            most,
            key=f"judged-facts-{most}",
            help=_("How many; the first ones are asked."),
        )
    with right:
        judge = _choose_judge()
    left.caption(_answering_words(models))
    chosen = tuple(
        result for result in results if result.setting.label in (names or ())
    )
    runs = tuple(dict.fromkeys(result.run for result in chosen))
    return _Order(chosen, runs, tuple(probes[:count]), models, judge)


def _choose_judge() -> ModelChoice | None:
    """Return the model that says right or wrong; ``None`` where none is asked to."""
    if not switch(
        _("Let a model judge the answers"),
        key="judged-with-judge",
        help=_(
            "A judge reads question, accepted answer and reply, and says right or wrong."
        ),
    ):
        return None
    return model_picker(_("Judge"), JUDGE, _("Who says whether an answer is right."))


def _answering_words(models: Models) -> str:
    return _(
        "Answers: *{answerer}*. Summaries that a question makes due: *{summarizer}*. Both are chosen under "
        "Models in the sidebar.",
        answerer=plain(models.answerer.label),
        summarizer=plain(models.summarizer.label),
    )


def _likely(order: _Order) -> str:
    """Return what it is likely to cost: each question is asked after the last turn."""
    likely = judge_estimate(
        order.runs,
        order.probes,
        order.models.answerer.name,
        order.models.summarizer.name,
        order.judge_name,
    )
    return likely_words(likely)


def _bound(order: _Order, so_far: Sequence[JudgedAnswer]) -> CostBound:
    """Return the most that the questions cost which are not settled under every setting."""
    settled = Counter(answer.probe for answer in so_far if order.is_settled(answer))
    unsettled = [probe for probe in order.probes if settled[probe] < len(order.runs)]
    return bound_judging(order.runs, unsettled, order.models.askers, order.judge_name)


def _judge(conversation_id: str, order: _Order, key: str, tell: Tell) -> None:
    """Ask question by question, setting by setting; what was answered is kept with the conversation. In the session
    the newest results come last, and the oldest make room."""
    judged = _judged()
    before = judged[key]
    judging = Judging(
        order.runs,
        order.probes,
        model=order.models.answerer.build(),
        summarizer=order.models.summarizer.build(),
        judge=order.judge.build() if order.judge else None,
        so_far=before,
    )
    try:
        for answered, total in judging.steps():
            tell(
                answered / total,
                _(
                    "Asking: {done:,} of {answers}",
                    done=answered,
                    answers=counted(total, "answer"),
                ),
            )
    finally:  # also when it was stopped, or the page was left
        if judging.results:
            judged.pop(key, None)
            judged[key] = judging.results
            for old in list(judged)[:-MOST_RESULTS]:
                del judged[old]
            if not is_shared():
                new = [answer for answer in judging.results if answer not in before]
                workspace().keep_judged_answers(conversation_id, key, order.probes, new)


def _show(order: _Order, results: Sequence[JudgedAnswer]) -> None:
    scores = answer_scores(results, len(order.runs))
    # A column a setting, as in the table of key numbers: of measures there are more than a phone has room for.
    columns = {
        plain(result.setting.label): _column(
            scores[order.number_of(result)], result, order
        )
        for result in order.results
    }
    table = pd.DataFrame(columns)
    say_who_answered(answer.calls[-1] for answer in results if answer.calls)
    nothing = SAYS_NOTHING.items()
    empty = {name for name, words in nothing if (table.loc[name] == _(words)).all()}
    calls: list[ReplyFacts] = []
    for answer in results:
        calls += (*answer.calls, *answer.summaries, *answer.judging)
    if all(call.recorded or call.model == OFFLINE for call in calls):
        empty.add("Cost")  # what is played from a recording costs nothing now
    st.table(
        table.drop(index=list(empty)).rename(index=_),
        border="horizontal",
        alt=_("How right the answers were, one column a setting"),
    )
    failed = next((answer.error for answer in results if answer.error), None)
    if failed:
        st.caption(_("The first failure said: {failed}", failed=plain(failed)))
    _draw_one_question(order, results)


def _column(
    scores: AnswerScores, result: RetentionResult, order: _Order
) -> dict[str, str]:
    could = sum(map(bool, result.retention.retained[-1][: len(order.probes)]))
    judged = scores.right + scores.wrong
    cost = _("none")
    if scores.cost_usd is None:
        cost = _("unknown")
    elif scores.cost_usd:
        cost = plain(dollars(scores.cost_usd))
    return {
        noop("Could be known"): _(
            "{could:,} of {count:,}", could=could, count=len(order.probes)
        ),
        noop("Answer contained"): _(
            "{containing:,} of {answered:,}",
            containing=scores.containing,
            answered=scores.answered,
        ),
        noop("Token F1, mean"): "–"
        if scores.mean_f1 is None
        else f"{scores.mean_f1:.2f}",
        noop("Judged right"): _(
            "{right:,} of {judged:,}", right=scores.right, judged=judged
        )
        if judged
        else "–",
        noop("Failed"): f"{scores.failed:,}",
        noop("Cost"): cost,
    }


@st.fragment
def _draw_one_question(order: _Order, results: Sequence[JudgedAnswer]) -> None:
    """All answers to one question, beside each other."""
    answered = [answer.probe for answer in results]
    probes = [probe for probe in order.probes if probe in answered]
    labels = distinct_names([shorten(probe.question, LABEL_CHARS) for probe in probes])
    numbers = list(range(len(probes)))
    if widget_value(ONE_KEY) not in (None, *numbers):
        set_widget(ONE_KEY, None)
    at = st.selectbox(
        _("Answers to one question"),
        numbers,
        index=None,
        format_func=labels.__getitem__,
        key=ONE_KEY,
        placeholder=_("Choose a question to read the answers"),
    )
    if at is None:
        return
    probe = probes[at]
    st.caption(_("Accepted: {answers}", answers=plain(" / ".join(probe.answers))))
    answers = {answer.run: answer for answer in results if answer.probe == probe}
    for place, result in card_places(order.results, CARDS_A_ROW):
        with place:
            _draw_card(result, answers.get(order.number_of(result)), probe)


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
