"""How a paid call is allowed and accounted for: a meter is asked before it, and its bill is told how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memviz.core.conversation import Message
from memviz.core.errors import ModelError
from memviz.models.tools import Tool

if TYPE_CHECKING:
    from memviz.models.base import Reply


class Bill:
    """One request to a provider, open until it is :meth:`answered` or :meth:`failed`. Leaving its ``with`` block in
    any other way, as an interruption does, is a failure without an error. This one costs nobody anything."""

    def __enter__(self) -> Bill:
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        self.failed(error if isinstance(error, ModelError) else None)

    def answered(self, reply: Reply) -> Reply:
        """The request was answered; the reply to hand on, with its cost."""
        return reply

    def failed(self, error: ModelError | None) -> None:
        """It was not. Does nothing once the bill is closed."""

    def unused(self) -> None:
        """The request was not made after all, so nothing is to be paid."""


class BothBills(Bill):
    """Two bills of the same request, told the same."""

    def __init__(self, one: Bill, other: Bill) -> None:
        self._one, self._other = one, other

    def answered(self, reply: Reply) -> Reply:
        """Both hear of the reply; the cost that the second one knows is handed on."""
        return self._other.answered(self._one.answered(reply))

    def failed(self, error: ModelError | None) -> None:
        """Both hear of the failure."""
        self._one.failed(error)
        self._other.failed(error)

    def unused(self) -> None:
        """Neither is to be paid."""
        self._one.unused()
        self._other.unused()


Meter = Callable[[Sequence[Message], Sequence[Tool]], Bill]
"""Asked before a request with these messages and tools is made; raises to forbid it."""


def unmetered(messages: Sequence[Message], tools: Sequence[Tool]) -> Bill:
    """The meter of calls that nobody keeps an account of."""
    return Bill()
