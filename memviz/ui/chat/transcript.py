"""Talking: the transcript, the streamed reply, stop, retry and undo."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import takewhile
from time import monotonic

import streamlit as st

from memviz.context import Fate
from memviz.conversation import Message
from memviz.errors import MemvizError, ModelError
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.text.wording import message_number
from memviz.ui.chat.desk import ChatDesk
from memviz.ui.chat.recall import recall_turn_button
from memviz.ui.controls.inspector import BadgeColor
from memviz.ui.controls.model_work import recall_exchange, thoughts
from memviz.ui.controls.resumable_job import stop_button
from memviz.ui.shell.errors import show_error
from memviz.ui.shell.state import MESSAGES_SHOWN, ChatState
from memviz.ui.shell.text import call_text, plain

FRAME_SECONDS = 0.05
"""Pieces of a reply that arrive within this time are drawn together."""
WAITING, REMEMBERING = "Thinking", "Summarizing"
AVATARS = {
    "user": ":material/person:",
    "assistant": ":material/smart_toy:",
    "tool": ":material/build:",
    "system": ":material/settings:",
}
FATE_NOTES: dict[Fate, tuple[BadgeColor, str]] = {
    Fate.SUMMARIZED: ("violet", "in the summary"),
    Fate.DROPPED: ("gray", "dropped"),
    Fate.RECALLED: ("orange", "recalled"),
}


def transcript(desk: ChatDesk) -> None:
    """The newest messages, each with its fate at the last request; earlier ones on demand."""
    state, chat, log = desk.state, desk.chat, desk.chat.log
    stop = log.turn(log.turn_count).asked if state.retrying else len(log)
    first = max(0, stop - state.shown_messages)
    if first:
        st.button(
            f"Show {min(first, MESSAGES_SHOWN)} earlier messages",
            icon=":material/expand_less:",
            on_click=_show_more,
            args=(state,),
        )
    run = chat.run
    fates = run.fates_at(run.turns[-1]) if run.turns else ()
    recall_enabled = chat.strategy.allows_recall
    for position in range(first, stop):
        turn = log.turn(log.turn_number(position))
        if position == turn.asked and (record := record_of_turn(run, turn.number)):
            thoughts(record)
        if log[position].is_recall_exchange:
            if position == first or not log[position - 1].is_recall_exchange:
                recall_exchange(list(takewhile(lambda message: message.is_recall_exchange, log[position:stop])))
            continue
        fate = Fate(fates[position]) if position < len(fates) else Fate.NOT_YET
        _message(log[position], position, fate)
        if position == len(log) - 1 and is_unanswered(desk):
            _unanswered(state)
        if recall_enabled and turn.number and position == turn.stop - 1:
            recall_turn_button(desk, turn.number)


def _show_more(state: ChatState) -> None:
    state.shown_messages += MESSAGES_SHOWN


def _message(message: Message, position: int, fate: Fate) -> None:
    with st.chat_message(message.role, avatar=AVATARS[message.role]):
        if message.content:
            st.text(message.content)
        for call in message.tool_calls:
            st.code(call_text(call), language=None, wrap_lines=True)
        if fate in FATE_NOTES:
            color, note = FATE_NOTES[fate]
            st.badge(
                note, color=color, help=f"What became of message {message_number(position):,} at the last request."
            )
        if message.meta and message.meta.get("partial"):
            st.caption("stopped before it was complete")


def is_unanswered(desk: ChatDesk) -> bool:
    """Whether the last message has no reply, and nothing is being done about it."""
    state = desk.state
    return desk.chat.unanswered and desk.chat.proposal is None and not (state.going_on or state.retrying)


def _unanswered(state: ChatState) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="chat-unanswered"):
        st.badge("Not answered yet", icon=":material/pending:", color="gray")
        st.button("Retry", icon=":material/refresh:", type="tertiary", key="retry-unanswered", on_click=_retry,
                  args=(state,), disabled=state.deleted, help="Ask for the reply.")  # fmt: skip


def send(desk: ChatDesk, texts: Sequence[str]) -> None:
    """Keep what was typed before a model is asked: whatever happens from here on, it is there. The page is drawn again,
    with the chat's address, and asks for the reply."""
    state = desk.state
    state.error = None
    try:
        for text in texts:
            desk.chat.say(text)
        state.going_on = True
    except MemvizError as error:
        state.error = error
    desk.save()  # where the file fails, the talk goes on all the same, on the page alone
    if state.deleted:
        state.going_on = False
    st.rerun()


def talk(desk: ChatDesk) -> None:
    """Ask for the reply that the page was asked for, and say what went wrong with the last one."""
    state, chat = desk.state, desk.chat
    if state.going_on:
        state.going_on = False
        _answer(desk, chat.go_on(), None)
    elif state.retrying:
        state.retrying = False
        before = None if chat.unanswered else list(chat.log)
        _answer(desk, chat.retry(), before)
    if state.error is not None:
        _failed(state.error)


def _failed(error: MemvizError) -> None:
    arrived = getattr(error, "partial", "")
    if arrived:
        with st.chat_message("assistant", avatar=AVATARS["assistant"]):
            st.text(arrived)
    show_error(
        error, "Your message is kept: retry, or change the model first." if isinstance(error, ModelError) else ""
    )


def _answer(desk: ChatDesk, pieces: Generator[str, None, None], replaces: Sequence[Message] | None) -> None:
    with st.chat_message("assistant", avatar=AVATARS["assistant"]):
        place = st.empty()
        place.caption(WAITING if desk.chat.unanswered else REMEMBERING)
        stop_button("chat-stop")
        try:
            for text in _frames(pieces):
                if text:
                    place.text(text)
        except MemvizError as error:
            desk.state.error = error
        finally:  # also when the page is left or stopped: nothing here may touch the page
            pieces.close()
            desk.save(replaces)
    st.rerun()  # everything drawn before the reply shows what it changed: fates, the list, the error


def _frames(pieces: Iterator[str]) -> Iterator[str]:
    """The text so far, every now and then, and at the end; empty as long as there is none."""
    text, drawn = "", monotonic() - FRAME_SECONDS
    for piece in pieces:
        text += piece
        if monotonic() - drawn >= FRAME_SECONDS:
            yield text
            drawn = monotonic()
    yield text


def turn_controls(desk: ChatDesk) -> None:
    """Retry and undo the last turn."""
    if not desk.chat.log.turn_count:
        return
    with st.container(horizontal=True):
        if not is_unanswered(desk):  # else it stands at the message
            st.button("Retry", icon=":material/refresh:", type="tertiary", on_click=_retry, args=(desk.state,),
                      disabled=desk.chat.proposal is not None or desk.state.deleted,
                      help="Ask for the last reply again.")  # fmt: skip
        st.button("Undo turn", icon=":material/undo:", type="tertiary", on_click=_undo, args=(desk,),
                  help="Take the last message and its reply back, and what was summarized since.")  # fmt: skip


def _retry(state: ChatState) -> None:
    state.error, state.retrying = None, True


def _undo(desk: ChatDesk) -> None:
    desk.state.error = None
    before = list(desk.chat.log)
    desk.chat.undo()
    desk.save(before)


def empty_chat() -> None:
    """What to do first."""
    st.info(
        "Say something with a fact in it, such as "
        + plain('"My budget is 3,000 euros and my daughter Mira is allergic to nuts."')
        + " Go on until it was summarized, then ask for it.",
        icon=":material/lightbulb:",
    )
