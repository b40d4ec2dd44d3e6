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
from memviz.ui.shell.errors import show_error
from memviz.ui.shell.state import MESSAGES_SHOWN, ChatState
from memviz.ui.shell.text import call_text, plain

FRAME_SECONDS = 0.05
"""Pieces of a reply that arrive within this time are drawn together."""
WAITING = "Thinking"
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


def talk(desk: ChatDesk, prompt: str | None) -> None:
    """Send what was typed, or answer what still waits for a reply."""
    state, chat = desk.state, desk.chat
    if prompt is not None and prompt.strip():
        state.error = None
        with st.chat_message("user", avatar=AVATARS["user"]):
            st.text(prompt)
        _answer(desk, chat.stream(prompt), None)
    elif state.going_on:
        state.going_on = False
        _answer(desk, chat.go_on(), None)
    elif state.retrying:
        state.retrying = False
        before = list(chat.log)
        _answer(desk, chat.retry(), before)
    if chat.unanswered and chat.proposal is None and state.error is None:
        st.caption("The last message has no reply yet. Retry asks for it.")
    if state.error is not None:
        kept = "Your message is kept: retry, or change the model first."
        show_error(state.error, kept if isinstance(state.error, ModelError) else "")


def _answer(desk: ChatDesk, pieces: Generator[str, None, None], replaces: Sequence[Message] | None) -> None:
    state = desk.state
    bubble = st.empty()
    with bubble.container(), st.chat_message("assistant", avatar=AVATARS["assistant"]):
        place, stop = st.empty(), st.empty()
        place.caption(WAITING)
        stop.button("Stop", icon=":material/stop_circle:", key="chat-stop")
        try:
            for text in _frames(pieces):
                place.text(text)
        except MemvizError as error:
            state.error = error
            place.text(getattr(error, "partial", ""))
        finally:  # also when the page is left or stopped: nothing here may touch the page
            pieces.close()
            desk.save(replaces)
        stop.empty()
    if not getattr(state.error, "partial", True):
        bubble.empty()
    if state.error is None:
        st.rerun()  # everything drawn before the reply shows what it changed: fates, the list, the address


def _frames(pieces: Iterator[str]) -> Iterator[str]:
    """The text so far, every now and then, and at the end. Before there is any, it only keeps the page
    alive, so that a model which is thinking can be stopped."""
    text, drawn = "", monotonic() - FRAME_SECONDS
    for piece in pieces:
        text += piece
        if monotonic() - drawn >= FRAME_SECONDS:
            yield text or WAITING
            drawn = monotonic()
    yield text


def turn_controls(desk: ChatDesk) -> None:
    """Retry and undo the last turn."""
    if not desk.chat.log.turn_count:
        return
    with st.container(horizontal=True):
        st.button("Retry", icon=":material/refresh:", type="tertiary", on_click=_retry, args=(desk.state,),
                  disabled=desk.chat.proposal is not None, help="Ask for the last reply again.")  # fmt: skip
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
