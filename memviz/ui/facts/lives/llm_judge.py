"""Let a model answer the facts' questions under every setting, and another one judge the answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from time import monotonic
from typing import NamedTuple

import pandas as pd
import streamlit as st

from memviz.charts.retention.result import RetentionResult
from memviz.engine.judged_answer import JudgedAnswer
from memviz.engine.judging import Judging
from memviz.engine.run import Run
from memviz.errors import MemvizError
from memviz.metrics.answers.judge_estimate import judge_estimate
from memviz.metrics.answers.scores import AnswerScores, answer_scores, contains_answer
from memviz.text.wording import counted, dollars
from memviz.transcripts.base import Probe
from memviz.ui.controls.inspector import BadgeColor
from memviz.ui.controls.pickers import ModelChoice, model_picker
from memviz.ui.controls.progress import FRAME_SECONDS
from memviz.ui.controls.sidebar import StudyModels
from memviz.ui.shell.errors import show_error
from memviz.ui.shell.state import RetentionState, set_widget, widget_value
from memviz.ui.shell.text import distinct, plain, shortened

SETTINGS_KEY, COUNT_KEY, JUDGE_KEY, ONE_KEY = (
    "judged-settings", "judged-facts", "judged-with-judge", "judged-one",
)  # fmt: skip
MOST_RESULTS = 12
"""Judgings that a session keeps."""
CARDS_A_ROW = 3
LABEL_CHARS = 110
RESULTS_ALT = "How right the answers were, one row a setting"
VERDICTS: dict[str | None, tuple[BadgeColor, str]] = {
    "right": ("green", "judged right"), "wrong": ("yellow", "judged wrong"), None: ("gray", "not judged"),
}  # fmt: skip


class _Job(NamedTuple):
    """Who is asked what. ``key`` is equal for the same settings, models and probes."""

    kept: tuple[RetentionResult, ...]
    runs: tuple[Run, ...]
    probes: tuple[Probe, ...]
    models: StudyModels
    judge: ModelChoice | None

    @property
    def key(self) -> Hashable:
        """What the results are kept under: settings by what a question would be sent, models by name."""
        settings = tuple(
            (run.strategy, run.counter.name, len(run.log), tuple(version.text for version in run.summaries))
            for run in self.runs
        )
        names = (self.models.answerer.name, self.models.summarizer.name, self.judge.name if self.judge else None)
        return (settings, names, self.probes)

    def number_of(self, one: RetentionResult) -> int:
        """The number of a setting's run; two settings that are the same share one."""
        return next(number for number, run in enumerate(self.runs) if run is one.run)


def ask_a_model(
    state: RetentionState, kept: Sequence[RetentionResult], probes: Sequence[Probe], models: StudyModels
) -> None:
    """The panel: who is asked what, what it will cost, and what came of it. It is no fragment: Streamlit would let
    one that is running finish before it hears of a click on Stop."""
    with st.expander("Ask a model", icon=":material/quiz:", key="judged"):
        st.caption(
            "All above is about what a model could know. Here one is asked every question after the last turn, under "
            "each setting, and answers from exactly what would be sent."
        )
        job = _choose(kept, probes, models)
        if not job.runs or not job.probes:
            st.caption("Choose a setting to ask.")
            return
        results = state.judged.get(job.key, ())
        results = _ask_when_told(state, job, results)
        if results:
            _show(job, results)


def _choose(kept: Sequence[RetentionResult], probes: Sequence[Probe], models: StudyModels) -> _Job:
    labels = [one.setting.label for one in kept]
    if not set(widget_value(SETTINGS_KEY) or labels) <= set(labels):
        set_widget(SETTINGS_KEY, labels)
    left, right = st.columns([3, 2], gap="medium")
    names = left.pills("Settings", labels, selection_mode="multi", default=labels if widget_value(SETTINGS_KEY) is None
                       else None, key=SETTINGS_KEY)  # fmt: skip
    count = len(probes)
    if len(probes) > 1:
        key = f"{COUNT_KEY}-{len(probes)}"
        count = right.slider("Questions", 1, len(probes), len(probes), key=key, help="The first so many facts.")
    judge = None
    with right:
        if st.toggle("Let a model judge the answers", key=JUDGE_KEY,
                     help="A judge reads question, accepted answer and reply, and says right or wrong."):  # fmt: skip
            judge = model_picker("Judge", "judged-judge", "Who says whether an answer is right.")
    left.caption(
        f"{plain(models.answerer.name)} answers, {plain(models.summarizer.name)} summarizes where a question makes it "
        "necessary. Choose them in the sidebar, under Counter and models."
    )
    chosen = tuple(one for one in kept if one.setting.label in (names or ()))
    runs = tuple({id(one.run): one.run for one in chosen}.values())
    return _Job(chosen, runs, tuple(probes[:count]), models, judge)


