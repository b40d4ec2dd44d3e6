"""What a setting has to do, and which strategy is asked about."""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.controls.pickers import switch
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.strategies import strategies
from memviz.tuning.best_of_each import main_axis
from memviz.tuning.constraints import Constraints, Over
from memviz.tuning.results import Sweep

OVERS: dict[Over, str] = {"median": "Middle", "worst": "Worst"}
SHARES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
NO_LIMIT = "no limit"
KEPT_HELP = (
    "A fact is kept by a request that holds the messages that state it, or its answer. The share is that of the facts "
    "stated so far, on average over all requests."
)
PEAK_HELP = "Settings with a larger request are left out. Leave room for what your own program adds to each request."
OVER_HELP = (
    "Which of several conversations says how much is kept and how large requests are: the one in the middle, or the "
    "worst one, which is the safer choice. Costs are added over all of them."
)
REFUSED_HELP = (
    "Providers refuse a request with a tool's result without its call, or a call without its result. Such settings are "
    "left out of the front and of the answer, unless this is on."
)
STRATEGY_KEY, ALL = "tune-strategy", "All"


def choose_constraints(sweep: Sweep) -> Constraints:
    """Ask what a setting has to do."""
    row = st.columns(
        [2, 2, 1.2] if len(sweep.subjects) > 1 else 2,
        gap="medium",
        vertical_alignment="bottom",
    )
    begin_with("tune-share", 0.9)
    linked("share", "tune-share", SHARES)
    share = row[0].select_slider(
        "Keep at least this share of the facts",
        SHARES,
        format_func=lambda share: f"{share:.0%}",
        key="tune-share",
        help=KEPT_HELP,
        persist_state="session",
    )
    limits = _limits(sweep)
    peak_key = f"tune-peak-{len(limits)}-{limits[0]}"
    begin_with(peak_key, NO_LIMIT)
    linked("peak", peak_key, limits)
    limit = row[1].select_slider(
        "Largest request allowed (tokens)",
        limits,
        key=peak_key,
        format_func=lambda value: value if isinstance(value, str) else f"{value:,}",
        help=PEAK_HELP,
    )
    over: Over = "median"
    if len(sweep.subjects) > 1:
        begin_with("tune-over", "median")
        linked("counts", "tune-over", OVERS)
        chosen = row[2].segmented_control(
            "Conversation that counts",
            list(OVERS),
            required=True,
            format_func=OVERS.__getitem__,
            key="tune-over",
            help=OVER_HELP,
            persist_state="session",
        )
        over = chosen or over
    return Constraints(
        share, None if limit == NO_LIMIT else int(limit), over, _ask_for_refused(sweep)
    )


def _ask_for_refused(sweep: Sweep) -> bool:
    """Ask whether settings count of which a provider refuses requests, where there are any."""
    if not (sweep.by_setting()["refused"] > 0).any():
        return False
    linked("refused", "tune-refused", [False, True])
    return switch(
        "Settings whose requests a provider refuses",
        key="tune-refused",
        help=REFUSED_HELP,
        persist_state="session",
    )


def _limits(sweep: Sweep) -> list[int | str]:
    """Round numbers of tokens between the smallest and the largest peak, and none."""
    peaks = sweep.by_setting()["peak_tokens"]
    steps = [
        digit * 10**power for power in range(2, 7) for digit in (1, 1.5, 2, 3, 5, 7)
    ]
    inside = [int(step) for step in steps if peaks.min() <= step <= peaks.max()]
    return [*(inside or [int(peaks.max())]), NO_LIMIT]


def choose_strategy(sweep: Sweep) -> str | None:
    """Ask about all strategies (``None``) or one: its id. Offered are those of which several values were measured."""
    offered = _with_a_curve(sweep)
    if not offered:
        return None
    linked("strategy", STRATEGY_KEY, [ALL, *offered])
    if widget_value(STRATEGY_KEY) not in (ALL, *offered):
        set_widget(STRATEGY_KEY, ALL)
    chosen = st.pills(
        "Which strategy?",
        [ALL, *offered],
        required=True,
        key=STRATEGY_KEY,
        persist_state="session",
        format_func=lambda id: ALL if id == ALL else strategies()[id].title,
        help="All compares every setting. One shows which value of its parameter to take, and why.",
    )
    return None if chosen == ALL else chosen


def _with_a_curve(sweep: Sweep) -> list[str]:
    """The strategies of which more than one value of the main parameter was measured."""
    values: dict[str, set[int]] = {}
    for number in {
        place.setting for place, cell in sweep.cells.items() if not cell.error
    }:
        setting = sweep.settings[number]
        axis = main_axis(setting)
        values.setdefault(setting.id, set()).update(
            [getattr(setting, axis.name)] if axis else []
        )
    return [id for id in strategies() if len(values.get(id, ())) > 1]
