"""One question to all settings at the end of the conversation: the answers beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted, listed, turn_list
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.compare.answers import (
    answer_card,
    bringing_back,
    fact_asked,
    lost_words,
    stated_at,
    suggested,
)
from memviz.dashboard.ui.compare.selection import select
from memviz.dashboard.ui.controls.grounds import why_stand_in
from memviz.dashboard.ui.controls.jobs import offer, show_failure, stoppable
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.spending import askers, bound_caption, bound_words
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.shell.errors import show_error
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import result_begins, result_is_new
from memviz.engine.answering import ask
from memviz.engine.recall import Recall
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.answers import answer_source
from memviz.metrics.cost.bounds import MESSAGE_TOKENS, asking_bound
from memviz.models.first_failure import ends_all
from memviz.transcripts.base import Probe

CARDS_A_ROW = 3
QUESTION_KEY, RESULT = "ask-all-question", "ask-all"


def ask_all(
    state: CompareState,
    settings: Sequence[SettingRun],
    answerer: ModelChoice,
    summarizer: ModelChoice,
    probes: Sequence[Probe] = (),
) -> None:
    """Ask, and see what each setting still knows, and from where. A few questions of ``probes`` are a click away. It is
    no fragment, so that asking can be stopped."""
    ended_early = [one for one in settings if state.ended_early(one.run) is not None]
    settings = [one for one in settings if one not in ended_early]
    questions = _questions(state, probes, settings)
    question, is_asked = _form(len(settings), questions)
    chosen = _suggestions(questions)
    _not_asked(ended_early)
    if chosen and answerer.is_free:
        question = chosen
        is_asked = True
    runs = _different_runs(settings)
    is_free = answerer.is_free and summarizer.is_free
    if not is_free:
        bound = asking_bound(runs, askers(answerer.name, summarizer.name))
        bound_caption(bound, before=_who_is_asked(runs, answerer, summarizer))
    if is_asked:
        state.question = question
        state.asked_with = (answerer, summarizer)
        state.answers = []
        state.answers_before = []
        result_is_new(RESULT)
        _ask(state.answers, runs, question, answerer, summarizer)
        if not is_free:
            st.rerun()  # what stands above knows of the replies now: what was spent, the button that saves them
    _try_again(state, runs, answerer, summarizer)
    _show(state, settings, probes, answerer, summarizer)


def _who_is_asked(
    runs: Sequence[Run], answerer: ModelChoice, summarizer: ModelChoice
) -> str:
    if answerer.is_free:
        return f"{summarizer.name} is asked where a question makes a summary due."
    tokens = sum(run.turns[-1].total_tokens for run in runs if run.turns)
    return f"{answerer.name} is asked {counted(len(runs), 'time')}: about {tokens:,} tokens in all."


def _questions(
    state: CompareState, probes: Sequence[Probe], settings: Sequence[SettingRun]
) -> list[str]:
    """The questions on offer. They stay while settings change: what one looks at does not move under the pointer, and
    no new run is searched for what it lost."""
    facts = tuple(probes)
    if state.suggested[0] != facts:
        state.suggested = (facts, suggested(probes, _different_runs(settings)))
    return state.suggested[1]


def _not_asked(settings: Sequence[SettingRun]) -> None:
    """Say of which settings there is no request after the last turn."""
    if settings:
        names = listed(setting.label for setting in settings)
        st.caption(
            plain(
                f"Not asked: {names}. The replay ended before the last turn; try again above the picture."
            )
        )


def _try_again(
    state: CompareState,
    runs: Sequence[Run],
    answerer: ModelChoice,
    summarizer: ModelChoice,
) -> None:
    """Offer to ask those that have no answer where a call failed. What every other call would have failed in is said
    once. With another model, key, address or timeout they count as not yet asked."""
    known = {id(run) for run in runs}
    failures: list[MemvizError] = []
    given: list[tuple[Run, TurnRecord | MemvizError]] = []
    for run, answer in state.answers:
        if not isinstance(answer, MemvizError):
            given.append((run, answer))
        elif id(run) in known:
            failures.append(answer)
    if not failures:
        return
    answered = {id(run) for run, _ in given}
    unanswered = [run for run in runs if id(run) not in answered]
    is_tried = state.asked_with == (answerer, summarizer)
    hopeless = next(filter(ends_all, failures), None)
    if not is_tried:
        st.caption(
            f"{counted(len(unanswered), 'setting')} not yet asked with the models and keys as they are now."
        )
    elif hopeless is not None:
        show_failure(hopeless)
    verb = "Try again" if is_tried else "Ask"
    bound = asking_bound(unanswered, askers(answerer.name, summarizer.name))
    if offer(f"{verb} with {plain(answerer.label)}", "ask-all-again", bound):
        state.asked_with = (answerer, summarizer)
        _ask(given, unanswered, state.question, answerer, summarizer)
        state.answers = given
        st.rerun()


def _is_hopeless(answer: TurnRecord | MemvizError) -> bool:
    return isinstance(answer, MemvizError) and ends_all(answer)


def _form(number: int, questions: Sequence[str]) -> tuple[str, bool]:
    """The question that stands in the field, the example while it is empty, and whether it was sent."""
    example = questions[0] if questions else "What is the budget?"
    with st.form("ask-all", border=False):
        heading, writing, sending = st.columns(
            [34, 44, 22], vertical_alignment="center"
        )
        heading.header("What does each setting still know?", anchor=False)
        linked("question", QUESTION_KEY)
        question = writing.text_input(
            "One question to all settings, after the last turn",
            key=QUESTION_KEY,
            placeholder=example,
            label_visibility="collapsed",
        )
        asked = sending.form_submit_button(
            f"Ask {counted(number, 'setting')}",
            icon=":material/quiz:",
            width="stretch",
            type="primary",
            help="Asked after the last turn. Nothing is added to the conversation.",
        )
    return question.strip() or example, asked


def _suggestions(questions: Sequence[str]) -> str:
    """Questions to click; the one that was clicked stands in the field then."""
    if not questions:
        return ""
    with st.container(horizontal=True, gap="small", key="ask-all-suggested"):
        clicked = [
            st.button(
                plain(question),
                key=f"ask-all-{number}",
                on_click=set_widget,
                args=(QUESTION_KEY, question),
            )
            for number, question in enumerate(questions)
        ]
    for question, is_clicked in zip(questions, clicked, strict=True):
        if is_clicked:
            return question
    return ""


def _different_runs(settings: Sequence[SettingRun]) -> list[Run]:
    """The runs to ask: two settings that are the same share one, and its answer."""
    return list({id(setting.run): setting.run for setting in settings}.values())


def _ask(
    answers: list[tuple[Run, TurnRecord | MemvizError]],
    runs: Sequence[Run],
    question: str,
    answerer: ModelChoice,
    summarizer: ModelChoice,
    recalls: Sequence[Recall] = (),
) -> None:
    """Add each answer to ``answers`` as it comes: those that were given before a stop are kept. A failure that every
    other call would share is the last one."""
    is_offline = answerer.is_free and summarizer.is_free
    with stoppable(f"Asking {answerer.label}", "ask-all-stop", is_offline=is_offline):
        for run in runs:
            try:
                writer = summarizer.build_summarizer()
                record = ask(
                    run,
                    question,
                    model=answerer.build(),
                    summarizer=writer,
                    recalls=recalls,
                )
                answers.append((run, record))
            except MemvizError as error:
                answers.append((run, error))
                if ends_all(error):
                    break


def _show(
    state: CompareState,
    settings: Sequence[SettingRun],
    probes: Sequence[Probe],
    answerer: ModelChoice,
    summarizer: ModelChoice,
) -> None:
    """The answers to the settings as they stand; those of other settings are no longer shown."""
    shown: list[tuple[SettingRun, TurnRecord | MemvizError]] = []
    for setting in settings:
        for run, answer in state.answers:
            if setting.run is run and not _is_hopeless(answer):
                shown.append((setting, answer))
    if not shown:
        return
    result_begins(RESULT)
    st.caption(f"Asked: {plain(state.question)}")
    if answerer.recorded_first:
        why_stand_in(
            [
                (setting.label, answer.facts)
                for setting, answer in shown
                if isinstance(answer, TurnRecord)
            ]
        )
    sources = {}
    for number, (_, answer) in enumerate(shown):
        if not isinstance(answer, MemvizError):
            source = answer_source(answer.context, state.question, answer.reply)
            sources[number] = source
    positions = stated_at(state.question, probes, sources)
    fact = fact_asked(state.question, probes)
    before = {
        id(run): answer.reply or "" for run, answer in reversed(state.answers_before)
    }
    for at in range(0, len(shown), CARDS_A_ROW):
        numbers = range(at, min(at + CARDS_A_ROW, len(shown)))
        for column, number in zip(st.columns(CARDS_A_ROW), numbers, strict=False):
            setting, answer = shown[number]
            with column:
                if isinstance(answer, MemvizError):
                    st.markdown(f"**{plain(setting.label)}**")
                    show_error(answer)
                    continue
                bring_back = partial(
                    _bring_back,
                    state,
                    setting,
                    answer,
                    fact,
                    positions,
                    answerer,
                    summarizer,
                )
                old = before.get(id(setting.run))
                answer_card(setting, answer, sources[number], bring_back, old)


def _bring_back(
    state: CompareState,
    setting: SettingRun,
    answer: TurnRecord,
    fact: Probe | None,
    positions: Sequence[int],
    answerer: ModelChoice,
    summarizer: ModelChoice,
) -> None:
    """Of an answer that was lost: what lost it, if it is a known fact, and a button that asks this setting again, with
    the turn that states it recalled."""
    if fact is not None and (lost := lost_words(setting.run, fact)):
        st.caption(lost)
    found = bringing_back(setting.run, answer, positions, prices_in_force())
    if found is None:
        return
    who = askers(answerer.name, summarizer.name)
    most = asking_bound([setting.run], who, MESSAGE_TOKENS + found.tokens)
    if not st.button(
        plain(found.label),
        key=f"ask-all-back-{setting.index}",
        icon=":material/history:",
        help=f"Asks {plain(setting.label)} again after the last turn, with {turn_list(found.turns)} sent once more. "
        f"{plain(bound_words(most))}",
        on_click=select,
        args=(setting.run.turns[-1].turn, setting.index),
    ):
        return
    again: list[tuple[Run, TurnRecord | MemvizError]] = []
    state.answers_before.append((setting.run, answer))
    recall = Recall(turns=found.turns)
    _ask(again, [setting.run], state.question, answerer, summarizer, (recall,))
    for number, (run, _) in enumerate(state.answers):
        if again and run is setting.run:
            state.answers[number] = again[0]
    st.rerun()
