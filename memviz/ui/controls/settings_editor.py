"""The controls of one strategy setting, and settings from a file."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memviz.errors import MemvizError
from memviz.memory_config import read_memory_config, strategy_of
from memviz.strategies import strategies
from memviz.strategies.parameters import Parameter
from memviz.ui.controls.pickers import SUMMARIZER, name_key
from memviz.ui.controls.switch import switch
from memviz.ui.shell.errors import error_shown, show_error
from memviz.ui.shell.state import CompareState, Setting, set_widget, widget_value


def strategy_control(chosen: str, key: str) -> str:
    """Choose a strategy; returns its id."""
    known = strategies()
    return st.selectbox(
        "Strategy",
        list(known),
        index=list(known).index(chosen),
        format_func=lambda id: known[id].title,
        key=key,
        help="\n\n".join(f"**{cls.title}**: {cls.summary_line()}" for cls in known.values()),
    )


def parameter_controls(
    strategy_id: str, values: dict[str, Any], key: str, *, live: bool = False, but: str = ""
) -> dict[str, Any]:
    """One control a parameter ``but`` the one of this name, the main one first; returns all values. Those that only
    matter where a model answers are shown for ``live`` talk alone."""
    cls = strategies()[strategy_id]
    declared = [each for each in cls.parameters() if each.name != but and (live or not each.live_only)]
    ordered = sorted(declared, key=lambda parameter: parameter.name != cls.main_parameter)
    return {p.name: _control(p, values.get(p.name, p.default), f"{key}-{p.name}") for p in ordered}


def _control(parameter: Parameter, value: Any, key: str) -> Any:
    if parameter.kind is bool:
        return switch(parameter.title, value, key=key, help=parameter.help)
    if parameter.is_number:
        return st.number_input(
            f"{parameter.title} ({parameter.unit})",
            min_value=parameter.minimum,
            max_value=parameter.maximum,
            value=value,
            step=step_of(parameter),
            key=key,
            help=parameter.help,
        )
    return st.text_area(parameter.title, value or "", key=key, help=parameter.help, height=80).strip() or None


def step_of(parameter: Parameter) -> int:
    """A step that crosses the suggested range in some forty clicks, as a round number."""
    low, high = parameter.suggested or (0, 40)
    step = 1
    while (high - low) / step > 100:
        step *= 10
    return step if step == 1 else step // 2


COUNTER_KEY = "compare-counter"


def setting_from_file(state: CompareState) -> None:
    """Choose a memory.yaml: its strategy becomes one more setting, its counter and summarizer those of the page."""
    # A fresh control for every setting, so that no file is opened twice.
    file = st.file_uploader(
        "Open a memory.yaml", type=["yaml", "yml"], key=f"setting-file-{state.settings_made}",
        help="A setting as saved on the Tune page: a strategy with its parameters, the counter and the summarizer.",
    )  # fmt: skip
    if file is None:
        return
    with error_shown():
        config = read_memory_config(file.getvalue(), file.name)
        setting = strategy_of(config)
        state.add(setting.id, setting.model_dump())
        memory = config["memory"]
        state.counter = memory.get("counter", state.counter)
        set_widget(COUNTER_KEY, state.counter)
        if "summarizer" in memory:
            set_widget(name_key(SUMMARIZER), memory["summarizer"])
        st.rerun()


PANEL_PIXELS = 250
"""Width of a setting's controls: a panel of these covers the sidebar and leaves the chart free."""


def parameter_key(setting: Setting, name: str) -> str:
    """The key of the control of one parameter."""
    return f"parameter-{setting.uid}-{setting.strategy_id}-{name}"


def edit_setting(setting: Setting, *, live: bool = False, but: str = "") -> None:
    """The controls of one setting, ``but`` the parameter that has its control elsewhere. A value that is not allowed
    says so."""
    strategy_control(setting.strategy_id, f"strategy-{setting.uid}")
    key = f"parameter-{setting.uid}-{setting.strategy_id}"
    setting.parameters |= parameter_controls(setting.strategy_id, setting.parameters, key, live=live, but=but)
    st.caption(strategies()[setting.strategy_id].summary_line())
    try:
        setting.build()
    except MemvizError as error:
        show_error(error)


def take_over(setting: Setting) -> None:
    """What was just changed in a control already counts for the row and the labels above it."""
    chosen = widget_value(f"strategy-{setting.uid}")
    if chosen is not None and chosen != setting.strategy_id:
        setting.turn_to(chosen)
    for parameter in strategies()[setting.strategy_id].parameters():
        value = widget_value(parameter_key(setting, parameter.name))
        if value is not None:
            setting.parameters[parameter.name] = (value.strip() or None) if isinstance(value, str) else value
