"""One message of the memory map: what became of it, turn by turn."""

from collections.abc import Iterator, Sequence

import streamlit as st

from memviz.core.context import Fate
from memviz.core.text.wording import (
    SEMICOLON,
    message_number,
    message_position,
    request_name,
    request_span,
    times,
    turn_list,
)
from memviz.core.translation import _, noop
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.charts.memory_map.message_life import life_finding, message_life
from memviz.dashboard.charts.palette import PART_COLORS, SettingRun
from memviz.dashboard.markup import section
from memviz.dashboard.ui.compare.selection import Selection, read_selection
from memviz.dashboard.ui.controls.known_facts import facts_of_study
from memviz.dashboard.ui.controls.message_html import MAX_CHARS_SHOWN, message_html
from memviz.dashboard.ui.controls.pictures import chart
from memviz.dashboard.ui.controls.sent_forms import sent_instead
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import box
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.authors import message_facts_words
from memviz.dashboard.words.requests import call_text, life_sentence, role_name
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import Span, build_fate_map
from memviz.metrics.retention.message_facts import find_message_facts
from memviz.transcripts.base import Probe

MESSAGE_KEY = "map-message"
LIFE_KEY = "map-life"
OPENED_KEY = "map-opened"
"""The key of the conversation that the opened message is of."""
MAX_PHRASES = 12
MAX_AGAIN = 6
WORD_FOR_WORD = noop("sent word for word")


def selected_message(run: Run) -> int:
    """Return the log position of the selected message: the first one, until another is chosen or clicked."""
    conversation_id = compare_state().conversation_id
    if linked("message", MESSAGE_KEY, range(1, len(run.log) + 1)):
        set_widget(OPENED_KEY, conversation_id)
    is_there = 1 <= (widget_value(MESSAGE_KEY) or 0) <= len(run.log)
    if widget_value(OPENED_KEY) != conversation_id or not is_there:
        set_widget(OPENED_KEY, conversation_id)
        set_widget(MESSAGE_KEY, 1)
    return message_position(widget_value(MESSAGE_KEY))


def say_life_of_selected(settings: Sequence[SettingRun]) -> None:
    """Show what became of the selected message under the selected setting, in a sentence."""
    setting = read_selection(settings).setting
    run = setting.run
    position = selected_message(run)
    st.markdown(
        _(
            "**Message {number:,}** ({role}, turn {turn}) under {label}: {life}",
            number=message_number(position),
            role=role_name(run.log[position].role),
            turn=run.log.turn_number(position),
            label=plain(setting.label),
            life=describe_life(build_fate_map(run).life(position)),
        )
    )


def draw_one_message(settings: Sequence[SettingRun], selection: Selection) -> None:
    """Choose a message, and see its life under every setting, its text, and what of its facts is still sent."""
    run = selection.setting.run
    position = selected_message(run)
    titled, chooser = st.columns([3, 1], vertical_alignment="bottom")
    titled.header(_("What became of one message?"), anchor=False)
    chooser.number_input(_("Message"), 1, len(run.log), step=1, key=MESSAGE_KEY)
    last = max(record.turn for other in settings for record in other.run.turns[-1:])
    figure = message_life(settings, position, last)
    chart(figure, LIFE_KEY, life_finding(settings, position))
    if selection.record is not None:
        _draw_at_request(
            selection.record, selection.name, position, facts_of_study(run)
        )
    with box():
        message = run.log[position]
        if message.content or not message.tool_calls:
            st.text(message.content[:MAX_CHARS_SHOWN] or _("This message has no text."))
        for call in message.tool_calls:
            st.code(call_text(call), language=None, wrap_lines=True)


def _draw_at_request(
    record: TurnRecord, name: str, position: int, probes: Sequence[Probe]
) -> None:
    """Show what of the message's facts the request still holds, and what was sent in its place."""
    sentences = [message_facts_words(find_message_facts(record, position, probes))]
    if record.strategy is not None:
        sentences.append(record.strategy.why_sent(record.memory, position))
    for sentence in map(plain, sentences):
        if sentence:
            st.markdown(
                _("At the request of {name}: {facts}", name=name, facts=sentence)
            )
    instead = sent_instead(record, position)
    if instead is not None:
        sent, how = instead
        st.markdown(_("At the request of {name} it was {how}:", name=name, how=how))
        html = message_html(sent, "", _("Tokens shows all of it"))
        st.html(section(PART_COLORS["history"], html))


def describe_life(life: Sequence[Span]) -> str:
    """Return the life of a message: ``sent word for word until turn 4; replaced by a summary since turn 5.``"""
    if not life:
        return _("no request came after it, so it was never sent.")
    return life_sentence(_describe_stretches(life), MAX_PHRASES)


def _describe_stretches(life: Sequence[Span]) -> Iterator[str]:
    """Yield what became of the message at each stretch of requests; several summarizations in a row are one phrase."""
    summarized_again: list[Span] = []
    # Of the span before: the number of summarizations behind it, 0 where it was no summary.
    generation_before = 0
    for span in life:
        is_summarized = span.fate is Fate.SUMMARIZED
        if is_summarized and 0 < generation_before < span.generation:
            summarized_again.append(span)
        else:
            if summarized_again:
                yield _again_words(summarized_again)
                summarized_again = []
            # What was summarized stays so: its end is not worth a word.
            open_end = is_summarized or span is life[-1]
            yield _describe_stretch(span, first=span is life[0], open_end=open_end)
        generation_before = span.generation if is_summarized else 0
    if summarized_again:
        yield _again_words(summarized_again)
    if life[-1].fate is Fate.SUMMARIZED:
        yield _(
            "by the last request it had been summarized {times}",
            times=times(life[-1].generation),
        )


def _describe_stretch(span: Span, *, first: bool, open_end: bool) -> str:
    is_whole = span.fate is Fate.VERBATIM
    words = _(WORD_FOR_WORD if is_whole else FATE_WORDS[span.fate])
    phrase = noop("{words} {span}")
    if span.first == span.last:
        phrase = noop("{words} at {since}")
    elif open_end:
        phrase = noop("{words} since {since}")
    elif first:
        phrase = noop("{words} until {until}")
    return _(
        phrase,
        words=words,
        since=request_name(*span.first),
        until=request_name(*span.last),
        span=request_span(span.first, span.last),
    )


def _again_words(spans: Sequence[Span]) -> str:
    if all(span.first_calls == 1 for span in spans):
        turns = turn_list([span.first_turn for span in spans], most=MAX_AGAIN)
    else:
        names = [request_name(*span.first) for span in spans]
        if len(names) > MAX_AGAIN:
            names[MAX_AGAIN:] = ["…"]
        turns = _(SEMICOLON).join(names)
    return _("summarized again at {turns}", turns=turns)
