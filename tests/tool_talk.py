"""A conversation in which the model calls tools before it answers."""

from __future__ import annotations

import json
from typing import Any


def tool_talk(*calls: int) -> list[dict[str, Any]]:
    """One turn for each of ``calls``, which says how often the model is asked in it: all times but the last it calls a
    tool."""
    found: list[dict[str, Any]] = []
    for turn, times in enumerate(calls, 1):
        found.append(
            {
                "role": "user",
                "content": f"Question {turn}: what does booking {turn} cost?",
            }
        )
        for call in range(1, times):
            id = f"t{turn}c{call}"
            function = {
                "name": "look_up",
                "arguments": json.dumps({"booking": turn, "page": call}),
            }
            called = {"id": id, "type": "function", "function": function}
            found.append({"role": "assistant", "content": "", "tool_calls": [called]})
            found.append(
                {
                    "role": "tool",
                    "tool_call_id": id,
                    "content": f"Result {turn}.{call}: {100 * call} dollars.",
                }
            )
        found.append(
            {
                "role": "assistant",
                "content": f"Answer {turn}: it costs {100 * times} dollars.",
            }
        )
    return found
