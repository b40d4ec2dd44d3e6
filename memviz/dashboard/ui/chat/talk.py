"""Talking: what was typed is kept, the reply is streamed and can be stopped, and a turn is retried or undone."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.errors import MemvizError
from memviz.core.messages import Message
from memviz.core.model_errors import MissingVectorsError, ModelError
from memviz.core.translation import _, noop
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.chat.transcript import AVATARS, is_unanswered, retry
from memviz.dashboard.ui.controls.jobs import stop_button
from memviz.dashboard.ui.controls.spending import bound_caption, told_beside
from memviz.dashboard.ui.shell.elements import (
    buttons_row,
    quiet_button,
    row,
    show_error,
)
from memviz.metrics.cost.bounds import MESSAGE_TOKENS, measure_token_margin, plan_turn
from memviz.models.embedding import MOST_BYTES
from memviz.models.planned_calls import PlannedCalls, price_at_most
from memviz.strategies.lookup import embedding_asked_by

FRAME_SECONDS = 0.05
"""Pieces of a reply that arrive within this time are drawn together."""
NEXT_HELP = noop(
    "After a message of yours with up to {tokens} tokens, after Retry, and after a decision on a summary. "
    "Every reply and summary is taken to be as long as the reply limit allows."
)
WAITING = noop("Thinking")
REMEMBERING = noop("Summarizing")


def store_message(desk: ChatDesk, texts: Sequence[str]) -> None:
    """Keep what was typed before a model is asked: whatever happens from here on, it is there. The page is drawn again,
    with the chat's address, and asks for the reply."""
    # The first that cannot be said ends it: those behind it belong to what it would have said.
    is_said = all(desk.change(desk.chat.say, text) for text in texts)
    desk.save()  # where the file fails, the talk goes on all the same, on the page alone
    desk.state.going_on = is_said and not desk.state.deleted
    st.rerun()


def answer_and_report(desk: ChatDesk) -> None:
    """Ask for the reply that the page was asked for, and say what went wrong with the last one."""
    state = desk.state
    chat = desk.chat
    if state.going_on:
        state.going_on = False
        _answer(desk, chat.go_on(), None)
    elif state.retrying:
        state.retrying = False
        before = None if chat.unanswered else list(chat.log)
        _answer(desk, chat.retry(), before)
    if isinstance(state.error, ModelError) and state.failed_with != desk.models:
        state.error = None  # it may not hold with another key, address or model: the message waits for its reply
    # Vectors that are missing are offered below the talk.
    if state.error is not None and not isinstance(state.error, MissingVectorsError):
        _show_failure(state.error)


def _show_failure(error: MemvizError) -> None:
    remedy = ""
    if isinstance(error, ModelError):
        remedy = _("Your message is kept: retry, or change the model first.")
        if error.partial:
            with st.chat_message("assistant", avatar=AVATARS["assistant"]):
                st.text(error.partial)
    show_error(error, remedy)


def _answer(
    desk: ChatDesk,
    pieces: Generator[str, None, None],
    replaces: Sequence[Message] | None,
) -> None:
    bubble = st.empty()
    with bubble.container(), st.chat_message("assistant", avatar=AVATARS["assistant"]):
        place = st.empty()
        place.caption(_(WAITING if desk.chat.unanswered else REMEMBERING))
        with row():
            stop_button("chat-stop")
            cost_place = st.empty()
        try:
            with _show_cost_meanwhile(desk, cost_place):
                for text in _group_pieces_into_frames(pieces):
                    if text:
                        place.text(text)
        except MemvizError as error:
            desk.state.error = error
            desk.state.failed_with = desk.models
        finally:  # also when the page is left or stopped: nothing here may touch the page
            pieces.close()
            desk.save(replaces)
    if desk.chat.unanswered:
        bubble.empty()  # what is not drawn again stays until the end of the next run, which may take long
    st.rerun()  # everything drawn before the reply shows what it changed: fates, the list, the error


def _show_cost_meanwhile(
    desk: ChatDesk, place: DeltaGenerator
) -> AbstractContextManager[None]:
    """Return a block in which ``place`` says what the reply costs while it is under way, where it may cost
    something."""
    models = desk.models
    if models.are_free:
        return nullcontext()
    paid = models.summarizer if models.answerer.is_free else models.answerer
    return told_beside(place, paid.name)


def bound_next_reply(desk: ChatDesk) -> None:
    """Say what the next reply costs at most: to another message, or to the last one once more."""
    models = desk.models
    chat = desk.chat
    embedding = embedding_asked_by(chat.strategy)
    if models.are_free and not embedding:
        return
    log_tokens = int(chat.memory.sums.totals[-1])
    margin = measure_token_margin(chat.log, chat.run.counter)
    try:
        request_tokens = chat.next_request_tokens + MESSAGE_TOKENS
    except MissingVectorsError:
        return  # it is offered elsewhere to ask for them
    except MemvizError as error:
        show_error(error)
        return
    turn = plan_turn(
        chat.strategy,
        request_tokens,
        log_tokens,
        models.askers,
        margin,
        chat.recall_tool,
    )
    if embedding:
        # The reply before, the message and the question of both, or what is noted of them.
        turn.append(PlannedCalls.at_most(embedding, [MOST_BYTES] * 3, 0, margin=1.0))
    bound_caption(
        price_at_most(turn),
        before=_("The next reply."),
        help=_(NEXT_HELP, tokens=MESSAGE_TOKENS),
    )


def _group_pieces_into_frames(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the text so far, every now and then, and at the end; empty as long as there is none. Each piece drawn by
    itself would keep the browser busy."""
    text = ""
    next_at = 0.0
    for piece in pieces:
        text += piece
        if monotonic() >= next_at:
            yield text
            next_at = monotonic() + FRAME_SECONDS
    yield text


def draw_turn_controls(desk: ChatDesk) -> None:
    """Draw the buttons that retry and undo the last turn."""
    if not desk.chat.log.turn_count:
        return
    with buttons_row():
        if not is_unanswered(desk):  # else it stands at the message
            quiet_button(
                _("Retry"),
                "chat-retry",
                ":material/refresh:",
                retry,
                disabled=desk.chat.proposal is not None or desk.state.deleted,
                help=_("Ask for the last reply again."),
            )
        quiet_button(
            _("Undo turn"),
            "chat-undo",
            ":material/undo:",
            _undo,
            desk,
            help=_(
                "Take the last message and its reply back, and what was summarized since."
            ),
        )


def _undo(desk: ChatDesk) -> None:
    desk.state.error = None
    before = list(desk.chat.log)
    desk.chat.undo()
    desk.save(before)
