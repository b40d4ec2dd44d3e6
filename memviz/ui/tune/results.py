"""The answer of a sweep: which setting to take, and the picture that shows why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.sweeps.cost_and_peak import cost_and_peak_chart
from memviz.charts.sweeps.measure_words import WORDS, shown
from memviz.charts.sweeps.pareto import pareto_chart
from memviz.strategies import strategies
from memviz.text.wording import counted
from memviz.tuning.constraints import Constraints
from memviz.tuning.recommendation import Recommendation
from memviz.tuning.results import Over, Sweep
from memviz.ui.shell.linked import linked
from memviz.ui.shell.state import TuneState, clicked_number, compare_state, set_widget, tune_state, widget_value
from memviz.ui.shell.text import plain

CHART_KEY, CHOSEN_KEY = "tune-pareto", "tune-chosen"
OVERS: dict[Over, str] = {"median": "Middle", "worst": "Worst"}
SHARES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
NO_LIMIT = "no limit"
KEPT_HELP = (
    "A fact is kept by a request that holds the messages that state it, or its answer. The share is that of the facts "
    "stated so far, on average over all requests."
)
PEAK_HELP = "Settings with a larger request are left out. Leave room for what your own program adds to each request."
OVER_HELP = (
    "How the conversations are summed up: by the one in the middle, or by the worst one, which is the safer choice."
)
METRICS = ("retention", "usd", "peak_tokens", "summarizations", "hit_rate", "usd_per_fact")


def choose_constraints(sweep: Sweep) -> Constraints:
    """Ask what a setting has to do."""
    row = st.columns([2, 2, 1.2] if len(sweep.subjects) > 1 else 2, gap="large", vertical_alignment="bottom")
    linked("share", "tune-share", SHARES)
    share = row[0].select_slider(
        "Keep at least this share of the facts", SHARES, 0.9, format_func=lambda share: f"{share:.0%}",
        key="tune-share", help=KEPT_HELP, persist_state="session",
    )  # fmt: skip
    limits = _limits(sweep)
    linked("peak", f"tune-peak-{len(limits)}-{limits[0]}", limits)
    limit = row[1].select_slider(
        "Largest request allowed (tokens)", limits, NO_LIMIT, key=f"tune-peak-{len(limits)}-{limits[0]}",
        format_func=lambda value: value if isinstance(value, str) else f"{value:,}", help=PEAK_HELP,
    )  # fmt: skip
    over: Over = "median"
    if len(sweep.subjects) > 1:
        linked("counts", "tune-over", OVERS)
        over = row[2].segmented_control(
            "Conversation that counts", list(OVERS), default="median", required=True, format_func=OVERS.__getitem__,
            key="tune-over", help=OVER_HELP, persist_state="session",
        )  # fmt: skip
    return Constraints(share, None if limit == NO_LIMIT else int(limit), over)


def _limits(sweep: Sweep) -> list[int | str]:
    """Round numbers of tokens between the smallest and the largest peak, and none."""
    peaks = sweep.by_setting()["peak_tokens"]
    steps = [digit * 10**power for power in range(2, 7) for digit in (1, 1.5, 2, 3, 5, 7)]
    inside = [int(step) for step in steps if peaks.min() <= step <= peaks.max()]
    return [*(inside or [int(peaks.max())]), NO_LIMIT]


def recommendation(sweep: Sweep, constraints: Constraints) -> Recommendation:
    """Say which setting to take, and why."""
    best = sweep.best(constraints.min_retention, constraints.max_peak_tokens, constraints.over)
    first, *others = best.reasons
    if best.setting is None:
        st.warning(plain(best.sentence), icon=":material/help:")
    else:
        name = best.setting.label
        st.success(
            f"**Take {plain(name)}.** It {plain(first.removeprefix(name).strip())} {plain(' '.join(others))}",
            icon=":material/check_circle:",
        )
    return best


def main_picture(sweep: Sweep, state: TuneState, constraints: Constraints, best: Recommendation) -> None:
    """All settings, cost against what they keep. A click chooses one."""
    _look_at_linked(sweep, state)
    table = sweep.by_setting(constraints.over)
    recommended = number_of(sweep, best)
    options: dict[str, Any] = {
        "chosen": state.chosen, "recommended": recommended, "max_peak_tokens": constraints.max_peak_tokens,
        "over": constraints.over, "strategies": list(strategies()),
        "aside": sweep.by_setting("worst" if constraints.over == "median" else "median"),
    }  # fmt: skip
    if table["retention"].notna().any():
        picture = pareto_chart(table, sweep.cost_measure, min_retention=constraints.min_retention, **options)
    else:
        st.info(
            "No fact to look for was found in this conversation, so only cost and size are compared. Facts can be "
            "typed in on the Facts page.",
            icon=":material/info:",
        )
        picture = cost_and_peak_chart(table, sweep.cost_measure, **options)
    st.plotly_chart(
        picture,
        key=CHART_KEY,
        config=CONFIG,
        selection_mode="points",
        on_select=partial(follow_click, CHART_KEY),
        alt="Every setting: what it costs and what share of the facts it keeps",
    )
    st.caption(f"{_facts_words(sweep)} Click a point to look at its setting.")  # fmt: skip


def _look_at_linked(sweep: Sweep, state: TuneState) -> None:
    """The setting that a link asks for; links hold the one that was clicked."""
    if linked("chosen", CHOSEN_KEY, range(len(sweep.settings))):
        state.chosen = widget_value(CHOSEN_KEY)
    set_widget(CHOSEN_KEY, state.chosen)


def _facts_words(sweep: Sweep) -> str:
    facts = sum({place.subject: cell.facts for place, cell in sweep.cells.items()}.values())
    settings = counted(len({place.setting for place in sweep.cells}), "setting")
    over = f" over {counted(len(sweep.subjects), 'conversation')}" if len(sweep.subjects) > 1 else ""
    return f"{settings}{over}, {counted(facts, 'fact')} looked for in every request; the Facts page lists them."


def follow_click(key: str) -> None:
    """The setting that was clicked on the chart of this key is looked at from now on."""
    number = clicked_number(key)
    if number is not None:
        tune_state().chosen = number if number >= 0 else None


def number_of(sweep: Sweep, best: Recommendation) -> int | None:
    """The number of the recommended setting."""
    return sweep.settings.index(best.setting) if best.setting is not None else None


def looked_at(sweep: Sweep, state: TuneState, best: Recommendation) -> int:
    """The setting that is looked at closely: the one that was clicked, else the recommended or nearest one."""
    measured = sorted({place.setting for place in sweep.cells})
    if state.chosen in measured:
        return state.chosen
    found = best.setting or best.nearest
    return sweep.settings.index(found) if found is not None else measured[0]


def setting_card(sweep: Sweep, number: int, constraints: Constraints, conversations: Sequence[str]) -> None:
    """The setting that is looked at: its numbers, and the way to its run."""
    table = sweep.by_setting(constraints.over).set_index("setting")
    setting = sweep.settings[number]
    head = st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    head.subheader(plain(setting.label), anchor=False)
    if head.button(
        "Open in Compare", icon=":material/stacked_line_chart:", key="tune-compare",
        help="Shows the run of this setting beside the full buffer, request by request.",
    ):  # fmt: skip
        _open_in_compare(setting.id, setting.model_dump(), conversations)
    if number in table.index:
        _metrics(table.loc[number].to_dict())
    failed = [cell.error for place, cell in sweep.cells.items() if place.setting == number and cell.error]
    if failed:
        st.warning(f"It could not be run: {plain(failed[0])}", icon=":material/error:")


def _metrics(row: dict[Any, Any]) -> None:
    cells = st.grid(len(METRICS), min_column_width=150, gap="small", key="tune-metrics")
    for name in METRICS:
        value = row[name]
        with cells.cell():
            st.metric(WORDS[name].title, shown(name, value) if value == value else "unknown", help=WORDS[name].help)


def _open_in_compare(strategy_id: str, parameters: dict[str, Any], conversations: Sequence[str]) -> None:
    study = compare_state()
    if study.conversation_id not in conversations:
        study.open(conversations[0])
    study.settings = []
    if strategy_id != "buffer":
        study.add("buffer")
    study.add(strategy_id, parameters)
    study.looked_at = study.settings[-1].index
    st.switch_page("pages/compare.py")
