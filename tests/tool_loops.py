"""Conversations in which the assistant calls tools several times before it answers."""

from __future__ import annotations

from memviz import Message, ToolCall


def loops(turns: int, calls: int) -> list[Message]:
    """A conversation in which the assistant calls a tool so often before each answer, 2 x ``calls`` + 2 messages."""
    said = []
    for turn in range(1, turns + 1):
        said.append(Message("user", f"Question {turn}: {'word ' * 20}"))
        for call in range(calls):
            id = f"{turn}-{call}"
            said.append(
                Message("assistant", "", tool_calls=(ToolCall(id, "look_up", "{}"),))
            )
            said.append(
                Message("tool", f"Result {id}: {'word ' * 20}", tool_call_id=id)
            )
        said.append(Message("assistant", f"Answer {turn}."))
    return said
