"""Cohere's chat API: requests, responses and lists of messages of both versions.

The first version has ``message`` in place of ``content``, no ids for tool calls, and the last message of a request
beside the history. The second is like the API of OpenAI, with a plan before tool calls and documents as results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import HEAD_ITEMS, Placed
from memviz.transcripts.readers.cohere.messages import BESIDE, add_all, role_of
from memviz.transcripts.readers.json_access import (
    list_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import ExchangeReader, inside
from memviz.transcripts.readers.role_lists import is_cohere, part_types
from memviz.transcripts.readers.tool_schemas import tool_schemas

FIRST_KEYS = frozenset({"chat_history", "preamble", "connectors", "prompt_truncation"})
"""Keys of a request of the first version, of which one stands beside its message."""


class Cohere(ExchangeReader):
    """What is sent to the chat API, what it answers, or a list of both."""

    name = "cohere"
    title = "Cohere chat messages"
    expected = "messages, or an object with messages, a chat_history or a reply,"

    def are_messages(self, items: list[Any]) -> bool:
        """Messages that only this API has."""
        return _are_messages(items)

    def is_message(self, item: object) -> bool:
        """An object that is one of them."""
        return isinstance(item, dict) and is_cohere(item)

    def is_exchange(self, row: object) -> bool:
        """A request or a response of either version."""
        return _is_exchange(row)

    def read(
        self, piece: Placed | list[Placed], builder: TranscriptBuilder
    ) -> Transcript:
        """The messages in order, with the reply at their end."""
        if isinstance(piece, list):
            add_all(piece, builder)
            return builder.build()
        row, place = piece
        if not isinstance(row, dict) or not (messages := _messages(row, place)):
            raise TranscriptError(
                "it has no messages.", place=place, remedy="Choose another one."
            )
        add_all(messages, builder)
        return builder.build(
            system_prompt=text_at(row, "preamble") or None, tools=tool_schemas(row)
        )


def _is_exchange(row: object) -> bool:
    """Whether it is a request or a response of either version."""
    if not isinstance(row, dict) or "role" in row:
        return False
    history = list_at(row, "chat_history")
    is_first = isinstance(row.get("message"), str) and not FIRST_KEYS.isdisjoint(row)
    is_reply = isinstance(row.get("text"), str) and (
        "generation_id" in row or "response_id" in row
    )
    is_second = (
        text_at(row, "message", "role") == "assistant" and "finish_reason" in row
    )
    return (
        is_first
        or is_reply
        or is_second
        or _are_messages(history)
        or _are_messages(list_at(row, "messages"))
    )


def _are_messages(items: list[Any]) -> bool:
    """Whether these are messages of this API: one of them is, or thinks as in Anthropic's API but calls tools as in
    OpenAI's."""
    objects = objects_at(items[:HEAD_ITEMS])
    if not items or 2 * sum(
        role_of(item.get("role")) is not None for item in objects
    ) < len(items[:HEAD_ITEMS]):
        return False
    thinks = any("thinking" in part_types(item) for item in objects)
    calls = any(
        item.get("role") == "tool" or item.get("tool_calls") for item in objects
    )
    return any(map(is_cohere, objects)) or (thinks and calls)


def _messages(row: Mapping[str, Any], place: str) -> list[Placed]:
    """The messages of a request or a response: the history, then what was asked or answered."""
    key = "messages" if isinstance(row.get("messages"), list) else "chat_history"
    placed = [
        (item, inside(place, f"{key} index {n}"))
        for n, item in enumerate(list_at(row, key))
    ]
    for last in (_asked(row), _answered(row)):
        if last and not (placed and _repeats(placed[-1][0], last)):
            placed.append((last, inside(place, "message")))
    if isinstance(row.get("tool_results"), list):
        placed.append(
            (
                {"role": "tool", "tool_results": row["tool_results"]},
                inside(place, "tool_results"),
            )
        )
    return _with_documents(placed, [] if _answered(row) else list_at(row, "documents"))


def _asked(row: Mapping[str, Any]) -> dict[str, Any]:
    text = row.get("message")
    return {"role": "user", "content": text} if isinstance(text, str) and text else {}


def _answered(row: Mapping[str, Any]) -> dict[str, Any]:
    message = row.get("message")
    if isinstance(message, dict):
        return {"role": "assistant", **message}
    beside = {key: row[key] for key in ("tool_calls", *BESIDE) if row.get(key)}
    return (
        {"role": "assistant", "message": row["text"], **beside}
        if isinstance(row.get("text"), str)
        else {}
    )


def _repeats(item: object, last: Mapping[str, Any]) -> bool:
    """Whether the history ends with the reply that also stands beside it."""
    is_reply = role_of(value_at(item, "role")) == "assistant" == last["role"]
    return is_reply and text_at(item, "message") == text_at(last, "message")


def _with_documents(placed: list[Placed], documents: list[Any]) -> list[Placed]:
    """The messages, the last one of the user with the documents that came with it."""
    at = next(
        (
            n
            for n in range(len(placed) - 1, -1, -1)
            if role_of(value_at(placed[n][0], "role")) == "user"
        ),
        None,
    )
    if at is not None and documents:
        item, place = placed[at]
        placed[at] = ({**item, "documents": documents}, place)
    return placed
