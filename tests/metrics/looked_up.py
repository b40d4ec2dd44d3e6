"""A conversation in which a tool looks something up."""

from __future__ import annotations

from memviz import Message


def looked_up(*results: str) -> list[Message]:
    """A turn with a call for each of ``results``, and the answer."""
    said = [Message("user", "Which code?")]
    for number, result in enumerate(results):
        call = {
            "id": f"c{number}",
            "function": {"name": "look_up", "arguments": f'{{"code": "{result}"}}'},
        }
        said += [
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", result, tool_call_id=f"c{number}"),
        ]
    return [*said, Message("assistant", "Done.")]
