"""Vectors of an embedding model that settings compare and nobody has asked for: what they cost, and asked on a click.

What was asked for stays beside the library, so the replays that follow are free, and the same whoever looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

import streamlit as st

from memviz.core.conversation import Log
from memviz.core.text.wording import comma_list, counted
from memviz.core.translation import _, ngettext, noop
from memviz.core.vectors import vectors_from
from memviz.dashboard.ui.controls.jobs import Job, Tell
from memviz.dashboard.ui.controls.pickers import ModelChoice, reach_controls
from memviz.dashboard.ui.controls.spending import (
    heed_clicks_and_tell,
    spending,
    spending_shown,
)
from memviz.dashboard.ui.shell.elements import box, show_error
from memviz.dashboard.ui.shell.state import of_session
from memviz.dashboard.ui.shell.text import plain
from memviz.models.base import FirstFailureEnds, Model
from memviz.models.budget import Budget
from memviz.models.budgeted import Budgeted, VisitorModel
from memviz.models.embedding import (
    TEXTS_A_CALL,
    Embedder,
    Embedders,
    bound_vector_price,
    embedding_model,
)
from memviz.models.line import Interruptible
from memviz.models.names import OFFLINE, is_free
from memviz.models.planned_calls import CostBound
from memviz.models.prices import known_price
from memviz.storage.workspace import RunKey, Workspace
from memviz.strategies.base import Strategy
from memviz.strategies.lookup import (
    embedding_asked_by,
    texts_compared,
    writes_compared_texts,
)

WHY = noop(
    "**{model}** was not asked for all vectors that {labels} compare. Each text is asked for once, and kept beside the "
    "library."
)
EMBEDDING = "embedding"
"""The controls of how an embedding model is reached."""
LABELS_SHOWN = 3
LATER = noop("Texts that are written during the replay are asked for then.")
AskRest = Callable[[Embedder, Tell], object]
"""Asks for the vectors of texts that are only known while settings are replayed."""


def offer_for_replays(workspace: Workspace, keys: Sequence[RunKey]) -> bool:
    """Offer to ask for the vectors that these replays miss. Return true once that is done: then they are free."""
    strategies = [key.strategy for key in keys]
    name = embedding_asked_by(strategies[0])
    logs: dict[tuple[str, int | None], Log] = {}
    keys_writing_texts = []
    for key in keys:
        if embedding_asked_by(key.strategy) == name:
            _transcript, log = workspace.conversation(key.conversation_id, key.first)
            logs[key.conversation_id, key.first] = log
            if writes_compared_texts(key.strategy):
                keys_writing_texts.append(key)
    # Texts that a setting writes itself are known only as it is replayed.
    ask_rest = partial(_replay, workspace, keys_writing_texts)
    return offer_vectors(workspace, strategies, list(logs.values()), ask_rest)


def offer_vectors(
    workspace: Workspace,
    strategies: Sequence[Strategy],
    logs: Iterable[Log],
    ask_rest: AskRest | None = None,
    later: str = "",
) -> bool:
    """Offer to ask for the vectors that these settings compare over these conversations, of one model after the
    other: of the texts that are known first. ``later`` says what of others. Return true once that is done."""
    name = embedding_asked_by(strategies[0])
    alike = [
        strategy for strategy in strategies if embedding_asked_by(strategy) == name
    ]
    with box():
        st.markdown(_(WHY, model=plain(name), labels=_labels(alike)))
        choice = reach_controls(name, f"{EMBEDDING}-{name}")
        _choices()[name] = choice
        embedder = _embedder(workspace, choice, heed_clicks_and_tell)
        texts = texts_compared(alike, logs)
        missing = embedder.missing(texts)
        bound = bound_vector_price(name, missing)
        if any(map(writes_compared_texts, alike)):
            # Nobody knows yet what these texts are, and so how much they cost.
            bound = CostBound()
            later = later or _(LATER)
        job = Job(
            "vectors-ask",
            partial(_ask, embedder, texts, ask_rest),
            _("Asking {name} for vectors", name=name),
            verb=_("Ask for vectors"),
            model=name,
            bound=bound,
            before=f"{_first_words(len(missing))} {later}".strip(),
        )
        if job.offer():
            error = job.run(stop_help=_("What was answered so far is kept."))
            if error is None:
                return True
            show_error(error)
    return False


def _first_words(texts: int) -> str:
    if not texts:
        return ""
    return ngettext(
        "{number:,} text is asked for first.",
        "{number:,} texts are asked for first.",
        texts,
    )


def _labels(settings: Sequence[Strategy]) -> str:
    labels = {plain(setting.label): None for setting in settings}
    if len(labels) > LABELS_SHOWN:
        return counted(labels, "setting")
    return comma_list(labels)


def show_budget_for(strategies: Iterable[Strategy]) -> None:
    """Have the page show the session's budget where one of these settings asks an embedding model."""
    if any(map(embedding_asked_by, strategies)):
        spending_shown().is_shown = True


def vectors_asked(
    workspace: Workspace,
    strategies: Iterable[Strategy],
    look_up: Callable[[], object] = heed_clicks_and_tell,
    budget: Budget | None = None,
) -> AbstractContextManager[None]:
    """Return a block in which the models whose vectors these settings compare are asked, as they were reached last,
    and left when ``look_up`` raises."""
    embedders = Embedders(workspace.kept_vectors)
    for name in filter(None, {embedding_asked_by(strategy) for strategy in strategies}):
        # Its controls are not drawn where all vectors are kept.
        choice = _choices().get(name) or ModelChoice(name)
        embedders[name] = _embedder(workspace, choice, look_up, budget)
    return vectors_from(embedders)


def _choices() -> dict[str, ModelChoice]:
    """Return the embedding models of this session, by name. Their keys are stored nowhere else."""
    return of_session("embedding-models", dict[str, ModelChoice])


def _embedder(
    workspace: Workspace,
    choice: ModelChoice,
    look_up: Callable[[], object],
    budget: Budget | None = None,
) -> Embedder:
    """Return the model, paid out of a budget or else of the session's, and left at once when ``look_up`` raises."""
    model = Interruptible(embedding_model(choice.name, **choice.options), look_up)
    paid: Model = VisitorModel(model, spending())
    # A budget of its own can be kept only where the price is known.
    if budget is not None and known_price(choice.name) is not None:
        paid = Budgeted(model, budget)
    return Embedder(FirstFailureEnds(paid), workspace.kept_vectors)


def _ask(
    embedder: Embedder, texts: Sequence[str], ask_rest: AskRest | None, tell: Tell
) -> None:
    """Ask for these texts, and then for whatever is compared besides."""
    for start in range(0, len(texts), TEXTS_A_CALL):
        progress = _("{done:,} of {total:,}", done=start, total=len(texts))
        tell(start / len(texts), progress)
        embedder(embedder.model.name, texts[start : start + TEXTS_A_CALL])
    if ask_rest is not None:
        ask_rest(embedder, tell)


def _replay(
    workspace: Workspace, keys: Sequence[RunKey], embedder: Embedder, tell: Tell
) -> None:
    """Make these replays, with the built-in model's summaries where others cost something."""
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
