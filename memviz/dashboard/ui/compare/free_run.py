"""Free runs: a model answers the conversation under every setting; the answers stand beside each other."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import NamedTuple

import streamlit as st

from memviz.core.errors import EmptyConversationError
from memviz.core.model_errors import BudgetSpentError, UnusableSummarizerError
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.compare.answers import draw_answer_card
from memviz.dashboard.ui.compare.selection import Selection
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.jobs import Job, Tell, start_verb
from memviz.dashboard.ui.controls.paid_replays import free_replays
from memviz.dashboard.ui.controls.pickers import Models
from memviz.dashboard.ui.controls.replaying import as_setting_runs, run_key
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.spending import bound_caption
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    error_shown,
    row,
    segments,
    show_caption,
    show_error,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.estimates import likely_words
from memviz.engine.free_run import FreeRun, count_answered_turns
from memviz.engine.run import Run
from memviz.metrics.answer_sources import find_answer_source
from memviz.metrics.cost.bounds import bound_free_run
from memviz.metrics.cost.estimate import estimate_asking
from memviz.metrics.requests.request_table import find_record_of_turn
from memviz.storage.workspace import RunKey

TAKE_KEY = "free-take"
KEPT_EVERY_SECONDS = 5.0
"""The time between two savings of a run under way; it is kept also when it ends, fails or is stopped."""
_ANSWERS_FOR_ITSELF = noop(
    "**Each setting answers for itself.** The model {label} replies to every message of the user under "
    "each setting, so you see what it still knew. {answered} answered so far."
)
_NOTHING_TO_ANSWER = noop(
    "The conversation holds no message of a user: there is nothing to answer."
)


class _RunSoFar(NamedTuple):
    """The free run under one setting, as far as it was made."""

    setting: Setting
    key: RunKey
    run: Run | None
    answered_turns: int


def make_free_runs(models: Models) -> list[SettingRun]:
    """Return the free run of the conversation under every setting, as far as it was made. A model is asked only after
    a click, with what it will cost said before; it can be stopped, and goes on where it was."""
    _transcript, log = studied_conversation()
    if not log.turn_count:
        show_error(EmptyConversationError(_(_NOTHING_TO_ANSWER)))
        return []
    runs = _find_runs_so_far(models)
    missing = [each for each in runs if each.answered_turns < log.turn_count]
    if missing:
        state = compare_state()
        is_asked = state.answer_again
        state.answer_again = False
        with box():
            st.markdown(_invitation_words(missing, models, log.turn_count))
            if _make_job(missing, models).run_when_asked(is_asked=is_asked):
                runs = [_find_run_so_far(each.setting, each.key) for each in runs]
    if runs:
        again = None if missing else _make_job(runs, models)
        _choose_take(runs, again)
    with_turns = []
    for each in runs:
        if each.run is not None and each.run.turns:
            with_turns.append((each.setting, each.run))
    return as_setting_runs(with_turns)


def _find_runs_so_far(models: Models) -> list[_RunSoFar]:
    """Return the run under every setting that can be run; what is wrong with another one is said."""
    state = compare_state()
    answerer = models.answerer.name
    runs = []
    for setting in state.settings:
        with error_shown():
            key = run_key(workspace(), state, setting, models.summarizer, answerer)
            runs.append(_find_run_so_far(setting, replace(key, take=state.take)))
    return runs


def _find_run_so_far(setting: Setting, key: RunKey) -> _RunSoFar:
    run = workspace().kept_free_run(key)
    return _RunSoFar(setting, key, run, count_answered_turns(run) if run else 0)


def _invitation_words(missing: Sequence[_RunSoFar], models: Models, turns: int) -> str:
    """Return what a free run is, and how much of it there is."""
    answered = _(
        "{done:,} of {turns}",
        done=sum(each.answered_turns for each in missing),
        turns=counted(turns * len(missing), "turn"),
    )
    return _(_ANSWERS_FOR_ITSELF, label=plain(models.answerer.label), answered=answered)


def _choose_take(runs: Sequence[_RunSoFar], again: Job | None) -> None:
    """Let the visitor choose which of the free runs with the same model is shown; one more is made on a click, and the
    others stay."""
    state = compare_state()
    takes = 1 + state.take
    while any(
        workspace().kept_free_run(replace(each.key, take=takes)) for each in runs
    ):
        takes += 1
    with row():
        if takes > 1:
            if widget_value(TAKE_KEY) != state.take:
                set_widget(TAKE_KEY, state.take)
            segments(
                _("Answers"),
                range(takes),
                format_func=lambda take: _("Run {number}", number=take + 1),
                key=TAKE_KEY,
                label_visibility="collapsed",
                on_change=_show_take,
            )
        if again is not None:
            button(
                _("Answer again"),
                "free-again",
                ":material/replay:",
                _answer_again,
                takes,
            )
            bound_caption(
                again.bound,
                before=_("These answers are kept. {before}", before=again.before),
            )


def _show_take() -> None:
    compare_state().take = widget_value(TAKE_KEY) or 0


def _answer_again(take: int) -> None:
    state = compare_state()
    state.take = take
    state.answer_again = True


def _make_job(missing: Sequence[_RunSoFar], models: Models) -> Job:
    """Return the job that answers what is missing. It is bounded with each reply as long as it may be, and sent again
    with every later message; likely, the replies are as long as the conversation's own."""
    keys = [each.key for each in missing]
    turns = [each.answered_turns for each in missing]
    replays = free_replays(workspace(), keys)
    cost = estimate_asking(replays, models.answerer.name, models.summarizer.name)
    likely = likely_words(cost)
    work = [key.strategy.tool_use for key in keys]
    if any(tool_use.recalls or tool_use.thinking_rounds for tool_use in work):
        likely = _(
            "{likely} What the model recalls or thinks by itself comes on top.",
            likely=likely,
        )
    return Job(
        "free-run",
        partial(_answer, keys, models),
        verb=start_verb(_("Answer"), is_begun=any(turns), has_failed=False),
        model=models.answerer.label,
        bound=bound_free_run(replays, turns, models.askers),
        before=likely,
    )


