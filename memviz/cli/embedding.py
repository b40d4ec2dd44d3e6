"""Embedding models that strategies name: what they cost, and an agreement, before they are asked for vectors."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memviz.cli.output import complain, progress_of
from memviz.cli.paying import agree, budget_of, check_key, costs
from memviz.core.text.wording import counted, dollars

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
    """While the block runs, have the vectors that ``strategies`` compare over these conversations, out of the
    ``budget`` of the summarizer or one of their own of ``budget_usd``: those that are known at once, others where they
    are needed. What is ``kept`` is not asked for."""
    from memviz.core.vectors import vectors_from
    from memviz.models.embedding import Embedders, embedder
    from memviz.strategies.lookup import (
        embedding_asked_by,
        texts_compared,
        writes_compared_texts,
    )

    by_name: dict[str, list[Strategy]] = {}
    for one in strategies:
        by_name.setdefault(embedding_asked_by(one), []).append(one)
    by_name.pop("", None)
    if not by_name:
        yield
        return
    if budget is None and budget_usd is not None and any(map(costs, by_name)):
        budget = budget_of("", budget_usd)
    sources = Embedders(kept)
    for name, alike in by_name.items():
        texts = texts_compared(alike, logs)
        if costs(name) and budget is None:
            # Nobody said how much it may cost: there is what is kept.
            with _budget_is_missed():
                kept(name, texts)
            continue
        check_key(name)
        sources[name] = embedder(name, budget=budget if costs(name) else None)
        sources[name].kept = kept
        has_more = any(map(writes_compared_texts, alike))
        missing = sources[name].missing(texts)
        if missing or has_more:
            _ask_first(sources[name], missing, budget, has_more=has_more, yes=yes)
    try:
        with vectors_from(sources), _budget_is_missed():
            yield
    finally:
        if budget is not None and budget.calls:
            complain(f"Spent on vectors and summaries: {dollars(budget.spent_usd)}.")


@contextmanager
def _budget_is_missed() -> Generator[None]:
    """A block after whose end for missing vectors the budget is asked for that their model could be paid from."""
    from memviz.core.errors import MissingVectorsError

    try:
        yield
    except MissingVectorsError as missed:
        budget_of(missed.model, None)
        raise


def _ask_first(
    asked: Embedder,
    missing: Sequence[str],
    budget: Budget | None,
    *,
    has_more: bool,
    yes: bool,
) -> None:
    """Ask for the vectors of the texts that are known before, once it is agreed. The most that they cost is said where
    there are no others."""
    from memviz.models.embedding import TEXTS_A_CALL, price_of_vectors
    from memviz.models.planned_calls import rounded_up

    name = asked.model.name
    words = f"{name} would be asked for vectors of what is noted"
    if missing:
        words = (
            f"{name} would be asked for the vectors of {counted(len(missing), 'text')}"
        )
        if has_more:
            words += " at least"
    if not costs(name) or budget is None:
        complain(f"{words}; its price is not known, so no budget holds it.")
    else:
        most = price_of_vectors(name, missing)
        cost = "" if has_more else f", for at most {rounded_up(most.usd)}"
        complain(f"{words}{cost}. At most {dollars(budget.limit_usd)} is spent in all.")
        agree(yes=yes)
    with progress_of(f"Asking {name} for vectors") as progress:
        for start in range(0, len(missing), TEXTS_A_CALL):
            asked(name, missing[start : start + TEXTS_A_CALL])
            if progress is not None:
                progress(min(start + TEXTS_A_CALL, len(missing)), len(missing))
