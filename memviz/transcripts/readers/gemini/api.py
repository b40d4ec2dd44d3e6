"""The Gemini API: requests, responses, lists of contents, and the rows of its batches and tuning files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.gemini.fields import field, listed
from memviz.transcripts.readers.gemini.parts import are_contents, instruction_text, read_content
from memviz.transcripts.readers.gemini.stream import is_stream, whole_response
from memviz.transcripts.times import moment, with_time

CLI_GREETING = "This is the Gemini CLI"
CLI_WRAPPER = "<session_context>"
INSTRUCTIONS = ("systemInstruction", "system_instruction")
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
        return bool(objects) and 2 * sum(map(_is_exchange, objects)) >= len(document.items[:500])

    def conversations(self, document: Document) -> Sequence[Any]:
        """One for a list of contents and for the pieces of one streamed response; else one for each object."""
        items = document.items
        if are_contents(items):
            return [list(zip(items, document.places, strict=True))]
        if document.object:
            if not _is_exchange(document.object):
                raise mismatch("an object with contents or candidates", document)
            return [document.object]
        if not any(_is_exchange(item) for item in items):
            raise mismatch("a list of contents, or an object with contents or candidates,", document)
        return (
            [whole_response(items)] if is_stream(items) else [item if isinstance(item, dict) else {} for item in items]
        )

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The contents of the request, and the first candidate of the response."""
        if isinstance(piece, list):
            read_contents([item for item, _ in piece], builder, [place for _, place in piece])
            return builder.build()
        request, response = _request(piece), _response(piece)
        _read_request(request, builder)
        _read_response(response, builder)
        instruction = instruction_text(field(request, *INSTRUCTIONS), builder.note)
        held_at = moment(field(response, "createTime", "create_time"))
        return builder.build(system_prompt=instruction, held_at=held_at)


def contents_of_checkpoint(document: Document) -> list[Any] | None:
    """The contents of a conversation that the Gemini CLI saved; ``None`` for any other document.

    They are in an object, under ``history`` or (beside the history as it was shown) ``clientHistory``; or they are a
    list that starts with what the CLI tells the model.
    """
    for key in ("clientHistory", "history"):
        if are_contents(document.object.get(key)):
            return list(document.object[key])
    if are_contents(document.items) and _first_text(document.items).startswith(CLI_GREETING):
        return list(document.items)
    return None


def read_contents(contents: Sequence[Any], builder: TranscriptBuilder, places: Sequence[str] | None = None) -> None:
    """Add the messages of contents; their places are "index 0" and so on unless they are given."""
    for index, content in enumerate(contents):
        read_content(content, builder, places[index] if places else f"index {index}")


def _first_text(contents: Sequence[Any]) -> str:
    first = contents[0] if isinstance(contents[0], dict) else {}
    text = instruction_text({"parts": first.get("parts")}, lambda _: None) or ""
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
    contents, candidates = _request(row).get("contents"), _response(row).get("candidates")
    has_parts = any(isinstance(item, dict) and "parts" in item for item in listed(contents))
    return has_parts or any(
        isinstance(item, dict)
        and ("finishReason" in item or "finish_reason" in item or _has_parts(item.get("content")))
        for item in listed(candidates)
    )


def _has_parts(content: object) -> bool:
    return isinstance(content, dict) and ("parts" in content or content.get("role") == "model")


def _read_request(request: dict[str, Any], builder: TranscriptBuilder) -> None:
    contents = request.get("contents")
    if contents is None:
        return
    items = listed(contents)
    # A request with a single content may leave the role out; it is the user's.
    role = "user" if len(items) == 1 else ""
    for index, content in enumerate(items):
        read_content(content, builder, f"index {index}", role)


def _read_response(response: dict[str, Any], builder: TranscriptBuilder) -> None:
    candidates = response.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        return
    if len(candidates) > 1:
        builder.note(MORE_CANDIDATES)
    first = candidates[0] if isinstance(candidates[0], dict) else {}
    model = field(response, "modelVersion", "model_version")
    named = {"model": model} if isinstance(model, str) else {}
    created = with_time(field(response, "createTime", "create_time"))
    read_content(first.get("content"), builder, "candidate 0", "model", **created, **named)
