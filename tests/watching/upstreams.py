"""Servers behind the proxy, and waiting for what it keeps."""

from __future__ import annotations

import json
import time

from memviz.watching.keeper import Keeper
from tests.models.openai_server import (
    Answer,
)
from tests.watching.exchanges_said import kept

KEY = "sk-this0is0a0key0that0nobody0keeps"

WAIT_SECONDS = 10.0


def whole(content: str) -> Answer:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    reply = {"id": "x", "object": "chat.completion", "created": 1, "model": "small"}
    body = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()
    return lambda handler: handler.send(200, body, Set_Cookie=f"session={KEY}")


def wait_for(keeper: Keeper, messages: int) -> None:
    """Wait until so many messages are kept: they are after the client has its reply."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        found = kept(keeper.store).values()
        if sum(len(one.messages) for one in found) >= messages:
            return
        time.sleep(0.02)
    raise AssertionError(f"{kept(keeper.store)} has fewer than {messages} messages")
