"""The one selection of Compare: a setting and a request. Every view draws it, and every click and key moves it."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.controls.selected_request import (
    look_at_chosen,
    name_in_full,
    open_request,
    select,
    selected_call,
    selected_turn,
    turns_shown,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.state import clicked_point, set_widget
from memviz.engine.records import TurnRecord
from memviz.metrics.requests.request_axis import (
    find_numbers_of_turn,
    list_request_turns,
)
from memviz.metrics.requests.request_places import find_request

SETTING_KEY = "compare-setting"


class Selection(NamedTuple):
    """The request that is looked at: call number ``call`` (from 1; ``None``: the last one) of a turn. ``number`` is the
    setting's place (0-based) among those shown."""

    setting: SettingRun
    number: int
    turn: int
    call: int | None

    @property
    def record(self) -> TurnRecord | None:
        """The request, ``None`` where the setting made none in this turn."""
        return find_request(self.setting.run, self.turn, self.call)

    @property
    def name(self) -> str:
        """The request as people name it."""
        return name_in_full(self.setting.run, self.turn, self.call)


def read_selection(settings: Sequence[SettingRun]) -> Selection:
    """The selection, made valid for ``settings``: at first the last of them."""
    state = compare_state()
    indices = [each.index for each in settings]
    number = len(settings) - 1
    if state.looked_at in indices:
        number = indices.index(state.looked_at)
    setting = settings[number]
    turn = selected_turn(settings, setting.run)
    return Selection(setting, number, turn, selected_call(setting.run, turn))


def list_walkable_requests(
    settings: Sequence[SettingRun], selection: Selection
) -> tuple[list[int], int]:
    """Return the requests that one can walk through, each as its turn, and the place (0-based) of the selected one.
    They are all of the selected setting, and one for each turn that only another setting came to."""
    own_turns = list_request_turns(selection.setting.run).tolist()
    turns_of_others = set(turns_shown(settings)).difference(own_turns)
    turns = sorted([*own_turns, *turns_of_others])
    # A turn of several calls stands several times in the list; without a call the last one is selected.
    place = bisect_right(turns, selection.turn) - 1
    if selection.call is not None:
        calls = len(find_numbers_of_turn(selection.setting.run, selection.turn))
        place += selection.call - calls
    return turns, place


def move_to(
    settings: Sequence[SettingRun], turn: int, behind: int, number: int
) -> None:
    """Move the selection to where a visitor walked: to the request of setting ``number`` (0-based) that ``behind``
    others of its turn follow."""
    is_setting = 0 <= number < len(settings)
    if not is_setting or behind < 0 or turn not in turns_shown(settings):
        return
    setting = settings[number]
    call = None
    if behind:
        calls = len(find_numbers_of_turn(setting.run, turn))
        call = max(1, calls - behind)
    select(turn, setting.index, call)


def select_clicked(chart_key: str, settings: Sequence[SettingRun]) -> None:
    """Move the selection to the point that was clicked, on a chart of ``settings`` whose point ids (customdata) read
    ``"<number of the setting>:<turn>"``, or ``"<number of the setting>:<turn>:<call>"`` for a call before the last one
    of its turn."""
    point = clicked_point(chart_key)
    if point and point.get("customdata"):
        number, turn, *call = map(int, str(point["customdata"]).split(":"))
        select(turn, settings[number].index, *call)
        open_request()


def choose_setting(settings: Sequence[SettingRun]) -> None:
    """Draw the control that chooses whose request is read."""
    numbers = list(range(len(settings)))
    set_widget(SETTING_KEY, read_selection(settings).number)
    st.selectbox(
        _("Setting"),
        numbers,
        format_func=lambda number: settings[number].label,
        key=SETTING_KEY,
        label_visibility="collapsed",
        on_change=look_at_chosen,
        args=(SETTING_KEY, tuple(setting.index for setting in settings)),
    )
