"""Who summarizes, and a sign early on if the summarizer, its key or the counter is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memviz.models.base import Model


def summarizer_named(name: str, counter: str) -> Model:
    """The model of this name. Raises :class:`memviz.UnknownCounterError`, and a :class:`memviz.ModelError` for a name
    that cannot be one or a key that is not there."""
    from memviz.core.counters import counter as find_counter
    from memviz.core.errors import MissingKeyError
    from memviz.models.registry import is_free, missing_keys, model

    find_counter(counter)
    found = model(name)
    if not is_free(name) and (missing := missing_keys(name)):
        raise MissingKeyError(
            f"{name} needs a key: set {' and '.join(missing)} in the environment.",
            model=name,
        )
    return found
