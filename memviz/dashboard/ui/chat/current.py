"""The chat that is on the page: resumed as it was left, or its memory derived from the messages.

Deriving takes seconds where a conversation is long or a paid summarizer is slow, so it
is a replay in a thread of its own. After a moment the page shows the conversation
without its memory (``deriving_talk`` in ``memviz/dashboard/ui/chat/transcript.py``), and asks again.
"""

from functools import partial
from typing import NamedTuple, NoReturn

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.storage_errors import DamagedRunError
from memviz.core.translation import _
from memviz.dashboard.ui.chat.deriving import (
    DerivedMemory,
    begin_deriving,
    bound_cost_of_deriving,
    derive_memory,
    show_setting_of,
)
from memviz.dashboard.ui.chat.desk import ChatDesk, stores_switches
from memviz.dashboard.ui.controls.chat_state import chat_state
from memviz.dashboard.ui.controls.pickers import ModelChoice, Models
from memviz.dashboard.ui.controls.spending import bound_caption
from memviz.dashboard.ui.shell.elements import button, errors_shown, show_error
from memviz.dashboard.ui.shell.frame import store, workspace
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.chat import Chat
from memviz.engine.run import Run
from memviz.engine.switching import was_asked
from memviz.models.base import Model
from memviz.models.planned_calls import CostBound
from memviz.strategies.base import Strategy

DERIVED_UNASKED_MESSAGES = 50_000
"""The memory of a longer conversation is derived when asked for: that takes minutes, and a gigabyte."""


class LongTalk(NamedTuple):
    """A saved conversation that is too long to derive its memory without being asked to."""

    id: str
    messages: int


def find_current_chat(models: Models) -> ChatDesk | BackgroundReplay | LongTalk:
    """Return the chat under the settings as they stand now, the replay that still derives its memory, or the
    conversation where that waits to be asked for. Stops the page with a sentence where that fails."""
    state = chat_state()
    with errors_shown():
        if state.deriving is not None and state.deriving.is_stopped:
            _return_to_setting_before(state.deriving.note)
        strategy = state.setting.build()
        chat = state.begun or _open_chat(models, strategy)
        if not isinstance(chat, Chat):
            return chat
        # Models, switches and vectors are the session's: they may be others than when the chat was begun.
        chat.log.kept_vectors = workspace().kept_vectors
        chat.use(models.answerer.build(), models.summarizer.build())
        chat.recall_tool = state.recall_tool or None
        chat.review = state.review
        desk = ChatDesk(workspace(), state, chat, models)
        if _setting_of_chat(chat) == (strategy, state.counter):
            state.derive()  # the setting that another one was being derived for was taken back
        else:
            work = _change_setting(desk, strategy)
            if work is not None:
                return work
            desk.save()
        if state.deleted and not desk.is_gone:  # restored elsewhere as well
            desk.restore()
    desk.save_what_was_refused()
    if state.kept_review != state.review:  # it has to be on after a reload as well
        state.kept_review = state.review
        desk.save()
    return desk


def _setting_of_chat(chat: Chat) -> tuple[Strategy, str]:
    return chat.strategy, chat.run.counter.name


def _open_chat(
    models: Models, strategy: Strategy
) -> Chat | BackgroundReplay | LongTalk:
    """Return a new chat or the saved one, if its memory is there; else the replay that derives it, or the conversation
    where that is not begun without being asked for."""
    state = chat_state()
    answering = models.answerer.build()
    writing = models.summarizer.build()
    id = state.conversation_id
    if id is None:
        state.chat = Chat(
            strategy,
            model=answering,
            summarizer=writing,
            counter=state.counter,
            system_prompt=state.system_prompt.strip() or None,
        )
        return state.chat
    run = _read_or_derive_run(id, models.summarizer, strategy)
    if not isinstance(run, Run):
        return run
    chat = Chat.resume(run, model=answering, summarizer=writing)
    state.chat = chat
    state.kept_ahead = chat.ahead
    state.write_on_click = not models.summarizer.is_free
    # The controls were drawn before the chat was read: if it was left otherwise, they are drawn again.
    is_as_shown = _setting_of_chat(chat) == (strategy, state.counter)
    if stores_switches(id) and chat.review != state.review:
        state.review = chat.review
        is_as_shown = False
    if not is_as_shown:
        show_setting_of(chat)
        st.rerun()
    return chat


