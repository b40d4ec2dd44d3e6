"""Replays whose summaries a model writes that may cost money: begun on a click, stopped on another, and tried again
after a failure. Only those without a failed call count as done; the others stay in this browser session, with the key
and the address that they were made with."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.text.wording import comma_list, counted
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.jobs import (
    NO_OTHER_CALL,
    Job,
    Tell,
    start_verb,
    use_the_stand_in_button,
)
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.spending import spending
from memviz.dashboard.ui.controls.study import Attempt, CompareState
from memviz.dashboard.ui.controls.vectors import vectors_asked
from memviz.dashboard.ui.shell.elements import (
    box,
    error_words,
    show_error,
    show_problem,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.run import Run
from memviz.metrics.cost.bounds import UNFORESEEN, bound_summaries
from memviz.models.base import Model, fails_every_call
from memviz.models.names import OFFLINE
from memviz.models.registry import model
from memviz.storage.workspace import RunKey, Workspace

FORESEEN_TURNS = 1_000
"""The most turns of a conversation of which it is worked out beforehand how many summaries there will be."""
LINKED = noop(
    "The summaries of this link were written by **{model}**. To see the same, enter its key under *Models* in the "
    "sidebar and replay, or see it with the summaries of the built-in model."
)
KEPT = noop("Summaries that were written are kept, and not asked for a second time.")
MEND = noop("Key, address and model are chosen under *Models* in the sidebar.")
Waiting = Sequence[tuple[Setting, RunKey]]


def replayed_when_asked(
    workspace: Workspace, state: CompareState, waiting: Waiting, summarizer: ModelChoice
) -> list[tuple[Setting, Run]]:
    """Return the runs, as far as they have come, of the replays that wait for ``summarizer``, which is called only on a
    click."""
    keys = [key for _setting, key in waiting]
    foreseen: list[Run] = []
    log = workspace.conversation(keys[0].conversation_id, keys[0].first)[1]
    if log.turn_count <= FORESEEN_TURNS:
        foreseen = free_replays(workspace, keys)
    with box():
        _offer(workspace, state, keys, summarizer, foreseen)
    attempts = _attempts(state, keys, summarizer)
    return [
        (setting, attempts[key].run)
        for setting, key in waiting
        if key in attempts and attempts[key].run.turns
    ]


def _attempts(
    state: CompareState, keys: Sequence[RunKey], summarizer: ModelChoice
) -> dict[RunKey, Attempt]:
    """Return what this very summarizer, with its key, address and timeout, made of the runs. With another one they
    count as not yet replayed."""
    attempts = {}
    for key in keys:
        attempt = state.attempts.get(key)
        if attempt is not None and attempt.made_with == summarizer:
            attempts[key] = attempt
    return attempts


def free_replays(workspace: Workspace, keys: Sequence[RunKey]) -> list[Run]:
    """Return the replays of these ``keys``, with the conversation's own replies and the offline model's summaries."""
    free = model(OFFLINE)
    free_keys = [
        replace(key, summarizer=OFFLINE, model="", edits=(), take=0) for key in keys
    ]
    return [workspace.run(key, free) for key in free_keys]


def _offer(
    workspace: Workspace,
    state: CompareState,
    keys: Sequence[RunKey],
    summarizer: ModelChoice,
    foreseen: Sequence[Run],
) -> None:
    """Say what is missing and why, what it costs at most, and make it when that is clicked."""
    name = summarizer.name
    attempts = _attempts(state, keys, summarizer)
    problems = [_problem(key, attempt) for key, attempt in attempts.items()]
    # What went wrong in the same way under several settings is said once.
    problems = list(dict.fromkeys(filter(None, problems)))
    place = st.empty()
    with place.container():
        if state.linked_summarizer == name and not summarizer.is_reached:
            st.markdown(_(LINKED, model=plain(name)))
        for problem in problems:
            show_problem(problem)
    calls = calls_made(foreseen)
    bound = UNFORESEEN
    if foreseen:
        bound = bound_summaries(foreseen, name, spending().reply_tokens)
    verb = start_verb(_("Replay"), is_begun=bool(attempts), has_failed=bool(problems))
    job = Job(
        "replay-paid",
        partial(_replay, workspace, state, keys, summarizer, calls),
        _("Asking {name} for summaries", name=name),
        verb=verb,
        model=name,
        bound=bound,
        before=_what_is_left(keys, attempts, name, calls),
    )
    if job.offer(beside=partial(use_the_stand_in_button, "replay-offline")):
        place.empty()  # what went wrong before is over
        error = job.run()
        if error is None:
            st.rerun()  # what was replayed is kept, and what went wrong is said beside the button
        show_error(error)


def _what_is_left(
    keys: Sequence[RunKey],
    attempts: Mapping[RunKey, Attempt],
    summarizer: str,
    calls: int,
) -> str:
    untried = [key.strategy.label for key in keys if key not in attempts]
    if untried:
        template = noop(
            "Not replayed yet: {labels}. {summarizer} is asked when you say so."
        )
        if calls:
            template = noop(
                "Not replayed yet: {labels}. {summarizer} is asked for about {summaries} when you say so."
            )
        return _(
            template,
            labels=comma_list(untried),
            summarizer=summarizer,
            summaries=counted(calls, "summary"),
        )
    if any(attempt.run.space.summaries.versions for attempt in attempts.values()):
        return _(KEPT)
    return _(MEND)


def _problem(key: RunKey, attempt: Attempt) -> str:
    """Return what went wrong in an attempt, as a sentence; empty if it was only stopped."""
    run = attempt.run
    if attempt.error is not None:
        return f"{error_words(attempt.error)} {_(NO_OTHER_CALL)}"
    if run.turns and len(run.requests) < run.log.request_count:
        return ""
    errors = _failures(run)
    if not errors:
        return ""
    calls = counted(calls_made([run]), "call")
    return _(
        "{label}: {number} of {calls} failed. The first said: {error}",
        label=key.strategy.label,
        number=len(errors),
        calls=calls,
        error=errors[0],
    )


def calls_made(runs: Iterable[Run]) -> int:
    """Return the number of calls of a summarizer in these runs: what is cleared or dropped by a rule asks nobody, nor
    does a request that is only shown."""
    return sum(compaction.asked for run in runs for compaction in run.compactions)


def _failures(run: Run) -> list[str]:
    return [compaction.error for compaction in run.compactions if compaction.error]


def _replay(
    workspace: Workspace,
    state: CompareState,
    keys: Sequence[RunKey],
    summarizer: ModelChoice,
    foreseen_calls: int,
    tell: Tell,
) -> None:
    """Replay under one setting after the other, until one finds that the summarizer cannot be used at all."""
    calls = 0

    def tell_progress(label: str, calls_of_run: int, turn: str) -> None:
        number = calls + calls_of_run
        share = 0.0
        words = counted(number, "call")
        if foreseen_calls:
            total = max(foreseen_calls, number)
            share = number / total
            in_all = counted(total, "call")
            words = _("{asked:,} of about {calls}", asked=number, calls=in_all)
        tell(share, _("{label}: {calls}, {turn}", label=label, calls=words, turn=turn))

    writer = summarizer.build_summarizer()
    for key in keys:
        tell_of = partial(tell_progress, plain(key.strategy.label))
        with vectors_asked(workspace, [key.strategy]):
            attempt = _attempt(workspace, state, key, summarizer, writer, tell_of)
        calls += calls_made([attempt.run])
        if attempt.error is not None and fails_every_call(attempt.error):
            break


def _attempt(
    workspace: Workspace,
    state: CompareState,
    key: RunKey,
    summarizer: ModelChoice,
    writer: Model,
    tell: Callable[[int, str], object],
) -> Attempt:
    """Return one replay, kept if it came to a good end. However it ends, the run as far as it came stays in the
    session."""
    so_far = _run_to_go_on_with(summarizer, state.attempts.get(key))
    session, turns = workspace.begun(key, writer, so_far)
    error: MemvizError | None = None
    is_over = False
    try:
        total = session.log.turn_count
        for turn in turns:
            calls = sum(compaction.asked for compaction in session.compactions)
            tell(calls, _("turn {turn:,} of {total:,}", turn=turn, total=total))
        is_over = True
    except MemvizError as failure:
        error = failure
        is_over = True
    finally:  # also when it was stopped, or the page was left
        run = session.run()
        compactions = run.compactions
        if (error or not is_over) and compactions and compactions[-1].error:
            # The call that ended it is said beside the button, and is made once more.
            run = replace(run, compactions=compactions[:-1])
        attempt = Attempt(summarizer, run, error)
        if is_over or run.space.summaries.versions:
            state.attempts[key] = attempt
    if error is None and not _failures(run):
        workspace.keep(key, run)
        del state.attempts[key]
    return attempt


def _run_to_go_on_with(summarizer: ModelChoice, before: Attempt | None) -> Run | None:
    """Return the run of the attempt before, to go on with. Summaries that another server
    wrote are none of this one's."""
    if before is None or not isinstance(before.made_with, ModelChoice):
        return None
    if before.made_with.api_base != summarizer.api_base:
        return None
    return before.run
