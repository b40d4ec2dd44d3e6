"""Sweeping with a summarizer that costs money: what it will cost, a budget, and a start button."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from memviz.dashboard.ui.controls.jobs import start_button
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.spending import (
    bound_caption,
    noted_replies,
    noted_sweeps,
    spending,
)
from memviz.dashboard.ui.shell.errors import errors_shown
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.state import TuneState
from memviz.models.budget import Budget
from memviz.models.cost_bound import CostBound
from memviz.storage.workspace import Workspace
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.paid import estimate, paid_summarizer
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.sweep import DEFAULT_CONCURRENCY, Sweeping

if TYPE_CHECKING:
    from memviz.dashboard.ui.tune.run import Asked

FIRST_BUDGET_USD = 1.0
BUDGET_HELP = (
    "No call is made that might exceed it. What is finished by then is kept, and answers are kept on disk, so going on "
    "pays for nothing twice."
)


def offer_paid_sweep(
    workspace: Workspace,
    state: TuneState,
    free: Asked,
    summarizer: ModelChoice,
    assumptions: PricingAssumptions,
) -> None:
    """Offer the sweep with ``summarizer`` where the ``free`` one with the offline summarizer, which tells what it will
    cost, has ended."""
    work = state.work
    if state.asked != free or work is None or not work.wait(0) or work.sweep is None:
        return
    with st.container(border=True):
        st.markdown(
            f"Measured with the offline stand-in's summaries, not yet with {plain(summarizer.name)}."
        )
        cost = estimate(work.sweep, summarizer.name).sentence
        st.caption(
            f"{plain(cost)} The sizes of the stand-in's summaries are the base of this."
        )
        paid = with_summarizer(free, summarizer)
        _offer(
            f"Sweep with {plain(summarizer.name)}",
            workspace,
            state,
            paid,
            summarizer,
            assumptions,
        )


def with_summarizer(free: Asked, summarizer: ModelChoice) -> Asked:
    """The same sweep with ``summarizer`` instead of the offline one."""
    return replace(free, summarizer=summarizer.name)


def try_again(
    workspace: Workspace,
    state: TuneState,
    paid: Asked,
    summarizer: ModelChoice,
    assumptions: PricingAssumptions,
    work: BackgroundSweep,
) -> None:
    """Say what failed in the sweep, if anything did, and offer to go on with what is missing. With another key, address
    or timeout it counts as not yet tried."""
    problem = _problem(paid, work)
    if not problem:
        return
    is_tried = state.made_with == summarizer
    with st.container(border=True):
        if is_tried:
            st.error(plain(problem), icon=":material/error:")
        else:
            st.markdown(
                "Not yet tried with the key, the base URL and the timeout as they are now."
            )
        verb = "Try again" if is_tried else "Sweep"
        _offer(
            f"{verb} with {plain(summarizer.name)}",
            workspace,
            state,
            paid,
            summarizer,
            assumptions,
        )


def _problem(paid: Asked, work: BackgroundSweep) -> str:
    """What went wrong with the summarizer, as a sentence; empty where nothing did."""
    cells = work.sweep.cells if work.sweep else {}
    total = f"of {len(paid.settings) * len(paid.ids):,} runs"
    if work.error is not None:
        return f"{work.error} {len(cells):,} {total} are measured; the others were not tried."
    failed = sum(cell.failed_summarizations > 0 for cell in cells.values())
    return (
        f"In {failed:,} {total}, calls of the summarizer failed, so summaries are missing."
        if failed
        else ""
    )


def _offer(
    label: str,
    workspace: Workspace,
    state: TuneState,
    paid: Asked,
    summarizer: ModelChoice,
    assumptions: PricingAssumptions,
) -> None:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    budget_usd = row.number_input(
        "Budget of this sweep (US dollars)",
        0.01,
        10_000.0,
        FIRST_BUDGET_USD,
        key="tune-budget",
        help=BUDGET_HELP,
        width=200,
    )
    is_asked = start_button(label, "tune-pay", place=row, is_main=False)
    bound_caption(CostBound(budget_usd), place=row)
    if is_asked:
        _begin(workspace, state, paid, summarizer, budget_usd, assumptions)
        st.rerun()


def _begin(
    workspace: Workspace,
    state: TuneState,
    paid: Asked,
    summarizer: ModelChoice,
    budget_usd: float,
    assumptions: PricingAssumptions,
) -> None:
    with errors_shown("Choose another summarizer, or the offline stand-in."):
        budget = Budget(budget_usd, within=spending())
        writer = paid_summarizer(
            summarizer.name,
            budget,
            workspace.answers_folder,
            notes=noted_replies(),
            **summarizer.options,
        )

    def make() -> Sweeping:
        return workspace.sweeping(
            paid.ids,
            paid.settings,
            counter=paid.counter,
            first=paid.first,
            summarizer=writer,
            assumptions=assumptions,
            executor="threads",
            workers=DEFAULT_CONCURRENCY,
        )

    noted_sweeps().update(
        ((id, one, paid.counter), None) for id in paid.ids for one in paid.settings
    )
    state.begin(paid, BackgroundSweep(make, on_cancel=budget.close), budget, summarizer)
