"""Conversations and messages to rows and back. Rows are plain dictionaries, ready for bulk inserts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from memviz.core.conversation import Log
from memviz.core.messages import Message, ToolCall, clean_text
from memviz.storage.tables import ConversationRow
from memviz.transcripts.base import Probe, RecordedEvent, Transcript

Row = dict[str, Any]


def row(**columns: Any) -> Row:
    """A row whose texts SQLite accepts. Lone surrogates inside JSON columns are escaped there instead."""
    return {
        name: clean_text(value) if isinstance(value, str) else value
        for name, value in columns.items()
    }


def same(stored: object, made: Row) -> bool:
    """Return whether what is stored, a row or a JSON value, is what would be written now: as JSON, where tuples are
    lists."""
    return json.dumps(stored, default=dict) == json.dumps(made, default=repr)


def counts_of(log: Log) -> Row:
    """The columns that repeat what the messages of a conversation make."""
    return {
        "message_count": len(log),
        "turn_count": log.turn_count,
        "request_count": log.request_count,
    }


PLAIN = ("title", "format", "language", "description", "system_prompt", "held_at")
"""Columns of a conversation that are fields of its transcript as they are."""


def conversation_row(transcript: Transcript) -> Row:
    """The columns of a conversation that come from its transcript."""
    plain = {name: getattr(transcript, name) for name in PLAIN}
    counts = counts_of(Log(transcript.messages))
    probes = [probe.to_dict() for probe in transcript.probes]
    events = [event.to_dict() for event in transcript.events]
    lists = {"warnings": list(transcript.warnings), "tools": list(transcript.tools)}
    return row(**plain, **counts, **lists, probes=probes, events=events)


def transcript(stored: ConversationRow, messages: Iterable[Message]) -> Transcript:
    """The transcript of a stored conversation."""
    plain = {name: getattr(stored, name) for name in PLAIN}
    probes = map(Probe.from_dict, stored.probes)
    events = map(RecordedEvent.from_dict, stored.events or ())
    return Transcript(
        tuple(messages),
        **plain,
        probes=tuple(probes),
        events=tuple(events),
        warnings=tuple(stored.warnings),
        tools=tuple(stored.tools or ()),
    )


def message_rows(
    conversation_id: str, log: Sequence[Message], start: int = 0
) -> list[Row]:
    """The messages of ``log`` from position ``start`` on."""
    made: list[Row] = []
    for position, message in enumerate(log[start:], start):
        calls = [asdict(call) for call in message.tool_calls]
        meta = message.meta
        columns = row(
            conversation_id=conversation_id,
            position=position,
            role=message.role,
            content=message.content,
            name=message.name,
            tool_calls=calls or None,
            tool_call_id=message.tool_call_id,
            meta=None if meta is None else dict(meta),
        )
        made.append(columns)
    return made


_TOOL_CALLS = TypeAdapter(tuple[ToolCall, ...])


def message(stored: Mapping[Any, Any]) -> Message:
    """The message of a stored row. Raises ValueError where the row is damaged."""
    calls = _TOOL_CALLS.validate_python(stored["tool_calls"] or [])
    return Message(
        role=stored["role"],
        content=stored["content"],
        name=stored["name"],
        tool_calls=calls,
        tool_call_id=stored["tool_call_id"],
        meta=stored["meta"],
    )
