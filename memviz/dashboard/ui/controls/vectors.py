"""Vectors of an embedding model that settings compare and nobody has asked for: what they cost, and asked on a click.

What was asked for stays beside the library, so the replays that follow are free, and the same whoever looks at them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import streamlit as st

from memviz.core.text.wording import COMMA
from memviz.core.translation import _, ngettext, noop
from memviz.core.vectors import texts_of, vectors_from
from memviz.dashboard.ui.controls.jobs import Job, Tell
from memviz.dashboard.ui.controls.pickers import ModelChoice, reach_controls
from memviz.dashboard.ui.controls.spending import heed_clicks_and_tell, spending
from memviz.dashboard.ui.controls.study import Setting
from memviz.dashboard.ui.shell.elements import show_error
from memviz.dashboard.ui.shell.state import of_session
from memviz.dashboard.ui.shell.text import plain
from memviz.models.base import FirstFailureEnds
from memviz.models.budgeted import Accounted
from memviz.models.embedding import (
    TEXTS_A_CALL,
    Embedder,
    embedding_model,
    price_of_vectors,
)
from memviz.models.line import Interruptible
from memviz.models.names import OFFLINE, is_free
from memviz.models.prices import CostBound
from memviz.storage.workspace import RunKey, Workspace
from memviz.strategies.lookup import embedding_asked_by

WHY = noop(
    "**{model}** was not asked for all vectors that {labels} compare. Each text is asked for once, and kept beside the "
    "library."
)
EMBEDDING = "embedding"
"""The controls of how an embedding model is reached."""


def offer_vectors(
    workspace: Workspace, missing: Sequence[tuple[Setting, RunKey]]
) -> None:
    """Offer to ask for the vectors that these replays miss, of one model after the other."""
    name = embedding_asked_by(missing[0][1].strategy)
    keys = [
        key for _setting, key in missing if embedding_asked_by(key.strategy) == name
    ]
    labels = _(COMMA).join(plain(key.strategy.label) for key in keys)
    with st.container(border=True):
        st.markdown(_(WHY, model=plain(name), labels=labels))
        choice = reach_controls(name, f"{EMBEDDING}-{name}")
        _choices()[name] = choice
        texts = _missing_texts(workspace, keys)
        bound = price_of_vectors(name, texts)
        sentence = _what_is_missing(len(texts))
        if not all(_compares_messages_alone(key) for key in keys):
            # Nobody knows yet what these texts are, and so how much they cost.
            bound = CostBound()
            if texts:
                sentence = f"{sentence} {_what_is_missing(0)}"
        job = Job(
            "vectors-ask",
            partial(_ask, workspace, keys, choice, texts),
            _("Asking {name} for vectors", name=name),
            verb=_("Ask for vectors"),
            model=name,
            bound=bound,
            before=sentence,
        )
        if job.offer():
            error = job.run(stop_help=_("What was answered so far is kept."))
            if error is None:
                st.rerun()
            show_error(error)


def _compares_messages_alone(key: RunKey) -> bool:
    """Return whether a replay compares messages and no other text: several of them asked as
    one question are another text, and so is a fact that a summarizer writes."""
    strategy = key.strategy
    return strategy.looks_up and getattr(strategy, "query_messages", 1) == 1


def _what_is_missing(texts: int) -> str:
    if not texts:
        return _("Texts that are written during the replay are asked for then.")
    return ngettext(
        "{number:,} text is asked for first.",
        "{number:,} texts are asked for first.",
        texts,
        number=texts,
    )


@contextmanager
def vectors_asked(workspace: Workspace, keys: Sequence[RunKey]) -> Iterator[None]:
    """While the block runs, the models whose vectors these replays compare are asked, as they were reached last."""
    embedders = {}
    for name in filter(None, {embedding_asked_by(key.strategy) for key in keys}):
        # Its controls are not drawn where all vectors are kept.
        choice = _choices().get(name) or ModelChoice(name)
        embedders[name] = _embedder(workspace, choice)
    with vectors_from(lambda name, texts: embedders[name](name, texts)):
        yield


def _choices() -> dict[str, ModelChoice]:
    """Embedding models of this session, by name. Their keys are stored nowhere else."""
    return of_session("embedding-models", dict[str, ModelChoice])


def _embedder(workspace: Workspace, choice: ModelChoice) -> Embedder:
    """The model, paid out of the session's budget and left at once on a click."""
    asked = embedding_model(choice.name, **choice.options)
    paid = Accounted(Interruptible(asked, heed_clicks_and_tell), spending())
    return Embedder(FirstFailureEnds(paid), workspace.kept_vectors)


def _missing_texts(workspace: Workspace, keys: Sequence[RunKey]) -> list[str]:
    """The texts of the conversation that are compared and whose vectors are not kept."""
    found: dict[str, None] = {}
    for key in keys:
        if key.strategy.looks_up:
            log = workspace.conversation(key.conversation_id, key.first)[1]
            found.update(dict.fromkeys(texts_of(log)))
    name = embedding_asked_by(keys[0].strategy)
    return workspace.kept_vectors.missing(name, list(found))


def _ask(
    workspace: Workspace,
    keys: Sequence[RunKey],
    choice: ModelChoice,
    texts: Sequence[str],
    tell: Tell,
) -> None:
    """Ask for these texts, and then for whatever the replays compare besides."""
    embedder = _embedder(workspace, choice)
    for start in range(0, len(texts), TEXTS_A_CALL):
        done = _("{done:,} of {total:,}", done=start, total=len(texts))
        tell(start / len(texts), done)
        embedder(choice.name, texts[start : start + TEXTS_A_CALL])
    for key in keys:
        if not is_free(key.summarizer):
            key = replace(key, summarizer=OFFLINE)
        with embedder:
            session, turns = workspace.begun(key, workspace.free_summarizer(key))
            for turn in turns:
                total = session.log.turn_count
                tell(
                    turn / total,
                    _("turn {done:,} of {total:,}", done=turn, total=total),
                )
            # What is stored of it is counted now, and looks things up as well.
            workspace.keep(key, session.run())
