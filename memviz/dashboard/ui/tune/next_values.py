"""Values that are added to the grid of a sweep: those beyond an edge, and those that a
button offers."""

from collections.abc import Iterable
from typing import Any

from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.tune.state import tune_state
from memviz.strategies.base import Strategy
from memviz.tuning.best_of_each import StrategyBest


def add_values(id: str, parameter: str, values: Iterable[Any]) -> None:
    """Add values of a strategy's parameter, which the page's next run measures."""
    state = tune_state()
    key = state.value_keys[id, parameter]
    # The control holds numbers as the texts that a visitor types.
    state.next_values[key] = [
        value if isinstance(value, bool) else str(value) for value in values
    ]
    state.go_on = True


def add_edge_values(bests: Iterable[StrategyBest]) -> bool:
    """Add the next value of each strategy whose best value is its largest or smallest.

    With 5, 10 and 20 messages measured and 20 the best: 40. Returns true if any of them
    was not added before: then the page has to run again.
    """
    state = tune_state()
    is_new = False
    for best in bests:
        edge = best.edge
        if edge is None:
            continue
        key = state.value_keys[best.setting.id, edge.parameter]
        edge_value = (key, edge.value)
        if edge_value in state.edge_values:
            continue
        state.edge_values.add(edge_value)
        add_values(best.setting.id, edge.parameter, [edge.value])
        is_new = True
    return is_new


def edge_value_labels(settings: Iterable[Strategy]) -> list[str]:
    """Return the labels of the edge values among these settings, each once:
    ``Running summary · 40 messages``."""
    state = tune_state()
    labels: dict[str, None] = {}
    for setting in settings:
        name = setting.main_parameter
        key = state.value_keys.get((setting.id, name))
        # A strategy without a main parameter has no control of its values.
        if key is None:
            continue
        value = getattr(setting, name)
        if (key, value) in state.edge_values:
            # The label of a setting that has only this value of its own.
            label = type(setting)(**{name: value}).label
            labels[label] = None
    return list(labels)


def fill_value_controls() -> None:
    """Put the values that were added into their controls, before these are drawn."""
    state = tune_state()
    for key, more in state.next_values.items():
        values = [*(widget_value(key) or ()), *more]
        set_widget(key, list(dict.fromkeys(values)))
    state.next_values.clear()
