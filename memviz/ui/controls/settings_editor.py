"""The sidebar's list of strategy settings."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memviz.errors import MemvizError
from memviz.memory_config import read_memory_config, strategy_of
from memviz.strategies import strategies
from memviz.strategies.parameters import Parameter
from memviz.ui.shell.errors import error_shown, show_error
from memviz.ui.shell.state import MAX_SETTINGS, CompareState, Setting, set_widget, widget_value
from memviz.ui.shell.text import distinct


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


def parameter_controls(strategy_id: str, values: dict[str, Any], key: str, *, live: bool = False) -> dict[str, Any]:
    """One control a parameter, the main one first; returns all values. Those that only matter where a
    model answers are shown for ``live`` talk alone."""
    cls = strategies()[strategy_id]
    declared = [parameter for parameter in cls.parameters() if live or not parameter.live_only]
    ordered = sorted(declared, key=lambda parameter: parameter.name != cls.main_parameter)
    return {p.name: _control(p, values.get(p.name, p.default), f"{key}-{p.name}") for p in ordered}


def _control(parameter: Parameter, value: Any, key: str) -> Any:
    if parameter.kind is bool:
        return st.toggle(parameter.title, value, key=key, help=parameter.help)
    if parameter.is_number:
        return st.number_input(
            f"{parameter.title} ({parameter.unit})",
            min_value=parameter.minimum,
            max_value=parameter.maximum,
            value=value,
            step=_step(parameter),
            key=key,
            help=parameter.help,
        )
    return st.text_area(parameter.title, value or "", key=key, help=parameter.help, height=80).strip() or None


def _step(parameter: Parameter) -> int:
    """A step that crosses the suggested range in some forty clicks, as a round number."""
    low, high = parameter.suggested or (0, 40)
    step = 1
    while (high - low) / step > 100:
        step *= 10
    return step if step == 1 else step // 2


COUNTER_KEY, SUMMARIZER_KEY = "compare-counter", "compare-summarizer-name"


def setting_from_file(state: CompareState) -> None:
    """Choose a memory.yaml: its strategy becomes one more setting, its counter and summarizer those of the page."""
    with st.popover("Open a memory.yaml", icon=":material/upload_file:", width="stretch"):
        # A fresh control for every setting, so that no file is opened twice.
        file = st.file_uploader(
            "A setting that was exported", type=["yaml", "yml"], key=f"setting-file-{state.settings_made}",
            help="As saved on the Tune page: a strategy with its parameters, the counter and the summarizer.",
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
                set_widget(SUMMARIZER_KEY, memory["summarizer"])
            st.rerun()


PANEL_PIXELS = 250
"""Width of a setting's controls: a panel of these covers the sidebar and leaves the chart free."""


def settings_editor(state: CompareState) -> dict[int | str, str]:
    """Edit up to six settings; the same strategy may stand twice with other parameters. Returns their labels."""
    for setting in state.settings:
        take_over(setting)
        # A popover's controls are drawn when it opens: six closed settings cost the first chart nothing.
        with (
            st.popover(_label(setting), key=f"setting-{setting.uid}", width="stretch"),
            st.container(width=PANEL_PIXELS),
        ):
            edit_setting(setting, live=state.free_run)
            st.button(
                "Remove",
                key=f"remove-{setting.uid}",
                icon=":material/close:",
                type="tertiary",
                on_click=state.remove,
                args=(setting.uid,),
                disabled=len(state.settings) == 1,
            )
    full = len(state.settings) >= MAX_SETTINGS
    st.button(
        "Add a setting",
        icon=":material/add:",
        on_click=state.add,
        args=(_next_strategy(state),),
        disabled=full,
        width="stretch",
        help=f"At most {MAX_SETTINGS} at once." if full else "One more line on the same conversation.",
    )
    if not full:
        setting_from_file(state)
    return dict(
        zip(
            (setting.uid for setting in state.settings),
            distinct([_label(setting) for setting in state.settings]),
            strict=True,
        )
    )


def take_over(setting: Setting) -> None:
    """What was just changed in a control already counts for the label above it."""
    chosen = widget_value(f"strategy-{setting.uid}")
    if chosen is not None and chosen != setting.strategy_id:
        setting.strategy_id, setting.parameters = chosen, {}
    for parameter in strategies()[setting.strategy_id].parameters():
        value = widget_value(f"parameter-{setting.uid}-{setting.strategy_id}-{parameter.name}")
        if value is not None:
            setting.parameters[parameter.name] = (value.strip() or None) if isinstance(value, str) else value


def _label(setting: Setting) -> str:
    try:
        return setting.build().label
    except MemvizError:
        return strategies()[setting.strategy_id].title


def edit_setting(setting: Setting, *, live: bool = False) -> None:
    """The controls of one setting. A value that is not allowed says so."""
    strategy_control(setting.strategy_id, f"strategy-{setting.uid}")
    key = f"parameter-{setting.uid}-{setting.strategy_id}"
    setting.parameters |= parameter_controls(setting.strategy_id, setting.parameters, key, live=live)
    st.caption(strategies()[setting.strategy_id].summary_line())
    try:
        setting.build()
    except MemvizError as error:
        show_error(error)


def _next_strategy(state: CompareState) -> str:
    """The first strategy that is not compared yet."""
    used = {setting.strategy_id for setting in state.settings}
    return next((id for id in strategies() if id not in used), "summary_buffer")
