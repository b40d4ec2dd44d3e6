"""One request to a model with its reply (:class:`Exchange`), however it was recorded.

Traces, the proxy, the transport and the callbacks make exchanges; ``recorder`` and ``threads``
find the new messages in them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from memviz.core.bounds import is_whole_number
from memviz.core.messages import TIME, Message, ToolCall
from memviz.transcripts.base import USAGE

CUT_OFF = "cut_off"
"""Key in the ``meta`` of a reply that ended early, as its reader left or its line broke."""
INPUT_TOKENS = "input_tokens"
OUTPUT_TOKENS = "output_tokens"
CACHE_READ_TOKENS = "cache_read_tokens"
CACHE_WRITE_TOKENS = "cache_write_tokens"
"""Keys of a usage. Input tokens are all of a request, those of the cache included."""
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a model, which repeats the history that the program sends, and its
    reply."""

    sent: tuple[Message, ...]
    reply: tuple[Message, ...]
    conversation: str = ""
    """The program's own id of the conversation; empty if it is not known."""
    trace: str = ""
    """The id of its trace. A conversation may consist of several traces."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """Tokens as billed, by the keys above; unknown ones are missing."""
    tools: tuple[str, ...] = ()
    """Schemas of the tools that were offered, each as JSON text."""
    model: str = ""
    id: str = ""
    """The id of the reply, if the server stores it."""
    follows: str = ""
    """The id of the earlier reply that this continues, if the server stores the history."""
    asked_at: str = ""
    """The time of the request and, below, of the end of the reply, as ISO texts; empty if
    unknown."""
    answered_at: str = ""

    @property
    def name(self) -> str:
        """Its conversation, else its trace."""
        return self.conversation or self.trace


def read_usage(values: Mapping[str, object]) -> dict[str, int]:
    """Return those of the values that are whole numbers of tokens."""
    usage = {}
    for name, value in values.items():
        if is_whole_number(value) and int(str(value)) >= 0:
            usage[name] = int(str(value))
    return usage


def add_request_time(asked: Sequence[Message], asked_at: str) -> list[Message]:
    """Return the new messages of a request. Those behind the last reply get the time of the
    request; the time of earlier ones is not known."""
    messages = list(asked)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant":
            break
        messages[index] = _add_time(messages[index], asked_at)
    return messages


def add_bill(exchange: Exchange) -> list[Message]:
    """Return the reply with its time, and with the billed tokens in the ``meta`` of its last
    message."""
    messages = [_add_time(reply, exchange.answered_at) for reply in exchange.reply]
    if messages and exchange.usage:
        meta = {**(messages[-1].meta or {}), USAGE: dict(exchange.usage)}
        messages[-1] = replace(messages[-1], meta=meta)
    return messages


def _add_time(message: Message, time: str) -> Message:
    """Return a message with the time at which it was said, where it has none."""
    return (
        replace(message, meta={TIME: time, **(message.meta or {})}) if time else message
    )


def digest_message(message: Message) -> bytes:
    """Return a digest of the role, the text and the calls of a message.

    Programs may change everything else before they send a message again: ids, names, spaces
    around the text, and the order of keys in the arguments of a call.
    """
    calls = [(call.name, _normalize_arguments(call)) for call in message.tool_calls]
    identity = json.dumps([message.role, message.content.strip(), calls])
    return blake2b(identity.encode(), digest_size=DIGEST_BYTES).digest()


def _normalize_arguments(call: ToolCall) -> Any:
    try:
        arguments = json.loads(call.arguments or "{}")
        return json.dumps(arguments, sort_keys=True)
    except (ValueError, RecursionError):
        return call.arguments.strip()


def parse_json(text: str) -> Any:
    """Return the value of a JSON text: ``[1]`` of "[1]"; a text that is no JSON as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
