"""The chat that is on the page: resumed as it was left, or its memory derived from the messages.

Deriving takes seconds where a conversation is long or a paid summarizer is slow, so it
is a replay in a thread of its own. After a moment the page shows the conversation
without its memory (``memviz/dashboard/ui/chat/deriving.py``), and asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple, NoReturn

import streamlit as st

from memviz.core.errors import DamagedRunError, MemvizError
from memviz.dashboard.ui.chat.desk import ChatDesk, keeps_its_switches
from memviz.dashboard.ui.controls.chat_state import ChatState
from memviz.dashboard.ui.controls.jobs import start_button, use_the_stand_in_button
from memviz.dashboard.ui.controls.paid_replays import FORESEEN_TURNS
from memviz.dashboard.ui.controls.pickers import ModelChoice, Models
from memviz.dashboard.ui.controls.spending import bound_caption, spending
from memviz.dashboard.ui.controls.study import Setting
from memviz.dashboard.ui.shell.errors import errors_shown, show_error
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.chat import Chat
from memviz.engine.run import Run
from memviz.engine.switching import was_asked
from memviz.metrics.cost.bounds import UNFORESEEN, summaries_bound
from memviz.models.base import Model
from memviz.models.cost_bound import CostBound
from memviz.models.registry import OFFLINE, model
from memviz.storage.workspace import Workspace
from memviz.strategies.base import Strategy

AT_ONCE_SECONDS = 1.0
"""So long the page waits for the memory before it shows the conversation without it."""
FORESEEN_SECONDS = 10.0
"""So long it may take to work out how many summaries there will be."""
DERIVED_UNASKED_MESSAGES = 50_000
"""The memory of a longer conversation is derived when asked for: that takes minutes, and a gigabyte."""
Begin = Callable[[Model, Cancellation], BackgroundReplay]


class LongTalk(NamedTuple):
    """A saved conversation that is too long to derive its memory without being asked to."""

    id: str
    messages: int


def current_chat(
    workspace: Workspace, state: ChatState, models: Models
) -> ChatDesk | BackgroundReplay | LongTalk:
    """The chat under the settings as they stand now, the replay that still derives its memory, or the conversation
    where that waits to be asked for. Stops the page with a sentence where that fails."""
    with errors_shown():
        if state.deriving is not None and state.deriving.is_stopped:
            _leave_as_it_was(state)
        chosen = state.setting.build()
        said = state.chat if state.chat is not None and len(state.chat.log) else None
        chat = said or _open(workspace, state, models, chosen)
        if not isinstance(chat, Chat):
            return chat
        chat.use(models.answerer.build(), models.summarizer.build())
        chat.recall_tool = state.recall_tool
        chat.review = state.review
        desk = ChatDesk(workspace, state, chat, models)
        if _setting_of(chat) == (chosen, state.counter):
            state.derive()  # the setting that another one was being derived for was taken back
        elif work := _change_setting(desk, chosen):
            return work
        else:
            desk.save()
        if state.deleted and not desk.is_gone:  # restored elsewhere as well
            desk.restore()
    desk.save_what_was_refused()
    if state.kept_review != state.review:  # it has to be on after a reload as well
        state.kept_review = state.review
        desk.save()
    return desk


def _setting_of(chat: Chat) -> tuple[Strategy, str]:
    return chat.strategy, chat.run.counter.name


def _open(
    workspace: Workspace, state: ChatState, models: Models, chosen: Strategy
) -> Chat | BackgroundReplay | LongTalk:
    """A new chat or the saved one, if its memory is there; else the replay that derives it, or the conversation where
    that is not begun without being asked for."""
    answering = models.answerer.build()
    writing = models.summarizer.build()
    id = state.conversation_id
    if id is None:
        prompt = state.system_prompt.strip() or None
        state.chat = Chat(
            chosen,
            model=answering,
            summarizer=writing,
            counter=state.counter,
            system_prompt=prompt,
        )
        return state.chat
    asked = (
        id,
        workspace.store.entry(id).updated_at,
        chosen,
        state.counter,
        models.summarizer,
    )

    def begin(
        summarizer: Model, cancellation: Cancellation, *, is_damaged: bool = False
    ) -> BackgroundReplay:
        return workspace.deriving_chat(
            id,
            state.counter,
            summarizer,
            chosen,
            cancellation=cancellation,
            is_damaged=is_damaged,
        )

    run = None
    if state.deriving is None or state.deriving_of != asked:
        state.derive()
        try:
            run = workspace.store.chat_run(id)
        except DamagedRunError as error:
            costs = _most(state, models.summarizer, asked, begin)
            _offer_to_derive(
                error,
                partial(_begin, state, models, asked, partial(begin, is_damaged=True)),
                costs,
            )
    messages = workspace.store.entry(id).message_count
    if (
        run is None
        and state.deriving is None
        and messages > DERIVED_UNASKED_MESSAGES
        and state.long_asked_for != id
    ):
        return LongTalk(id, messages)
    found = run or _derived(state, models, asked, begin)
    if isinstance(found, BackgroundReplay):
        return found
    state.chat = Chat.resume(found, model=answering, summarizer=writing)
    state.kept_ahead = state.chat.ahead
    state.write_on_click = not models.summarizer.is_free
    if keeps_its_switches(id) and state.chat.review != state.review:
        state.review = state.chat.review
        _show_setting_of(state, state.chat)
        st.rerun()
    if _setting_of(state.chat) != (chosen, state.counter):
        _show_setting_of(state, state.chat)
        st.rerun()
    return state.chat


def _offer_to_derive(
    error: DamagedRunError, begin: Callable[[], object], costs: CostBound
) -> None:
    """It cannot be read how the chat was left, so offer to derive its memory from the messages; end the page."""
    show_error(
        error,
        "The messages of this chat are all there; what was reworded or undone is lost.",
    )
    if st.button(
        "Derive its memory from the messages",
        icon=":material/restart_alt:",
        key="chat-derive",
    ):
        begin()
        st.rerun()
    if costs != CostBound():
        bound_caption(costs)
    st.stop()


def _change_setting(desk: ChatDesk, chosen: Strategy) -> BackgroundReplay | None:
    """Go on under another setting; returns the replay that still derives the memory for that."""
    state = desk.state
    chat = desk.chat
    had_decisions = chat.run.has_decisions
    waited = chat.proposal is not None
    asked = (
        state.conversation_id,
        len(chat.log),
        chosen,
        state.counter,
        desk.models.summarizer,
    )

    def begin(summarizer: Model, cancellation: Cancellation) -> BackgroundReplay:
        begun = chat.begun_under(chosen, state.counter, summarizer)
        return BackgroundReplay(*begun, lambda run: None, cancellation)

    found = _derived(
        state,
        desk.models,
        asked,
        begin,
        len(chat.run.compactions) if was_asked(chat.run) else 0,
    )
    if isinstance(found, BackgroundReplay):
        return found
    chat.adopt(found)
    state.going_on = waited and chat.unanswered
    if had_decisions:
        st.toast(
            "What you reworded or undid stays with the setting before, and holds again when you go back to it.",
            icon=":material/info:",
        )
    return None


def _derived(
    state: ChatState, models: Models, asked: Hashable, begin: Begin, made: int = 0
) -> Run | BackgroundReplay:
    """Return what the replay that was ``asked`` for gives, begun now if another one is at work or none; the replay
    itself if that takes longer than a moment. The first ``made`` compactions of it are there already. A summarizer that
    may cost something is asked on a click, with the most that it may cost said before."""
    work = state.deriving
    if work is None or state.deriving_of != asked:
        costs = _most(state, models.summarizer, asked, begin, made)
        if costs != CostBound() and state.agreed != asked:
            _expect_agreement(state, models.summarizer.name, asked, costs)
        work = _begin(state, models, asked, begin)
    work.go_on()  # it rests where nobody has looked at it for a while
    work.wait(AT_ONCE_SECONDS)
    if work.error is not None:
        _offer_again(
            state,
            models.summarizer.name,
            work.error,
            asked,
            _most(state, models.summarizer, asked, begin, made),
        )
    if work.run is None:
        return work
    state.derive()
    return work.run


def _most(
    state: ChatState,
    summarizer: ModelChoice,
    asked: Hashable,
    begin: Begin,
    made: int = 0,
) -> CostBound:
    """Return what deriving costs at most: judged by the same replay with the offline model, where that does not take
    long."""
    if summarizer.is_free:
        return CostBound()
    if state.foreseen[0] != asked:
        work = begin(model(OFFLINE), Cancellation())
        if work.total > FORESEEN_TURNS or not work.wait(FORESEEN_SECONDS):
            work.cancel()
        state.foreseen = (asked, work.run)
    run = state.foreseen[1]
    return (
        UNFORESEEN
        if run is None
        else summaries_bound([run], summarizer.name, spending().reply_tokens, made)
    )


def _expect_agreement(
    state: ChatState, summarizer: str, asked: Hashable, costs: CostBound
) -> NoReturn:
    """Offer to have the memory derived, and say what that costs at most; end the page."""
    st.info(
        f"The memory of this conversation is to be derived from its messages, with summaries by {plain(summarizer)}.",
        icon=":material/history:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if start_button(f"Derive with {plain(summarizer)}", "chat-derive-paid"):
            state.agreed = asked
            st.rerun()
        use_the_stand_in_button("chat-derive-offline")
        if state.chat is not None and len(state.chat.log):
            st.button(
                "Stay with the setting before",
                key="chat-derive-stay",
                on_click=_show_setting_of,
                args=(state, state.chat),
            )
        bound_caption(costs)
    st.stop()


def _begin(
    state: ChatState, models: Models, asked: Hashable, begin: Begin
) -> BackgroundReplay:
    cancellation = Cancellation()
    state.agreed = None
    work = begin(models.summarizer.build_summarizer(cancellation.heed), cancellation)
    state.derive(asked, work)
    return work


def _offer_again(
    state: ChatState,
    summarizer: str,
    error: MemvizError,
    asked: Hashable,
    costs: CostBound,
) -> NoReturn:
    """The memory could not be derived: say why, offer another attempt, and end the page. With another summarizer, key,
    address or timeout it counts as not yet tried."""
    show_error(error, "The conversation stays as it was.")
    with st.container(horizontal=True):
        if start_button(f"Try again with {plain(summarizer)}", "chat-derive-again"):
            state.derive()
            state.agreed = asked
            st.rerun()
        if summarizer != OFFLINE:
            use_the_stand_in_button("chat-derive-offline")
            bound_caption(costs)
    st.stop()


def _leave_as_it_was(state: ChatState) -> None:
    """The memory is not derived: stay under the setting before, or go back to the conversation before."""
    note = state.deriving.note if state.deriving is not None else ""
    if state.chat is not None and len(state.chat.log):
        state.derive()
        _show_setting_of(state, state.chat)
    else:
        came_from = state.came_from
        state.came_from = None
        state.open(came_from)
    if note:
        state.error = MemvizError(note)
    st.rerun()


def _show_setting_of(state: ChatState, chat: Chat) -> None:
    """Make the controls show the setting that the chat is under: it was left with it, or is to stay under it."""
    state.opened += 1
    used = {
        one.strategy.id: one.strategy.model_dump() for one in chat.run.earlier_settings
    }
    state.setting = Setting(
        f"chat-{state.opened}",
        0,
        chat.strategy.id,
        chat.strategy.model_dump(),
        used=used,
    )
    state.counter = chat.run.counter.name
