"""More about a sweep: what each parameter does, and every setting in a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.sweeps.heat_map import setting_map
from memviz.charts.sweeps.measure_words import WORDS
from memviz.charts.sweeps.parameter_lines import setting_lines
from memviz.strategies import strategies
from memviz.strategies.parameters import Parameter
from memviz.tuning.axes import axes
from memviz.tuning.constraints import Constraints
from memviz.tuning.results import MEASURES, Sweep
from memviz.ui.tune.results import follow_click

if TYPE_CHECKING:
    from pandas import DataFrame

MAP_KEY, LINES_KEY = "tune-map", "tune-lines"
MEASURES_SHOWN = ("retention", "usd", "peak_tokens", "all_tokens", "summarizations", "usd_per_fact")
TABLE_PIXELS = 420
COLUMNS = (
    "label", "retention", "usd", "uncached_usd", "summarizer_usd", "usd_per_fact", "hit_rate", "peak_tokens",
    "mean_tokens", "all_tokens", "summarizations", "front",
)  # fmt: skip


def parameters_panel(sweep: Sweep, constraints: Constraints, chosen: int, recommended: int | None) -> None:
    """What the parameters of one strategy do: a heat map over two of them, lines over one."""
    table = sweep.by_setting(constraints.over)
    varied = {id: _varied(table[table["strategy"] == id], id) for id in dict.fromkeys(table["strategy"])}
    varied = {id: found for id, found in varied.items() if found}
    if not varied:
        return
    st.subheader("What does each parameter do?", anchor=False)
    own = sweep.settings[chosen].id
    first = own if own in varied else next(iter(varied))
    id = st.segmented_control(
        "Strategy", list(varied), default=first, required=True, format_func=lambda id: strategies()[id].title,
        key=f"tune-parameters-{first}-{'-'.join(varied)}", label_visibility="collapsed",
    )  # fmt: skip
    options: dict[str, Any] = {
        "chosen": chosen, "recommended": recommended, "over": constraints.over,
        "aside": sweep.by_setting("worst" if constraints.over == "median" else "median"),
    }  # fmt: skip
    mine = table[table["strategy"] == id]
    if len(varied[id]) > 1:
        _map(mine, varied[id], options)
    else:
        _lines(mine, varied[id][0], constraints, sweep.cost_measure, options)


def _varied(table: DataFrame, id: str) -> list[Parameter]:
    """The axes of a strategy of which more than one value was tried."""
    return [axis for axis in axes(strategies()[id]) if table[axis.name].nunique() > 1]


def _map(table: DataFrame, varied: Sequence[Parameter], options: dict[str, Any]) -> None:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    for other in varied[2:]:
        values = sorted(table[other.name].unique())
        value = row.selectbox(other.title, values, key=f"tune-fixed-{other.name}", width=200)
        table = table[table[other.name] == value]
    measure = row.selectbox(
        "Measure", MEASURES_SHOWN, format_func=lambda name: WORDS[name].title, key="tune-measure", width=260
    )
    st.plotly_chart(
        setting_map(table, varied[0], varied[1], measure, **options), key=MAP_KEY, config=CONFIG,
        selection_mode="points", on_select=partial(follow_click, MAP_KEY),
        alt=f"{WORDS[measure].title} by {varied[0].title} and {varied[1].title}",
    )  # fmt: skip


def _lines(table: DataFrame, axis: Parameter, constraints: Constraints, cost: str, options: dict[str, Any]) -> None:
    kept = ["retention"] if table["retention"].notna().any() else []
    thresholds = {"retention": constraints.min_retention, "peak_tokens": constraints.max_peak_tokens}
    st.plotly_chart(
        setting_lines(
            table, axis, [*kept, cost, "peak_tokens"], strategies=list(strategies()),
            thresholds={name: value for name, value in thresholds.items() if value is not None}, **options,
        ),
        key=LINES_KEY, config=CONFIG, selection_mode="points", on_select=partial(follow_click, LINES_KEY),
        alt=f"What {axis.title} changes",
    )  # fmt: skip


def settings_table(sweep: Sweep, constraints: Constraints) -> None:
    """Every setting in a table that sorts, filters and can be saved."""
    with st.expander("All settings in a table", icon=":material/table:"):
        table = sweep.by_setting(constraints.over).sort_values(sweep.cost_measure, ignore_index=True)
        row = st.container(horizontal=True, vertical_alignment="bottom")
        tried = list(dict.fromkeys(setting.id for setting in sweep.settings))
        kinds = row.pills(
            "Strategies", tried, selection_mode="multi", format_func=lambda id: strategies()[id].title,
            key="tune-table-strategies", help="None chosen shows all.",
        )  # fmt: skip
        fits = row.toggle("Only those that do what is asked for", key="tune-table-fits")
        if kinds:
            table = table[table["strategy"].isin(kinds)]
        if fits:
            table = table[constraints.fits(table)]
        st.dataframe(
            table[list(COLUMNS)].assign(label=table["label"].map(str)), hide_index=True, height=TABLE_PIXELS,
            column_config=_columns(), key="tune-table", alt="Every setting with its measures",
        )  # fmt: skip
        st.download_button(
            "All measures as CSV", lambda: sweep.frame().to_csv(index=False), file_name="sweep.csv", mime="text/csv",
            icon=":material/download:", key="tune-csv", on_click="ignore",
        )  # fmt: skip


def _columns() -> dict[str, Any]:
    shown: dict[str, Any] = {
        "label": st.column_config.TextColumn("Setting", pinned=True, width="large"),
        "front": st.column_config.CheckboxColumn("On the front", help="No other setting is cheaper and keeps more."),
    }
    for name in MEASURES:
        words = WORDS[name]
        title = f"{words.title} ({'USD' if words.is_money else words.unit})"
        format = "percent" if words.is_share else "%.4f" if words.is_money else "localized"
        shown[name] = st.column_config.NumberColumn(title, help=words.help, format=format)
    return shown
