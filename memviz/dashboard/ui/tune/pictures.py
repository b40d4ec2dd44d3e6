"""The pictures of a sweep: all settings, and one strategy with the value of its parameter to take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.sweeps.heat_map import setting_map
from memviz.dashboard.charts.sweeps.measure_words import WORDS
from memviz.dashboard.charts.sweeps.parameter_line import parameter_line
from memviz.dashboard.charts.sweeps.pareto import (
    pareto_chart,
    pareto_finding,
)
from memviz.dashboard.charts.sweeps.setting_words import (
    SettingWords,
    beaten_words,
    rows_by_setting,
)
from memviz.dashboard.ui.controls.pictures import picture
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.presenting import Part, hides, is_bare, speaker_notes
from memviz.dashboard.ui.shell.state import clicked_number, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.advice import answer_box, edge_button, values_button
from memviz.dashboard.ui.tune.state import tune_state
from memviz.dashboard.ui.tune.step_axes import with_step_columns
from memviz.dashboard.words.prices import basis_in_words
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.tuning.best_of_each import StrategyAnswer, answer_for
from memviz.tuning.constraints import Constraints
from memviz.tuning.grid import axes
from memviz.tuning.recommendation import Recommendation
from memviz.tuning.results import Sweep

if TYPE_CHECKING:
    from pandas import DataFrame


CHART_KEY = "tune-pareto"
CHOSEN_KEY = "tune-chosen"


def main_picture(sweep: Sweep, constraints: Constraints, best: Recommendation) -> None:
    """All settings, cost against what they keep, or against size where no facts are known. A click chooses one."""
    _look_at_linked(sweep)
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    recommended = number_of(sweep, best)
    options: dict[str, Any] = {
        "chosen": tune_state().chosen,
        "recommended": recommended,
        "min_retention": constraints.min_retention,
        "max_peak_tokens": constraints.max_peak_tokens,
        "writer": SettingWords.of(sweep, constraints.over),
        "strategies": list(strategies()),
    }
    if is_bare():
        options["title"] = ""  # the page's own title says it
    figure = pareto_chart(table, sweep.cost_measure, **options)
    finding = _(
        "No facts are known, so cost stands against size. {answer}", answer=best.answer
    )
    if table["retention"].notna().any():
        finding = pareto_finding(table, sweep.cost_measure)
    speaker_notes([finding])
    on_click = partial(follow_click, CHART_KEY)
    picture(figure, CHART_KEY, finding, on_click, figure.layout.height)
    if hides(Part.NUMBERS):
        return
    settings = counted(len({place.setting for place in sweep.cells}), "setting")
    added = len(sweep.compared_conversations)
    template = _LOOKED_AT if added < 2 else _LOOKED_AT_SEVERAL
    basis = plain(basis_in_words(sweep.assumptions, sweep.counter))
    st.caption(
        _(
            template,
            settings=settings,
            conversations=counted(added, "conversation"),
            basis=basis,
        )
    )


_LOOKED_AT = noop("{settings}. Click a point to look at its setting. {basis}")
_LOOKED_AT_SEVERAL = noop(
    "{settings} over {conversations}, whose costs are added. Click a point to look at its setting. {basis}"
)


def _look_at_linked(sweep: Sweep) -> None:
    """The setting that a link asks for; links hold the one that was clicked."""
    state = tune_state()
    if linked("chosen", CHOSEN_KEY, range(len(sweep.settings))):
        state.chosen = widget_value(CHOSEN_KEY)
    set_widget(CHOSEN_KEY, state.chosen)


def follow_click(key: str) -> None:
    """The setting that was clicked on the chart of this key is looked at from now on."""
    number = clicked_number(key)
    if number is not None:
        tune_state().chosen = number if number >= 0 else None


def number_of(sweep: Sweep, best: Recommendation) -> int | None:
    """The number of the recommended setting."""
    return sweep.settings.index(best.setting) if best.setting is not None else None


def looked_at(sweep: Sweep, best: Recommendation) -> int:
    """The setting that is looked at closely: the one that was clicked, else the recommended or nearest one."""
    state = tune_state()
    measured = sorted({place.setting for place in sweep.cells})
    if state.chosen in measured:
        return state.chosen
    setting = best.setting or best.nearest
    return sweep.settings.index(setting) if setting is not None else measured[0]


MAP_KEY = "tune-map"


def one_strategy(
    sweep: Sweep,
    id: str,
    constraints: Constraints,
    chosen: int | None,
    head: DeltaGenerator,
    row: DeltaGenerator,
) -> int:
    """The answer, in the place ``head``, its curve, and in ``row`` the value to try next. Returns the number of
    the setting to look at: the ``chosen`` one if it is of this strategy, else the best."""
    answer = answer_for(sweep, id, constraints)
    if answer is None:
        st.info(
            _("Fewer than two values of this strategy were measured so far."),
            icon=":material/info:",
        )
        return next(
            number for number, setting in enumerate(sweep.settings) if setting.id == id
        )
    with head:
        answer_box(
            answer.headline,
            " ".join(answer.sentences),
            answer.grounds,
            fits=answer.best.fits,
        )
    with row:
        edge_button(answer.best)
    best = int(answer.best.row["setting"])
    number = chosen if chosen is not None and sweep.settings[chosen].id == id else best
    options: dict[str, Any] = {
        "chosen": None if number == best and answer.best.fits else number,
        "recommended": best if answer.best.fits else None,
        "writer": SettingWords.of(sweep, constraints.over),
    }
    _curve(
        answer,
        constraints,
        sweep.cost_measure,
        basis_in_words(sweep.assumptions, sweep.counter),
        options,
    )
    if not hides(Part.NUMBERS):
        _map(sweep, id, constraints, number, options)
    return number


def _map(
    sweep: Sweep,
    id: str,
    constraints: Constraints,
    number: int,
    options: dict[str, Any],
) -> None:
    """The heat map over two parameters of the strategy ``id``, where it has two and they
    were, or can be, varied beside setting ``number``."""
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    table = table[table["strategy"] == id]
    setting = sweep.settings[number]
    table, numbers = with_step_columns(table, sweep.settings, setting)
    parameters = [*axes(strategies()[id]), *numbers]
    if len(parameters) < 2:
        return
    table = _alike(table, setting, parameters)
    if len(table) > 1 or (id, parameters[0].name) in tune_state().value_keys:
        _two_parameters(sweep, table, parameters, options)


def _curve(
    answer: StrategyAnswer,
    constraints: Constraints,
    cost: str,
    basis: str,
    options: dict[str, Any],
) -> None:
    """Facts kept and cost over the parameter, and the largest request where it is limited, side by side: both are seen
    at once, also on a small screen."""
    measures = [cost]
    if answer.curve["retention"].notna().any():
        measures.insert(0, "retention")
    thresholds: dict[str, float] = {"retention": constraints.min_retention}
    if constraints.max_peak_tokens is not None:
        thresholds["peak_tokens"] = constraints.max_peak_tokens
        measures.append("peak_tokens")
    rows = rows_by_setting(answer.curve)
    beaten = {
        number: beaten_words(rows[number], winner, cost)
        for number, winner in answer.beaten_values.items()
    }
    bend = None
    if answer.knee is not None:
        bend = float(answer.curve[answer.axis.name].iloc[answer.knee])
    for place, measure in zip(
        st.columns(len(measures), gap="small"), measures, strict=True
    ):
        key = f"tune-lines-{measure}"
        line = parameter_line(
            answer.curve,
            answer.axis,
            measure,
            strategies=list(strategies()),
            knee=bend,
            threshold=thresholds.get(measure),
            beaten=beaten,
            **options,
        )
        finding = _told(answer, measure)
        on_click = partial(follow_click, key)
        picture(line, key, finding, on_click, line.layout.height, place)
    if hides(Part.NUMBERS):
        return
    st.caption(
        _(
            "{help} Click a point to look at its setting.",
            help=plain(_(answer.axis.help)),
        )
    )
    st.caption(plain(basis))


def _told(answer: StrategyAnswer, measure: str) -> str:
    """Return what a curve shows, in words."""
    words = f"{answer.headline} {answer.sentences[0]}"
    return _("{title}: {answer}", title=_(WORDS[measure].title), answer=words)


def _two_parameters(
    sweep: Sweep,
    table: DataFrame,
    parameters: Sequence[Parameter],
    options: dict[str, Any],
) -> None:
    """The map of any measure over any two parameters of a strategy, of which ``table`` has the settings."""
    st.header(_("What do two parameters do together?"), anchor=False)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    varied = [axis for axis in parameters if table[axis.name].nunique() > 1]
    ordered = list(dict.fromkeys([*varied, *parameters]))
    id = table["strategy"].iloc[0]
    x = _choose_axis(row, _("Across"), "across", id, ordered)
    y = _choose_axis(row, _("Up"), f"up-{x.name}", id, [*_without(ordered, x)])
    for other in _without(_without(varied, x), y):
        values = sorted(table[other.name].unique())
        key = f"tune-fixed-{other.name}"
        linked(f"at-{other.name}", key, values)
        value = row.selectbox(other.title, values, key=key, width=200)
        table = table[table[other.name] == value]
    linked("measured", "tune-measure", WORDS)
    measure = row.selectbox(
        _("Measure"),
        list(WORDS),
        index=list(WORDS).index("retention"),
        format_func=lambda name: _(WORDS[name].title),
        key="tune-measure",
        width=260,
    )
    for axis in _without((x, y), *varied):
        values_button(id, axis, sweep.largest)
    st.plotly_chart(
        setting_map(table, x, y, measure, **options),
        key=MAP_KEY,
        config=CONFIG,
        selection_mode="points",
        on_select=partial(follow_click, MAP_KEY),
        alt=_map_finding(table, measure, (x, y)),
    )


def _alike(
    table: DataFrame, setting: Strategy, parameters: Sequence[Parameter]
) -> DataFrame:
    """The rows that differ from ``setting`` in nothing but numbers and switches: of a
    pipeline those with the same steps."""
    for other in _without(setting.parameters(), *parameters):
        if other.name in table:
            value = getattr(setting, other.name)
            column = table[other.name]
            table = table[column.isna() if value is None else column == value]
    return table


def _without(axes: Sequence[Parameter], *others: Parameter) -> list[Parameter]:
    return [axis for axis in axes if axis not in others]


def _choose_axis(
    row: DeltaGenerator, label: str, name: str, id: str, parameters: Sequence[Parameter]
) -> Parameter:
    titles = {axis.name: axis.title for axis in parameters}
    key = f"tune-{name}-{id}"
    linked(name, key, titles)
    chosen = row.selectbox(
        label, list(titles), format_func=titles.__getitem__, key=key, width=200
    )
    return next(axis for axis in parameters if axis.name == chosen)


def _map_finding(table: DataFrame, measure: str, varied: Sequence[Parameter]) -> str:
    words = WORDS[measure]
    values = {
        "measure": _(words.title),
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
