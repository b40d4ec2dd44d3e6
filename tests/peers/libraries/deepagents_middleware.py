"""The summarization middleware of deepagents, called as an agent calls it round each request of its model."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from deepagents.middleware import summarization
from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.langchain_summarization import _model_that_asks
from memviz.strategies.library import Ask, FromLibrary
from tests.strategies.libraries.langchain_messages import (
    content_counter,
    from_langchain,
    to_langchain,
)

logging.getLogger(summarization.__name__).setLevel(logging.ERROR)


class Files:
    """Where it puts what it takes out. Nobody reads it here."""

    artifacts_root = "/"

    def download_files(self, paths: Sequence[str]) -> list[Any]:
        return []

    def write(self, path: str, content: str) -> Any:
        return SimpleNamespace(error=None)


class MiddlewareAtWork:
    """The middleware, with the state that an agent would keep for it."""

    def __init__(self, arguments: dict[str, Any], ask: Ask, counter: Counter) -> None:
        self._model = _model_that_asks()(ask=ask)
        self._middleware = summarization.SummarizationMiddleware(
            self._model,
            backend=Files(),
            token_counter=content_counter(counter),
            trim_tokens_to_summarize=None,
            **arguments,
        )
        self._said: dict[str, Message] = {}
        self._messages: list[BaseMessage] = []
        self._state: dict[str, Any] = {}

    def take(self, position: int, message: Message) -> None:
        self._said[str(position)] = message
        self._messages.append(to_langchain(message, str(position)))

    def request(self) -> Sequence[FromLibrary]:
        sent: list[BaseMessage] = []

        def handle(request: Any) -> Any:
            sent.extend(request.messages)
            return ModelResponse([AIMessage("")])

        request = ModelRequest(
            model=self._model, messages=list(self._messages), state=self._state
        )
        answered = self._middleware.wrap_model_call(request, handle)
        command = getattr(answered, "command", None)
        if command is not None:
            self._state = {**self._state, **command.update}
        return [self._as_ours(message) for message in sent]

    def _as_ours(self, message: BaseMessage) -> FromLibrary:
        said = self._said.get(message.id or "")
        sent = from_langchain(message)
        if said is None:
            return FromLibrary(sent)
        return FromLibrary(said if sent == said else sent, int(message.id or ""))
