"""The one selection of Compare: a setting and a turn. Every view draws it, and every click and key moves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.ui.controls.selected_turn import selected_turn, turns_shown
from memviz.ui.controls.sidebar import TURN_KEY
from memviz.ui.shell.state import clicked_point, compare_state, set_widget, widget_value

SETTING_KEY = "compare-setting"


class Selection(NamedTuple):
    """Which request is looked at. ``number`` is the setting's place (0-based) among those shown, ``turns`` are all
    turns of which any of them made a request."""

    setting: SettingRun
    number: int
    turn: int
    turns: tuple[int, ...]


def selected(settings: Sequence[SettingRun]) -> Selection:
    """The selection, made valid for ``settings``: at first the last of them."""
    state = compare_state()
    number = next((n for n, one in enumerate(settings) if one.index == state.looked_at), len(settings) - 1)
    turn = selected_turn(settings, settings[number].run)
    return Selection(settings[number], number, turn, turns_shown(settings))


def select(turn: int, index: int | None = None) -> None:
    """Move the selection to a turn, and to the setting of this colour ``index``; for callbacks of charts and
    controls."""
    set_widget(TURN_KEY, turn)
    if index is not None:
        compare_state().looked_at = index


def select_clicked(chart_key: str, indices: Sequence[int]) -> None:
    """Move the selection to the point that was clicked, on a chart whose point ids (customdata) read
    ``"<number of the setting>:<turn>"``; ``indices`` are the settings' colour indices by that number."""
    point = clicked_point(chart_key)
    if point and point.get("customdata"):
        number, turn = str(point["customdata"]).split(":")
        select(int(turn), indices[int(number)])


def choose_setting(settings: Sequence[SettingRun]) -> None:
    """The control that chooses whose request is read."""
    numbers = list(range(len(settings)))
    set_widget(SETTING_KEY, selected(settings).number)
    st.selectbox(
        "Setting", numbers, format_func=lambda number: settings[number].label, key=SETTING_KEY,
        label_visibility="collapsed", on_change=_choose, args=(tuple(one.index for one in settings),),
    )  # fmt: skip


def _choose(indices: tuple[int, ...]) -> None:
    number = widget_value(SETTING_KEY)
    if number is not None:
        compare_state().looked_at = indices[number]
