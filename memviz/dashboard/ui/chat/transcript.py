"""The talk, message by message, each with what became of it; alone as long as no memory is derived."""

from collections.abc import Iterable, Mapping
from itertools import takewhile
from operator import attrgetter

import streamlit as st

from memviz.core.context import Fate
from memviz.core.messages import Message
from memviz.core.text.wording import counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.ui.chat.current import LongTalk
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.chat.recall import draw_recall_turn_button
from memviz.dashboard.ui.controls.authorship import say_why_stand_in
from memviz.dashboard.ui.controls.chat_state import MESSAGES_SHOWN, chat_state
from memviz.dashboard.ui.controls.inspector import BadgeColor
from memviz.dashboard.ui.controls.jobs import Step, watch
from memviz.dashboard.ui.controls.known_facts import known_facts
from memviz.dashboard.ui.controls.message_html import prose
from memviz.dashboard.ui.controls.model_calls import (
    draw_call,
    draw_recall_exchange,
    draw_thoughts,
)
from memviz.dashboard.ui.controls.replaying import how_far
from memviz.dashboard.ui.controls.spending import spending
from memviz.dashboard.ui.shell.elements import (
    button,
    draw_scroll,
    quiet_button,
    row,
    show_caption,
    show_info,
)
from memviz.dashboard.ui.shell.frame import store
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.authors import message_facts_words
from memviz.engine.background_replay import BackgroundReplay
from memviz.engine.run import Run
from memviz.metrics.requests.request_table import find_record_of_turn
from memviz.metrics.retention.message_facts import (
    NO_FACTS,
    MessageFacts,
    find_facts_of_messages,
)
from memviz.storage.workspace import FIRST_SAMPLE

AVATARS = {
    "user": ":material/person:",
    "assistant": ":material/smart_toy:",
    "tool": ":material/build:",
    "system": ":material/settings:",
}
EXAMPLE = noop('"My budget is 3,000 euros and my daughter Mira is allergic to nuts."')
SAMPLE_QUESTION = noop('"What is Niamh allergic to?"')
"""A question about something that was said early in the sample, and is in no summary of the setting that a chat begins
with."""
FATE_COLORS: dict[Fate, BadgeColor] = {
    Fate.SUMMARIZED: "violet",
    Fate.OPAQUE: "gray",
    Fate.DROPPED: "gray",
    Fate.RECALLED: "orange",
    Fate.CLEARED: "yellow",
    Fate.SHORTENED: "green",
}
"""The colours of the badges of messages that are not sent word for word."""
WAIT_FOR_MEMORY = noop("You can write once the memory is derived")
LONG = noop(
    "These are the newest of {messages}. What a model would be sent depends on the memory of all of "
    "them: deriving it takes a minute for about 50,000, and a gigabyte for about 300,000."
)


def draw_transcript(desk: ChatDesk) -> None:
    """Draw the newest messages, each with its fate at the last request; earlier ones on demand."""
    state = desk.state
    chat = desk.chat
    log = chat.log
    run = chat.run
    # While an answer is written again, the one before it is not shown.
    stop = log.turn(log.turn_count).asked if state.retrying else len(log)
    first = _choose_first_shown(stop)
    fates = run.fates_at(run.turns[-1]) if run.turns else ()
    facts = _facts_of_messages(desk, run, range(first, stop))
    for position in range(first, stop):
        message = log[position]
        turn = log.turn(log.turn_number(position))
        if position == turn.start:
            _draw_setting_mark(run, turn.number)
        if position == turn.asked:
            record = find_record_of_turn(run, turn.number)
            if record is not None:
                draw_thoughts(record)
        if message.is_recall_exchange:
            # All messages of an exchange are drawn as one, at the first of them that is shown.
            if position == first or not log[position - 1].is_recall_exchange:
                messages_left = log[position:stop]
                is_exchange = attrgetter("is_recall_exchange")
                draw_recall_exchange(list(takewhile(is_exchange, messages_left)))
            continue
        # What was said after the last request has no fate yet.
        fate = Fate(fates[position]) if position < len(fates) else Fate.NOT_YET
        _draw_message(message, position, fate, facts.get(position, NO_FACTS))
        if position == len(log) - 1 and is_unanswered(desk):
            _draw_unanswered()
        is_last_of_turn = turn.stop > turn.asked and position == turn.stop - 1
        if chat.strategy.allows_recall and turn.number and is_last_of_turn:
            draw_recall_turn_button(desk, turn.number)
    is_answered = not (chat.unanswered or state.retrying)
    if run.turns and desk.models.answerer.recorded_first and is_answered:
        last = run.turns[-1]
        say_why_stand_in([(run.strategy_at(last.turn).label, last.facts)])
    _draw_setting_mark(run, log.turn_count + 1)


def _draw_setting_mark(run: Run, turn: int) -> None:
    """Draw the setting from a turn on, where the chat was held under another one before it."""
    if turn - 1 not in [setting.last_turn for setting in run.earlier_settings]:
        return
    label = run.strategy_at(turn).label
    st.badge(
        plain(_("From turn {turn:,} on: {label}", turn=turn, label=label)),
        icon=":material/tune:",
        color="gray",
        help=_("The requests above stay as they were sent, under the setting before."),
    )


def _facts_of_messages(
    desk: ChatDesk, run: Run, shown: range
) -> Mapping[int, MessageFacts]:
    """The facts of those messages that the last request does not hold word for word."""
    if not run.turns:
        return {}
    facts = known_facts(desk.state.conversation_id, run.log, grows=True)
    return find_facts_of_messages(run.turns[-1], facts, shown) if facts else {}


