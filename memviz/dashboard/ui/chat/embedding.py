"""The embedding model whose vectors a chat compares: asked for each new message, once the visitor has agreed to it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from memviz.core.conversation import Log
from memviz.core.errors import MemvizError
from memviz.core.model_errors import (
    MissingVectorsError,
    ModelError,
    UnusableSummarizerError,
)
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.chat_state import chat_state
from memviz.dashboard.ui.controls.spending import heed_clicks_and_tell
from memviz.dashboard.ui.controls.vectors import offer_vectors, vectors_asked
from memviz.dashboard.ui.shell.elements import error_shown
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import of_session
from memviz.strategies.base import Strategy
from memviz.strategies.lookup import embedding_asked_by

LATER = noop(
    "From then on each new text is asked for when it is needed, within the budget of this session."
)


def allow_vectors(
    strategy: Strategy, look_up: Callable[[], object] = heed_clicks_and_tell
) -> AbstractContextManager[None]:
    """Return a block in which the embedding model of a chat is asked, if its visitor has agreed to that, and left when
    ``look_up`` raises."""
    if embedding_asked_by(strategy) not in _models_allowed():
        return nullcontext()
    return vectors_asked(workspace(), [strategy], look_up)


def is_vector_error(error: MemvizError | None, strategy: Strategy) -> bool:
    """Return whether something went wrong because vectors are missing, or with the model that is asked for them."""
    name = embedding_asked_by(strategy)
    if not name:
        return False
    if isinstance(error, MissingVectorsError | ModelError):
        return error.model == name
    # The models of a chat fail as themselves.
    return isinstance(error, UnusableSummarizerError)


def offer_embedding(strategy: Strategy, log: Log) -> None:
    """Offer to have the embedding model of a chat asked, until the visitor agrees; once more where it failed, for then
    its key or its address may be wrong."""
    state = chat_state()
    name = embedding_asked_by(strategy)
    has_failed = is_vector_error(state.error, strategy)
    if not name or (name in _models_allowed() and not has_failed):
        return
    with error_shown():
        if offer_vectors(workspace(), [strategy], [log], later=_(LATER)):
            _models_allowed().add(name)
            if has_failed:
                state.error = None
            state.derive()
            chat = state.chat
            state.going_on = bool(chat and chat.unanswered and not chat.proposal)
            st.rerun()


def _models_allowed() -> set[str]:
    """The embedding models that the chat of this session may ask."""
    return of_session("chat-embeddings", set[str])
