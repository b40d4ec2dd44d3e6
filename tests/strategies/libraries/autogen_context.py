"""AutoGen's HeadAndTailChatCompletionContext, driven through a conversation as AutoGen's AssistantAgent drives it.

AutoGen keeps all results that answered one message of the assistant in one message, so a run of tool messages is one
here. Its agent keeps the system prompt outside the context, and sends it first.
"""

from __future__ import annotations

import asyncio
from itertools import groupby

from autogen_core import FunctionCall
from autogen_core.model_context import HeadAndTailChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)

from memviz import Log, Message, ToolCall


def requests(
    messages: list[Message], head_size: int, tail_size: int
) -> list[list[Message]]:
    """What the agent sends with each request of the conversation."""
    return asyncio.run(_requests(Log(messages), head_size, tail_size))


async def _requests(log: Log, head_size: int, tail_size: int) -> list[list[Message]]:
    system, sent, done = list(log[: log.system_stop]), [], log.system_stop
    context = HeadAndTailChatCompletionContext(head_size, tail_size)
    for request in log.requests():
        for message in to_library(list(log[done : request.stop])):
            await context.add_message(message)
        done = request.stop
        sent.append([*system, *from_library(await context.get_messages())])
    return sent


def to_library(messages: list[Message]) -> list[LLMMessage]:
    """AutoGen's messages: one for each message, but one for all tool results in a row."""
    given: list[LLMMessage] = []
    for is_tool, group in groupby(messages, lambda message: message.role == "tool"):
        if is_tool:
            given.append(
                FunctionExecutionResultMessage(
                    content=[_result(message) for message in group]
                )
            )
        else:
            given.extend(_spoken(message) for message in group)
    return given


def _result(message: Message) -> FunctionExecutionResult:
    return FunctionExecutionResult(
        content=message.content,
        name=message.name or "",
        call_id=message.tool_call_id or "",
        is_error=False,
    )


def _spoken(message: Message) -> LLMMessage:
    if message.role == "system":
        return SystemMessage(content=message.content)
    if message.role == "user":
        return UserMessage(content=message.content, source=message.name or "")
    if not message.tool_calls:
        return AssistantMessage(content=message.content, source=message.name or "")
    calls = [
        FunctionCall(id=call.id, name=call.name, arguments=call.arguments)
        for call in message.tool_calls
    ]
    return AssistantMessage(
        content=calls, thought=message.content or None, source=message.name or ""
    )


def from_library(messages: list[LLMMessage]) -> list[Message]:
    """The messages as memviz has them. "System", the source of AutoGen's own line, is no name of a speaker."""
    return [message for given in messages for message in _back(given)]


def _back(given: LLMMessage) -> list[Message]:
    if isinstance(given, FunctionExecutionResultMessage):
        return [
            Message(
                "tool",
                result.content,
                name=result.name or None,
                tool_call_id=result.call_id or None,
            )
            for result in given.content
        ]
    if isinstance(given, SystemMessage):
        return [Message("system", given.content)]
    if isinstance(given, UserMessage):
        return [
            Message(
                "user",
                str(given.content),
                name=None if given.source == "System" else given.source or None,
            )
        ]
    if isinstance(given.content, str):
        return [Message("assistant", given.content, name=given.source or None)]
    calls = tuple(
        ToolCall(call.id, call.name, call.arguments) for call in given.content
    )
    return [
        Message(
            "assistant",
            given.thought or "",
            name=given.source or None,
            tool_calls=calls,
        )
    ]
