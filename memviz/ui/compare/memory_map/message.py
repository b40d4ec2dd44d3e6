"""One message and one request of the fate map: what became of it, turn by turn, and what was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from memviz.charts.figure import CONFIG
from memviz.charts.memory_map.message_life import message_life
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.context import Fate
from memviz.metrics.memory_map.fate_map import Span, fate_map
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.text.wording import message_number, message_position, times, turn_list, turn_span
from memviz.ui.controls.inspector import inspector
from memviz.ui.controls.message_html import MAX_CHARS_SHOWN
from memviz.ui.controls.sidebar import MAP_TURN_KEY, choose_setting_run
from memviz.ui.shell.linked import linked
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import compare_state, set_widget, widget_value
from memviz.ui.shell.text import call_text, plain

SETTING_KEY, MESSAGE_KEY = "map-setting", "map-message"
OPENED_KEY = "map-opened"
"""Of which conversation the message and the turn are."""
INSPECTOR_PIXELS = 560
MAX_PHRASES = 12


@st.fragment
def one_message(settings: Sequence[SettingRun], conversation_id: str) -> None:
    """Choose a message, a request and a setting, or click them on a map."""
    st.subheader("What became of one message?", anchor=False)
    opened = widget_value(OPENED_KEY)
    if opened != conversation_id:
        set_widget(OPENED_KEY, conversation_id)
        set_widget(MESSAGE_KEY, None)
        if opened is not None:  # at first it is the turn of the link that was opened, if any
            set_widget(MAP_TURN_KEY, None)
    setting, position, turn = _choose(settings)
    run = setting.run
    last = max(record.turn for other in settings for record in other.run.turns[-1:])
    st.plotly_chart(
        message_life(settings, position, turn, last), key="map-life", config=CONFIG,
        alt=f"What became of message {message_number(position):,} under every setting, over the turns",
    )  # fmt: skip
    message, request = st.columns(2, gap="medium")
    with message:
        said = run.log[position]
        st.markdown(f"**Message {message_number(position):,}** · {said.role}, turn {run.log.turn_number(position)}")
        st.markdown(f"Under {plain(setting.label)}: {life_in_words(fate_map(run).life(position))}")
        with st.container(border=True):
            st.text(said.content[:MAX_CHARS_SHOWN] or "This message has no text.")
            for call in said.tool_calls:
                st.code(call_text(call), language=None, wrap_lines=True)
    with request:
        record = record_of_turn(run, turn)
        total = f", {record.total_tokens:,} tokens" if record else ""
        st.markdown(f"**Request of turn {turn}{total}**")
        with st.container(height=INSPECTOR_PIXELS, border=False):
            inspector(run, turn, "map")


def _choose(settings: Sequence[SettingRun]) -> tuple[SettingRun, int, int]:
    """The controls; returns the setting, the log position and the turn."""
    setting = choose_setting_run(compare_state(), settings, SETTING_KEY, len(settings) - 1)
    turns, messages = [record.turn for record in setting.run.turns], len(setting.run.log)
    linked("message", MESSAGE_KEY, range(1, messages + 1))
    if not 1 <= (widget_value(MESSAGE_KEY) or 0) <= messages:
        set_widget(MESSAGE_KEY, 1)
    if widget_value(MAP_TURN_KEY) not in turns:
        set_widget(MAP_TURN_KEY, turns[-1])
    left, right, link = st.columns([2, 6, 1], gap="medium", vertical_alignment="bottom")
    number = left.number_input("Message", 1, messages, step=1, key=MESSAGE_KEY)
    turn = right.select_slider("Request of turn", turns, key=MAP_TURN_KEY) if len(turns) > 1 else turns[0]
    with link:
        copy_link(compare_state(), "map-link", int(turn))
    return setting, message_position(int(number)), int(turn)


def life_in_words(life: Sequence[Span]) -> str:
    """A message's life as a sentence."""
    if not life:
        return "no request came after it, so it was never sent."
    phrases = list(_phrases(life))
    if len(phrases) > MAX_PHRASES:
        phrases[MAX_PHRASES - 2 : -1] = ["and so on"]
    text = "; ".join(phrases)
    return text + "."


def _phrases(life: Sequence[Span]) -> Iterator[str]:
    again: list[int] = []
    before: Span | None = None
    for span in life:
        if before is not None and before.fate is span.fate is Fate.SUMMARIZED and span.generation > before.generation:
            again.append(span.first_turn)
            before = span
            continue
        if again:
            yield _again(again)
            again = []
        yield _phrase(span, first=span is life[0], open_end=span is life[-1] or span.fate is Fate.SUMMARIZED)
        before = span
    if again:
        yield _again(again)
    if life[-1].fate is Fate.SUMMARIZED:
        yield f"by the last request it had been summarized {times(life[-1].generation)}"


def _phrase(span: Span, *, first: bool, open_end: bool) -> str:
    words = {
        Fate.VERBATIM: "sent word for word", Fate.SUMMARIZED: "in the summary", Fate.RECALLED: "recalled",
        Fate.DROPPED: "dropped",
    }[span.fate]  # fmt: skip
    if span.first_turn != span.last_turn and open_end:
        return f"{words} since turn {span.first_turn}"
    if span.first_turn != span.last_turn and first:
        return f"{words} until turn {span.last_turn}"
    return f"{words} {turn_span(span.first_turn, span.last_turn)}"


def _again(turns: Sequence[int]) -> str:
    return f"summarized again at {turn_list(turns, most=6)}"