def _ask_when_told(state: RetentionState, job: _Job, so_far: tuple[JudgedAnswer, ...]) -> tuple[JudgedAnswer, ...]:
    """Ask after a click; what is answered is kept, also when it is stopped or fails."""
    total = len(job.runs) * len(job.probes)
    settled = sum(_is_settled(answer, job) for answer in so_far)
    if settled == total:
        return so_far
    st.caption(plain("At most " + judge_estimate(
        job.runs, job.probes, job.models.answerer.name, job.models.summarizer.name,
        job.judge.name if job.judge else None,
    ).sentence))  # fmt: skip
    if so_far:
        st.caption(f"{settled:,} of {counted(total, 'answer')} so far.")
    label = f"{'Go on with' if so_far else 'Ask'} {plain(job.models.answerer.name)}"
    if not st.button(label, icon=":material/play_arrow:", type="primary", key="judged-ask"):
        return so_far
    stop = st.empty()
    stop.button("Stop", icon=":material/stop_circle:", key="judged-stop", help="What was answered so far is kept.")
    try:
        judging = Judging(
            job.runs, job.probes, model=job.models.answerer.build(), summarizer=job.models.summarizer.build(),
            judge=job.judge.build() if job.judge else None, so_far=so_far,
        )  # fmt: skip
        _answer(state, job, judging)
    except MemvizError as error:
        stop.empty()
        show_error(error, "What was answered before is kept: try again to go on from there.")
        return state.judged.get(job.key, ())
    st.rerun()  # the question whether to ask is settled
    return state.judged.get(job.key, ())


def _is_settled(answer: JudgedAnswer, job: _Job) -> bool:
    return answer.reply is not None and (job.judge is None or answer.verdict is not None)


def _answer(state: RetentionState, job: _Job, judging: Judging) -> None:
    place, drawn = st.empty(), monotonic()
    try:
        for done, total in judging.steps():
            if monotonic() - drawn >= FRAME_SECONDS:
                drawn = monotonic()
                place.progress(done / total, f"Asking: {done:,} of {counted(total, 'answer')}")
        place.empty()
    finally:  # also when it was stopped or the page was left
        if judging.results:
            state.judged.pop(job.key, None)
            state.judged[job.key] = judging.results
            for old in list(state.judged)[:-MOST_RESULTS]:
                del state.judged[old]


def _show(job: _Job, results: Sequence[JudgedAnswer]) -> None:
    scores = answer_scores(results, len(job.runs))
    rows = {plain(one.setting.label): _row(scores[job.number_of(one)], one, job) for one in job.kept}
    st.table(pd.DataFrame.from_dict(rows, orient="index"), border="horizontal", alt=RESULTS_ALT)
    failed = next((answer.error for answer in results if answer.error), None)
    if failed:
        st.caption(f"The first failure said: {plain(failed)}")
    _one_question(job, results)


def _row(scores: AnswerScores, one: RetentionResult, job: _Job) -> dict[str, str]:
    could = sum(bool(held) for held in one.retention.retained[-1][: len(job.probes)])
    cost = "unknown" if scores.cost_usd is None else plain(dollars(scores.cost_usd)) if scores.cost_usd else "none"
    return {
        "Could be known": f"{could:,} of {len(job.probes):,}",
        "Answer contained": f"{scores.containing:,} of {scores.answered:,}",
        "Token F1, mean": "–" if scores.mean_f1 is None else f"{scores.mean_f1:.2f}",
        "Judged right": f"{scores.right:,} of {scores.right + scores.wrong:,}" if scores.right + scores.wrong else "–",
        "Failed": f"{scores.failed:,}",
        "Cost": cost,
    }


@st.fragment
def _one_question(job: _Job, results: Sequence[JudgedAnswer]) -> None:
    """All answers to one question, beside each other."""
    asked = [probe for probe in job.probes if any(answer.probe == probe for answer in results)]
    labels = distinct([shortened(probe.question, LABEL_CHARS) for probe in asked])
    numbers = list(range(len(asked)))
    if widget_value(ONE_KEY) not in (None, *numbers):
        set_widget(ONE_KEY, None)
    at = st.selectbox("Answers to one question", numbers, index=None, format_func=labels.__getitem__, key=ONE_KEY,
                      placeholder="Choose a question to read the answers")  # fmt: skip
    if at is None:
        return
    probe = asked[at]
    st.caption(f"Accepted: {plain(' / '.join(probe.answers))}")
    given = {answer.run: answer for answer in results if answer.probe == probe}
    for start in range(0, len(job.kept), CARDS_A_ROW):
        row = job.kept[start : start + CARDS_A_ROW]
        for column, one in zip(st.columns(CARDS_A_ROW), row, strict=False):
            with column:
                _card(one, given.get(job.number_of(one)), probe)


def _card(one: RetentionResult, answer: JudgedAnswer | None, probe: Probe) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(one.setting.label)}**")
        if answer is None:
            st.caption("Not asked yet.")
            return
        st.text(answer.reply or "There is no reply.")
        with st.container(horizontal=True):
            holds = answer.reply is not None and contains_answer(answer.reply, probe.answers)
            st.badge("answer contained" if holds else "not contained", color="green" if holds else "gray")
            color, words = VERDICTS[answer.verdict]
            if answer.judging:
                st.badge(words, color=color)
        if answer.error:
            st.caption(plain(answer.error))
        st.caption(f"{answer.sent_tokens:,} tokens sent")
