"""Compare, as a memory map: what became of every message at every request."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from markupsafe import Markup

from memviz.core.context import Fate
from memviz.core.text.wording import (
    counted,
    message_number,
    message_position,
    share_of,
    times,
)
from memviz.core.translation import _, noop
from memviz.dashboard.charts.memory_map.fate_map import (
    draw_fate_map,
    size_beside_others,
)
from memviz.dashboard.charts.memory_map.fate_words import fates_table, map_finding
from memviz.dashboard.charts.palette import (
    STEP_COLORS,
    STEP_TITLES,
    SUMMARIZATION_GLYPH,
    SettingRun,
)
from memviz.dashboard.charts.summaries.marks import marks_of
from memviz.dashboard.markup import bar_part, element, glyph, swatch
from memviz.dashboard.ui.compare.one_message import (
    LIFE_KEY,
    MESSAGE_KEY,
    draw_one_message,
    say_life_of_selected,
)
from memviz.dashboard.ui.compare.playing import Readout, is_staged
from memviz.dashboard.ui.compare.reader import (
    draw_beside_reader,
    shared_axis,
    tell_audience_of_request,
)
from memviz.dashboard.ui.compare.selection import read_selection
from memviz.dashboard.ui.controls.authorship import say_not_recorded, say_who_summarized
from memviz.dashboard.ui.controls.health import draw_health
from memviz.dashboard.ui.controls.message_html import legend_item
from memviz.dashboard.ui.controls.pictures import (
    as_shown,
    kept_figure,
    numbers_of,
    picture,
    places,
    step_by_step,
    step_of,
)
from memviz.dashboard.ui.controls.selected_request import open_request, select
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.linked import linked_range
from memviz.dashboard.ui.shell.presenting import Part, hides
from memviz.dashboard.ui.shell.state import clicked_point, set_widget
from memviz.engine.compaction import Compaction
from memviz.metrics.memory_map.fate_grid import View, build_grid, find_example
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.memory_map.stretches import STEPS, encode_fate
from memviz.transcripts.base import Transcript

_STEPS = {"turn": noop("Turns"), "request": noop("Requests")}
_FEWER = {
    "turn": noop("Fewer turns and messages are drawn in more detail."),
    "request": noop("Fewer requests and messages are drawn in more detail."),
}
_EACH_CELL = {
    "turn": noop(
        "**Each cell is {size}** in the colour of what is most common in it; a single recall shows all the "
        "same. Choose fewer turns and messages to see each of them."
    ),
    "request": noop(
        "**Each cell is {size}** in the colour of what is most common in it; a single recall shows all the "
        "same. Choose fewer requests and messages to see each of them."
    ),
}
MAP_PIXELS = 140
"""The least width of a map's place. Streamlit draws no chart under 150 pixels: the rest lies in the gap beside it."""


def draw_memory_map_view(
    settings: Sequence[SettingRun], transcript: Transcript
) -> None:
    """Draw a map for each setting, beside the selected request, and what became of one message."""
    say_who_summarized(settings)
    say_not_recorded(settings)
    if not is_staged():
        draw_legend(settings)
    tell_audience_of_request(
        map_finding(read_selection(settings).setting),
        [map_finding(setting) for setting in settings],
    )
    charts = {}
    for number, setting in enumerate(settings):
        charts[_map_key(number)] = shared_axis([setting])
    charts[LIFE_KEY] = shared_axis(settings)
    draw_beside_reader(
        settings,
        transcript,
        partial(draw_maps, settings),
        charts,
        draw_notes=partial(_draw_map_notes, settings),
        draw_below=partial(draw_one_message, settings),
        readout=Readout("memory"),
    )


def _draw_map_notes(settings: Sequence[SettingRun]) -> None:
    """Draw what stands below the player, in view with the maps: what became of the selected message, and warnings."""
    say_life_of_selected(settings)
    draw_health(settings)
    numbers_of(
        step_by_step(settings),
        "map-turn-numbers",
        partial(fates_table, settings),
        _("Messages of each fate at every request, by setting"),
    )


