"""Chat models that call memory's tools, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import memviz
from memviz import Message, Reply, ScriptedModel, ToolCall
from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.core.tool_schemas import count_schema_tokens
from memviz.models.base import ToolChoice
from memviz.models.tools import TOOLS, Tool
from tests.engine.probes import Digest

RECALL, THINK = "recall_conversation", "continue_thinking"
CHARS4 = memviz.counter("chars4")


class Caller(ScriptedModel):
    """A scripted model that also remembers what it was told about calling."""

    name = "caller"

    def __init__(self, script: Iterable[str | Reply | BaseException]) -> None:
        super().__init__(script)
        self.tools: list[tuple[str, ...]] = []
        self.choices: list[ToolChoice] = []

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        self.tools.append(tuple(tool.name for tool in tools))
        self.choices.append(tool_choice)
        return super().complete(messages, tools, tool_choice)


class Plain(Digest):
    """A model that knows no tools at all, and remembers its requests."""

    name = "plain"

    def __init__(self) -> None:
        self.requests: list[tuple[Message, ...]] = []

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        self.requests.append(tuple(messages))
        yield from super().stream(messages)


def recall(id: str = "c1", **arguments: Any) -> ToolCall:
    """A call of the recall tool."""
    return ToolCall(id, RECALL, json.dumps(arguments))


def decide(go_on: Any, summary: str | None = None, id: str = "t1") -> ToolCall:
    """A call of the thinking tool."""
    given = {"continue_thinking": go_on} | (
        {} if summary is None else {"summary": summary}
    )
    return ToolCall(id, THINK, json.dumps(given))


def says(*calls: ToolCall, text: str = "", **facts: Any) -> Reply:
    """A reply that calls tools."""
    return Reply(text, calls, finish_reason="tool_calls", **facts)


def chat_after(
    turns: int, strategy: memviz.Strategy, script: Iterable[Any], **options: Any
) -> memviz.Chat:
    """A chat in which ``turns`` questions were asked and answered without any call; then its model follows
    ``script``. Its model's notes begin with the script."""
    model = Caller([*(f"answer {i}" for i in range(turns)), *script])
    options = {"summarizer": Digest(), "counter": "chars4", **options}
    chat = memviz.Chat(strategy, model=model, **options)
    for i in range(turns):
        chat.send(f"question {i}")
    for notes in (model.requests, model.offered, model.tools, model.choices):
        notes.clear()
    return chat


def caller_of(chat: memviz.Chat) -> Caller:
    """The chat's model with its notes."""
    assert isinstance(chat.model, Caller)
    return chat.model


def told(messages: Iterable[Message]) -> list[str]:
    """What these messages tell a model about its calls."""
    return [message.content for message in messages if message.role == "tool"]


def texts(messages: Iterable[Message]) -> list[str]:
    return [message.content for message in messages]


def recalled(record: memviz.TurnRecord) -> list[str]:
    return [
        text
        for block in record.context.blocks
        if block.kind == "recalled"
        for text in texts(block.messages)
    ]


def before_input(record: memviz.TurnRecord) -> list[int]:
    """Log positions of what was recalled and stands right before the input, not in its own place."""
    return [
        position
        for position in record.parts.recalled
        if position not in record.parts.restored
    ]


def brought_back(
    record: memviz.TurnRecord, log: Sequence[Message], *, repair: bool = True
) -> list[Message]:
    """The messages of :func:`before_input` as they are sent: where pairs are repaired, one that calls a tool and is
    sent without the result has no call. No message of ``log`` calls several tools."""
    positions = before_input(record)
    messages = []
    for position in positions:
        message = log[position]
        results = record.memory.log.tools.results_of.get(position, ())
        if repair and message.tool_calls and not set(results) & set(positions):
            message = replace(message, tool_calls=())
        messages.append(message)
    return messages


def with_restored(plain: memviz.TurnRecord, record: memviz.TurnRecord) -> list[Message]:
    """The messages of ``plain`` with those whole that ``record`` restored in their own place."""
    found: list[Message] = []
    for block in plain.context.blocks:
        placed = block.kind == "history" and block.indices
        positions = block.indices if placed else [-1] * len(block.messages)
        for position, message in zip(positions, block.messages, strict=True):
            found.append(
                record.memory.log[position]
                if position in record.parts.restored
                else message
            )
    return found


def content_tokens(message: Message) -> int:
    """Tokens of a message counted by hand: its text and its calls."""
    return CHARS4(message.content) + sum(
        CHARS4(call.name) + CHARS4(call.arguments) for call in message.tool_calls
    )


def request_tokens(
    messages: Sequence[Message],
    tools: Iterable[str],
) -> int:
    """Tokens of a request counted by hand, message by message, and the schemas once."""
    has_system_message = any(message.role == "system" for message in messages)
    schemas = offered(*tools, has_system_prompt=has_system_message)
    return (
        sum(content_tokens(m) + TOKENS_PER_MESSAGE for m in messages)
        + TOKENS_PER_REQUEST
        + schemas
    )


def offered(*tools: str, has_system_prompt: bool = False) -> int:
    """Tokens of the schemas of these tools of memviz."""
    return count_schema_tokens(
        CHARS4, tuple(TOOLS[name].text for name in tools), has_system_prompt
    )


def check_accepted(sent: Sequence[Message]) -> None:
    """As a provider checks it: each result belongs to a call of the assistant's message before it, which are all
    answered; and nothing is there twice."""
    open_calls: set[str] = set()
    for message in sent:
        if message.role == "tool":
            assert message.tool_call_id in open_calls
            open_calls.remove(message.tool_call_id)
        else:
            assert not open_calls
            open_calls = {call.id for call in message.tool_calls}
    assert not open_calls
    results = [message.tool_call_id for message in sent if message.role == "tool"]
    words = [
        message.content
        for message in sent
        if message.role == "user" or message.content.startswith("answer")
    ]
    assert len(set(results)) == len(results)
    assert len(set(words)) == len(words)
