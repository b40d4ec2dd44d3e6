"""Compare, as a memory map: what became of every message at every request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.text.wording import counted, message_number, message_position
from memviz.dashboard.charts.figure import CONFIG
from memviz.dashboard.charts.memory_map.fate_map import beside_others, map_of
from memviz.dashboard.charts.memory_map.fate_words import fates_table, map_finding
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.compare.memory_map.legend import key_numbers, legend
from memviz.dashboard.ui.compare.memory_map.message import (
    LIFE_KEY,
    MESSAGE_KEY,
    life_of_selected,
    one_message,
)
from memviz.dashboard.ui.compare.playing import Readout, is_staged
from memviz.dashboard.ui.compare.reader import beside_reader, shared_axis, to_audience
from memviz.dashboard.ui.compare.selection import select, selected
from memviz.dashboard.ui.controls.grounds import health, say_not_recorded, summaries_by
from memviz.dashboard.ui.controls.pictures import (
    as_shown,
    kept_figure,
    numbers_of,
    picture_pixels,
    places,
    step_by_step,
    step_of,
)
from memviz.dashboard.ui.shell.linked import linked_range
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import clicked_point, set_widget
from memviz.metrics.memory_map.fate_grid import View, example, grid
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.transcripts.base import Transcript

MAP_PIXELS = 140
"""The least width of a map's place. Streamlit draws no chart under 150 pixels: the rest lies in the gap beside it."""
REQUESTS_KEY, POSITIONS_KEY, MAPS_KEY = "map-turns", "map-messages", "map-pictures"


def memory_map_view(
    settings: Sequence[SettingRun], transcript: Transcript, conversation_id: str
) -> None:
    """A map for each setting, beside the selected request, and what became of one message."""
    summaries_by(settings)
    say_not_recorded(settings)
    if not is_staged():
        legend(settings)
    to_audience(
        map_finding(selected(settings).setting),
        [map_finding(setting) for setting in settings],
    )
    charts = {
        _map_key(number): shared_axis([setting])
        for number, setting in enumerate(settings)
    }
    beside_reader(
        settings,
        transcript,
        partial(picture, settings, conversation_id),
        {**charts, LIFE_KEY: shared_axis(settings)},
        draw_notes=partial(_notes, settings, conversation_id),
        draw_below=partial(one_message, settings, conversation_id),
        readout=Readout("memory"),
    )


def _notes(settings: Sequence[SettingRun], conversation_id: str) -> None:
    """Below the player, so that it stands in view with the maps: what became of the selected message, and warnings."""
    life_of_selected(settings, conversation_id)
    health(settings)
    numbers_of(
        step_by_step(settings),
        "map-turn-numbers",
        partial(fates_table, settings),
        "Messages of each fate at every request, by setting",
    )


def picture(settings: Sequence[SettingRun], conversation_id: str) -> None:
    """The maps, of the part that is looked at."""
    step = step_of(settings)
    view = zoom(whole_view(settings), conversation_id, step)
    maps(settings, view)
    if not view.in_full:
        st.caption(_cell_words(view, step))


def whole_view(settings: Sequence[SettingRun]) -> View:
    """All requests and all messages of the conversation."""
    last = max(int(shared_axis([setting]).lasts[-1]) for setting in settings)
    return View(
        range(1, last + 1), range(max(len(setting.run.log) for setting in settings))
    )


def zoom(whole: View, conversation_id: str, step: str = "turn") -> View:
    """The part to look at: all of a short conversation, a chosen part of a long one. ``step`` is what a column of all
    is called."""
    if whole.in_full:
        return whole
    requests_key, positions_key = (
        f"{REQUESTS_KEY}-{conversation_id}",
        f"{POSITIONS_KEY}-{conversation_id}",
    )
    linked_range(f"{step}s", requests_key, 1, len(whole.requests))
    linked_range("messages", positions_key, 1, len(whole.positions))
    requests, messages = st.columns(2, gap="large")
    first, last = requests.slider(
        f"{step.capitalize()}s",
        1,
        len(whole.requests),
        (1, len(whole.requests)),
        key=requests_key,
        help=f"Fewer {step}s and messages are drawn in more detail.",
    )
    top, bottom = messages.slider(
        "Messages",
        1,
        len(whole.positions),
        (1, len(whole.positions)),
        key=positions_key,
    )
    return View(range(first, last + 1), range(message_position(top), bottom))


def maps(settings: Sequence[SettingRun], view: View) -> None:
    """A map for each setting, all seen at once, and under it what became of all messages at the last request."""
    size = beside_others([setting.label for setting in settings])
    with st.container(key=MAPS_KEY):
        cells = list(places(len(settings), MAP_PIXELS, gap="xsmall"))
    for number, (place, setting) in enumerate(zip(cells, settings, strict=True)):
        figure = as_shown(kept_figure(setting.run, map_of, setting, view, size))
        with place:
            st.plotly_chart(
                figure,
                key=_map_key(number),
                height=picture_pixels(figure.to_dict()["layout"]["height"]),
                config=CONFIG,
                selection_mode="points",
                on_select=partial(_follow_click, number, setting, view),
                alt=map_finding(setting),
            )
            if not hides(Part.NUMBERS):
                key_numbers(setting)


def _map_key(number: int) -> str:
    return f"map-{number}"


def _cell_words(view: View, step: str) -> str:
    size = f"{counted(view.requests_per_cell, step)} × {counted(view.messages_per_cell, 'message')}"
    return (
        f"**Each cell is {size}** in the colour of what is most common in it; a single recall shows all the same. "
        f"Choose fewer {step}s and messages to see each of them."
    )


def _follow_click(number: int, setting: SettingRun, view: View) -> None:
    point, fates = clicked_point(_map_key(number)), fate_map(setting.run)
    found = (
        example(fates, grid(fates, view), point["x"], message_position(point["y"]))
        if point
        else None
    )
    if found is not None:
        place, position = found
        record = setting.run.requests[fates.number_at(place)]
        select(record.turn, setting.index, record.call)
        set_widget(MESSAGE_KEY, message_number(position))
