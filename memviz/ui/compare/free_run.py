"""Free runs: a model answers the conversation under every setting; the answers stand beside each other."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.engine.free_run import FreeRun, answered_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.errors import EmptyConversationError
from memviz.metrics.answers.source import answer_source
from memviz.metrics.cost.estimate import estimate
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.models.registry import OFFLINE, model
from memviz.ui.compare.answers import answer_card
from memviz.ui.controls.pickers import ModelChoice
from memviz.ui.controls.replaying import as_setting_runs, run_key
from memviz.ui.controls.resumable_job import ResumableJob, Step
from memviz.ui.shell.errors import error_shown, show_error
from memviz.ui.shell.state import CompareState, Setting
from memviz.ui.shell.text import plain
from memviz.workspace import RunKey, Workspace

KEPT_EVERY_SECONDS = 5.0
"""How often a run under way is kept; and when it ends, fails or is stopped."""


class _Begun(NamedTuple):
    setting: Setting
    key: RunKey
    run: Run | None
    done: int


def free_runs(
    workspace: Workspace, state: CompareState, answerer: ModelChoice, summarizer: ModelChoice
) -> list[SettingRun]:
    """The free run of the conversation under every setting, as far as it was made. A model is asked only
    after a click, with what it will cost said before; it can be stopped, and goes on where it was."""
    _, log = workspace.conversation(state.conversation_id or "")
    if not log.turn_count:
        show_error(EmptyConversationError("The conversation holds no message of a user: there is nothing to answer."))
        return []
    begun = [found for setting in state.settings if (found := _begun(workspace, state, setting, answerer, summarizer))]
    missing = [item for item in begun if item.done < log.turn_count]
    if missing:
        total = log.turn_count * len(missing)
        job = _FreeRunJob(
            answerer.name, sum(item.done for item in missing), total, workspace, missing, answerer, summarizer
        )
        with st.container(border=True):
            was_tried = job.run_when_asked()
        if was_tried:
            begun = [_as_it_stands(workspace, item.setting, item.key) for item in begun]
    return as_setting_runs([(item.setting, item.run) for item in begun if item.run is not None and item.run.turns])


def _begun(
    workspace: Workspace, state: CompareState, setting: Setting, answerer: ModelChoice, summarizer: ModelChoice
) -> _Begun | None:
    with error_shown():
        key = run_key(state, setting, summarizer, answerer.name)
        return _as_it_stands(workspace, setting, key)
    return None


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

    verb, unit = "Answer", "turn"
    start_key, stop_key = "free-run", "free-stop"

    def introduce(self) -> None:
        """What each setting does, how far it has come, and what the rest will take."""
        st.markdown(
            f"**Each setting answers for itself.** The model {plain(self.model)} replies to every message of the "
            f"user under each setting, so you see what it still knew. {self.done_of_total} answered so far."
        )
        st.caption(plain(self.estimate()))

    def estimate(self) -> str:
        """From a replay: the same messages with the conversation's own replies."""
        replays = []
        for item in self.missing:
            key = RunKey(item.key.conversation_id, item.key.strategy, item.key.counter, OFFLINE, item.key.recalls)
            replays.append(self.workspace.run(key, model(OFFLINE)))
        sentence = "At most " + estimate(replays, self.model, self.summarizer.name).sentence
        works = [item.key.strategy.tool_use for item in self.missing]
        if any(work.recalls or work.thinking_rounds for work in works):
            sentence += " What the model recalls or thinks by itself comes on top."
        return sentence

    def steps(self) -> Generator[Step, None, None]:
        """Every piece of a reply is a step, so that one can stop in the midst of it."""
        answering, writing = self.answerer.build(), self.summarizer.build()
        for item in self.missing:
            self.keep()  # the run of the setting before
            free = self.workspace.free_run(item.key, answering, writing)
            self.under_way, label = (item.key, free), plain(item.key.strategy.label)
            kept = monotonic()
            while not free.is_complete:
                with closing(free.next_turn()) as pieces:
                    for _ in pieces:
                        yield Step(
                            (free.done + 1) / free.turn_count, f"{label}: turn {free.done + 1:,} of {free.turn_count:,}"
                        )
                if monotonic() - kept >= KEPT_EVERY_SECONDS:
                    self.keep()
                    kept = monotonic()

    def keep(self) -> None:
        """Keep the run under way as far as it has come."""
        if self.under_way is not None:
            key, free = self.under_way
            if free.run.turns:
                self.workspace.keep_free_run(key, free.run)


def answers_of_turn(settings: Sequence[SettingRun], turn: int) -> None:
    """What each setting answered to the same message, and where it had that from."""
    records = [(setting, record_of_turn(setting.run, turn)) for setting in settings]
    asked = next((record for _, record in records if record), None)
    if asked is None:
        return
    question = _question(asked)
    st.markdown(f"**What each setting answered at turn {turn}**")
    st.caption(plain(question))
    for column, (setting, record) in zip(st.columns(len(settings)), records, strict=True):
        with column:
            if record is None:
                st.caption(f"{plain(setting.label)}: not answered yet.")
            else:
                answer_card(setting, record, answer_source(record.context, question, record.reply))


def _question(record: TurnRecord) -> str:
    return "\n".join(record.memory.log[position].content for position in record.parts.input)
