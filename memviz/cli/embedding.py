"""The vectors that replays and sweeps compare: asked for once it is agreed what they may cost."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memviz.cli.output import complain, progress_of
from memviz.cli.paying import (
    agree,
    check_key,
    costs_money,
    has_known_price,
    missing_budget,
)
from memviz.core.model_errors import MissingVectorsError
from memviz.core.text.wording import counted, dollars
from memviz.core.vectors import vectors_from

if TYPE_CHECKING:
    from memviz.core.conversation import Log
    from memviz.models.budget import Budget
    from memviz.models.embedding import Embedder, KeptVectors
    from memviz.strategies.base import Strategy


@contextmanager
def vectors_for(
    kept: KeptVectors,
    logs: Sequence[Log],
    strategies: Sequence[Strategy],
    budget: Budget | None,
    budget_usd: float | None,
    *,
    yes: bool,
) -> Generator[None]:
    """A block in which ``strategies`` have the vectors that they compare over these conversations.

    Vectors that are ``kept`` are not asked for. Those of the texts that are known before a replay are asked for at
    once, all others when the replay needs them. They are paid out of the summarizer's ``budget``, or out of one of
    ``budget_usd`` where that is ``None``.
    """
    from memviz.models.budget import Budget
    from memviz.models.embedding import Embedders, embedder
    from memviz.strategies.lookup import texts_compared, writes_compared_texts

    # A model is asked once for the texts of all its strategies, and its user once for consent.
    strategies_by_model = _strategies_by_model(strategies)
    if not strategies_by_model:
        yield
        return
    if budget is None and budget_usd is not None:
        budget = Budget(budget_usd)
    embedders = Embedders(kept)
    for name, comparing in strategies_by_model.items():
        known_texts = texts_compared(comparing, logs)
        is_paid = costs_money(name)
        if is_paid and budget is None:
            # Nobody may be asked, so all vectors have to be kept ones.
            with _budget_for_missing_vectors():
                kept(name, known_texts)
            continue
        check_key(name)
        own_budget = budget if is_paid else None
        model_embedder = embedder(name, budget=own_budget)
        model_embedder.kept = kept
        embedders[name] = model_embedder
        missing = model_embedder.missing(known_texts)
        has_more = any(map(writes_compared_texts, comparing))
        if missing or has_more:
            _agree_on_vectors(name, missing, own_budget, has_more=has_more, yes=yes)
            _ask_for_vectors(model_embedder, missing)
    try:
        with vectors_from(embedders), _budget_for_missing_vectors():
            yield
    finally:
        if budget is not None and budget.calls:
            complain(f"Spent on vectors and summaries: {dollars(budget.spent_usd)}.")


def _strategies_by_model(strategies: Sequence[Strategy]) -> dict[str, list[Strategy]]:
    """Return the strategies that compare vectors, by the name of the embedding model that is asked for these."""
    from memviz.strategies.lookup import embedding_asked_by

    strategies_by_model: dict[str, list[Strategy]] = {}
    for strategy in strategies:
        name = embedding_asked_by(strategy)
        if name:
            strategies_by_model.setdefault(name, []).append(strategy)
    return strategies_by_model


@contextmanager
def _budget_for_missing_vectors() -> Generator[None]:
    """A block that ends with a demand for a budget where it misses vectors that cost money."""
    try:
        yield
    except MissingVectorsError as error:
        raise missing_budget(error.model) from error


def _agree_on_vectors(
    name: str,
    missing: Sequence[str],
    budget: Budget | None,
    *,
    has_more: bool,
    yes: bool,
) -> None:
    """Say what the model of this name is to be asked and may cost, and ask before money is spent.

    ``has_more`` says that there will be further texts than the ``missing`` ones, so nobody knows the most that all
    vectors cost. A model that costs nothing, or whose price is not known, has no budget.
    """
    from memviz.models.embedding import bound_vector_price
    from memviz.models.planned_calls import rounded_up

    vectors = "vectors of what is noted"
    if missing:
        vectors = f"the vectors of {counted(missing, 'text')}"
        if has_more:
            vectors += " at least"
    question = f"{name} would be asked for {vectors}"
    if budget is not None:
        # What is still to be written has no length yet, so nobody knows what its vectors cost.
        if not has_more:
            most = bound_vector_price(name, missing)
            question += f", for at most {rounded_up(most.usd)}"
        limit = dollars(budget.limit_usd)
        complain(f"{question}. At most {limit} is spent in all.")
        agree(yes=yes)
    elif has_known_price(name):
        complain(f"{question}; it costs nothing.")
    else:
        complain(f"{question}; its price is not known, so no budget holds it.")


def _ask_for_vectors(embedder: Embedder, texts: Sequence[str]) -> None:
    from memviz.models.embedding import TEXTS_A_CALL

    name = embedder.model.name
    with progress_of(f"Asking {name} for vectors") as progress:
        for start in range(0, len(texts), TEXTS_A_CALL):
            batch = texts[start : start + TEXTS_A_CALL]
            embedder(name, batch)
            progress(start + len(batch), len(texts))
