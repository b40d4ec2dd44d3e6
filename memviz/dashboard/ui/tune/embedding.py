"""The embedding model whose vectors the settings of a strategy compare: its name, and the offer to ask it."""

import streamlit as st

from memviz.core.errors import ParameterError
from memviz.core.translation import _
from memviz.dashboard.ui.controls.setting import A_KEY, A_NAME
from memviz.dashboard.ui.controls.vectors import offer_for_replays
from memviz.dashboard.ui.shell.elements import error_shown, show_error
from memviz.dashboard.ui.shell.linked import linked, linked_parts
from memviz.dashboard.ui.shell.state import begin_with
from memviz.dashboard.ui.tune.state import Asked
from memviz.models.registry import is_like_a_key
from memviz.storage.workspace import RunKey, Workspace
from memviz.strategies.base import Strategy
from memviz.tuning.results import Sweep

NAME = "embedding_model"
"""The parameter that names it."""


def choose_embedding(cls: type[Strategy]) -> str | None:
    """Ask for the name of the embedding model that a strategy's settings use."""
    parameter = next(each for each in cls.parameters() if each.name == NAME)
    part = f"{cls.id}.{NAME}"
    key = f"tune-values-{part}"
    linked(part, key)
    typed = st.text_input(
        parameter.title,
        begin_with(key, ""),
        key=key,
        help=_(parameter.help),
        persist_state="session",
    ).strip()
    if is_like_a_key(typed):
        # No link of the page may hold it.
        linked_parts().keys.pop(part)
        show_error(ParameterError(NAME, _(A_KEY), A_NAME))
        return None
    return typed or None


def lacks_vectors(sweep: Sweep | None) -> bool:
    """Return whether settings could not be measured because an embedding model was not asked."""
    return sweep is not None and any(
        cell.lacks_vectors for cell in sweep.cells.values()
    )


def offer_missing(workspace: Workspace, asked: Asked, sweep: Sweep) -> bool:
    """Offer to ask for the vectors that a sweep missed. Return true once that is done."""
    keys = []
    for place, cell in sweep.cells.items():
        if cell.lacks_vectors:
            id = asked.ids[place.subject]
            setting = asked.settings[place.setting]
            key = RunKey(
                id, setting, asked.counter, asked.summarizer, first=asked.first[id]
            )
            keys.append(key)
    with error_shown():
        return offer_for_replays(workspace, keys)
    return False
