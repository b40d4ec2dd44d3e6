"""A sweep with a summarizer that costs money: what it will cost, its budget, its start button, and another try."""

import streamlit as st

from memviz.core.text.wording import listed
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.ui.controls.jobs import start_button
from memviz.dashboard.ui.controls.spending import bound_caption
from memviz.dashboard.ui.shell.elements import box, error_words, show_problem
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.desk import Desk, begin_paid
from memviz.dashboard.ui.tune.next_values import edge_value_labels
from memviz.dashboard.ui.tune.state import Asked
from memviz.dashboard.words.estimates import estimate_words
from memviz.models.planned_calls import CostBound
from memviz.tuning.background import BackgroundSweep
from memviz.tuning.paid import estimate_sweep
from memviz.tuning.results import Sweep

FIRST_BUDGET_USD = 1.0
BUDGET_HELP = noop(
    "No call is made that might exceed it. What is finished by then is kept, and answers are kept on "
    "disk, so going on pays for nothing twice."
)


def offer_paid_sweep(desk: Desk, paid: Asked, sweep: Sweep) -> None:
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
                cost=plain(estimate_words(estimate_sweep(sweep, name))),
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


def offer_to_try_again(desk: Desk, paid: Asked, work: BackgroundSweep) -> None:
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
        error="" if work.error is None else error_words(work.error),
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


def _offer(label: str, desk: Desk, paid: Asked) -> None:
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
        begin_paid(desk, paid, budget_usd)
        st.rerun()
