"""The question to a sweep: what a setting has to do, and about which strategy."""

from collections import defaultdict
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.elements import switch
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.strategies import strategies
from memviz.tuning.best_of_each import find_main_axis
from memviz.tuning.constraints import Constraints, Over
from memviz.tuning.results import Sweep

OVERS: dict[Over, str] = {"median": noop("Middle"), "worst": noop("Worst")}
SHARES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
NO_LIMIT = "no limit"
"""The id of the choice, in links too, and its English words."""
_NO_LIMIT_WORDS = noop("no limit")
KEPT_HELP = noop(
    "A fact is kept by a request that holds the messages that state it, or its answer. The share is "
    "that of the facts stated so far, on average over all requests."
)
PEAK_HELP = noop(
    "Settings with a larger request are left out. Leave room for what your own program adds to each "
    "request."
)
OVER_HELP = noop(
    "Which of several conversations says how much is kept and how large requests are: the one in the "
    "middle, or the worst one, which is the safer choice. Costs are added over all of them."
)
REFUSED_HELP = noop(
    "Providers refuse a request with a tool's result without its call, or a call without its result. "
    "Such settings are left out of the front and of the answer, unless this is on."
)
STRATEGY_KEY = "tune-strategy"
ALL = "All"
"""The id of the choice, in links too, and its English words."""
_ALL_WORDS = noop("All")


def choose_question(sweep: Sweep) -> tuple[Constraints, str | None]:
    """Ask what a setting has to do, and about which strategy (``None``: all of them)."""
    widths = [2, 2, 1.4]
    if len(sweep.subjects) > 1:
        widths.append(1.2)
    row = st.columns(widths, gap="medium", vertical_alignment="bottom")
    constraints = _choose_constraints(sweep, row)
    with row[2]:
        strategy = _choose_strategy(sweep)
    return constraints, strategy


def _choose_constraints(sweep: Sweep, row: Sequence[DeltaGenerator]) -> Constraints:
    linked("share", "tune-share", SHARES)
    share = row[0].select_slider(
        _("Keep at least this share of the facts"),
        SHARES,
        value=begin_with("tune-share", 0.9),
        format_func=lambda share: f"{share:.0%}",
        key="tune-share",
        help=_(KEPT_HELP),
        persist_state="session",
    )
    limits = _limits(sweep)
    peak_key = f"tune-peak-{len(limits)}-{limits[0]}"
    linked("peak", peak_key, limits)
    limit = row[1].select_slider(
        _("Largest request allowed (tokens)"),
        limits,
        value=begin_with(peak_key, NO_LIMIT),
        key=peak_key,
        format_func=_limit_words,
        help=_(PEAK_HELP),
    )
    over: Over = "median"
    if len(sweep.subjects) > 1:
        linked("counts", "tune-over", OVERS)
        chosen = row[3].segmented_control(
            _("Conversation that counts"),
            OVERS,
            default=begin_with("tune-over", over),
            required=True,
            format_func=lambda over: _(OVERS[over]),
            key="tune-over",
            help=_(OVER_HELP),
            persist_state="session",
        )
        over = chosen or over
    most_tokens = None if limit == NO_LIMIT else int(limit)
    return Constraints(share, most_tokens, over, _ask_for_refused(sweep))


def _ask_for_refused(sweep: Sweep) -> bool:
    """Ask whether settings count of which a provider refuses requests, where there are any."""
    if not (sweep.by_setting()["refused"] > 0).any():
        return False
    linked("refused", "tune-refused", [False, True])
    return switch(
        _("Settings whose requests a provider refuses"),
        key="tune-refused",
        help=_(REFUSED_HELP),
        persist_state="session",
    )


def _limit_words(value: int | str) -> str:
    return _(_NO_LIMIT_WORDS) if isinstance(value, str) else f"{value:,}"


def _limits(sweep: Sweep) -> list[int | str]:
    """Return round numbers of tokens between the smallest and the largest peak, and "no limit"."""
    peaks = sweep.by_setting()["peak_tokens"]
    smallest = peaks.min()
    largest = peaks.max()
    limits: list[int | str] = []
    # 100, 150, 200, 300, 500, 700, 1,000 and so on, up to 7,000,000.
    for power in range(2, 7):
        for digit in (1, 1.5, 2, 3, 5, 7):
            tokens = int(digit * 10**power)
            if smallest <= tokens <= largest:
                limits.append(tokens)
    if not limits:
        limits.append(int(largest))
    return [*limits, NO_LIMIT]


def _choose_strategy(sweep: Sweep) -> str | None:
    """Ask about all strategies (``None``) or one: its id. Offered are those of which several values were measured."""
    offered = _strategies_with_a_curve(sweep)
    if not offered:
        return None
    linked("strategy", STRATEGY_KEY, [ALL, *offered])
    if widget_value(STRATEGY_KEY) not in (ALL, *offered):
        set_widget(STRATEGY_KEY, ALL)
    chosen = st.selectbox(
        _("Which strategy?"),
        [ALL, *offered],
        key=STRATEGY_KEY,
        persist_state="session",
        format_func=_strategy_words,
        help=_(
            "All compares every setting. One shows which value of its parameter to take, and why."
        ),
    )
    return None if chosen == ALL else chosen


def _strategy_words(id: str) -> str:
    return _(_ALL_WORDS) if id == ALL else _(strategies()[id].title)


def _strategies_with_a_curve(sweep: Sweep) -> list[str]:
    """The strategies of which more than one value of the main parameter was measured."""
    measured = {place.setting for place, cell in sweep.cells.items() if not cell.error}
    values = defaultdict(set)
    for number in measured:
        setting = sweep.settings[number]
        axis = find_main_axis(setting)
        if axis is not None:
            values[setting.id].add(getattr(setting, axis.name))
    return [id for id in strategies() if len(values[id]) > 1]
