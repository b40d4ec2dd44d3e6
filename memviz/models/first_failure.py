"""A model whose first failure ends the work, where every other call would fail in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memviz.core.conversation import Message
from memviz.core.errors import (
    BudgetSpentError,
    MemvizError,
    ModelError,
    UnusableSummarizerError,
)
from memviz.models.base import ModelWrapper, Reply, ToolChoice
from memviz.models.tools import Tool


def ends_all(error: MemvizError) -> bool:
    """Whether every other call of the same model would fail in the same way, so that none is worth trying. After a
    call that the budget did not allow there is to be none, though a smaller one might be."""
    if isinstance(error, (UnusableSummarizerError, BudgetSpentError)):
        return True
    return isinstance(error, ModelError) and error.ends_all


class FirstFailureEnds(ModelWrapper):
    """``model`` as a summarizer of which nobody waits for forty failures that are one: a wrong key, address or name.

    Such a failure is raised as :class:`memviz.core.errors.UnusableSummarizerError`,
    which ends a replay. Any other, such as a timeout or a rate limit, stays what it is:
    the replay records it and goes on.
    """

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """The model's answer."""
        try:
            yield from (
                self._model.stream(messages, tools, tool_choice)
                if tools
                else self._model.stream(messages)
            )
        except ModelError as error:
            if error.ends_all:
                raise UnusableSummarizerError(str(error)) from None
            raise