def _read_or_derive_run(
    id: str, summarizer: ModelChoice, strategy: Strategy
) -> Run | BackgroundReplay | LongTalk:
    """Return the run of a saved chat, or of another conversation the replay that derives it; that itself where it waits
    to be asked for."""
    state = chat_state()

    def begin(
        writer: Model, cancellation: Cancellation, *, is_damaged: bool = False
    ) -> BackgroundReplay:
        return workspace().deriving_chat(
            id,
            state.counter,
            writer,
            strategy,
            cancellation=cancellation,
            is_damaged=is_damaged,
        )

    entry = store().entry(id)
    key = (id, entry.updated_at, strategy, state.counter, summarizer)
    memory = DerivedMemory(key, begin, strategy)
    if state.deriving is None or state.deriving_of != key:
        state.derive()
        try:
            run = store().chat_run(id)
        except DamagedRunError as error:
            damaged = memory._replace(begin=partial(begin, is_damaged=True))
            costs = bound_cost_of_deriving(summarizer, memory)
            _offer_to_derive(error, summarizer, damaged, costs)
        if run is not None:
            return run
        is_long = entry.message_count > DERIVED_UNASKED_MESSAGES
        if is_long and state.long_asked_for != id:
            return LongTalk(id, entry.message_count)
    return derive_memory(summarizer, memory)


def _offer_to_derive(
    error: DamagedRunError,
    summarizer: ModelChoice,
    memory: DerivedMemory,
    costs: CostBound,
) -> NoReturn:
    """Offer to derive the chat's memory from its messages, because how it was left cannot be read; end the page."""
    show_error(
        error,
        _(
            "The messages of this chat are all there; what was reworded or undone is lost."
        ),
    )
    if button(
        _("Derive its memory from the messages"),
        "chat-derive",
        ":material/restart_alt:",
    ):
        begin_deriving(summarizer, memory)
        st.rerun()
    if costs != CostBound():
        bound_caption(costs)
    st.stop()


def _change_setting(desk: ChatDesk, strategy: Strategy) -> BackgroundReplay | None:
    """Go on under another setting; returns the replay that still derives the memory for that."""
    state = desk.state
    chat = desk.chat
    summarizer = desk.models.summarizer
    had_decisions = chat.run.has_decisions
    was_waiting = chat.proposal is not None
    key = (state.conversation_id, len(chat.log), strategy, state.counter, summarizer)

    def begin(writer: Model, cancellation: Cancellation) -> BackgroundReplay:
        beginning = chat.begin_under(strategy, state.counter, writer)
        return BackgroundReplay(*beginning, lambda run: None, cancellation)

    calls = len(chat.run.compactions) if was_asked(chat.run) else 0
    run = derive_memory(summarizer, DerivedMemory(key, begin, strategy, calls))
    if isinstance(run, BackgroundReplay):
        return run
    chat.adopt(run)
    # What waited for a decision under the setting before is sent now, without one.
    state.going_on = was_waiting and chat.unanswered
    if had_decisions:
        st.toast(
            _(
                "What you reworded or undid stays with the setting before, and holds again when you go back to it."
            ),
            icon=":material/info:",
        )
    return None


def _return_to_setting_before(note: str) -> None:
    """Stay under the setting before, or go back to the conversation before, because the memory is not derived. The
    ``note`` says why, where it is not that the visitor stopped it."""
    state = chat_state()
    if state.begun is not None:
        state.derive()
        show_setting_of(state.begun)
    else:
        came_from = state.came_from
        state.came_from = None
        state.open(came_from)
    if note:
        state.error = MemvizError(note)
    st.rerun()
