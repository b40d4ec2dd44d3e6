"""A chat model for LangChain that answers with what a function says, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


class Answering(BaseChatModel):
    """``answer`` gets the messages and gives a text, a whole message, or raises."""

    answer: Callable[[list[BaseMessage]], str | AIMessage]
    _requests: list[list[tuple[str, str]]] = PrivateAttr(default_factory=list)

    @property
    def requests(self) -> list[list[tuple[str, str]]]:
        return self._requests

    @property
    def _llm_type(self) -> str:
        return "answering"

    def bind_tools(self, tools: Any, **options: Any) -> Answering:
        return self

    def _generate(
        self, messages: list[BaseMessage], *args: Any, **options: Any
    ) -> ChatResult:
        self._requests.append(
            [(ROLES[message.type], str(message.text)) for message in messages]
        )
        given = self.answer(messages)
        message = given if isinstance(given, AIMessage) else AIMessage(given)
        return ChatResult(generations=[ChatGeneration(message=message)])
