"""The controls of one strategy setting: which strategy, its limits scaled to the conversation, its parameters; and
settings from a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import streamlit as st

from memviz.errors import MemvizError, ParameterError
from memviz.memory_config import read_memory_config, strategy_of
from memviz.models.names import is_free
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.tuning.scaling import is_scaled, presets_of, scaled, window_of
from memviz.ui.controls.pickers import SUMMARIZER, name_key, switch
from memviz.ui.controls.study import CompareState, Setting
from memviz.ui.shell.errors import error_shown, show_error
from memviz.ui.shell.state import set_widget, widget_value
from memviz.ui.shell.text import plain


def refused() -> dict[str, str]:
    """Why strategies cannot be run here, by their ids."""
    reasons = {id: _reason(cls) for id, cls in strategies().items()}
    return {id: reason for id, reason in reasons.items() if reason}


def _reason(cls: type[Strategy]) -> str:
    try:
        return cls().can_be_run()
    except MemvizError:  # it has no default for a parameter, so it can say nothing yet
        return ""


def offered(chosen: str = "") -> dict[str, type[Strategy]]:
    """The strategies to choose from, by id; the one that is ``chosen`` also where it cannot be run, as a link or a file
    may ask for it."""
    left_out = refused()
    return {
        id: cls
        for id, cls in strategies().items()
        if id not in left_out or id == chosen
    }


def refused_words() -> list[str]:
    """A line on each strategy that is not offered."""
    return [
        f"Not offered: {strategies()[id].title}. {reason}"
        for id, reason in refused().items()
    ]


def say_refused() -> None:
    """The lines, where there are any."""
    for line in refused_words():
        st.caption(plain(line))


def in_the_guide(cls: type[Strategy]) -> str:
    """What a strategy does, in a sentence of Markdown with a link to its page of the guide."""
    return f"{plain(cls.summary_line())} [More in the guide](guide?strategy={quote(cls.id)})"


def strategy_control(chosen: str, key: str) -> str:
    """Choose a strategy; returns its id."""
    known = offered(chosen)
    found = st.selectbox(
        "Strategy",
        list(known),
        index=list(known).index(chosen),
        format_func=lambda id: known[id].title,
        key=key,
        help="\n\n".join(
            f"**{cls.title}**: {cls.summary_line()}" for cls in known.values()
        ),
    )
    say_refused()
    return found


SCALE_HELP = (
    "Sets its limits in tokens to the same shares of a window that is as large as this conversation needs. Limits made "
    "for a whole context window would never be reached in a short conversation."
)


def scale_control(setting: Setting, needed_tokens: Callable[[], int]) -> None:
    """The button, and once it was pressed from what the limits were scaled. Nothing for a strategy without limits in
    tokens."""
    if not presets_of(strategies()[setting.strategy_id]):
        return
    if setting.scaled is not None and is_scaled(setting.scaled, setting.parameters):
        st.caption(f":material/straighten: {plain(setting.scaled.words)}")
        st.button(
            "Back to the presets",
            key=f"unscale-{setting.uid}",
            icon=":material/undo:",
            type="tertiary",
            on_click=setting.scale,
            args=(None,),
        )
        return
    st.button(
        "Scale to this conversation",
        key=f"scale-{setting.uid}",
        icon=":material/straighten:",
        type="tertiary",
        on_click=_scale,
        args=(setting, needed_tokens),
        help=SCALE_HELP,
    )
    if setting.not_scaled_words:
        st.caption(plain(setting.not_scaled_words))


def _scale(setting: Setting, needed_tokens: Callable[[], int]) -> None:
    cls, needed = strategies()[setting.strategy_id], needed_tokens()
    found = scaled(cls, needed)
    if found is not None:
        setting.scale(found)
        return
    setting.not_scaled_words = (
        f"A conversation of {needed:,} tokens needs no scaling: these limits are made for a window of "
        f"{window_of(presets_of(cls)):,}."
    )


def _controls(setting: Setting, *, live: bool, in_row: str) -> dict[str, Any]:
    """One control a parameter, the main one first, each with what is wrong with its value below it; returns all values
    but that of the parameter ``in_row``. Those that only matter where a model answers are shown for ``live`` talk
    alone."""
    cls, values = strategies()[setting.strategy_id], dict[str, Any]()
    declared = [each for each in cls.parameters() if live or not each.live_only]
    problems = _problems(setting)
    for parameter in sorted(
        declared, key=lambda parameter: parameter.name != cls.main_parameter
    ):
        key = parameter_key(setting, parameter.name)
        value = setting.parameters.get(parameter.name, parameter.default)
        if parameter.name == in_row:
            _control_as_in_row(parameter, value, key)
        else:
            values[parameter.name] = _control(parameter, value, key)
        if parameter.name in problems:
            show_error(
                problems.pop(parameter.name),
                "The value before is still used." * bool(setting.refused),
            )
    for problem in problems.values():
        show_error(problem)
    return values


def _problems(setting: Setting) -> dict[str, ParameterError]:
    """What is wrong with values, by the parameter's name: those that were refused, or one that a link or a file asks
    for."""
    try:
        setting.build()
    except ParameterError as error:
        return {error.name: error, **setting.refused}
    return dict(setting.refused)


def _control_as_in_row(parameter: Parameter, value: Any, row_key: str) -> None:
    """The same value as in the setting's row, where it has no room for its name: a change in one is one in both."""
    key = f"{row_key}-in-panel"
    set_widget(key, value)
    st.number_input(
        number_label(parameter),
        parameter.minimum,
        parameter.maximum,
        step=step_of(parameter),
        key=key,
        help=parameter.help,
        on_change=_follow_panel,
        args=(key, row_key),
    )


