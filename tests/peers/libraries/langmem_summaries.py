"""langmem's ``summarize_messages``, called as a graph calls it before each request of its model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langmem.short_term import summarize_messages

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.langchain_summarization import _model_that_asks
from memviz.strategies.library import Ask, FromLibrary
from tests.strategies.libraries.langchain_messages import (
    content_counter,
    from_langchain,
    to_langchain,
)


class SummariesAtWork:
    """The messages and the running summary that a graph would keep."""

    def __init__(self, arguments: dict[str, Any], ask: Ask, counter: Counter) -> None:
        self._arguments = {
            "model": _model_that_asks()(ask=ask),
            "token_counter": content_counter(counter),
            **arguments,
        }
        self._said: dict[str, Message] = {}
        self._messages: list[BaseMessage] = []
        self._summary: Any = None

    def take(self, position: int, message: Message) -> None:
        self._said[str(position)] = message
        self._messages.append(to_langchain(message, str(position)))

    def request(self) -> Sequence[FromLibrary]:
        with warnings.catch_warnings():  # of what its summarizer would have to read
            warnings.simplefilter("ignore", RuntimeWarning)
            result = summarize_messages(
                list(self._messages), running_summary=self._summary, **self._arguments
            )
        self._summary = result.running_summary
        found = []
        for message in result.messages:
            said = self._said.get(message.id or "")
            if said is None:
                found.append(FromLibrary(from_langchain(message)))
            else:
                found.append(FromLibrary(said, int(message.id or "")))
        return found
