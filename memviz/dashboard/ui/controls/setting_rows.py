"""The sidebar's settings, a row each: the line's colour and dash, the strategy's name with
its main parameter, and a panel to change them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.text.wording import comma_list, distinct_names
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import setting_dash
from memviz.dashboard.lessons.study import MAX_SETTINGS
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.controls.message_html import setting_color
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.settings_editor import (
    PANEL_PIXELS,
    edit_parameters,
    take_over,
)
from memviz.dashboard.ui.controls.strategy_choice import (
    choose_preset,
    choose_strategy,
    offered_strategies,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import button, quiet_button, row
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies.parameters import Parameter
from memviz.tuning.scaling import is_scaled

FULL_HELP = noop("At most {most} at once.")
_DASHES = {
    "solid": "currentColor 0 28px", "dash": "currentColor 0 7px, transparent 7px 11px",
    "dot": "currentColor 0 3px, transparent 3px 6px",
    "dashdot": "currentColor 0 7px, transparent 7px 10px, currentColor 10px 13px, transparent 13px 16px",
    "longdash": "currentColor 0 12px, transparent 12px 16px",
    "longdashdot": "currentColor 0 12px, transparent 12px 15px, currentColor 15px 18px, transparent 18px 21px",
}  # fmt: skip
"""The gradient that draws each dash of the charts."""


_focus_number = st.components.v2.component(
    "memviz_row_panel",
    html="<span></span>",
    js=own_text(__package__, "row_panel.js"),
)


def setting_rows(
    needed_tokens: Callable[[], int] | None = None,
    writer_of: Callable[[Setting], str | None] = lambda setting: None,
) -> dict[int | str, str]:
    """Draw the rows, and a button that adds one, up to six. The same strategy may stand twice with other parameters.
    ``needed_tokens`` says how many tokens the conversation takes in all, ``writer_of`` who writes the summaries of a
    setting, where that is worth saying. Returns the settings' labels by their uid."""
    state = compare_state()
    for setting in state.settings:
        take_over(setting)
    _focus_number(key="row-panel")
    with st.container(key="setting-rows", gap="xsmall"):
        for setting in state.settings:
            _draw_row(setting, needed_tokens, writer_of(setting))
        is_full = len(state.settings) >= MAX_SETTINGS
        button(
            _("Add a setting"),
            "add-setting",
            ":material/add:",
            state.add,
            _next_strategy(),
            # Without more words otherwise: the new setting appears at the pointer, and a tooltip would lie on it.
            help=_(FULL_HELP, most=MAX_SETTINGS) if is_full else None,
            disabled=is_full,
            width="stretch",
        )
    labels = distinct_names(list(map(setting_label, state.settings)))
    uids = [setting.uid for setting in state.settings]
    return dict(zip(uids, labels, strict=True))


def _draw_row(
    setting: Setting, needed_tokens: Callable[[], int] | None, writer: str | None
) -> None:
    state = compare_state()
    main = main_parameter(setting)
    notes = comma_list(_notes(setting, main, writer))
    name = plain(_name(setting))
    with row(f"setting-{setting.uid}", gap="xsmall", wrap=False):
        st.html(_line_html(setting), width="content")
        # A popover with another label is a new one, and closed: the panel stays open while
        # its strategy and numbers change, and with them the label.
        panel_key = f"edit-{setting.uid}"
        if widget_value(panel_key):
            set_widget(panel_key, True)
        # A popover's controls are drawn when it opens: six closed settings cost the first
        # chart nothing. Who opens one looks at its setting.
        panel = st.popover(
            f"{name} :gray[{notes}]" if notes else name,
            key=panel_key,
            type="tertiary",
            width="stretch",
            on_change=_look_at,
            args=(setting.index,),
        )
        with panel, st.container(width=PANEL_PIXELS):
            choose_preset(setting, needed_tokens)
            choose_strategy(setting)
            edit_parameters(setting, live=state.free_run, needed_tokens=needed_tokens)
            quiet_button(
                _("Remove"),
                f"remove-{setting.uid}",
                ":material/close:",
                state.remove,
                setting.uid,
                disabled=len(state.settings) == 1,
            )