def draw_maps(settings: Sequence[SettingRun]) -> None:
    """Draw the maps of the part that is looked at."""
    step = step_of(settings)
    view = choose_zoom(select_everything(settings), step)
    draw_all_maps(settings, view)
    if not view.in_full:
        requests = counted(view.requests_per_cell, step)
        messages = counted(view.messages_per_cell, "message")
        st.caption(_(_EACH_CELL[step], size=f"{requests} × {messages}"))


def select_everything(settings: Sequence[SettingRun]) -> View:
    """Return the view of all requests and all messages of the conversation."""
    last = max(int(shared_axis([setting]).lasts[-1]) for setting in settings)
    return View(
        range(1, last + 1), range(max(len(setting.run.log) for setting in settings))
    )


def choose_zoom(whole: View, step: str) -> View:
    """The part to look at: all of a short conversation, a chosen part of a long one. ``step`` is what a column of all
    is called."""
    if whole.in_full:
        return whole
    id = compare_state().conversation_id
    requests_key = f"map-turns-{id}"
    positions_key = f"map-messages-{id}"
    linked_range(f"{step}s", requests_key, len(whole.requests))
    linked_range("messages", positions_key, len(whole.positions))
    requests, messages = st.columns(2, gap="large")
    first, last = requests.slider(
        _(_STEPS[step]),
        1,
        len(whole.requests),
        (1, len(whole.requests)),
        key=requests_key,
        help=_(_FEWER[step]),
    )
    top, bottom = messages.slider(
        _("Messages"),
        1,
        len(whole.positions),
        (1, len(whole.positions)),
        key=positions_key,
    )
    return View(range(first, last + 1), range(message_position(top), bottom))


def draw_all_maps(settings: Sequence[SettingRun], view: View) -> None:
    """Draw a map for each setting, all seen at once, and under it what became of all messages at the last request."""
    size = size_beside_others([setting.label for setting in settings])
    with st.container(key="map-pictures"):
        cells = list(places(settings, MAP_PIXELS, gap="xsmall"))
    for number, (place, setting) in enumerate(cells):
        figure = kept_figure(setting.run, draw_fate_map, setting, view, size)
        on_click = partial(_follow_click, number, setting, view)
        pixels = as_shown(figure).to_dict()["layout"]["height"]
        with place:
            picture(figure, _map_key(number), map_finding(setting), on_click, pixels)
            if not hides(Part.NUMBERS):
                draw_key_numbers(setting)


def _map_key(number: int) -> str:
    return f"map-{number}"


def _follow_click(number: int, setting: SettingRun, view: View) -> None:
    point = clicked_point(_map_key(number))
    fates = build_fate_map(setting.run)
    if not point:
        return
    fate = find_example(
        fates, build_grid(fates, view), point["x"], message_position(point["y"])
    )
    if fate is not None:
        place, position = fate
        record = setting.run.requests[fates.number_at(place)]
        select(record.turn, setting.index, record.call)
        open_request()
        set_widget(MESSAGE_KEY, message_number(position))


FATE_ORDER = (
    Fate.VERBATIM,
    Fate.SHORTENED,
    Fate.CLEARED,
    Fate.SUMMARIZED,
    Fate.OPAQUE,
    Fate.RECALLED,
    Fate.DROPPED,
)
LEGEND_ORDER = [
    code for fate in FATE_ORDER for code, step in enumerate(STEPS) if step.fate is fate
]
"""Codes from what is sent whole to what is not sent at all."""
_FATES = {
    Fate.VERBATIM: noop("sent word for word, the newest input included"),
    Fate.RECALLED: noop("brought back for it"),
    Fate.SHORTENED: noop("shortened: a part of each is in it"),
    Fate.CLEARED: noop(
        "sent as placeholders: that they were there is in it, and nothing that they said"
    ),
    Fate.SUMMARIZED: noop("replaced by a summary{often}"),
    Fate.OPAQUE: noop(
        "replaced by a block that only the provider can read: what it holds of them is unknown"
    ),
    Fate.DROPPED: noop("dropped: nothing of them is in it"),
}
"""The fates of messages at the last request, in the order of the bar."""
ROW_STYLE = "display:flex;flex-wrap:wrap;gap:0.2rem 0.8rem;font-size:0.875rem"
HOW_OFTEN_STYLE = "display:inline-flex;flex-wrap:wrap;align-items:center;gap:0.4rem"
BAR_STYLE = "display:flex;height:0.4rem;border-radius:0.2rem;overflow:hidden;margin-bottom:0.5rem"


