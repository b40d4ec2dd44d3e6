"""Replays whose summaries a model writes that may cost money: begun on a click, stopped on another, and tried again
after a failure. Only those without a failed call count as done; the others stay in this browser session, with the key
and the address that they were made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.errors import MemvizError
from memviz.metrics.cost.bounds import UNFORESEEN, summaries_bound
from memviz.models.base import Model
from memviz.models.cost_bound import CostBound
from memviz.models.first_failure import ends_all
from memviz.models.registry import OFFLINE, model
from memviz.text.wording import counted
from memviz.ui.controls.jobs import ProgressBar, start_button, start_verb, stoppable
from memviz.ui.controls.pickers import SUMMARIZER, ModelChoice, name_key
from memviz.ui.controls.spending import bound_caption, spending
from memviz.ui.controls.study import Attempt, CompareState, Setting
from memviz.ui.shell.errors import error_shown
from memviz.ui.shell.state import set_widget
from memviz.ui.shell.text import plain
from memviz.workspace import RunKey, Workspace

REPLAY_KEY, STOP_KEY = "replay-paid", "compare-stop"
FORESEEN_TURNS = 1_000
"""Of a longer conversation it is not worked out beforehand how many summaries there will be."""
LINKED = (
    "The summaries of this link were written by **{}**. To see the same, enter its key under *Change* in the sidebar "
    "and replay, or see it with the summaries of the offline stand-in."
)
KEPT = "Summaries that were written are kept, and not asked for a second time."
MEND = "Key, address and model are chosen under *Change* in the sidebar."
Waiting = Sequence[tuple[Setting, RunKey]]


def replayed_when_asked(
    workspace: Workspace, state: CompareState, waiting: Waiting, summarizer: ModelChoice
) -> list[tuple[Setting, Run]]:
    """What there is of the replays ``waiting`` for ``summarizer``, which is called only when asked to."""
    place = st.container(border=True)
    with place:
        if _asked_for(
            state,
            waiting,
            summarizer,
            _foreseen(workspace, [key for _, key in waiting]),
        ):
            with error_shown():
                _replay(workspace, state, [key for _, key in waiting], summarizer)
                st.rerun()  # what was replayed is kept, and what went wrong is said beside the button
    tried = ((setting, _attempt(state, key, summarizer)) for setting, key in waiting)
    return [
        (setting, attempt.run)
        for setting, attempt in tried
        if attempt is not None and attempt.run.turns
    ]


def _attempt(
    state: CompareState, key: RunKey, summarizer: ModelChoice
) -> Attempt | None:
    """What this very summarizer, with its key, address and timeout, made of the run. With another one it counts as not
    yet replayed."""
    attempt = state.attempts.get(key)
    return attempt if attempt is not None and attempt.made_with == summarizer else None


def _asked_for(
    state: CompareState,
    waiting: Waiting,
    summarizer: ModelChoice,
    foreseen: Sequence[Run],
) -> bool:
    """Say what is missing and why, what it costs at most, and offer to make it. Returns whether that was clicked."""
    name = plain(summarizer.name)
    tried = {
        key: attempt
        for _, key in waiting
        if (attempt := _attempt(state, key, summarizer))
    }
    problems = list(
        dict.fromkeys(
            words for key, each in tried.items() if (words := _problem(key, each))
        )
    )
    said = st.empty()
    with said.container():
        if state.linked_summarizer == summarizer.name and not (
            summarizer.api_key or summarizer.api_base
        ):
            st.markdown(LINKED.format(name))
        for problem in problems:
            st.error(plain(problem), icon=":material/error:")
    row = st.container(horizontal=True, vertical_alignment="center")
    verb = start_verb("Replay", is_begun=bool(tried), has_failed=bool(problems))
    is_asked = start_button(f"{verb} with {name}", REPLAY_KEY, place=row)
    row.button(
        "Use the offline stand-in",
        key="replay-offline",
        on_click=set_widget,
        args=(name_key(SUMMARIZER), OFFLINE),
    )
    untried = [key.strategy.label for _, key in waiting if key not in tried]
    has_summaries = any(
        attempt.run.space.summaries.versions for attempt in tried.values()
    )
    if untried:
        calls = _calls(foreseen)
        about = f" for about {counted(calls, 'summary')}" if calls else ""
        words = f"Not replayed yet: {', '.join(untried)}. {summarizer.name} is asked{about} when you say so."
    else:
        words = KEPT if has_summaries else MEND
    bound_caption(_bound(foreseen, summarizer.name), place=row, before=words)
    if is_asked:
        said.empty()  # what went wrong before is over
    return is_asked


def _problem(key: RunKey, attempt: Attempt) -> str:
    """What went wrong in an attempt, as a sentence; empty if it was only stopped."""
    if attempt.error is not None:
        return f"{attempt.error} No other call was made."
    if attempt.run.turns and len(attempt.run.requests) < attempt.run.log.request_count:
        return ""
    failed = _failures(attempt.run)
    calls = counted(calls_made(attempt.run.made_or_foreseen), "call")
    return (
        f"{key.strategy.label}: {len(failed)} of {calls} failed. The first said: {failed[0]}"
        if failed
        else ""
    )


def _foreseen(workspace: Workspace, keys: Sequence[RunKey]) -> list[Run]:
    """The same replays with the offline model's summaries; none where that would take long."""
    if (
        workspace.conversation(keys[0].conversation_id, keys[0].first)[1].turn_count
        > FORESEEN_TURNS
    ):
        return []
    free = (
        RunKey(
            key.conversation_id,
            key.strategy,
            key.counter,
            OFFLINE,
            key.recalls,
            first=key.first,
        )
        for key in keys
    )
    return [workspace.run(key, model(OFFLINE)) for key in free]


