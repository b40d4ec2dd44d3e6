"""Compare, as a memory map: what became of every message at every request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.memory_map.fate_map import map_of
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.metrics.memory_map.fate_grid import View, example, grid
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.text.wording import counted, message_number, message_position
from memviz.ui.compare.memory_map.legend import key_numbers, legend
from memviz.ui.compare.memory_map.message import MESSAGE_KEY, one_message
from memviz.ui.controls.sidebar import MAP_TURN_KEY
from memviz.ui.shell.state import clicked_point, compare_state, set_widget

MAP_PIXELS = 280
"""The least width of a map; up to three stand side by side."""
MAPS_A_ROW = 3
TURNS_KEY, POSITIONS_KEY = "map-turns", "map-messages"


def memory_map_view(settings: Sequence[SettingRun], conversation_id: str) -> None:
    """A map for each setting, and one message and one request of it."""
    legend(settings)
    maps(settings, zoom(whole_view(settings), conversation_id))
    one_message(settings, conversation_id)


def whole_view(settings: Sequence[SettingRun]) -> View:
    """All turns and all messages of the conversation."""
    last = max(record.turn for setting in settings for record in setting.run.turns[-1:])
    return View(range(1, last + 1), range(max(len(setting.run.log) for setting in settings)))


def zoom(whole: View, conversation_id: str) -> View:
    """The part to look at: all of a short conversation, a chosen part of a long one."""
    if whole.in_full:
        return whole
    turns, messages = st.columns(2, gap="large")
    first, last = turns.slider(
        "Turns", 1, len(whole.turns), (1, len(whole.turns)), key=f"{TURNS_KEY}-{conversation_id}",
        help="Fewer turns and messages are drawn in more detail.",
    )  # fmt: skip
    top, bottom = messages.slider(
        "Messages", 1, len(whole.positions), (1, len(whole.positions)), key=f"{POSITIONS_KEY}-{conversation_id}",
    )  # fmt: skip
    return View(range(first, last + 1), range(message_position(top), bottom))


def maps(settings: Sequence[SettingRun], view: View) -> None:
    """A map for each setting, and under it what became of all messages at the last request."""
    st.caption(_how_to_read(view))
    cells = st.grid(min(MAPS_A_ROW, len(settings)), min_column_width=MAP_PIXELS, gap="small", key="maps")
    for number, setting in enumerate(settings):
        with cells.cell():
            st.plotly_chart(
                map_of(setting, view), key=_map_key(number), selection_mode="points", config=CONFIG,
                on_select=partial(_follow_click, number, setting, view),
                alt=f"What became of every message under {setting.label}",
            )  # fmt: skip
            key_numbers(setting)


def _map_key(number: int) -> str:
    return f"map-{number}"


def _how_to_read(view: View) -> str:
    words = "Click a cell to read the message and the request. Drag to zoom in, double-click to come back."
    if view.in_full:
        return words
    size = f"{counted(view.turns_per_cell, 'turn')} × {counted(view.messages_per_cell, 'message')}"
    return (
        f"**Each cell is {size}** in the colour of what is most common in it; a single recall shows all the same. "
        f"Choose fewer turns and messages to see each of them. {words}"
    )


def _follow_click(number: int, setting: SettingRun, view: View) -> None:
    point, fates = clicked_point(_map_key(number)), fate_map(setting.run)
    found = example(fates, grid(fates, view), point["x"], message_position(point["y"])) if point else None
    if found is None:
        return
    turn, position = found
    compare_state().looked_at = setting.index
    set_widget(MAP_TURN_KEY, turn)
    set_widget(MESSAGE_KEY, message_number(position))
    st.toast(
        f"Message {message_number(position):,} and the request of turn {turn} are shown below.",
        icon=":material/arrow_downward:",
    )
