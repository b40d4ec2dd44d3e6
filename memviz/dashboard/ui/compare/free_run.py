"""Free runs: a model answers the conversation under every setting; the answers stand beside each other."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from time import monotonic
from typing import NamedTuple

import streamlit as st

from memviz.core.errors import (
    BudgetSpentError,
    EmptyConversationError,
    UnusableSummarizerError,
)
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.compare.answers import answer_card
from memviz.dashboard.ui.controls.jobs import ResumableJob, Step
from memviz.dashboard.ui.controls.paid_replays import free_replays
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import as_setting_runs, run_key
from memviz.dashboard.ui.controls.spending import askers, bound_caption
from memviz.dashboard.ui.controls.study import CompareState, Setting
from memviz.dashboard.ui.shell.errors import error_shown, show_error
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.free_run import FreeRun, answered_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.answers import answer_source
from memviz.metrics.cost.bounds import free_run_bound
from memviz.metrics.cost.estimate import estimate
from memviz.metrics.requests.request_table import record_of_turn
from memviz.models.cost_bound import CostBound
from memviz.storage.workspace import RunKey, Workspace

TAKE_KEY = "free-take"
KEPT_EVERY_SECONDS = 5.0
"""How often a run under way is kept; and when it ends, fails or is stopped."""


class _Begun(NamedTuple):
    setting: Setting
    key: RunKey
    run: Run | None
    done: int


def free_runs(
    workspace: Workspace,
    state: CompareState,
    answerer: ModelChoice,
    summarizer: ModelChoice,
) -> list[SettingRun]:
    """The free run of the conversation under every setting, as far as it was made. A model is asked only
    after a click, with what it will cost said before; it can be stopped, and goes on where it was."""
    _, log = workspace.conversation(state.conversation_id or "", state.first)
    if not log.turn_count:
        show_error(
            EmptyConversationError(
                "The conversation holds no message of a user: there is nothing to answer."
            )
        )
        return []
    begun = []
    for setting in state.settings:
        with error_shown():
            key = run_key(workspace, state, setting, summarizer, answerer.name)
            key = replace(key, take=state.take)
            begun.append(_as_it_stands(workspace, setting, key))
    missing = [item for item in begun if item.done < log.turn_count]

    def job(items: Sequence[_Begun]) -> _FreeRunJob:
        done = sum(item.done for item in items)
        total = log.turn_count * len(items)
        return _FreeRunJob(
            answerer.label, done, total, workspace, items, answerer, summarizer
        )

    if missing:
        is_asked = state.answer_again
        state.answer_again = False
        with st.container(border=True):
            was_tried = job(missing).run_when_asked(is_asked=is_asked)
        if was_tried:
            begun = [_as_it_stands(workspace, item.setting, item.key) for item in begun]
    if begun:
        _choose_take(workspace, state, begun, job(begun) if not missing else None)
    made = []
    for item in begun:
        if item.run is not None and item.run.turns:
            made.append((item.setting, item.run))
    return as_setting_runs(made)


def _choose_take(
    workspace: Workspace,
    state: CompareState,
    begun: Sequence[_Begun],
    again: _FreeRunJob | None,
) -> None:
    """Let the visitor choose which of the free runs with the same model is shown; one more is made on a click, and the
    others stay."""
    takes = 1 + state.take
    while any(workspace.kept_free_run(replace(item.key, take=takes)) for item in begun):
        takes += 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if takes > 1:
            if widget_value(TAKE_KEY) != state.take:
                set_widget(TAKE_KEY, state.take)
            st.segmented_control(
                "Answers",
                range(takes),
                format_func=lambda take: f"Run {take + 1}",
                key=TAKE_KEY,
                required=True,
                label_visibility="collapsed",
                on_change=_show_take,
                args=(state,),
            )
        if again is not None:
            st.button(
                "Answer again",
                icon=":material/replay:",
                key="free-again",
                on_click=_answer_again,
                args=(state, takes),
            )
            bound_caption(
                again.bound(), before=f"These answers are kept. {again.estimate()}"
            )


def _show_take(state: CompareState) -> None:
    state.take = widget_value(TAKE_KEY) or 0


def _answer_again(state: CompareState, take: int) -> None:
    state.take, state.answer_again = take, True


def _as_it_stands(workspace: Workspace, setting: Setting, key: RunKey) -> _Begun:
    run = workspace.kept_free_run(key)
    return _Begun(setting, key, run, answered_turns(run) if run else 0)


@dataclass
class _FreeRunJob(ResumableJob):
    """Turn by turn, setting by setting. A run is kept every few seconds, and whenever it is left."""

    workspace: Workspace
    missing: Sequence[_Begun]
    answerer: ModelChoice
    summarizer: ModelChoice
    under_way: tuple[RunKey, FreeRun] | None = None
    refusal: str = ""

    verb, unit = "Answer", "turn"
    start_key, stop_key = "free-run", "free-stop"

    def introduce(self) -> None:
        """Say that each setting answers, how far it has come, and what the rest will take."""
        st.markdown(
            f"**Each setting answers for itself.** The model {plain(self.model)} replies to every message of the "
            f"user under each setting, so you see what it still knew. {self.done_of_total} answered so far."
        )
        bound_caption(self.bound(), before=self.estimate())

    def _replays(self) -> list[Run]:
        return free_replays(self.workspace, [item.key for item in self.missing])

    def bound(self) -> CostBound:
        """Each reply as long as it may be, and sent again with every later message."""
        who = askers(self.answerer.name, self.summarizer.name)
        return free_run_bound(
            self._replays(), [item.done for item in self.missing], who
        )

    def estimate(self) -> str:
        """From a replay: as if the replies were as long as the conversation's own."""
        likely = estimate(
            self._replays(), self.answerer.name, self.summarizer.name
        ).sentence
        for item in self.missing:
            work = item.key.strategy.tool_use
            if work.recalls or work.thinking_rounds:
                likely += " What the model recalls or thinks by itself comes on top."
                break
        return f"Likely {likely}"

    def steps(self) -> Generator[Step, None, None]:
        """Every piece of a reply is a step, so that one can stop in the midst of it."""
        answering = self.answerer.build()
        writing = self.summarizer.build_summarizer()
        for item in self.missing:
            self.keep()  # the run of the setting before
            free = self.workspace.free_run(item.key, answering, writing)
            self.under_way = (item.key, free)
            label = plain(item.key.strategy.label)
            kept = monotonic()
            while not free.is_complete:
                for _ in self._pieces(free):
                    turn = free.done + 1
                    words = f"{label}: turn {turn:,} of {free.turn_count:,}"
                    yield Step(turn / free.turn_count, words)
                if monotonic() - kept >= KEPT_EVERY_SECONDS:
                    self.keep()
                    kept = monotonic()

    def _pieces(self, free: FreeRun) -> Iterator[str]:
        """The next reply. A summarizer that no call reaches, or that the budget does not allow, ends the job, and its
        failed call is made once more when one goes on: it is no part of the run."""
        try:
            with closing(free.next_turn()) as pieces:
                yield from pieces
        except (UnusableSummarizerError, BudgetSpentError) as failure:
            self.refusal = str(failure)
            raise

    def keep(self) -> None:
        """Keep the run under way as far as it has come."""
        if self.under_way is None:
            return
        key, free = self.under_way
        run = free.run
        if run.turns:
            calls = run.compactions
            if calls and self.refusal and calls[-1].error == self.refusal:
                calls = calls[:-1]
            self.workspace.keep_free_run(key, replace(run, compactions=calls))


def answers_of_turn(settings: Sequence[SettingRun], turn: int) -> None:
    """Draw the answers of all settings to the same message, and where they had them from."""
    records = [(setting, record_of_turn(setting.run, turn)) for setting in settings]
    asked = next((record for _, record in records if record), None)
    if asked is None:
        return
    question = _question(asked)
    st.markdown(f"**What each setting answered at turn {turn}**")
    st.caption(plain(question))
    for column, (setting, record) in zip(
        st.columns(len(settings)), records, strict=True
    ):
        with column:
            if record is None:
                st.caption(f"{plain(setting.label)}: not answered yet.")
            else:
                answer_card(
                    setting,
                    record,
                    answer_source(record.context, question, record.reply),
                )


def _question(record: TurnRecord) -> str:
    return "\n".join(
        record.memory.log[position].content for position in record.parts.input
    )