def _answer(keys: Sequence[RunKey], models: Models, tell: Tell) -> None:
    """Answer turn by turn, setting by setting."""
    answerer = models.answerer.build()
    summarizer = models.summarizer.build_summarizer()
    for key in keys:
        free = workspace().free_run(key, answerer, summarizer)
        refusal = ""
        try:
            _answer_under(key, free, tell)
        except (UnusableSummarizerError, BudgetSpentError) as failure:
            refusal = str(failure)
            raise
        finally:  # also when it was stopped, or the page was left
            _keep(key, free, refusal)


def _answer_under(key: RunKey, free: FreeRun, tell: Tell) -> None:
    saved_at = monotonic()
    while not free.is_complete:
        turn = free.done + 1
        words = _(
            "{label}: turn {turn:,} of {turn_count:,}",
            label=plain(key.strategy.label),
            turn=turn,
            turn_count=free.turn_count,
        )
        # A stop in the midst of a reply keeps what there is of it, which closing the reply does.
        with closing(free.next_turn()) as pieces:
            for _piece in pieces:
                tell(turn / free.turn_count, words)
        if monotonic() - saved_at >= KEPT_EVERY_SECONDS:
            _keep(key, free)
            saved_at = monotonic()


def _keep(key: RunKey, free: FreeRun, refusal: str = "") -> None:
    """Keep the run as far as it has come. The call of a summarizer that no call reaches, or that the budget does not
    allow (``refusal`` is what was said), is made once more when one goes on: it is no part of the run."""
    run = free.run
    if not run.turns:
        return
    calls = run.compactions
    if calls and refusal and calls[-1].error == refusal:
        calls = calls[:-1]
    workspace().keep_free_run(key, replace(run, compactions=calls))


def draw_answers_of_turn(settings: Sequence[SettingRun], selection: Selection) -> None:
    """Draw the answers of all settings to the message of the selected turn, and where they had them from."""
    turn = selection.turn
    records = [
        (setting, find_record_of_turn(setting.run, turn)) for setting in settings
    ]
    requests = [request for _setting, request in records if request]
    if not requests:
        return
    log = requests[0].memory.log
    positions = requests[0].parts.input
    question = "\n".join(log[position].content for position in positions)
    st.markdown(_("**What each setting answered at turn {turn}**", turn=turn))
    show_caption(question)
    for column, (setting, record) in zip(
        st.columns(len(settings)), records, strict=True
    ):
        with column:
            if record is None:
                st.caption(_("{label}: not answered yet.", label=plain(setting.label)))
            else:
                source = find_answer_source(record.context, question, record.reply)
                draw_answer_card(setting, record, source)
