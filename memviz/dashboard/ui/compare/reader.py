"""One reader of requests for all views of Compare: it stands beside their picture and shows the selected request. Below
the picture a player moves the selection, by buttons, keys and a slider.

The line on the charts is drawn in the browser (``player.js``), because a figure that changes with every request would
be drawn from scratch each time. The server hears of a request once the visitor rests on it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop, script_words
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.composition import composition
from memviz.dashboard.charts.requests.tables import parts_finding, parts_table
from memviz.dashboard.stage.files import controls_style, own_text, walk_script
from memviz.dashboard.ui.compare.downloads import draw_downloads
from memviz.dashboard.ui.compare.playing import Readout, is_staged, play_on_stage
from memviz.dashboard.ui.compare.selection import (
    Selection,
    choose_setting,
    list_walkable_requests,
    move_to,
    read_selection,
)
from memviz.dashboard.ui.controls.inspector import inspector, no_request_words
from memviz.dashboard.ui.controls.known_facts import facts_of_study
from memviz.dashboard.ui.controls.links import keep_address, open_in_memviz
from memviz.dashboard.ui.controls.pictures import (
    chart,
    folded,
    kept_figure,
    numbers_of,
    tell_audience,
)
from memviz.dashboard.ui.controls.request_reasons import draw_reasons
from memviz.dashboard.ui.controls.selected_request import (
    close_request,
    is_read,
    open_request,
)
from memviz.dashboard.ui.controls.setting_rows import mark_row
from memviz.dashboard.ui.shell.elements import (
    quiet_button,
    row,
    show_caption,
    show_info,
)
from memviz.dashboard.ui.shell.presenting import Part, hides, presenting, speaker_notes
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words, shorten
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import (
    RequestAxis,
    list_request_turns,
    make_axis,
)
from memviz.metrics.requests.request_places import find_request_number, is_marked
from memviz.transcripts.base import Transcript

PLAYER_KEY = "compare-player"
PARTS_KEY = "compare-composition"
TITLE_CHARS = 36
SHARES = (62, 38)
"""Per cent of the width, for the picture and for the reader beside it."""


@st.fragment
def draw_beside_reader(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    draw_picture: Callable[[], object],
    charts: Mapping[str, RequestAxis],
    *,
    draw_notes: Callable[[], object],
    draw_below: Callable[[Selection], object] | None,
    readout: Readout = Readout(),  # noqa: B008 - a value
) -> None:
    """Draw a picture with the player below it, and what happened at the selected request
    in a sentence. The whole request is a panel beside it (below it on a phone), which a
    click on a request opens. All of it is one fragment: moving the selection draws
    nothing else of the page.

    ``draw_picture`` draws the view's charts; ``charts`` are the keys of those with
    requests on their x axis, which get the line of the selected one, each with that
    axis. A click on them calls ``select`` or ``select_clicked`` of
    ``memviz/dashboard/ui/compare/selection.py``. ``draw_notes`` draws what stands under
    the player, ``draw_below`` what else shows the selected request, below both columns.
    Where the visitor plays the requests, the stage stands in place of picture and
    player, as wide as the page, its lanes with this ``readout``.
    """
    opens_reader = is_read() and not hides(Part.READER)
    if is_staged():
        play_on_stage(settings, read_selection(settings), transcript, readout)
        if opens_reader:
            _draw_reader(settings, transcript)
        elif not hides(Part.READER):
            _offer_reader()
    elif opens_reader:
        picture, request = st.columns(SHARES, gap="medium")
        with picture, st.container(gap="small"):
            _draw_picture_with_player(settings, charts, draw_picture, draw_notes)
        with request:
            _draw_reader(settings, transcript)
    else:
        with st.container(gap="small"):
            _draw_picture_with_player(settings, charts, draw_picture, draw_notes)
    if hides(Part.READER) and presenting().is_minimal:
        # On a page that shows nothing else one line says what is selected, and leads to the whole page.
        open_in_memviz(_caption(read_selection(settings), transcript))
    keep_address("compare-address")
    if draw_below is not None and not hides(Part.NUMBERS):
        draw_below(read_selection(settings))


def _draw_picture_with_player(
    settings: Sequence[SettingRun],
    charts: Mapping[str, RequestAxis],
    draw_picture: Callable[[], object],
    draw_notes: Callable[[], object],
) -> None:
    draw_picture()
    if not hides(Part.PLAYER):
        _draw_player(settings, charts)
    if not hides(Part.NUMBERS):
        draw_notes()
    if not hides(Part.READER) and not is_read():
        _say_what_happened(read_selection(settings))
        _offer_reader()


def _say_what_happened(selection: Selection) -> None:
    """Say what the selected request was, and what was done to the memory before it."""
    run = selection.setting.run
    mark_row(selection.setting.index)
    with st.container(key="compare-at-request", gap="xsmall"), row():
        number = find_request_number(run, selection.turn, selection.call)
        if number is None:
            show_info(plain(no_request_words(run, selection.turn)))
            return
        name = f"{selection.name[0].upper()}{selection.name[1:]}"
        st.markdown(
            _(
                "**{name}** · {label}: {size} sent",
                name=name,
                label=plain(selection.setting.label),
                size=counted(run.requests[number].total_tokens, "token"),
            ),
            width="content",
        )
        draw_reasons(run, range(number, number + 1))


def _offer_reader() -> None:
    quiet_button(
        _("Read this request"), "compare-read", ":material/article:", open_request
    )


def tell_audience_of_request(finding: str, notes: Iterable[str]) -> None:
    """Before an audience, say in one sentence what the view shows, and give ``notes`` to who speaks about it. The stage
    says a sentence of its own, so there the ``finding`` is a note as well."""
    if is_staged():
        speaker_notes([finding, *notes])
    else:
        tell_audience(finding, notes)


def _caption(selection: Selection, transcript: Transcript) -> str:
    """``Planning a trip · turn 13: 1,085 tokens under Summary buffer · 1,500 tokens``"""
    title = shorten(bundled_words(transcript.title), TITLE_CHARS)
    words = f"{title} · {selection.name}"
    if selection.record is None:
        return words
    return _(
        "{words}: {size} under {label}",
        words=words,
        size=counted(selection.record.total_tokens, "token"),
        label=selection.setting.label,
    )


def shared_axis(settings: Sequence[SettingRun]) -> RequestAxis:
    """The x axis that charts of these settings share."""
    return make_axis(setting.run for setting in settings)


_PARTS_ALT = noop("Tokens of each part of every request under {label}")
_PLAYER_JS = f"{walk_script()}\n{own_text(__package__, 'player.js')}"
_player = st.components.v2.component(
    "memviz_player",
    html='<div class="memviz-buttons"></div>',
    css=f"{controls_style()}\n{own_text(__package__, 'player.css')}",
    js=_PLAYER_JS,
)


def _draw_player(
    settings: Sequence[SettingRun], charts: Mapping[str, RequestAxis]
) -> None:
    """Draw the player, which moves the selection through the requests of the selected setting."""
    selection = read_selection(settings)
    turns, place = list_walkable_requests(settings, selection)
    marks = {}
    ruled = []
    for number, setting in enumerate(settings):
        marks[str(number)] = _marks(turns, setting.run)
        if not setting.run.strategy.writes_notes:
            ruled.append(number)
    # The browser finds a request on each chart by the last place of its turn; where turns are places it needs none.
    last_places = {}
    axes = {**charts, PARTS_KEY: make_axis([selection.setting.run])}
    for name, axis in axes.items():
        last_places[name] = None if axis.is_by_turn else axis.lasts.tolist()
    # In the browser places and numbers count from 0.
    data = {
        "turns": turns,
        "at": place,
        "setting": selection.number,
        "charts": last_places,
        "marks": marks,
        "ruled": ruled,
        "words": script_words(_PLAYER_JS),
    }
    _player(data=data, key=PLAYER_KEY, on_move_change=partial(_follow, settings))


def _follow(settings: Sequence[SettingRun]) -> None:
    """Move the selection to where the visitor walked. ``behind`` is the number of calls of the turn after that one."""
    move: Mapping[str, Any] = (widget_value(PLAYER_KEY) or {}).get("move") or {}
    turn = move.get("turn")
    behind = move.get("behind")
    setting = move.get("setting")
    # What a browser sends is not to be trusted.
    if isinstance(turn, int) and isinstance(behind, int) and isinstance(setting, int):
        move_to(settings, turn, behind, setting)


def _marks(turns: Sequence[int], run: Run) -> list[int]:
    """Return where ``run`` summarized, or cleared or shortened messages by a rule, as places (0-based) in a walk
    through requests of these turns. Calls of a turn are counted from its last one, as on the charts: another run may
    have taken more of them."""
    run_turns = list_request_turns(run).tolist()
    places = []
    for number, compactions in run.requests.compactions():
        if any(map(is_marked, compactions)):
            turn = run_turns[number]
            own_last_call = bisect_right(run_turns, turn) - 1
            calls_behind = own_last_call - number
            first_call = bisect_left(turns, turn)
            last_call = bisect_right(turns, turn) - 1
            places.append(max(first_call, last_call - calls_behind))
    return places


def _draw_reader(settings: Sequence[SettingRun], transcript: Transcript) -> None:
    """Draw the selected request in full."""
    selection = read_selection(settings)
    run = selection.setting.run
    record = selection.record
    with st.container(key="compare-reader"):
        mark_row(selection.setting.index)
        title = _("**Request of {name}**", name=selection.name)
        if record:
            size = counted(record.total_tokens, "token")
            title = f"{title} · {size}"
        with row():
            st.markdown(title, width="stretch")
            quiet_button(_("Close"), "compare-close", ":material/close:", close_request)
        if len(settings) > 1:
            choose_setting(settings)
        else:
            show_caption(selection.setting.label)
        inspector(run, selection.turn, "compare", facts_of_study(run), selection.call)
        folded(
            _("Parts of every request"),
            "compare-parts",
            ":material/stacked_line_chart:",
            partial(_draw_parts, run),
        )
        numbers_of(
            _("Parts of every request, in numbers"),
            "compare-parts-numbers",
            partial(parts_table, run),
            _(_PARTS_ALT, label=selection.setting.label),
        )
        with st.container(horizontal=True):
            draw_downloads(settings, selection.setting, transcript)


def _draw_parts(run: Run) -> None:
    chart(kept_figure(run, composition, run), PARTS_KEY, parts_finding(run))