def _follow_panel(key: str, row_key: str) -> None:
    set_widget(row_key, widget_value(key))


def number_label(parameter: Parameter) -> str:
    """The name of a number's control, with its unit and what 0 means."""
    return f"{parameter.title} ({parameter.unit}{', 0: off' * parameter.zero_is_off})"


def _control(parameter: Parameter, value: Any, key: str) -> Any:
    if parameter.kind is bool:
        return switch(parameter.title, value, key=key, help=parameter.help)
    if parameter.is_number:
        return st.number_input(
            number_label(parameter),
            min_value=parameter.minimum,
            max_value=parameter.maximum,
            value=value,
            step=step_of(parameter),
            key=key,
            help=parameter.help,
        )
    if parameter.choices:
        return _choose(parameter, value, key)
    return (
        st.text_area(
            parameter.title, value or "", key=key, help=parameter.help, height=80
        ).strip()
        or None
    )


def _choose(parameter: Parameter, value: Any, key: str) -> Any:
    """A value out of a few, each with a line on what it means."""
    meanings = dict(parameter.choices)
    known = [
        *meanings,
        *([] if value in meanings else [value]),
    ]  # a file may ask for one that is not allowed
    lines = "\n".join(
        f"- **{plain(one)}**: {plain(meaning)}" for one, meaning in meanings.items()
    )
    return st.selectbox(
        parameter.title,
        known,
        index=known.index(value),
        key=key,
        help=f"{plain(parameter.help)}\n\n{lines}",
    )


def step_of(parameter: Parameter) -> int:
    """A step that crosses the suggested range in some forty clicks, as a round number."""
    low, high = parameter.suggested or (0, 40)
    step = 1
    while (high - low) / step > 100:
        step *= 10
    return step if step == 1 else step // 2


COUNTER_KEY = "compare-counter"


def setting_from_file(state: CompareState) -> None:
    """Choose a memory.yaml: its strategy becomes one more setting, its counter that of the page, and so does its
    summarizer if it is free."""
    # A fresh control for every setting, so that no file is opened twice.
    file = st.file_uploader(
        "Open a memory.yaml",
        type=["yaml", "yml"],
        key=f"setting-file-{state.settings_made}",
        help="A setting as saved on the Tune page: a strategy with its parameters, the counter and the summarizer.",
    )
    if file is None:
        return
    with error_shown():
        config = read_memory_config(file.getvalue(), file.name)
        setting = strategy_of(config)
        state.add(setting.id, setting.model_dump())
        memory = config["memory"]
        state.counter = memory.get("counter", state.counter)
        set_widget(COUNTER_KEY, state.counter)
        _take_summarizer(memory.get("summarizer"))
        st.rerun()


def _take_summarizer(name: str | None) -> None:
    """Summarize with the model that a file names, unless it costs money: opening a file spends nothing."""
    if name is None:
        return
    if is_free(name):
        set_widget(name_key(SUMMARIZER), name)
    else:
        st.toast(
            f"The file summarizes with {plain(name)}, which costs money. This page goes on with its own summarizer.",
            icon=":material/payments:",
        )


PANEL_PIXELS = 250
"""Width of a setting's controls: a panel of these covers the sidebar and leaves the chart free."""


def parameter_key(setting: Setting, name: str) -> str:
    """The key of the control of one parameter."""
    return f"{_parameters_key(setting)}-{name}"


def _parameters_key(setting: Setting) -> str:
    # Controls that get other values from code are new ones: of its default and a value set by code one would not count.
    times = f"-{setting.times_scaled}" if setting.times_scaled else ""
    return f"parameter-{setting.uid}-{setting.strategy_id}{times}"


def edit_setting(
    setting: Setting,
    *,
    live: bool = False,
    in_row: str = "",
    needed_tokens: Callable[[], int] | None = None,
) -> None:
    """The controls of one setting; the number ``in_row`` has one there as well. A value that is not allowed says so
    and is not used. ``needed_tokens`` says how many tokens the conversation takes in all, for which limits can be
    scaled."""
    strategy_control(setting.strategy_id, f"strategy-{setting.uid}")
    if needed_tokens is not None:
        scale_control(setting, needed_tokens)
    setting.take(_controls(setting, live=live, in_row=in_row))
    st.caption(in_the_guide(strategies()[setting.strategy_id]))


def take_over(setting: Setting) -> None:
    """What was just changed in a control already counts for the row and the labels above it."""
    chosen = widget_value(f"strategy-{setting.uid}")
    if chosen is not None and chosen != setting.strategy_id:
        setting.turn_to(chosen)
    values = {
        parameter.name: (value.strip() or None) if isinstance(value, str) else value
        for parameter in strategies()[setting.strategy_id].parameters()
        if (value := widget_value(parameter_key(setting, parameter.name))) is not None
    }
    setting.take(values)