def draw_legend(settings: Sequence[SettingRun]) -> None:
    """Show what the colours mean; only those that occur."""
    present: set[int] = set()
    compactions: list[Compaction] = []
    for setting in settings:
        present.update(build_fate_map(setting.run).present)
        compactions += setting.run.compactions
    codes = sorted(present, key=LEGEND_ORDER.index)
    summarized = [code for code in codes if STEPS[code].fate is Fate.SUMMARIZED]
    items = []
    for code in codes:
        # Several violets share one entry, at the place of the first.
        if len(summarized) < 2 or code not in summarized:
            items.append(legend_item(swatch(STEP_COLORS[code]), _(STEP_TITLES[code])))
        elif code == summarized[0]:
            items.append(_legend_of_summarized(summarized))
    for mark in marks_of(compactions):
        color = SUMMARIZATION_GLYPH if mark.symbol == "diamond" else mark.color
        items.append(legend_item(glyph(mark.character, color), _(mark.name)))
    st.html(element("div", *items, class_="memviz-fates", style=ROW_STYLE))


def _legend_of_summarized(codes: Sequence[int]) -> Markup:
    """Return one entry for all violets, side by side from the strongest to the faintest: a row has room for it."""
    words = [_times_words(code) for code in codes]
    words[-1] = _("{number} times", number=words[-1])
    items = (
        legend_item(swatch(STEP_COLORS[code]), often)
        for code, often in zip(codes, words, strict=True)
    )
    return element("span", _("Summarized "), *items, style=HOW_OFTEN_STYLE)


def _times_words(code: int) -> str:
    """Return how often messages of this code were summarized: ``once``, ``2-3``, ``8 or more``."""
    first = STEPS[code].generation
    # A violet goes up to where the next one begins; the last has no end.
    if code + 1 == len(STEPS) or STEPS[code + 1].fate is not Fate.SUMMARIZED:
        return _("{number} or more", number=first)
    last = STEPS[code + 1].generation - 1
    if last > first:
        return f"{first}-{last}"
    return times(1) if first == 1 else f"{first}"


def draw_key_numbers(setting: SettingRun) -> None:
    """Show what became of all messages at the last request, under a map: a bar, and a share beside each colour."""
    fates = build_fate_map(setting.run)
    shares = fates.shares(-1)
    messages = shares.messages
    often = _(", {often} on average", often=_how_often_words(shares.mean_generation))
    bar = []
    items = []
    for fate, words in _FATES.items():
        count = int(fates.counts[-1, fate])
        if not count:
            continue
        color = STEP_COLORS[encode_fate(fate, 1)]
        bar.append(bar_part(count / messages, color))
        more = often if fate is Fate.SUMMARIZED else ""
        share = f"{format_percent(count, messages)}{more}"
        meaning = _(
            "{messages} at the last request: {words}",
            messages=share_of(count, messages, "message"),
            words=_(words, often=often),
        )
        # What the colour means is said to the pointer and to a screen reader.
        items.append(
            element(
                "span",
                legend_item(swatch(color), share),
                title=meaning,
                role="img",
                aria_label=meaning,
            )
        )
    parts = element("div", *bar, style=BAR_STYLE)
    legend = element("div", *items, style=ROW_STYLE)
    st.html(element("div", parts, legend, class_="memviz-shares"))


def _how_often_words(mean: float) -> str:
    rounded = f"{mean:.1f}".removesuffix(".0")
    return times(1) if rounded == "1" else _("{number} times", number=rounded)


def format_percent(part: int, whole: int) -> str:
    """Return ``part`` of ``whole`` as a share, never rounded to nothing or to all: ``3 of 1,000`` is ``<1%``."""
    share = f"{part / whole:.0%}" if whole else "0%"
    if share == "0%" and part:
        return "<1%"
    return ">99%" if share == "100%" and part < whole else share
