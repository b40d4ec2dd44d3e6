"""Running a sweep from the page: at once where it is small and free, else when asked; with progress and a way out. One
with a summarizer that costs money says what it will cost, and has a budget and a start button."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, NoReturn

import streamlit as st

from memviz.core.text.wording import listed
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.ui.controls.jobs import Step, start_button, watch
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.spending import (
    bound_caption,
    noted_replies,
    noted_sweeps,
    spending,
)
from memviz.dashboard.ui.controls.vectors import vectors_asked
from memviz.dashboard.ui.shell.elements import (
    box,
    errors_shown,
    show_caption,
    show_error,
    show_problem,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.asked import Asked
from memviz.dashboard.ui.tune.embedding import lacks_vectors, offer_missing
from memviz.dashboard.ui.tune.extent import may_begin
from memviz.dashboard.ui.tune.next_values import edge_value_labels
from memviz.dashboard.ui.tune.state import TuneState
from memviz.dashboard.words.estimates import estimate_words, left_out_words
from memviz.models.base import Model
from memviz.models.budget import Budget
from memviz.models.planned_calls import CostBound
from memviz.storage.workspace import Workspace
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.executors import DEFAULT_CONCURRENCY
from memviz.tuning.paid import estimate, paid_summarizer, spent_sentence
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep
from memviz.tuning.sweep import Sweeping, SweepProgress

AT_ONCE_SECONDS = 0.8
"""A sweep that takes less is there without a progress bar in between."""
MAX_ERRORS = 3


class _Desk(NamedTuple):
    """All that it takes to begin a sweep, but what is swept."""

    workspace: Workspace
    state: TuneState
    summarizer: ModelChoice
    assumptions: PricingAssumptions


def sweep_of(
    workspace: Workspace,
    state: TuneState,
    asked: Asked,
    summarizer: ModelChoice,
    assumptions: PricingAssumptions,
) -> Sweep | None:
    """Return what was measured so far; ``None`` as long as there is nothing. Draws the progress above it."""
    desk = _Desk(workspace, state, summarizer, assumptions)
    offer = st.container()
    chosen = replace(asked, summarizer=summarizer.name)
    if summarizer.is_free or state.asked == chosen:
        asked = chosen
    if state.asked != asked and (state.go_on or may_begin(workspace, asked)):
        state.go_on = False
        _begin_free(desk, asked)
    work = state.work if state.asked == asked else None
    if work is None:
        return None
    if not work.wait(AT_ONCE_SECONDS):
        _watch(work, asked, state.budget)
    elif state.budget is not None:
        _try_again(desk, asked, work)
        show_caption(spent_sentence(asked.summarizer, state.budget))
    elif work.error is not None:
        show_error(work.error)
        _offer_to_go_on(state, _("Try again"))
    if work.wait(0) and work.sweep is not None:
        with offer:  # drawn after the waiting: a free sweep that ended meanwhile is offered at once
            if lacks_vectors(work.sweep):
                if offer_missing(workspace, asked, work.sweep):
                    _begin_anew(state)
            elif asked != chosen:
                _offer_paid_sweep(desk, chosen, work.sweep)
    sweep = work.sweep
    if sweep is None:
        return None
    if work.wait(0) and not sweep.is_complete and work.error is None:
        _say_ended_early(state, sweep)
    return state.price(sweep, assumptions) if _any_ran(sweep) else None


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

    def spent() -> str:
        return "" if budget is None else spent_sentence(asked.summarizer, budget)

    watch(work, step, "tune-stop", spent)


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


FIRST_BUDGET_USD = 1.0
BUDGET_HELP = noop(
    "No call is made that might exceed it. What is finished by then is kept, and answers are kept on "
    "disk, so going on pays for nothing twice."
)


def _offer_paid_sweep(desk: _Desk, paid: Asked, sweep: Sweep) -> None:
    """Offer the sweep with a summarizer that costs money, once the ``sweep`` with the built-in model has ended, from
    which the cost is estimated."""
    name = paid.summarizer
    with box():
        st.markdown(
            _(
                "Measured with the built-in model's summaries, not yet with {name}.",
                name=plain(name),
            )
        )
        st.caption(
            _(
                "{cost} The sizes of the built-in model's summaries are the base of this.",
                cost=plain(estimate_words(estimate(sweep, name))),
            )
        )
        _say_added_values(paid)
        _offer(_SWEEP_WITH, desk, paid)


def _say_added_values(paid: Asked) -> None:
    """Say before it is paid for what the free sweep added by itself."""
    added = edge_value_labels(paid.settings)
    if added:
        words = ngettext(
            "A value was added because the best one lay at the edge: {values}. "
            "To pay for your own values alone, take it away under {panel}.",
            "Values were added because the best one lay at the edge: {values}. "
            "To pay for your own values alone, take them away under {panel}.",
            len(added),
            values=plain(listed(added)),
            panel=_("Strategies and values"),
        )
        st.caption(words)


def _try_again(desk: _Desk, paid: Asked, work: BackgroundSweep) -> None:
    """Say what failed in the sweep, if anything did, and offer to go on with what is missing. With another key, address
    or timeout it counts as not yet tried."""
    problem = _problem(paid, work)
    if not problem:
        return
    with box():
        if desk.state.made_with == desk.summarizer:
            show_problem(problem)
            _offer(_TRY_AGAIN_WITH, desk, paid)
        else:
            st.markdown(
                _(
                    "Not yet tried with the key, the base URL and the timeout as they are now."
                )
            )
            _offer(_SWEEP_WITH, desk, paid)


def _problem(paid: Asked, work: BackgroundSweep) -> str:
    """Return what went wrong with the summarizer, as a sentence; empty where nothing did."""
    cells = work.sweep.cells if work.sweep else {}
    failed = sum(cell.failed_summarizations > 0 for cell in cells.values())
    if work.error is None and not failed:
        return ""
    return _(
        _SUMMARIES_MISSING if work.error is None else _NOT_TRIED,
        error=work.error,
        measured=len(cells),
        failed=failed,
        total=len(paid.settings) * len(paid.ids),
    )


_NOT_TRIED = noop(
    "{error} {measured:,} of {total:,} runs are measured; the others were not tried."
)
_SUMMARIES_MISSING = noop(
    "In {failed:,} of {total:,} runs, calls of the summarizer failed, so summaries are missing."
)
_SWEEP_WITH = noop("Sweep with {model}")
_TRY_AGAIN_WITH = noop("Try again with {model}")


def _offer(label: str, desk: _Desk, paid: Asked) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget_usd = st.number_input(
            _("Budget of this sweep (US dollars)"),
            0.01,
            10_000.0,
            FIRST_BUDGET_USD,
            key="tune-budget",
            help=_(BUDGET_HELP),
            width=200,
        )
        words = _(label, model=plain(paid.summarizer))
        is_asked = start_button(words, "tune-pay", is_main=False)
        bound_caption(CostBound(budget_usd))
    if is_asked:
        _begin_paid(desk, paid, budget_usd)
        st.rerun()


def _begin_free(desk: _Desk, asked: Asked) -> None:
    player = desk.workspace.recordings.player(asked.summarizer)
    make = partial(_sweeping, desk, asked, player)
    desk.state.begin(asked, BackgroundSweep(make))


def _begin_paid(desk: _Desk, paid: Asked, budget_usd: float) -> None:
    with errors_shown(_("Choose another summarizer, or the built-in model.")):
        budget = Budget(budget_usd, within=spending())
        writer = paid_summarizer(
            paid.summarizer,
            budget,
            desk.workspace.answers_folder,
            notes=noted_replies(),
            **desk.summarizer.options,
        )
    make = partial(
        _sweeping, desk, paid, writer, executor="threads", workers=DEFAULT_CONCURRENCY
    )
    noted = noted_sweeps()
    for id in paid.ids:
        for setting in paid.settings:
            noted[id, setting, paid.counter] = None
    # What a paid summarizer notes is compared as well.
    look_up = budget.expect_open
    with vectors_asked(desk.workspace, paid.settings, look_up, budget):
        work = BackgroundSweep(make, on_cancel=budget.close)
    desk.state.begin(paid, work, budget, desk.summarizer)


def _sweeping(desk: _Desk, asked: Asked, writer: Model, **how: Any) -> Sweeping:
    return desk.workspace.sweeping(
        asked.ids,
        asked.settings,
        counter=asked.counter,
        first=asked.first,
        summarizer=writer,
        assumptions=desk.assumptions,
        seconds=asked.seconds,
        **how,
    )