def _calls(foreseen: Sequence[Run]) -> int:
    """How many summaries the offline model writes in them."""
    return sum(calls_made(run.made_or_foreseen) for run in foreseen)


def _bound(foreseen: Sequence[Run], summarizer: str) -> CostBound:
    return (
        summaries_bound(foreseen, summarizer, spending().reply_tokens)
        if foreseen
        else UNFORESEEN
    )


def calls_made(compactions: Sequence[Compaction]) -> int:
    """How many of them asked the summarizer: what is cleared or dropped by a rule asks nobody."""
    return sum(compaction.asked for compaction in compactions)


def _replay(
    workspace: Workspace,
    state: CompareState,
    keys: Sequence[RunKey],
    summarizer: ModelChoice,
) -> None:
    """Replay under one setting after the other, until one finds that the summarizer cannot be used at all."""
    calls, total = 0, _calls(_foreseen(workspace, keys))
    with stoppable(f"Asking {summarizer.name} for summaries", STOP_KEY):
        bar, writer = ProgressBar(), summarizer.build_summarizer()
        for key in keys:
            label, before = plain(key.strategy.label), calls

            def progress(
                made: int, words: str, label: str = label, before: int = before
            ) -> None:
                asked = before + made
                so_far = (
                    f"{asked:,} of about {counted(max(total, asked), 'call')}"
                    if total
                    else counted(asked, "call")
                )
                bar(
                    min(1.0, asked / total) if total else 0.0,
                    f"{label}: {so_far}, {words}",
                )

            attempt = _attempted(workspace, state, key, summarizer, writer, progress)
            calls += calls_made(attempt.run.made_or_foreseen)
            if attempt.error is not None and ends_all(attempt.error):
                break
        bar.close()


def _attempted(
    workspace: Workspace,
    state: CompareState,
    key: RunKey,
    summarizer: ModelChoice,
    writer: Model,
    progress: Callable[[int, str], object],
) -> Attempt:
    """One replay, kept if it came to a good end. However it ends, what there is stays in the session."""
    session, turns = workspace.begun(
        key, writer, _written_before(state, key, summarizer)
    )
    error, is_over = None, False
    try:
        for turn in turns:
            progress(
                calls_made(session.compactions),
                f"turn {turn:,} of {session.log.turn_count:,}",
            )
        is_over = True
    except MemvizError as failure:
        error, is_over = failure, True
    finally:  # also when it was stopped, or the page was left
        attempt = Attempt(
            summarizer,
            _as_far_as_asked(session.run(), is_complete=is_over and error is None),
            error,
        )
        if is_over or attempt.run.space.summaries.versions:
            state.attempts[key] = attempt
    if error is None and not _failures(attempt.run):
        workspace.keep(key, attempt.run)
        del state.attempts[key]
    return attempt


def _as_far_as_asked(run: Run, *, is_complete: bool) -> Run:
    """The run without the call that ended it early: it is said beside the button, and is made once more."""
    is_cut = (
        not is_complete
        and bool(run.compactions)
        and run.compactions[-1].error is not None
    )
    return replace(run, compactions=run.compactions[:-1]) if is_cut else run


def _failures(run: Run) -> list[str]:
    return [compaction.error for compaction in run.made_or_foreseen if compaction.error]


def _written_before(
    state: CompareState, key: RunKey, summarizer: ModelChoice
) -> Run | None:
    """What an earlier attempt has of the run, unless another server wrote it."""
    attempt = state.attempts.get(key)
    if attempt is None or not isinstance(attempt.made_with, ModelChoice):
        return None
    return attempt.run if attempt.made_with.api_base == summarizer.api_base else None
