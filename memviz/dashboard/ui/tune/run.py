"""The sweep of the page: run at once where it is small and free, else when asked; with progress and a way out."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import NoReturn

import streamlit as st

from memviz.core.errors import BusyError
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.cluster import problem_words
from memviz.dashboard.ui.controls.jobs import Step, start_button, watch
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import look_for_room
from memviz.dashboard.ui.shell.elements import show_caption, show_error, show_info
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.desk import Desk, begin_free
from memviz.dashboard.ui.tune.embedding import lacks_vectors, offer_missing
from memviz.dashboard.ui.tune.extent import may_begin
from memviz.dashboard.ui.tune.paid import offer_paid_sweep, offer_to_try_again
from memviz.dashboard.ui.tune.state import Asked, TuneState
from memviz.dashboard.words.estimates import left_out_words
from memviz.models.budget import Budget
from memviz.storage.workspace import Workspace
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.paid import describe_spending
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep
from memviz.tuning.sweep_progress import SweepProgress

AT_ONCE_SECONDS = 0.8
"""A sweep that takes less is there without a progress bar in between."""
MAX_ERRORS = 3


def sweep_of(
    workspace: Workspace,
    state: TuneState,
    asked: Asked,
    summarizer: ModelChoice,
    assumptions: PricingAssumptions,
) -> Sweep | None:
    """Return what was measured so far; ``None`` as long as there is nothing. Draws the progress above it."""
    desk = Desk(workspace, state, summarizer, assumptions)
    offer = st.container()
    # A summarizer that costs money sweeps only when it was asked to: until then the free one does, as `asked` says.
    with_chosen_summarizer = replace(asked, summarizer=summarizer.name)
    if summarizer.is_free or state.asked == with_chosen_summarizer:
        asked = with_chosen_summarizer
    if state.asked != asked and (state.go_on or may_begin(workspace, asked)):
        try:
            begin_free(desk, asked)
        except BusyError as error:
            show_info(str(error), ":material/hourglass_empty:")
            look_for_room(workspace, count())
            return None
        state.go_on = False
    work = state.work if state.asked == asked else None
    if work is None:
        return None
    is_over = work.wait(AT_ONCE_SECONDS)
    if not is_over:
        _watch(work, asked, state.budget)
    elif state.budget is not None:
        offer_to_try_again(desk, asked, work)
        show_caption(describe_spending(asked.summarizer, state.budget))
    elif work.error is not None:
        show_error(work.error)
        _offer_to_go_on(state, _("Try again"))
    # It may have ended since, and then the note beside its progress is drawn no more.
    has_ended = work.wait(0)
    if has_ended and work.cluster_problem is not None:
        show_caption(problem_words(work.cluster_problem))
    if has_ended and work.sweep is not None:
        with offer:  # drawn after the waiting: a free sweep that ended meanwhile is offered at once
            _offer_more(desk, asked, with_chosen_summarizer, work.sweep)
    sweep = work.sweep
    if sweep is None:
        return None
    if has_ended and not sweep.is_complete and work.error is None:
        _say_ended_early(state, sweep)
    return state.price(sweep, assumptions) if _any_ran(sweep) else None


def _offer_more(
    desk: Desk, asked: Asked, with_chosen_summarizer: Asked, sweep: Sweep
) -> None:
    """Offer what costs money: vectors that are missing, or else the same sweep with the summarizer that is chosen."""
    if lacks_vectors(sweep):
        if offer_missing(desk.workspace, asked, sweep):
            _begin_anew(desk.state)
    elif asked != with_chosen_summarizer:
        offer_paid_sweep(desk, with_chosen_summarizer, sweep)


def is_free_and_through(state: TuneState, sweep: Sweep) -> bool:
    """Return whether every cell was measured with a summarizer that costs nothing, so
    that measuring more costs nothing either."""
    work = state.work
    if work is None or state.budget is not None:
        return False
    return work.wait(0) and work.error is None and sweep.is_complete


def _any_ran(sweep: Sweep) -> bool:
    """Return true if there is anything to show. Says what could not be run, and why."""
    failed = {}
    for place, cell in sweep.cells.items():
        # Vectors that are missing are offered.
        if cell.error and not cell.lacks_vectors:
            failed[cell.error] = sweep.subjects[place.subject]
    for error, title in list(failed.items())[:MAX_ERRORS]:
        st.warning(f"{plain(title)}: {plain(error)}", icon=":material/error:")
    return any(not cell.error for cell in sweep.cells.values())


def _watch(work: BackgroundSweep, asked: Asked, budget: Budget | None) -> None:
    def step() -> Step:
        progress = work.progress
        if progress is None:
            return Step(0.0, _("Counting tokens and looking for facts"))
        share = progress.done / max(1, progress.total)
        return Step(share, progress_words(progress, len(asked.ids)))

    def note() -> str:
        if work.cluster_problem is not None:
            return problem_words(work.cluster_problem)
        return "" if budget is None else describe_spending(asked.summarizer, budget)

    watch(work, step, "tune-stop", note)


def progress_words(progress: SweepProgress, conversations: int) -> str:
    """Return how far a sweep is, in words."""
    text = _(
        _MEASURED if conversations == 1 else _MEASURED_OVER,
        done=progress.done,
        total=progress.total,
        conversations=conversations,
    )
    if not progress.time_left:
        return text
    return _("{measured}, {time_left}", measured=text, time_left=progress.time_left)


_MEASURED = noop("{done:,} of {total:,} runs measured")
_MEASURED_OVER = noop(
    "{done:,} of {total:,} runs over {conversations} conversations measured"
)


def _say_ended_early(state: TuneState, sweep: Sweep) -> None:
    why = plain(sweep.stopped) if sweep.stopped else _("Stopped.")
    st.warning(
        _(
            "{why} {count:,} of {total:,} runs were measured and are shown.",
            why=why,
            count=len(sweep.cells),
            total=len(sweep.settings) * len(sweep.subjects),
        ),
        icon=":material/pause:",
    )
    for sentence in left_out_words(sweep):
        show_caption(sentence)
    _offer_to_go_on(state, _("Go on"))


def _offer_to_go_on(state: TuneState, label: str) -> None:
    if start_button(label, "tune-go-on", is_main=False):
        _begin_anew(state)


def _begin_anew(state: TuneState) -> NoReturn:
    """Sweep again over what is not measured."""
    state.asked = None
    state.go_on = True
    st.rerun()


def say_nothing_to_try(ids: Sequence[str]) -> None:
    """Say whether a conversation or a strategy has to be chosen first."""
    text = noop("Choose a conversation in the sidebar, and every setting is measured.")
    if ids:
        text = noop(
            "Choose a strategy to try in the sidebar, and every setting is measured."
        )
    st.info(_(text), icon=":material/arrow_back:")
