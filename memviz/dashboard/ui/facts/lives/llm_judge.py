"""Let a model answer the facts' questions under every setting, and another one judge the answers."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.jobs import Job, Tell, start_verb
from memviz.dashboard.ui.controls.pickers import (
    JUDGE,
    ModelChoice,
    Models,
    model_picker,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.lives.judged_answers import Order, draw_answers
from memviz.dashboard.ui.shell.elements import drawer, switch
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.server.checks import is_shared
from memviz.dashboard.ui.shell.state import of_session, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.estimates import likely_words
from memviz.engine.judging import JudgedAnswer, Judging
from memviz.metrics.cost.bounds import bound_judging
from memviz.metrics.cost.estimate import judge_estimate
from memviz.models.planned_calls import CostBound
from memviz.transcripts.base import Probe

SETTINGS_KEY = "judged-settings"
MOST_RESULTS = 12
"""The number of orders whose answers a session keeps."""


def ask_a_model(
    results: Sequence[RetentionResult],
    probes: Sequence[Probe],
    models: Models,
) -> None:
    """Draw the panel: which model is asked what, what that will cost, and the answers.

    It is no fragment: Streamlit would let one that is running finish before it hears of a click on Stop.
    """
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
        id = compare_state().conversation_id or ""
        key = _key_of(order)
        _offer_to_ask(id, order, key, _answers_so_far(id, key))
        answers = _answers_of_session()[key]
        if answers:
            draw_answers(order, answers)


def _answers_so_far(id: str, key: str) -> tuple[JudgedAnswer, ...]:
    """Return the judged answers of an order, from the session or from the library."""
    answers_by_order = _answers_of_session()
    if key not in answers_by_order:
        stored = () if is_shared() else workspace().judged_answers(id, key)
        answers_by_order[key] = stored
    return answers_by_order[key]


def _offer_to_ask(
    id: str, order: Order, key: str, answers: Sequence[JudgedAnswer]
) -> None:
    """Draw the button that asks for the answers that are not settled, with their cost; nothing where all are."""
    settled = sum(map(order.is_settled, answers))
    total = len(order.runs) * len(order.probes)
    if settled == total:
        return
    progress = ""
    if answers:
        progress = _(
            "{settled:,} of {answers} so far.",
            settled=settled,
            answers=counted(total, "answer"),
        )
    has_failed = any(answer.error for answer in answers)
    job = Job(
        "judged-ask",
        partial(_judge, id, order, key),
        verb=start_verb(_("Ask"), is_begun=bool(answers), has_failed=has_failed),
        model=order.models.answerer.label,
        bound=_bound_cost(order, answers),
        before=_likely_words(order),
    )
    job.run_when_asked(so_far=progress)


def _key_of(order: Order) -> str:
    """Return the key of the answers of an order, a hash: of settings by what a question would be sent, of models by
    name."""
    settings = []
    for run in order.runs:
        texts = [version.text for version in run.summaries]
        strategy = [run.strategy.id, run.strategy.model_dump()]
        settings.append([*strategy, run.counter.name, len(run.log), texts])
    models = [order.models.answerer, order.models.summarizer, order.judge]
    names = [model.label if model else None for model in models]
    parts = [settings, names, [probe.to_dict() for probe in order.probes]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _answers_of_session() -> dict[str, tuple[JudgedAnswer, ...]]:
    """Return the answers that this session knows, by the key of their order."""
    return of_session("judged-answers", dict[str, tuple[JudgedAnswer, ...]])


def _choose(
    results: Sequence[RetentionResult], probes: Sequence[Probe], models: Models
) -> Order:
    """Draw the choice of settings, questions and judge, and return what is to be asked."""
    labels = [result.setting.label for result in results]
    # Streamlit refuses a choice that is no option any more.
    labels_chosen = widget_value(SETTINGS_KEY) or labels
    if not set(labels_chosen) <= set(labels):
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
    probe_count = len(probes)
    count = probe_count
    if probe_count > 1:
        count = right.slider(
            _("Questions"),
            1,
            probe_count,
            probe_count,
            key=f"judged-facts-{probe_count}",
            help=_("How many; the first ones are asked."),
        )
    with right:
        judge = _choose_judge()
    left.caption(_answering_words(models))
    chosen = [result for result in results if result.setting.label in (names or ())]
    # Two settings that are the same share one run, and its answers.
    runs = tuple(dict.fromkeys(result.run for result in chosen))
    return Order(tuple(chosen), runs, tuple(probes[:count]), models, judge)


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


def _likely_words(order: Order) -> str:
    """Return what it is likely to cost: each question is asked after the last turn."""
    likely = judge_estimate(
        order.runs,
        order.probes,
        order.models.answerer.name,
        order.models.summarizer.name,
        order.judge_name,
    )
    return likely_words(likely)


def _bound_cost(order: Order, answers: Sequence[JudgedAnswer]) -> CostBound:
    """Return the most that the questions cost which are not settled under every setting."""
    settled_answers = Counter(
        answer.probe for answer in answers if order.is_settled(answer)
    )
    unsettled = []
    for probe in order.probes:
        if settled_answers[probe] < len(order.runs):
            unsettled.append(probe)
    return bound_judging(order.runs, unsettled, order.models.askers, order.judge_name)


def _judge(conversation_id: str, order: Order, key: str, tell: Tell) -> None:
    """Ask question by question, setting by setting; what was answered is kept with the conversation. In the session
    the newest results come last, and the oldest make room."""
    answers_by_order = _answers_of_session()
    before = answers_by_order[key]
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
            answers_by_order.pop(key, None)
            answers_by_order[key] = judging.results
            for oldest_key in list(answers_by_order)[:-MOST_RESULTS]:
                del answers_by_order[oldest_key]
            if not is_shared():
                new = [answer for answer in judging.results if answer not in before]
                workspace().keep_judged_answers(conversation_id, key, order.probes, new)
