"""The Gemini API: requests, responses, lists of contents, and the rows of its batches and tuning files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import kept_beside
from memviz.transcripts.document import HEAD_ITEMS, Document, Placed, Reader, mismatch
from memviz.transcripts.readers.gemini.parts import (
    add_content,
    are_contents,
    instruction_text,
    listed,
)
from memviz.transcripts.readers.json_access import (
    first_value,
    list_at,
    objects_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import tool_schemas
from memviz.transcripts.times import moment, with_time

CLI_GREETING = "This is the Gemini CLI"
CLI_WRAPPER = "<session_context>"
INSTRUCTIONS = ("systemInstruction", "system_instruction")
GROUNDS = (
    "groundingMetadata",
    "grounding_metadata",
    "citationMetadata",
    "citation_metadata",
)
"""What a reply is based on."""
MORE_CANDIDATES = "of several candidates, the first was taken"


class GeminiApi(Reader):
    """What is sent to the Gemini API, what it answers, or both."""

    name = "gemini_api"
    title = "Gemini API contents"

    def recognise(self, document: Document) -> bool:
        """Contents in a list, but not of the Gemini CLI; or one or more objects that are requests or responses."""
        if are_contents(document.items):
            return contents_of_checkpoint(document) is None
        if document.object:
            return _is_exchange(document.object)
        objects = document.objects
        return bool(objects) and 2 * sum(map(_is_exchange, objects)) >= len(
            document.items[:HEAD_ITEMS]
        )

    def conversations(self, document: Document) -> Sequence[Any]:
        """One for a list of contents and for the pieces of one streamed response; else one for each object."""
        items = document.items
        if are_contents(items):
            return [document.placed]
        if document.object:
            if not _is_exchange(document.object):
                raise mismatch("an object with contents or candidates", document)
            return [document.object]
        if not any(_is_exchange(item) for item in items):
            raise mismatch(
                "a list of contents, or an object with contents or candidates,",
                document,
            )
        return (
            [whole_response(items)]
            if is_stream(items)
            else [item if isinstance(item, dict) else {} for item in items]
        )

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The contents of the request, and the first candidate of the response."""
        if isinstance(piece, list):
            add_contents(piece, builder)
            return builder.build()
        request, response = _request(piece), _response(piece)
        _add_request(request, builder)
        _add_response(response, builder)
        instruction = instruction_text(
            first_value(request, *INSTRUCTIONS), builder.note
        )
        held_at = moment(first_value(response, "createTime", "create_time"))
        return builder.build(
            system_prompt=instruction, held_at=held_at, tools=tool_schemas(request)
        )


def contents_of_checkpoint(document: Document) -> list[Any] | None:
    """The contents of a conversation that the Gemini CLI saved; ``None`` for any other document.

    They are in an object, under ``history`` or (beside the history as it was shown) ``clientHistory``; or they are a
    list that starts with the CLI's opening words to the model.
    """
    for key in ("clientHistory", "history"):
        if are_contents(document.object.get(key)):
            return list(document.object[key])
    if are_contents(document.items) and _first_text(document.items).startswith(
        CLI_GREETING
    ):
        return list(document.items)
    return None


def add_contents(contents: Sequence[Placed], builder: TranscriptBuilder) -> None:
    """Add the messages that contents are, each with its place."""
    for content, place in contents:
        add_content(content, builder, place)


def _first_text(contents: Sequence[Any]) -> str:
    text = (
        instruction_text({"parts": value_at(contents[0], "parts")}, lambda _: None)
        or ""
    )
    return text.strip().removeprefix(CLI_WRAPPER).lstrip()


def _request(row: dict[str, Any]) -> dict[str, Any]:
    inner = row.get("request")
    return inner if isinstance(inner, dict) else row


def _response(row: dict[str, Any]) -> dict[str, Any]:
    inner = row.get("response")
    return inner if isinstance(inner, dict) else row


def _is_exchange(row: object) -> bool:
    """Whether it is a request, a response, or a batch row of them."""
    if not isinstance(row, dict):
        return False
    contents, candidates = (
        _request(row).get("contents"),
        _response(row).get("candidates"),
    )
    has_parts = any("parts" in item for item in objects_at(listed(contents)))
    return has_parts or any(
        "finishReason" in item
        or "finish_reason" in item
        or _has_parts(item.get("content"))
        for item in objects_at(listed(candidates))
    )


def _has_parts(content: object) -> bool:
    return isinstance(content, dict) and (
        "parts" in content or content.get("role") == "model"
    )


def _add_request(request: dict[str, Any], builder: TranscriptBuilder) -> None:
    contents = request.get("contents")
    if contents is None:
        return
    items = listed(contents)
    # A request with a single content may leave the role out; it is the user's.
    role = "user" if len(items) == 1 else ""
    for index, content in enumerate(items):
        add_content(content, builder, f"index {index}", role)


def _add_response(response: dict[str, Any], builder: TranscriptBuilder) -> None:
    candidates = list_at(response, "candidates")
    if not candidates:
        return
    if len(candidates) > 1:
        builder.note(MORE_CANDIDATES)
    model = first_value(response, "modelVersion", "model_version")
    named = {"model": model} if isinstance(model, str) else {}
    grounds = (
        first_value(candidates[0], *GROUNDS)
        if isinstance(candidates[0], dict)
        else None
    )
    named |= kept_beside({"grounding": grounds}, builder.note_at("candidate 0"))
    created = with_time(first_value(response, "createTime", "create_time"))
    add_content(
        value_at(candidates[0], "content"),
        builder,
        "candidate 0",
        "model",
        **created,
        **named,
    )


def is_stream(items: object) -> bool:
    """Whether these are the pieces of one streamed response, of which only the last says why it ended."""
    rows = objects_at(items)
    requests = any(
        "response" in row or "request" in row or "contents" in row for row in rows
    )
    return (
        len(rows) > 1
        and not requests
        and not any(_is_finished(row) for row in rows[:-1])
    )


def whole_response(items: object) -> dict[str, Any]:
    """One response with the parts of all pieces; a text that goes on in the next piece is one text again."""
    rows = objects_at(items)
    parts: list[Any] = []
    for row in rows:
        for part in _streamed_parts(row):
            if parts and _goes_on(parts[-1], part):
                parts[-1] = {**parts[-1], "text": parts[-1]["text"] + part["text"]}
            else:
                parts.append(part)
    others = max(
        (objects_at(listed(row.get("candidates")))[1:] for row in rows),
        key=len,
        default=[],
    )
    return {
        **rows[-1],
        "candidates": [{"content": {"role": "model", "parts": parts}}, *others],
    }


def _is_finished(row: dict[str, Any]) -> bool:
    candidates = objects_at(listed(row.get("candidates")))
    return any(
        first_value(item, "finishReason", "finish_reason") for item in candidates
    )


def _streamed_parts(row: dict[str, Any]) -> list[Any]:
    first = next(iter(objects_at(listed(row.get("candidates")))), {})
    return list_at(first, "content", "parts")


def _goes_on(before: Any, part: Any) -> bool:
    texts = [
        isinstance(item, dict) and isinstance(item.get("text"), str)
        for item in (before, part)
    ]
    return all(texts) and before.get("thought") == part.get("thought")
