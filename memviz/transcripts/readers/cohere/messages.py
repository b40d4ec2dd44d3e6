"""One message of Cohere's chat API, of either version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    content_text,
    kept_beside,
    known_role,
    stand_in,
)
from memviz.transcripts.document import Placed
from memviz.transcripts.readers.json_access import (
    first_text,
    first_value,
    joined,
    json_text,
    list_at,
    object_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.message_parts import (
    Part,
    add_parts,
    add_result,
    call_parts,
)

ROLES = {"chatbot": "assistant"}
BESIDE = ("citations", "documents", "search_queries", "search_results")
"""What a reply is based on. It is kept beside the text."""


def role_of(name: object) -> str | None:
    """The role under a name of Cohere's, in any letter case; ``None`` for any other value."""
    return (
        ROLES.get(name.strip().lower()) or known_role(name)
        if isinstance(name, str)
        else None
    )


def add_all(placed: Iterable[Placed], builder: TranscriptBuilder) -> None:
    """Add messages, each with its place."""
    for item, place in placed:
        role = builder.speaker(item, place, role_of=role_of)
        if role == "tool" and isinstance(item.get("tool_results"), list):
            _add_results(item["tool_results"], place, builder)
        elif role is not None:
            _add_message(item, role, place, builder)


def _add_message(
    item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
) -> None:
    note = builder.note_at(place)
    content = first_value(item, "content", "message")
    if content is None:
        content = builder.text_elsewhere(
            item, place, "tool_plan", "tool_calls", *BESIDE
        )
    parts = [Part("text", text_at(item, "tool_plan"))]
    parts += [
        _part(block, note)
        for block in (content if isinstance(content, list) else [content])
    ]
    beside = {key: item[key] for key in BESIDE if key in item}
    if role == "user":
        parts += [
            Part("text", _document(document))
            for document in beside.pop("documents", [])
        ]
    parts += call_parts(list_at(item, "tool_calls"), builder, place)
    meta = kept_beside(beside, note) or None
    add_parts(
        builder,
        role,
        parts,
        place,
        tool_call_id=text_at(item, "tool_call_id") or None,
        meta=meta,
    )


def _add_results(results: list[Any], place: str, builder: TranscriptBuilder) -> None:
    """Add the results of a message of the first version, which repeat the call instead of naming its id."""
    for result in results:
        outputs = value_at(result, "outputs")
        lines = (
            outputs
            if isinstance(outputs, list)
            else [result if outputs is None else outputs]
        )
        add_result(
            builder,
            place,
            None,
            joined([json_text(line) for line in lines]),
            value_at(result, "call", "name"),
        )


def _part(block: object, note: Note) -> Part:
    kind = text_at(block, "type")
    if kind == "thinking":
        thinking = value_at(block, "thinking")
        return Part(
            "reasoning",
            thinking if isinstance(thinking, str) else content_text(thinking, note),
        )
    if kind == "document":
        return Part("text", _document(value_at(block, "document")))
    return Part(
        "text",
        content_text(
            block if block is None or isinstance(block, str) else [block], note
        ),
    )


def _document(document: object) -> str:
    """The text of a document: of one with fields its JSON, under its title if it came with a question."""
    data = object_at(document).get("data", document)
    if not isinstance(data, dict):
        return json_text(data)
    title = first_text(data, "title", "name")
    text = first_text(data, "text", "snippet", "content")
    is_plain = bool(text) and set(data) <= {
        "title",
        "name",
        "text",
        "snippet",
        "content",
        "id",
    }
    return (
        joined([stand_in("file", title), text])
        if is_plain and title
        else json_text(data)
    )