def _line_html(setting: Setting) -> str:
    """Return a piece of the setting's line, in its colour and dash."""
    dashes = _DASHES[setting_dash(setting.index)]
    gradient = f"repeating-linear-gradient(90deg,{dashes})"
    style = f"color:{setting_color(setting.index)};background:{gradient}"
    return f'<span class="memviz-line" style="{style}"></span>'


def main_parameter(setting: Setting) -> Parameter | None:
    """Return the parameter that a row tells, if it is a number."""
    cls = setting.strategy_class
    for parameter in cls.parameters():
        if parameter.is_number and parameter.name == cls.main_parameter:
            return parameter
    return None


def _distinguishing_parameter(setting: Setting) -> str:
    """Return the first parameter of a setting which another row lacks that has the same strategy and main parameter,
    such as "keep user 0 tokens"; "" where there is none."""
    # A label reads "Strategy · main parameter · other parameters".
    name, *parameters = setting_label(setting).split(" · ")
    for other in compare_state().settings:
        other_name, *other_parameters = setting_label(other).split(" · ")
        is_alike = (name, parameters[:1]) == (other_name, other_parameters[:1])
        if other is setting or not is_alike:
            continue
        for words in parameters[1:]:
            if words not in other_parameters:
                return words
        return ""
    return ""


def _notes(
    setting: Setting, main: Parameter | None, writer: str | None
) -> Iterator[str]:
    """Yield what a row says behind the strategy's name."""
    difference = _distinguishing_parameter(setting)
    if difference:
        yield difference
    elif main is not None:
        value = value_of(setting, main)
        if main.is_off(value):
            yield _("{unit}: off", unit=_(main.unit))
        else:
            yield main.shown(value)
    if setting.as_written:
        yield _("as written")
    for parameter in setting.strategy_class.parameters():
        whose = parameter.whose(value_of(setting, parameter))
        if whose:
            yield whose
    if is_scaled(setting.scaled, setting.parameters):
        yield _("scaled")
    if writer is not None:
        yield writer


def value_of(setting: Setting, parameter: Parameter) -> Any:
    """Return the value of a parameter, its default where none was chosen."""
    return setting.parameters.get(parameter.name, parameter.default)


def mark_row(index: int) -> None:
    """Mark the row of the setting of this colour ``index``, which the page shows closely. Drawn by what shows it, in
    the same fragment, since a click there does not draw the sidebar again."""
    state = compare_state()
    state.shows(index)
    setting = state.setting_at(index)
    if len(state.settings) > 1 and setting is not None:
        # A style of its own: a rule that asks the page which setting it shows makes each redraw a tenth slower.
        row = f".st-key-setting-{setting.uid}"
        mark = f".stHorizontalBlock{row}{row} {{ box-shadow: inset 0 0 0 2px currentColor }}"
        st.html(f'<span class="memviz-shows-{index}"><style>{mark}</style></span>')


def _look_at(index: int) -> None:
    compare_state().looked_at = index


def _name(setting: Setting) -> str:
    """Return the name of the strategy of a setting, or of the product whose rule it is."""
    with suppress(MemvizError):
        return setting.build().name
    return _(setting.strategy_class.title)


def setting_label(setting: Setting) -> str:
    """Return the setting in words; the strategy's title where its parameters are not allowed."""
    with suppress(MemvizError):
        return setting.build().label
    return _(setting.strategy_class.title)


def _next_strategy() -> str:
    """Return the first strategy that is not compared yet."""
    used_ids = {setting.strategy_id for setting in compare_state().settings}
    for id in offered_strategies():
        if id not in used_ids:
            return id
    return "summary_buffer"
