"""Replay the conversation under every setting of the compare page. Of replays that take longer than a visitor likes to
wait, the page draws what there is so far, says how long the rest takes, and can stop them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from time import monotonic

import streamlit as st

from memviz.core.errors import BusyError
from memviz.core.model_errors import MissingVectorsError
from memviz.core.text.wording import counted, distinct_names
from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.cluster import problem_words, server_cluster
from memviz.dashboard.ui.controls.jobs import start_button, stop_button
from memviz.dashboard.ui.controls.paid_replays import replayed_when_asked
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.controls.vectors import offer_for_replays
from memviz.dashboard.ui.shell.elements import (
    box,
    error_shown,
    show_error,
    show_info,
)
from memviz.dashboard.ui.shell.server.checks import is_shared
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.run import Run
from memviz.models.names import OFFLINE, is_free
from memviz.storage.workspace import RunKey, Workspace
from memviz.strategies.base import Trigger
from memviz.tuning.cluster import ClusterProblem
from memviz.tuning.cluster_replay import ClusterReplay

Work = tuple[Setting, BackgroundReplay]


def run_key(
    workspace: Workspace,
    state: CompareState,
    setting: Setting,
    summarizer: ModelChoice,
    answerer: str = "",
) -> RunKey:
    """Return the key of a setting's run; ``answerer`` names who answers in a free run. Here it is decided if a
    recording writes the summaries. The visitors' wordings that are kept are read before they are used the first time in
    a session. Raises ParameterError."""
    strategy = setting.build()
    # Who would summarize does not matter where nothing ever is summarized.
    name = OFFLINE if strategy.trigger is Trigger.NEVER else summarizer.name
    recalls = state.recalls_of(setting) if strategy.allows_recall else ()
    id = state.conversation_id or ""
    first = workspace.beginning(id, state.first)
    key = RunKey(id, strategy, state.counter, name, recalls, answerer, first=first)
    # With other replies than the recorded ones all is another run, which no recording fits.
    if summarizer.recorded_first and not answerer:
        key = replace(key, summarizer=workspace.recorded_for(key))
    if setting.as_written:
        return key
    if not answerer and key not in state.edits:
        state.edits[key] = {} if is_shared() else workspace.wordings(key)
    return replace(key, edits=tuple(sorted(state.edits.get(key, {}).items())))


@dataclass
class _Outset:
    """The runs of all settings, before any replay is waited for."""

    runs: list[tuple[Setting, Run]] = field(default_factory=list)
    """Those that are kept."""
    at_work: list[Work] = field(default_factory=list)
    keys_at_work: list[RunKey] = field(default_factory=list)
    to_pay: list[tuple[Setting, RunKey]] = field(default_factory=list)
    """The settings whose summarizer may cost something."""
    busy: BusyError | None = None
    """Set where some are put off, because as many are at work as may be at once."""


def make_runs(
    workspace: Workspace, state: CompareState, summarizer: ModelChoice
) -> list[SettingRun]:
    """Return the conversation under every setting. A setting that cannot run says so and is left out."""
    outset = _begin_replays(workspace, state, summarizer)
    set_widget(DRAWN_AGAIN, False)
    if outset.busy is not None:
        show_info(str(outset.busy), ":material/hourglass_empty:")
    runs = outset.runs + wait_for_replays(workspace, outset.at_work)
    if outset.busy is not None:
        look_for_room(workspace, count())
    without_vectors = _keys_without_vectors(outset)
    if outset.to_pay:
        with error_shown():
            try:
                runs += replayed_when_asked(workspace, state, outset.to_pay, summarizer)
            except MissingVectorsError:
                without_vectors += [key for _setting, key in outset.to_pay]
    if without_vectors:
        with error_shown():
            if offer_for_replays(workspace, without_vectors):
                st.rerun()

    # Kept, free and paid runs came one after the other; lines stand in the order of the settings.
    runs.sort(key=lambda item: state.settings.index(item[0]))
    return list(map(_name_progress, as_setting_runs(runs)))


def _begin_replays(
    workspace: Workspace, state: CompareState, summarizer: ModelChoice
) -> _Outset:
    """Return the runs that are kept, and begin the others that cost nothing: all before any is waited for, so that they
    go on side by side, or as many as may be at work at once."""
    outset = _Outset()
    for setting in state.settings:
        with error_shown():
            key = run_key(workspace, state, setting, summarizer)
            run = workspace.kept_run(key)
            if run is not None:
                outset.runs.append((setting, run))
            elif not is_free(key.summarizer):
                outset.to_pay.append((setting, key))
            else:
                try:
                    work = _begin_replay(workspace, key, paced=summarizer.paced)
                except BusyError as error:
                    outset.busy = error
                    continue
                outset.at_work.append((setting, work))
                outset.keys_at_work.append(key)
    return outset


def _begin_replay(
    workspace: Workspace, key: RunKey, *, paced: bool
) -> BackgroundReplay:
    """Begin a replay that costs nothing, on the cluster of this server where it has one. Raises
    :class:`memviz.core.errors.BusyError` where as much is at work as may be."""
    writer = workspace.free_summarizer(key, paced=paced)
    # One that is paced is watched as it goes, turn by turn.
    cluster = None if paced else server_cluster()
    with_failed = bool(widget_value(DRAWN_AGAIN))
    return workspace.replaying(key, writer, with_failed=with_failed, cluster=cluster)


def _keys_without_vectors(outset: _Outset) -> list[RunKey]:
    """Return the keys of the replays that ended because vectors are missing."""
    keys = []
    for (_setting, work), key in zip(outset.at_work, outset.keys_at_work, strict=True):
        if isinstance(work.error, MissingVectorsError):
            keys.append(key)
    return keys


def _name_progress(setting_run: SettingRun) -> SettingRun:
    """Return the run with a label that says how far it is, as long as its replay is not over."""
    label = setting_run.label + so_far_label(setting_run.run)
    return replace(setting_run, label=label)


def as_setting_runs(runs: Sequence[tuple[Setting, Run]]) -> list[SettingRun]:
    """Return the runs as lines of the charts, each with a label and the colour of its setting."""
    labels = []
    for _setting, run in runs:
        label = run.strategy.label
        if run.has_decisions:
            label = _("{label} · reworded", label=label)
        labels.append(label)
    return [
        SettingRun(run, label, setting.index)
        for (setting, run), label in zip(runs, distinct_names(labels), strict=True)
    ]


AT_ONCE_SECONDS = 2.5
"""So long a page waits for its replays; then it draws what there is."""
REFRESH_SECONDS = 0.5
DRAWN_AGAIN = "replays-drawn-again"


def wait_for_replays(
    workspace: Workspace, at_work: Sequence[Work]
) -> list[tuple[Setting, Run]]:
    """Return the runs of the replays that are at work, as far as they have come in a moment. Those that are not over go
    on when the page is drawn, and the page is drawn again once they are."""
    end = monotonic() + AT_ONCE_SECONDS
    _go_on(workspace, at_work)
    for _setting, work in at_work:
        work.wait(max(0.0, end - monotonic()))
    # Taken before the runs, so that one which ends meanwhile is still watched, and drawn again in full.
    unfinished = [(setting, work) for setting, work in at_work if not work.is_over]
    runs = []
    for setting, work in at_work:
        if work.error is not None:
            # Vectors that are missing are offered.
            if not isinstance(work.error, MissingVectorsError):
                show_error(work.error)
            continue
        run = work.so_far()
        if run.turns:
            runs.append((setting, run))
    if unfinished:
        _watch(workspace, unfinished, count())
    return runs


def _go_on(workspace: Workspace, at_work: Iterable[Work]) -> None:
    for _setting, work in at_work:
        if not work.is_stopped:
            with suppress(BusyError):  # it goes on when there is room
                workspace.replays.go_on(work)


def _draw_again() -> None:
    """Draw the page again without a click: then what failed is said, and not begun again, which would never end."""
    set_widget(DRAWN_AGAIN, True)
    st.rerun()


@st.fragment(run_every=REFRESH_SECONDS)
def look_for_room(workspace: Workspace, looks: count[int]) -> None:
    """Draw the page again once a replay or a sweep that was put off may begin; what keeps it waiting may be of another
    page."""
    is_first = next(looks) == 0
    if not is_first and workspace.replays.has_room:
        _draw_again()


@st.fragment(run_every=REFRESH_SECONDS)
def _watch(workspace: Workspace, at_work: Sequence[Work], looks: count[int]) -> None:
    """Draw how far they are, how long the rest takes, and a way out."""
    # Where the page is just being drawn, the replays rest meanwhile.
    is_first = next(looks) == 0
    works = [work for _setting, work in at_work]
    if not is_first and all(work.wait(0) and not work.is_stopped for work in works):
        _draw_again()
    with box():
        for setting, work in at_work:
            words = _(
                "Replaying under {label}: {progress}",
                label=plain(setting.build().label),
                progress=how_far(work),
            )
            st.progress(work.done / work.total, words)
        st.caption(
            _(
                "The pictures show what was replayed so far. They are drawn again when it is done."
            )
        )
        for problem in _cluster_problems(works):
            st.caption(problem_words(problem))
        _stop_or_go_on(workspace, works)
    if not is_first:
        _go_on(workspace, at_work)


def _cluster_problems(works: Sequence[BackgroundReplay]) -> set[ClusterProblem]:
    """Return the reasons why replays that are for the cluster are made here."""
    problems = set()
    for work in works:
        if isinstance(work.elsewhere, ClusterReplay) and work.elsewhere.problem:
            problems.add(work.elsewhere.problem)
    return problems


def _stop_or_go_on(workspace: Workspace, works: Sequence[BackgroundReplay]) -> None:
    if any(not work.is_stopped and not work.is_over for work in works):
        if stop_button(
            "long-replay-stop", help=_("What was replayed so far is shown.")
        ):
            for work in works:
                work.cancel()
                work.wait(1.0)
            st.rerun()
    elif start_button(_("Go on"), "long-replay-go-on", is_main=False):
        with error_shown():
            for work in works:
                workspace.replays.go_on(work)
            st.rerun()


def how_far(work: BackgroundReplay) -> str:
    """Return the turn that a replay is at, and how long the rest takes or why it does not go on."""
    if work.is_elsewhere:
        return _("on the cluster of this server")
    turn = _("turn {done:,} of {total:,}", done=work.done, total=work.total)
    if work.note:
        return _("{turn}. {note}", turn=turn, note=work.note)
    if work.is_stopped:
        return _("{turn}. Stopped.", turn=turn)
    seconds_left = work.seconds_left
    if seconds_left is None:
        return turn
    seconds = counted(max(1, round(seconds_left)), "second")
    return _("{turn}, about {seconds} more", turn=turn, seconds=seconds)


def so_far_label(run: Run) -> str:
    """Return the words in the label of a replay that is not over. A free run, whose replies a model gave, has its own
    sentence for that."""
    is_free_run = not run.turns or run.turns[-1].facts is not None
    if is_free_run or len(run.requests) >= run.log.request_count:
        return ""
    return _(" · first {turns}", turns=counted(run.turns, "turn"))
