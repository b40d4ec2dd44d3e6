"""One question to all settings at the end of the conversation: the answers beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.asking import ask
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.errors import MemvizError, MessageError
from memviz.metrics.answers.source import answer_source
from memviz.text.wording import counted
from memviz.ui.compare.answers import answer_card
from memviz.ui.controls.pickers import ModelChoice
from memviz.ui.controls.resumable_job import stoppable
from memviz.ui.shell.errors import show_error
from memviz.ui.shell.state import CompareState
from memviz.ui.shell.text import plain

CARDS_A_ROW = 3


def ask_all(
    state: CompareState, settings: Sequence[SettingRun], answerer: ModelChoice, summarizer: ModelChoice
) -> None:
    """Ask, and see what each setting still knows, and from where. It is no fragment, so that asking can be stopped."""
    st.subheader("What does each setting still know?", anchor=False)
    with st.form("ask-all", border=False):
        writing, sending = st.columns([4, 1], vertical_alignment="bottom")
        question = writing.text_input(
            "One question to all settings, after the last turn", key="ask-all-question",
            placeholder="What is the budget?", help="Nothing is added to the conversation.",
        )  # fmt: skip
        label = f"Ask {counted(len(settings), 'setting')}"
        asked = sending.form_submit_button(label, icon=":material/quiz:", width="stretch")
    runs = _different_runs(settings)
    if not answerer.is_offline:
        tokens = sum(run.turns[-1].total_tokens for run in runs if run.turns)
        st.caption(f"{plain(answerer.name)} is asked {counted(len(runs), 'time')}: about {tokens:,} tokens in all.")
    if asked and not question.strip():
        show_error(MessageError("The question is empty. Write something to ask."))
    elif asked:
        state.question, state.answers = question, []
        _ask(state.answers, runs, question, answerer, summarizer)
    _show(state, settings)


def _different_runs(settings: Sequence[SettingRun]) -> list[Run]:
    """The runs to ask: two settings that are the same share one, and its answer."""
    return list({id(setting.run): setting.run for setting in settings}.values())


def _ask(
    answers: list[tuple[Run, TurnRecord | MemvizError]],
    runs: Sequence[Run],
    question: str,
    answerer: ModelChoice,
    summarizer: ModelChoice,
) -> None:
    """Add each answer to ``answers`` as it comes: those that were given before a stop are kept."""
    is_offline = answerer.is_offline and summarizer.is_offline
    with stoppable(f"Asking {answerer.name}", "ask-all-stop", is_offline=is_offline):
        for run in runs:
            try:
                answers.append((run, ask(run, question, model=answerer.build(), summarizer=summarizer.build())))
            except MemvizError as error:
                answers.append((run, error))


def _show(state: CompareState, settings: Sequence[SettingRun]) -> None:
    """The answers to the settings as they stand; those of other settings are no longer shown."""
    shown = [(setting, answer) for setting in settings for run, answer in state.answers if setting.run is run]
    if shown:
        st.caption(f"Asked: {plain(state.question)}")
    for at in range(0, len(shown), CARDS_A_ROW):
        row = shown[at : at + CARDS_A_ROW]
        for column, (setting, answer) in zip(st.columns(CARDS_A_ROW), row, strict=False):
            with column:
                if isinstance(answer, MemvizError):
                    st.markdown(f"**{plain(setting.label)}**")
                    show_error(answer)
                else:
                    answer_card(setting.label, answer, answer_source(answer.context, state.question, answer.reply))
