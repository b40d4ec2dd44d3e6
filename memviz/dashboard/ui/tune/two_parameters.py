"""The heat map of a sweep over two parameters of one strategy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.translation import _
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.sweeps.heat_map import setting_map
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.setting_words import SettingWords
from memviz.dashboard.ui.shell.elements import header
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.tune.advice import values_button
from memviz.dashboard.ui.tune.state import follow_click, tune_state
from memviz.dashboard.ui.tune.step_axes import with_step_columns
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.tuning.constraints import Constraints
from memviz.tuning.grid import list_axes
from memviz.tuning.results import Sweep

if TYPE_CHECKING:
    from pandas import DataFrame

MAP_KEY = "tune-map"


class Marks(NamedTuple):
    """The settings that are marked on the pictures of a strategy, by their numbers, and the words of the tooltips."""

    chosen: int | None
    recommended: int | None
    writer: SettingWords


def map_of_two_parameters(
    sweep: Sweep,
    id: str,
    constraints: Constraints,
    number: int,
    marks: Marks,
) -> None:
    """Draw the heat map over two parameters of the strategy ``id``, where it has two and they were, or can be, varied
    beside setting ``number``."""
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    table = table[table["strategy"] == id]
    setting = sweep.settings[number]
    table, step_parameters = with_step_columns(table, sweep.settings, setting)
    parameters = [*list_axes(strategies()[id]), *step_parameters]
    if len(parameters) < 2:
        return
    table = _keep_alike(table, setting, parameters)
    if len(table) > 1 or (id, parameters[0].name) in tune_state().value_keys:
        _draw_two_parameters(sweep, id, table, parameters, marks)


def _draw_two_parameters(
    sweep: Sweep,
    id: str,
    table: DataFrame,
    parameters: Sequence[Parameter],
    marks: Marks,
) -> None:
    """Draw the map of any measure over any two of the ``parameters`` of the strategy ``id``, of which ``table`` has the
    settings."""
    header(_("What do two parameters do together?"))
    row = st.container(horizontal=True, vertical_alignment="bottom")
    # Those that were varied come first, so that the map opens with two of them.
    varied = [axis for axis in parameters if table[axis.name].nunique() > 1]
    varied_first = list(dict.fromkeys([*varied, *parameters]))
    x = _choose_axis(row, _("Across"), "across", id, varied_first)
    # The key holds the other axis: a widget whose options change loses what was chosen.
    y = _choose_axis(row, _("Up"), f"up-{x.name}", id, _leave_out(varied_first, x))
    # A cell has one setting, so whatever else varies is chosen.
    for other in _leave_out(varied, x, y):
        values = sorted(table[other.name].unique())
        key = f"tune-fixed-{other.name}"
        linked(f"at-{other.name}", key, values)
        value = row.selectbox(other.title, values, key=key, width=200)
        table = table[table[other.name] == value]
    measure = _choose_measure(row)
    # An axis with a single value is a map of one row: more values are offered.
    for axis in _leave_out((x, y), *varied):
        values_button(id, axis, sweep.largest)
    st.plotly_chart(
        setting_map(table, x, y, measure, **marks._asdict()),
        key=MAP_KEY,
        config=CONFIG,
        selection_mode="points",
        on_select=partial(follow_click, MAP_KEY),
        alt=_map_finding(table, measure, (x, y)),
    )


def _choose_measure(row: DeltaGenerator) -> str:
    linked("measured", "tune-measure", WORDS)
    measure: str = row.selectbox(
        _("Measure"),
        WORDS,
        index=list(WORDS).index("retention"),
        format_func=lambda name: WORDS[name].title,
        key="tune-measure",
        width=260,
    )
    return measure


def _keep_alike(
    table: DataFrame, setting: Strategy, parameters: Sequence[Parameter]
) -> DataFrame:
    """Return the rows that differ from ``setting`` in nothing but these numbers and
    switches: of a pipeline those with the same steps."""
    for other in _leave_out(setting.parameters(), *parameters):
        if other.name in table:
            value = getattr(setting, other.name)
            column = table[other.name]
            is_alike = column.isna() if value is None else column == value
            table = table[is_alike]
    return table


def _leave_out(axes: Sequence[Parameter], *others: Parameter) -> list[Parameter]:
    return [axis for axis in axes if axis not in others]


def _choose_axis(
    row: DeltaGenerator, label: str, name: str, id: str, parameters: Sequence[Parameter]
) -> Parameter:
    by_name = {axis.name: axis for axis in parameters}
    key = f"tune-{name}-{id}"
    linked(name, key, by_name)
    chosen = row.selectbox(
        label,
        by_name,
        format_func=lambda axis: by_name[axis].title,
        key=key,
        width=200,
    )
    return by_name[chosen]


def _map_finding(table: DataFrame, measure: str, varied: Sequence[Parameter]) -> str:
    words = WORDS[measure]
    values = {
        "measure": words.title,
        "parameter": varied[0].name,
        "other": varied[1].name,
    }
    measured = table.dropna(subset=[measure]).sort_values(
        measure, ascending=words.less_is_better
    )
    if measured.empty:
        return _(
            "{measure} by {parameter} and {other}: nothing was measured.", **values
        )
    best = measured.iloc[0]
    return _(
        "{measure} by {parameter} and {other}: best is {label} with {best}.",
        label=best["label"],
        best=words.shown(best[measure]),
        **values,
    )
