"""Replay the conversation under every setting of the compare page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.long_replays import replayed, so_far_label
from memviz.dashboard.ui.controls.paid_replays import replayed_when_asked
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.visitors_work import kept_wordings
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.state import CompareState, Setting
from memviz.dashboard.ui.shell.text import distinct
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.run import Run
from memviz.models.registry import OFFLINE, is_free
from memviz.storage.workspace import RunKey, Workspace
from memviz.strategies.base import Trigger


def run_key(
    workspace: Workspace,
    state: CompareState,
    setting: Setting,
    summarizer: ModelChoice,
    answerer: str = "",
) -> RunKey:
    """What makes the run of a setting; ``answerer`` names who answers in a free run. Whether a recording writes the
    summaries is decided here. The visitors' wordings that are kept are read before they are used the first time in a
    session. Raises ParameterError."""
    strategy = setting.build()
    # Who would summarize does not matter where nothing ever is summarized.
    name = OFFLINE if strategy.trigger is Trigger.NEVER else summarizer.name
    recalls = state.recalls_of(setting) if strategy.allows_recall else ()
    id = state.conversation_id or ""
    first = workspace.beginning(id, state.first)
    key = RunKey(id, strategy, state.counter, name, recalls, answerer, first=first)
    if (
        summarizer.recorded_first and not answerer
    ):  # with other replies than the recorded ones, all is another run
        key = replace(key, summarizer=workspace.recorded_for(key))
    if setting.as_written:
        return key
    if not answerer and key not in state.edits:
        state.edits[key] = kept_wordings(workspace, key)
    return replace(key, edits=tuple(sorted(state.edits.get(key, {}).items())))


def make_runs(
    workspace: Workspace, state: CompareState, summarizer: ModelChoice
) -> list[SettingRun]:
    """The conversation under every setting. A setting that cannot run says so and is left out."""
    runs: list[tuple[Setting, Run]] = []
    waiting: list[tuple[Setting, RunKey]] = []
    at_work: list[tuple[Setting, BackgroundReplay]] = []
    for setting in state.settings:
        with error_shown():
            key = run_key(workspace, state, setting, summarizer)
            run = workspace.kept_run(key)
            if run is None and is_free(key.summarizer):
                at_work.append(
                    (
                        setting,
                        workspace.replaying(
                            key, workspace.free_summarizer(key, paced=summarizer.paced)
                        ),
                    )
                )
            elif run is None:
                waiting.append((setting, key))
            else:
                runs.append((setting, run))
    runs += replayed(at_work)
    if waiting:
        with error_shown():
            runs += replayed_when_asked(workspace, state, waiting, summarizer)
    runs.sort(key=lambda item: state.settings.index(item[0]))
    return [
        replace(one, label=one.label + so_far_label(one.run))
        for one in as_setting_runs(runs)
    ]


def as_setting_runs(runs: Sequence[tuple[Setting, Run]]) -> list[SettingRun]:
    """The runs as lines of the charts, each with a label and the colour of its setting."""
    labels = distinct([_label(run) for _, run in runs])
    return [
        SettingRun(run, label, setting.index)
        for (setting, run), label in zip(runs, labels, strict=True)
    ]


def _label(run: Run) -> str:
    return run.strategy.label + " · reworded" * run.has_decisions
