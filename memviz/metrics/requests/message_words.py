"""A message as one reads it: its text, and the tools that it calls."""

from __future__ import annotations

from memviz.core.conversation import Message, ToolCall
from memviz.engine.records import TurnRecord


def call_text(call: ToolCall) -> str:
    """``look_up({"booking": 2})``."""
    return f"{call.name}({call.arguments})"


def message_words(message: Message) -> str:
    """The text and the calls of tools behind it: many messages have calls alone."""
    return " ".join(
        filter(None, [message.content, *map(call_text, message.tool_calls)])
    )


def calls_asked_for(record: TurnRecord) -> list[ToolCall]:
    """The calls of tools in the reply to a request, as far as the log has them: what a live model recalls by itself is
    in none."""
    log, start = record.memory.log, record.log_length
    return [
        call
        for message in log[start : log.reply_stop(start)]
        for call in message.tool_calls
    ]
