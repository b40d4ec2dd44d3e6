"""The memory of a chat that a replay derives from its messages, after the setting was changed or where it cannot be
read."""

from collections.abc import Callable, Hashable
from typing import NamedTuple, NoReturn

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.model_errors import MissingVectorsError
from memviz.core.translation import _
from memviz.dashboard.ui.chat.embedding import (
    allow_vectors,
    is_vector_error,
    offer_embedding,
)
from memviz.dashboard.ui.controls.chat_state import chat_state
from memviz.dashboard.ui.controls.jobs import start_button, use_the_stand_in_button
from memviz.dashboard.ui.controls.paid_replays import FORESEEN_TURNS
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.spending import bound_caption, spending
from memviz.dashboard.ui.shell.elements import (
    button,
    buttons_row,
    row,
    show_error,
    show_info,
)
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.background_replay import BackgroundReplay, Cancellation
from memviz.engine.chat import Chat
from memviz.engine.run import Run
from memviz.metrics.cost.bounds import UNFORESEEN, bound_summaries
from memviz.models.base import Model
from memviz.models.names import OFFLINE
from memviz.models.planned_calls import CostBound
from memviz.models.registry import model
from memviz.strategies.base import Strategy

AT_ONCE_SECONDS = 1.0
"""So long the page waits for the memory before it shows the conversation without it."""
FORESEEN_SECONDS = 10.0
"""So long it may take to work out how many summaries there will be."""


class DerivedMemory(NamedTuple):
    """A memory that is to be derived by a replay."""

    key: Hashable
    """The replay that derives the memory, and who summarizes in it: equal for the same replay."""
    begin: Callable[[Model, Cancellation], BackgroundReplay]
    strategy: Strategy
    calls: int = 0
    """The number of its summarizer calls that were made already."""


def derive_memory(
    summarizer: ModelChoice, memory: DerivedMemory
) -> Run | BackgroundReplay:
    """Return what the replay that derives ``memory`` gives, begun now if another one is at work or none; the replay
    itself if that takes longer than a moment. A summarizer that may cost something is asked on a click, with the most
    that it may cost said before."""
    state = chat_state()
    work = state.deriving
    if work is None or state.deriving_of != memory.key:
        costs = bound_cost_of_deriving(summarizer, memory)
        if costs != CostBound() and state.agreed != memory.key:
            _ask_to_derive(summarizer.name, memory, costs)
        work = begin_deriving(summarizer, memory)
    work.go_on()  # it rests where nobody has looked at it for a while
    work.wait(AT_ONCE_SECONDS)
    if is_vector_error(work.error, memory.strategy):
        _ask_for_vectors(memory.strategy, work)
    if work.error is not None:
        costs = bound_cost_of_deriving(summarizer, memory)
        _offer_again(summarizer.name, work.error, memory, costs)
    if work.run is None:
        return work
    state.derive()
    return work.run


def bound_cost_of_deriving(summarizer: ModelChoice, memory: DerivedMemory) -> CostBound:
    """Return what deriving costs at most: judged by the same replay with the offline model, where that does not take
    long."""
    state = chat_state()
    if summarizer.is_free:
        return CostBound()
    if state.foreseen[0] != memory.key:
        work = memory.begin(model(OFFLINE), Cancellation())
        if work.total > FORESEEN_TURNS or not work.wait(FORESEEN_SECONDS):
            work.cancel()
        state.foreseen = (memory.key, work.run)
    run = state.foreseen[1]
    if run is None:
        return UNFORESEEN
    tokens = spending().reply_tokens
    return bound_summaries([run], summarizer.name, tokens, memory.calls)


def _ask_to_derive(
    summarizer: str, memory: DerivedMemory, costs: CostBound
) -> NoReturn:
    """Offer to have the memory derived, and say what that costs at most; end the page."""
    name = plain(summarizer)
    show_info(
        _(
            "The memory of this conversation is to be derived from its messages, with summaries by "
            "{summarizer}.",
            summarizer=name,
        ),
        ":material/history:",
    )
    with row():
        if start_button(
            _("Derive with {summarizer}", summarizer=name), "chat-derive-paid"
        ):
            chat_state().agreed = memory.key
            st.rerun()
        use_the_stand_in_button("chat-derive-offline")
        _draw_stay_button()
        bound_caption(costs)
    st.stop()


def _draw_stay_button() -> None:
    chat = chat_state().begun
    if chat is not None:
        button(
            _("Stay with the setting before"),
            "chat-derive-stay",
            None,
            show_setting_of,
            chat,
        )


def _ask_for_vectors(strategy: Strategy, work: BackgroundReplay) -> NoReturn:
    """Offer to ask for the vectors that the memory is derived with; end the page."""
    chat_state().error = work.error
    if work.error is not None and not isinstance(work.error, MissingVectorsError):
        show_error(work.error, _("The conversation stays as it was."))
    offer_embedding(strategy, work.log)
    _draw_stay_button()
    st.stop()


def begin_deriving(summarizer: ModelChoice, memory: DerivedMemory) -> BackgroundReplay:
    """Begin the replay that derives ``memory``, in place of any that is at work, and return it."""
    cancellation = Cancellation()
    chat_state().agreed = None
    writer = summarizer.build_summarizer(cancellation.heed)
    with allow_vectors(memory.strategy, cancellation.heed):
        work = memory.begin(writer, cancellation)
    chat_state().derive(memory.key, work)
    return work


def _offer_again(
    summarizer: str, error: MemvizError, memory: DerivedMemory, costs: CostBound
) -> NoReturn:
    """Say why the memory could not be derived, offer another attempt, and end the page. With another summarizer, key,
    address or timeout it counts as not yet tried."""
    state = chat_state()
    show_error(error, _("The conversation stays as it was."))
    with buttons_row():
        if start_button(
            _("Try again with {summarizer}", summarizer=plain(summarizer)),
            "chat-derive-again",
        ):
            state.derive()
            state.agreed = memory.key
            st.rerun()
        if summarizer != OFFLINE:
            use_the_stand_in_button("chat-derive-offline")
            bound_caption(costs)
    st.stop()


def show_setting_of(chat: Chat) -> None:
    """Make the controls show the setting that the chat is under: it was left with it, or is to stay under it."""
    state = chat_state()
    state.opened += 1
    strategy = chat.strategy
    setting = Setting(f"chat-{state.opened}", 0, strategy.id, strategy.model_dump())
    for earlier in chat.run.earlier_settings:
        setting.used[earlier.strategy.id] = earlier.strategy.model_dump()
    state.setting = setting
    state.counter = chat.run.counter.name
