"""A model whose first failure ends the work, where every other call would fail in the same way."""

from collections.abc import Iterator

from memviz.core.errors import (
    BudgetSpentError,
    MemvizError,
    ModelError,
    UnusableSummarizerError,
)
from memviz.models.base import Meter, ModelRequest, ModelWrapper, Reply, unmetered


def ends_all(error: MemvizError) -> bool:
    """Return whether every other call of the same model would fail in the same way, so
    that none is worth trying. After a call that the budget did not allow there is to be
    none, though a smaller one might be."""
    if isinstance(error, (UnusableSummarizerError, BudgetSpentError)):
        return True
    return isinstance(error, ModelError) and error.ends_all


class FirstFailureEnds(ModelWrapper):
    """``model`` as a summarizer of which nobody waits for forty failures that are one: a wrong key, address or name.

    Such a failure is raised as :class:`memviz.core.errors.UnusableSummarizerError`,
    which ends a replay. Any other, such as a timeout or a rate limit, stays what it is:
    the replay records it and goes on.
    """

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's answer."""
        try:
            yield from self._model.answer(request, meter)
        except ModelError as error:
            if error.ends_all:
                raise UnusableSummarizerError(str(error)) from None
            raise
