"""Conversations and messages to rows and back.

A row is a plain dictionary of columns, ready for bulk inserts.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from memviz.core.conversation import Log
from memviz.core.messages import Message, ToolCall, clean_text
from memviz.core.translation import from_json, to_json
from memviz.storage.tables import ConversationRow
from memviz.transcripts.base import Probe, RecordedEvent, Transcript

Row = dict[str, Any]

PLAIN = ("title", "format", "language", "description", "system_prompt", "held_at")
"""Columns of a conversation that are fields of its transcript as they are."""
_TOOL_CALLS = TypeAdapter(tuple[ToolCall, ...])


def clean_row(**columns: Any) -> Row:
    """Return a row whose texts SQLite accepts: without lone surrogates.

    Those inside JSON columns are escaped when the JSON is written.
    """
    row: Row = {}
    for name, value in columns.items():
        row[name] = clean_text(value) if isinstance(value, str) else value
    return row


def is_unchanged(stored: object, made: Row) -> bool:
    """Return whether a stored row or JSON value is what would be written now.

    They are compared as JSON, where a tuple is the list that it is read back as.
    """
    return json.dumps(stored, default=dict) == json.dumps(made, default=repr)


def counts_of(log: Log) -> Row:
    """Return the columns that count the messages of a conversation."""
    return {
        "message_count": len(log),
        "turn_count": log.turn_count,
        "request_count": log.request_count,
    }


def conversation_row(transcript: Transcript) -> Row:
    """Return the columns of a conversation that come from its transcript."""
    plain = {name: getattr(transcript, name) for name in PLAIN}
    counts = counts_of(Log(transcript.messages))
    probes = [probe.to_dict() for probe in transcript.probes]
    events = [event.to_dict() for event in transcript.events]
    return clean_row(
        **plain,
        **counts,
        warnings=list(map(to_json, transcript.warnings)),
        tools=list(transcript.tools),
        probes=probes,
        events=events,
    )


def transcript_of(stored: ConversationRow, messages: Iterable[Message]) -> Transcript:
    """Return the transcript of a stored conversation with these messages."""
    plain = {name: getattr(stored, name) for name in PLAIN}
    stored_events = stored.events or ()
    return Transcript(
        tuple(messages),
        **plain,
        probes=tuple(map(Probe.from_dict, stored.probes)),
        events=tuple(map(RecordedEvent.from_dict, stored_events)),
        warnings=tuple(map(from_json, stored.warnings)),
        tools=tuple(stored.tools or ()),
    )


def message_rows(
    conversation_id: str, log: Sequence[Message], start: int = 0
) -> list[Row]:
    """Return the rows of the messages of ``log`` from position ``start`` on."""
    rows: list[Row] = []
    for position, message in enumerate(log[start:], start):
        calls = [asdict(call) for call in message.tool_calls]
        meta = message.meta
        row = clean_row(
            conversation_id=conversation_id,
            position=position,
            role=message.role,
            content=message.content,
            name=message.name,
            tool_calls=calls or None,
            tool_call_id=message.tool_call_id,
            meta=None if meta is None else dict(meta),
        )
        rows.append(row)
    return rows


def message_of(stored: Mapping[Any, Any]) -> Message:
    """Return the message of a stored row. Raises ValueError if the row is damaged."""
    calls = _TOOL_CALLS.validate_python(stored["tool_calls"] or [])
    return Message(
        role=stored["role"],
        content=stored["content"],
        name=stored["name"],
        tool_calls=calls,
        tool_call_id=stored["tool_call_id"],
        meta=stored["meta"],
    )
