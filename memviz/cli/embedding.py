"""Embedding models that strategies name: what they cost, and an agreement, before they are asked for vectors."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memviz.cli.output import complain, progress_of
from memviz.cli.paying import agree, budget_of, check_key, costs
from memviz.core.text.wording import counted, dollars

if TYPE_CHECKING:
    from memviz.cli.inputs import Source
    from memviz.core.vectors import VectorSource
    from memviz.models.budget import Budget
    from memviz.models.embedding import KeptVectors
    from memviz.strategies.base import Strategy


@contextmanager
def vectors_for(
    source: Source,
    strategies: Sequence[Strategy],
    budget: Budget | None,
    budget_usd: float | None,
    *,
    yes: bool,
) -> Generator[None]:
    """While the block runs, have the vectors that ``strategies`` compare, out of the ``budget`` of the summarizer or
    one of their own of ``budget_usd``: those of the conversation at once, others where they are needed."""
    from memviz.core.errors import MissingVectorsError
    from memviz.core.vectors import texts_of, vectors_from
    from memviz.models.embedding import KeptVectors
    from memviz.strategies.lookup import embedding_asked_by

    # Which messages are compared is known before, which facts is not.
    in_order = sorted(strategies, key=lambda one: one.looks_up)
    names = {embedding_asked_by(one): one.looks_up for one in in_order}
    names.pop("", None)
    if not names:
        yield
        return
    kept = source.workspace.kept_vectors if source.workspace else KeptVectors()
    if budget is None and budget_usd is not None and any(map(costs, names)):
        budget = budget_of("", budget_usd)
    sources = {}
    for name, looks_up in names.items():
        sources[name] = _source(name, budget, kept)
        texts = texts_of(source.transcript.messages if looks_up else ())
        missing = kept.missing(name, texts)
        if (missing or not looks_up) and not (costs(name) and budget is None):
            _ask_first(name, missing, sources[name], budget, yes=yes)
    try:
        with vectors_from(lambda name, texts: sources[name](name, texts)):
            yield
    except MissingVectorsError as missed:
        budget_of(missed.model, budget_usd)
        raise
    finally:
        _say_spent(budget)


def _say_spent(budget: Budget | None) -> None:
    if budget is not None and budget.calls:
        complain(f"Spent on vectors and summaries: {dollars(budget.spent_usd)}.")


def _source(name: str, budget: Budget | None, kept: KeptVectors) -> VectorSource:
    """The source of a model's vectors: those that are kept, and those that it is asked for, unless it has a price and
    nobody said how much it may cost."""
    from memviz.models.embedding import embedder

    if costs(name) and budget is None:
        return kept
    check_key(name)
    made = embedder(name, budget=budget if costs(name) else None)
    made.kept = kept
    return made


def _ask_first(
    name: str,
    missing: Sequence[str],
    source: VectorSource,
    budget: Budget | None,
    *,
    yes: bool,
) -> None:
    """Ask for these texts, once it is agreed. There are none where it is not known before which are compared."""
    from memviz.models.embedding import TEXTS_A_CALL, price_of_vectors

    asked = f"{name} would be asked for vectors of what is noted"
    if missing:
        asked = f"{name} would be asked for the vectors of {counted(len(missing), 'text')} at least"
    if not costs(name) or budget is None:
        complain(f"{asked}; its price is not known, so no budget holds it.")
    else:
        most = price_of_vectors(name, missing)
        cost = f", for at most {dollars(most.usd)}" if missing else ""
        complain(f"{asked}{cost}. At most {dollars(budget.limit_usd)} is spent in all.")
        agree(yes=yes)
    with progress_of(f"Asking {name} for vectors") as progress:
        for start in range(0, len(missing), TEXTS_A_CALL):
            source(name, missing[start : start + TEXTS_A_CALL])
            if progress is not None:
                progress(min(start + TEXTS_A_CALL, len(missing)), len(missing))
