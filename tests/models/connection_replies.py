"""What a server answers to the test of a connection."""

from __future__ import annotations

import json

from tests.models.openai_server import Answer, raw, text

CALLED = text(
    tools=[
        [
            {
                "index": 0,
                "id": "c1",
                "type": "function",
                "function": {"name": "ping", "arguments": "{}"},
            }
        ]
    ],
    finish_reason="tool_calls",
)

COUNTED = text("1, ", "2, ", "3, ", "4, ", "5")


def listing(*names: str) -> Answer:
    return raw(
        json.dumps(
            {
                "object": "list",
                "data": [{"id": name, "object": "model"} for name in names],
            }
        )
    )
