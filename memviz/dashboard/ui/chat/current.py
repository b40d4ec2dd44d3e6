"""The chat that is on the page: resumed as it was left, or its memory derived from the messages.

Deriving takes seconds where a conversation is long or a paid summarizer is slow, so it
is a replay in a thread of its own. After a moment the page shows the conversation
without its memory (``deriving_talk`` in ``memviz/dashboard/ui/chat/transcript.py``), and asks again.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple, NoReturn

import streamlit as st

from memviz.core.errors import DamagedRunError, MemvizError, MissingVectorsError
from memviz.core.translation import _
from memviz.dashboard.ui.chat.desk import ChatDesk, keeps_its_switches
from memviz.dashboard.ui.chat.embedding import (
    is_of_vectors,
    offer_embedding,
    vectors_agreed,
)
from memviz.dashboard.ui.controls.conversations import chat_state
from memviz.dashboard.ui.controls.jobs import start_button, use_the_stand_in_button
from memviz.dashboard.ui.controls.paid_replays import FORESEEN_TURNS
from memviz.dashboard.ui.controls.pickers import ModelChoice, Models
from memviz.dashboard.ui.controls.spending import bound_caption, spending
from memviz.dashboard.ui.controls.study import Setting
from memviz.dashboard.ui.shell.elements import errors_shown, row, show_error
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.chat import Chat
from memviz.engine.run import Run
from memviz.engine.switching import was_asked
from memviz.metrics.cost.bounds import UNFORESEEN, summaries_bound
from memviz.models.base import Model
from memviz.models.names import OFFLINE
from memviz.models.planned_calls import CostBound
from memviz.models.registry import model
from memviz.strategies.base import Strategy

AT_ONCE_SECONDS = 1.0
"""So long the page waits for the memory before it shows the conversation without it."""
FORESEEN_SECONDS = 10.0
"""So long it may take to work out how many summaries there will be."""
DERIVED_UNASKED_MESSAGES = 50_000
"""The memory of a longer conversation is derived when asked for: that takes minutes, and a gigabyte."""


class _Memory(NamedTuple):
    """A memory that is to be derived by a replay."""

    asked: Hashable
    """The replay that derives the memory, and who summarizes in it: equal for the same replay."""
    begin: Callable[[Model, Cancellation], BackgroundReplay]
    strategy: Strategy
    made: int = 0
    """The number of its compactions that there are already."""


class LongTalk(NamedTuple):
    """A saved conversation that is too long to derive its memory without being asked to."""

    id: str
    messages: int


def current_chat(models: Models) -> ChatDesk | BackgroundReplay | LongTalk:
    """The chat under the settings as they stand now, the replay that still derives its memory, or the conversation
    where that waits to be asked for. Stops the page with a sentence where that fails."""
    state = chat_state()
    with errors_shown():
        if state.deriving is not None and state.deriving.is_stopped:
            _leave_as_it_was()
        chosen = state.setting.build()
        said = state.chat if state.chat is not None and len(state.chat.log) else None
        chat = said or _open(models, chosen)
        if not isinstance(chat, Chat):
            return chat
        chat.log.kept_vectors = workspace().kept_vectors
        chat.use(models.answerer.build(), models.summarizer.build())
        chat.recall_tool = state.recall_tool
        chat.review = state.review
        desk = ChatDesk(workspace(), state, chat, models)
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


def _open(models: Models, chosen: Strategy) -> Chat | BackgroundReplay | LongTalk:
    """A new chat or the saved one, if its memory is there; else the replay that derives it, or the conversation where
    that is not begun without being asked for."""
    state = chat_state()
    answering = models.answerer.build()
    writing = models.summarizer.build()
    id = state.conversation_id
    if id is None:
        state.chat = Chat(
            chosen,
            model=answering,
            summarizer=writing,
            counter=state.counter,
            system_prompt=state.system_prompt.strip() or None,
        )
        return state.chat
    run = _saved_run(id, models.summarizer, chosen)
    if not isinstance(run, Run):
        return run
    chat = Chat.resume(run, model=answering, summarizer=writing)
    state.chat = chat
    state.kept_ahead = chat.ahead
    state.write_on_click = not models.summarizer.is_free
    is_as_shown = _setting_of(chat) == (chosen, state.counter)
    if keeps_its_switches(id) and chat.review != state.review:
        state.review = chat.review
        is_as_shown = False
    if not is_as_shown:
        _show_setting_of(chat)
        st.rerun()
    return chat


def _saved_run(
    id: str, summarizer: ModelChoice, chosen: Strategy
) -> Run | BackgroundReplay | LongTalk:
    state = chat_state()

    def begin(
        writer: Model, cancellation: Cancellation, *, is_damaged: bool = False
    ) -> BackgroundReplay:
        return workspace().deriving_chat(
            id,
            state.counter,
            writer,
            chosen,
            cancellation=cancellation,
            is_damaged=is_damaged,
        )

    entry = workspace().store.entry(id)
    asked = (id, entry.updated_at, chosen, state.counter, summarizer)
    memory = _Memory(asked, begin, chosen)
    if state.deriving is None or state.deriving_of != asked:
        state.derive()
        try:
            run = workspace().store.chat_run(id)
        except DamagedRunError as error:
            damaged = memory._replace(begin=partial(begin, is_damaged=True))
            costs = _cost_bound(summarizer, memory)
            _offer_to_derive(error, partial(_begin, summarizer, damaged), costs)
        if run is not None:
            return run
        is_long = entry.message_count > DERIVED_UNASKED_MESSAGES
        if is_long and state.long_asked_for != id:
            return LongTalk(id, entry.message_count)
    return _derived_run(summarizer, memory)


def _offer_to_derive(
    error: DamagedRunError, begin: Callable[[], object], costs: CostBound
) -> NoReturn:
    """Offer to derive the chat's memory from its messages, because how it was left cannot be read; end the page."""
    show_error(
        error,
        _(
            "The messages of this chat are all there; what was reworded or undone is lost."
        ),
    )
    if st.button(
        _("Derive its memory from the messages"),
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

    calls = len(chat.run.compactions) if was_asked(chat.run) else 0
    found = _derived_run(desk.models.summarizer, _Memory(asked, begin, chosen, calls))
    if isinstance(found, BackgroundReplay):
        return found
    chat.adopt(found)
    state.going_on = waited and chat.unanswered
    if had_decisions:
        st.toast(
            _(
                "What you reworded or undid stays with the setting before, and holds again when you go back to it."
            ),
            icon=":material/info:",
        )
    return None


def _derived_run(summarizer: ModelChoice, memory: _Memory) -> Run | BackgroundReplay:
    """Return what the replay that derives ``memory`` gives, begun now if another one is at work or none; the replay
    itself if that takes longer than a moment. A summarizer that may cost something is asked on a click, with the most
    that it may cost said before."""
    state = chat_state()
    work = state.deriving
    if work is None or state.deriving_of != memory.asked:
        costs = _cost_bound(summarizer, memory)
        if costs != CostBound() and state.agreed != memory.asked:
            _expect_agreement(summarizer.name, memory, costs)
        work = _begin(summarizer, memory)
    work.go_on()  # it rests where nobody has looked at it for a while
    work.wait(AT_ONCE_SECONDS)
    if is_of_vectors(work.error, memory.strategy):
        _expect_vectors(memory.strategy, work)
    if work.error is not None:
        costs = _cost_bound(summarizer, memory)
        _offer_again(summarizer.name, work.error, memory, costs)
    if work.run is None:
        return work
    state.derive()
    return work.run


def _cost_bound(summarizer: ModelChoice, memory: _Memory) -> CostBound:
    """Return what deriving costs at most: judged by the same replay with the offline model, where that does not take
    long."""
    state = chat_state()
    if summarizer.is_free:
        return CostBound()
    if state.foreseen[0] != memory.asked:
        work = memory.begin(model(OFFLINE), Cancellation())
        if work.total > FORESEEN_TURNS or not work.wait(FORESEEN_SECONDS):
            work.cancel()
        state.foreseen = (memory.asked, work.run)
    run = state.foreseen[1]
    if run is None:
        return UNFORESEEN
    tokens = spending().reply_tokens
    return summaries_bound([run], summarizer.name, tokens, memory.made)


def _expect_agreement(summarizer: str, memory: _Memory, costs: CostBound) -> NoReturn:
    """Offer to have the memory derived, and say what that costs at most; end the page."""
    state = chat_state()
    st.info(
        _(
            "The memory of this conversation is to be derived from its messages, with summaries by "
            "{summarizer}.",
            summarizer=plain(summarizer),
        ),
        icon=":material/history:",
    )
    with row():
        if start_button(
            _("Derive with {summarizer}", summarizer=plain(summarizer)),
            "chat-derive-paid",
        ):
            state.agreed = memory.asked
            st.rerun()
        use_the_stand_in_button("chat-derive-offline")
        _stay_button()
        bound_caption(costs)
    st.stop()


def _stay_button() -> None:
    chat = chat_state().chat
    if chat is not None and len(chat.log):
        st.button(
            _("Stay with the setting before"),
            key="chat-derive-stay",
            on_click=_show_setting_of,
            args=(chat,),
        )


def _expect_vectors(strategy: Strategy, work: BackgroundReplay) -> NoReturn:
    """Offer to ask for the vectors that the memory is derived with; end the page."""
    chat_state().error = work.error
    if work.error is not None and not isinstance(work.error, MissingVectorsError):
        show_error(work.error, _("The conversation stays as it was."))
    offer_embedding(strategy, work.log)
    _stay_button()
    st.stop()


def _begin(summarizer: ModelChoice, memory: _Memory) -> BackgroundReplay:
    state = chat_state()
    cancellation = Cancellation()
    state.agreed = None
    writer = summarizer.build_summarizer(cancellation.heed)
    with vectors_agreed(memory.strategy, cancellation.heed):
        work = memory.begin(writer, cancellation)
    state.derive(memory.asked, work)
    return work


def _offer_again(
    summarizer: str, error: MemvizError, memory: _Memory, costs: CostBound
) -> NoReturn:
    """The memory could not be derived: say why, offer another attempt, and end the page. With another summarizer, key,
    address or timeout it counts as not yet tried."""
    state = chat_state()
    show_error(error, _("The conversation stays as it was."))
    with st.container(horizontal=True):
        if start_button(
            _("Try again with {summarizer}", summarizer=plain(summarizer)),
            "chat-derive-again",
        ):
            state.derive()
            state.agreed = memory.asked
            st.rerun()
        if summarizer != OFFLINE:
            use_the_stand_in_button("chat-derive-offline")
            bound_caption(costs)
    st.stop()


def _leave_as_it_was() -> None:
    """The memory is not derived: stay under the setting before, or go back to the conversation before."""
    state = chat_state()
    note = state.deriving.note if state.deriving is not None else ""
    if state.chat is not None and len(state.chat.log):
        state.derive()
        _show_setting_of(state.chat)
    else:
        came_from = state.came_from
        state.came_from = None
        state.open(came_from)
    if note:
        state.error = MemvizError(note)
    st.rerun()


def _show_setting_of(chat: Chat) -> None:
    """Make the controls show the setting that the chat is under: it was left with it, or is to stay under it."""
    state = chat_state()
    state.opened += 1
    parameters = {
        setting.strategy.id: setting.strategy.model_dump()
        for setting in chat.run.earlier_settings
    }
    state.setting = Setting(
        f"chat-{state.opened}",
        0,
        chat.strategy.id,
        chat.strategy.model_dump(),
        used=parameters,
    )
    state.counter = chat.run.counter.name
