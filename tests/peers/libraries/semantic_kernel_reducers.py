"""The history reducers of Semantic Kernel, called as an agent calls them before each request of its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from semantic_kernel.connectors.ai.chat_completion_client_base import (
    ChatCompletionClientBase,
)
from semantic_kernel.connectors.ai.prompt_execution_settings import (
    PromptExecutionSettings,
)
from semantic_kernel.contents import (
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)
from semantic_kernel.contents.history_reducer.chat_history_summarization_reducer import (
    ChatHistorySummarizationReducer,
)
from semantic_kernel.contents.history_reducer.chat_history_truncation_reducer import (
    ChatHistoryTruncationReducer,
)

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, FromLibrary, run_to_end


class Asking(ChatCompletionClientBase):
    """A service that asks memviz's summarizer."""

    ask: Any

    async def get_chat_message_content(
        self, chat_history: Any, settings: Any, **options: Any
    ) -> Any:
        asked = [
            Message("user", str(message.content)) for message in chat_history.messages
        ]
        return ChatMessageContent(role="assistant", content=self.ask(asked))

    def get_prompt_execution_settings_class(self) -> Any:
        return PromptExecutionSettings


class ReducerAtWork:
    """A reducer, which is the history as well."""

    def __init__(
        self, name: str, arguments: dict[str, Any], ask: Ask, counter: Counter
    ) -> None:
        self._reducer: Any
        if name == "truncation":
            self._reducer = ChatHistoryTruncationReducer(**arguments)
        else:
            self._reducer = ChatHistorySummarizationReducer(
                service=Asking(ai_model_id="memviz", ask=ask), **arguments
            )
        self._said: dict[int, FromLibrary] = {}

    def take(self, position: int, message: Message) -> None:
        theirs = _as_theirs(message)
        self._reducer.messages.append(theirs)
        self._said[id(theirs)] = FromLibrary(message, position)

    def request(self) -> Sequence[FromLibrary]:
        run_to_end(self._reducer.reduce())
        return [
            self._said.get(id(message))
            or FromLibrary(Message("assistant", str(message.content)))
            for message in self._reducer.messages
        ]


def _as_theirs(message: Message) -> ChatMessageContent:
    if message.role == "tool":
        item: Any = FunctionResultContent(
            id=message.tool_call_id or "", name="tool", result=message.content
        )
        return ChatMessageContent(role="tool", items=[item])
    items: list[Any] = [TextContent(text=message.content)]
    for call in message.tool_calls:
        items.append(
            FunctionCallContent(id=call.id, name=call.name, arguments=call.arguments)
        )
    return ChatMessageContent(role=message.role, items=items)
