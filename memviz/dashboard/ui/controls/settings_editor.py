"""The controls of the parameters of one setting, and the button that scales its limits to the conversation."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from memviz.core.errors import ParameterError
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.strategy_choice import in_the_guide
from memviz.dashboard.ui.shell.elements import (
    quiet_button,
    show_caption,
    show_error,
    switch,
)
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies.parameters import Parameter
from memviz.tuning.scaling import find_window, is_scaled, list_presets, scale_presets

PANEL_PIXELS = 250
"""Width of a setting's controls: a panel of these covers the sidebar and leaves the chart free."""
STEPS_ACROSS = 100
SCALE_HELP = noop(
    "Sets its limits in tokens to the same shares of a window that is as large as this conversation "
    "needs. Limits made for a whole context window would never be reached in a short conversation."
)


def edit_parameters(
    setting: Setting,
    *,
    live: bool = False,
    needed_tokens: Callable[[], int] | None = None,
) -> None:
    """Draw the controls of the parameters of one setting, the main one first. A value that
    is not allowed says so and is not used. ``needed_tokens`` says how many tokens the
    conversation takes in all, for which limits can be scaled."""
    setting.take(_controls(setting, live=live))
    if needed_tokens is not None:
        _draw_scale_control(setting, needed_tokens)
    st.caption(in_the_guide(setting.strategy_class))


def take_over(setting: Setting) -> None:
    """Use what was just changed in a control already for the row and the labels above it."""
    strategy_id = widget_value(f"strategy-{setting.uid}")
    if strategy_id is not None and strategy_id != setting.strategy_id:
        setting.turn_to(strategy_id)
    values = {}
    for parameter in setting.strategy_class.parameters():
        value = widget_value(parameter_key(setting, parameter.name))
        if isinstance(value, str):
            values[parameter.name] = value.strip() or None
        elif value is not None:
            values[parameter.name] = value
    setting.take(values)


def parameter_key(setting: Setting, name: str) -> str:
    """Return the key of the control of one parameter."""
    # Controls that get other values from code are new ones: of its default and a value set by code one would not count.
    times = f"-{setting.times_scaled}" if setting.times_scaled else ""
    return f"parameter-{setting.uid}-{setting.strategy_id}{times}-{name}"


def _draw_scale_control(setting: Setting, needed_tokens: Callable[[], int]) -> None:
    """Draw the button that scales limits to the conversation, and once it was pressed from what they were scaled.
    Nothing for a strategy without limits in tokens."""
    if not list_presets(setting.strategy_class):
        return
    if setting.scaled is not None and is_scaled(setting.scaled, setting.parameters):
        st.caption(f":material/straighten: {plain(setting.scaled.words)}")
        quiet_button(
            _("Back to the presets"),
            f"unscale-{setting.uid}",
            ":material/undo:",
            setting.scale,
            None,
        )
        return
    quiet_button(
        _("Scale to this conversation"),
        f"scale-{setting.uid}",
        ":material/straighten:",
        _scale,
        setting,
        needed_tokens,
        help=_(SCALE_HELP),
    )
    if setting.not_scaled_words:
        show_caption(setting.not_scaled_words)


def _scale(setting: Setting, needed_tokens: Callable[[], int]) -> None:
    needed = needed_tokens()
    limits = scale_presets(setting.strategy_class, needed)
    if limits is not None:
        setting.scale(limits)
        return
    setting.not_scaled_words = _(
        "A conversation of {needed:,} tokens needs no scaling: these limits are made for a window of "
        "{window:,}.",
        needed=needed,
        window=find_window(list_presets(setting.strategy_class)),
    )


def _controls(setting: Setting, *, live: bool) -> dict[str, Any]:
    """Draw one control a parameter, the main one first, each with what is wrong with its value below it; return all
    values. Parameters that only matter where a model answers are shown for ``live`` talk alone, those that can only be
    simulated in a replay alone."""
    cls = setting.strategy_class
    values: dict[str, Any] = {}
    problems = dict(setting.refused)
    try:
        setting.build()
    except ParameterError as error:  # a link or a file may ask for a wrong value
        problems = {error.name: error, **problems}
    remedy = _("The value before is still used.") if setting.refused else ""
    main_first = sorted(
        cls.parameters(), key=lambda parameter: parameter.name != cls.main_parameter
    )
    for parameter in main_first:
        name = parameter.name
        if live and parameter.replay_only:
            values[name] = parameter.default
        elif live or not parameter.live_only:
            value = setting.parameters.get(name, parameter.default)
            values[name] = _control(parameter, value, parameter_key(setting, name))
            if name in problems:
                show_error(problems.pop(name), remedy)
    for problem in problems.values():
        show_error(problem)
    return values


def _control(parameter: Parameter, value: Any, key: str) -> Any:
    title = parameter.title
    help = _(parameter.help)
    if parameter.kind is bool:
        return switch(title, value, key=key, help=help)
    if parameter.is_number:
        label = noop("{name} ({unit})")
        if parameter.zero_is_off:
            label = noop("{name} ({unit}, 0: off)")
        return st.number_input(
            _(label, name=title, unit=_(parameter.unit)),
            parameter.minimum,
            parameter.maximum,
            value,
            step=step_of(parameter),
            key=key,
            help=help,
        )
    if parameter.choices:
        return _choose(parameter, value, key)
    if parameter.is_name:
        text = st.text_input(title, value or "", key=key, help=help)
    else:
        text = st.text_area(title, value or "", key=key, help=help, height=80)
    return text.strip() or None


def _choose(parameter: Parameter, value: Any, key: str) -> Any:
    """Draw a choice out of a few values, each with a line on what it means."""
    meanings = dict(parameter.choices)
    names = list(meanings)
    if value not in names:
        names.append(value)  # a file may ask for one that is not allowed
    lines = [plain(_(parameter.help)), ""]
    for name, meaning in meanings.items():
        lines.append(f"- **{plain(name)}**: {plain(_(meaning))}")
    return st.selectbox(
        parameter.title,
        names,
        index=names.index(value),
        key=key,
        help="\n".join(lines),
    )


def step_of(parameter: Parameter) -> int:
    """Return a step that crosses the suggested range in some forty clicks, as a round number."""
    low, high = parameter.suggested or (0, 40)
    step = 1
    while (high - low) / step > STEPS_ACROSS:
        step *= 10
    return step if step == 1 else step // 2
