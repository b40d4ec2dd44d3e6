"""One request to a model and its reply, as a wire, a trace or a callback shows it."""

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
    """The program's own id of the conversation; empty where nothing says it."""
    trace: str = ""
    """The id of its trace, which a conversation may be longer than."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """Tokens as billed, by the keys above; those that are not known are not there."""
    tools: tuple[str, ...] = ()
    """Schemas of the tools that were offered, each as JSON text."""
    model: str = ""
    id: str = ""
    """The id of the reply, where its server keeps it."""
    follows: str = ""
    """The id of the reply that this goes on from: the server kept what was said before."""
    asked_at: str = ""
    """When it was asked, and when its reply was there, as ISO texts; empty where that is
    not known."""
    answered_at: str = ""

    @property
    def name(self) -> str:
        """Its conversation, else its trace."""
        return self.conversation or self.trace


def read_usage(values: Mapping[str, object]) -> dict[str, int]:
    """Return those values that are numbers of tokens."""
    usage = {}
    for name, value in values.items():
        if is_whole_number(value) and int(str(value)) >= 0:
            usage[name] = int(str(value))
    return usage


def add_request_time(asked: Sequence[Message], asked_at: str) -> list[Message]:
    """Return the new messages of a request, those behind the last reply with the time of
    the request: nobody knows when the others were said."""
    messages = list(asked)
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "assistant":
            break
        messages[place] = _add_time(messages[place], asked_at)
    return messages


def add_bill(exchange: Exchange) -> list[Message]:
    """Return the reply with its time, and with what was billed for it beside its last
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
    """Return the digest of what a message says: its role, its text and its calls.

    Programs change the rest before they send a message again: ids, names, the spaces
    around a text and the order of keys in the arguments of a call.
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