def _draw_messages_alone(messages: Iterable[Message], first: int) -> None:
    """Messages of a conversation whose memory is not there yet, so it is not known what became of them."""
    for position, message in enumerate(messages, first):
        if not message.is_recall_exchange:
            _draw_message(message, position, Fate.NOT_YET)


def draw_talk_while_deriving(work: BackgroundReplay) -> None:
    """Draw the newest messages, and below them how far ``work`` is, which derives the memory. The page is drawn again
    when it is over."""
    state = chat_state()
    first = _choose_first_shown(len(work.log))
    _draw_messages_alone(work.log[first:], first)

    def step() -> Step:
        words = _(
            "Deriving the memory from {turns}: {how_far}",
            turns=counted(work.total, "turn"),
            how_far=how_far(work),
        )
        return Step(work.done / work.total if work.total else 0.0, words)

    def note() -> str:
        way_out = _(
            "What is sent depends on this memory. Stop closes the conversation and leaves it as it is."
        )
        if state.begun is not None:
            way_out = _(
                "What is sent depends on the memory under this setting. Stop goes back to the setting before."
            )
        return f"{way_out} {spending().sentence}." if spending().is_used else way_out

    watch(work, step, "chat-derive-stop", note)


def draw_long_talk(talk: LongTalk) -> None:
    """Draw the newest messages of a long conversation, read alone, and the way to its memory."""
    first = _choose_first_shown(talk.messages)
    _draw_messages_alone(store().said(talk.id, first, talk.messages), first)
    with row("chat-long"):
        button(
            _("Derive the memory"),
            "chat-derive-long",
            ":material/restart_alt:",
            _ask_for,
            talk.id,
        )
        st.caption(_(LONG, messages=counted(talk.messages, "message")))


def _ask_for(id: str) -> None:
    chat_state().long_asked_for = id


def keep_for_later(typed: str | None) -> None:
    """Send what was typed once there is a memory; it may arrive with the very click that has one derived, when the
    input is already closed and gives nothing."""
    state = chat_state()
    if typed and typed.strip():
        state.to_send = (*state.to_send, typed)


def _choose_first_shown(stop: int) -> int:
    """The position of the first message to draw, below a button for the earlier ones."""
    first = max(0, stop - chat_state().shown_messages)
    if first:
        button(
            _("Show {number} earlier messages", number=min(first, MESSAGES_SHOWN)),
            None,
            ":material/expand_less:",
            _show_more,
        )
    return first


def _show_more() -> None:
    chat_state().shown_messages += MESSAGES_SHOWN


def _draw_message(
    message: Message, position: int, fate: Fate, facts: MessageFacts = NO_FACTS
) -> None:
    with st.chat_message(message.role, avatar=AVATARS[message.role]):
        if message.content:
            draw = prose if message.role == "assistant" else st.text
            draw(message.content)
        for call in message.tool_calls:
            draw_call(call)
        if fate in FATE_COLORS:
            help = _(
                "What became of message {number:,} at the last request.",
                number=message_number(position),
            )
            st.badge(_(FATE_WORDS[fate]), color=FATE_COLORS[fate], help=help)
            if facts:
                show_caption(message_facts_words(facts))
        if message.meta and message.meta.get("partial"):
            st.caption(_("stopped before it was complete"))


def is_unanswered(desk: ChatDesk) -> bool:
    """Return whether the last message has no reply, and nothing is being done about it."""
    is_asked = desk.state.going_on or desk.state.retrying
    return desk.chat.unanswered and desk.chat.proposal is None and not is_asked


def _draw_unanswered() -> None:
    with row("chat-unanswered"):
        st.badge(_("Not answered yet"), icon=":material/pending:", color="gray")
        if not chat_state().deleted:
            quiet_button(
                _("Retry"),
                "retry-unanswered",
                ":material/refresh:",
                retry,
                help=_("Ask for the reply."),
            )


def retry() -> None:
    """Have the page ask for the last reply, once more if there is one."""
    state = chat_state()
    state.error = None
    state.retrying = True


def draw_empty_chat(desk: ChatDesk) -> None:
    """Say what to do first: say something, or go on from a conversation in which much was said already."""
    show_info(
        _(
            "Say something with a fact in it, such as {example} Go on until it is summarized, then ask for it.",
            example=plain(_(EXAMPLE)),
        ),
        ":material/lightbulb:",
    )
    if desk.workspace.store.exists(FIRST_SAMPLE):
        button(
            _("Go on from the Portugal trip"),
            "chat-go-on-from-sample",
            ":material/flight_takeoff:",
            desk.state.open,
            FIRST_SAMPLE,
        )
        st.caption(
            _(
                "A long conversation to ask about. Its beginning is only in a summary by now, so ask "
                "{sample_question} and see what the model was sent. Your questions go into a copy.",
                sample_question=plain(_(SAMPLE_QUESTION)),
            )
        )


def scroll_to_newest(desk: ChatDesk) -> None:
    """Scroll the box that this stands in to its end if there is something new in the talk; a change of the setting or
    of a recall is nothing new."""
    state = desk.state
    chat = desk.chat
    drafts = len(chat.proposal.drafts) if chat.proposal is not None else -1
    is_waiting = state.going_on or state.retrying or state.draft_with is not None
    newest = f"{state.opened} {len(chat.log)} {drafts} {is_waiting} {state.error or ''}"
    draw_scroll("end", newest, "chat-newest")
