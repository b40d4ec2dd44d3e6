"""The Gemini API: requests, responses, lists of contents, and the rows of its batches and tuning files.

A content has a role and parts: texts, files, calls of functions and their results. Each is named by its key, in either
of two spellings.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    NOT_TEXT,
    Note,
    ignore_note,
    meta_of_unknown_fields,
    stand_in,
)
from memviz.transcripts.document import (
    HEAD_ITEMS,
    Document,
    PlacedValue,
    Reader,
    mismatch_error,
)
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Vocabulary,
    add_parts,
    file_label,
    make_call,
    make_result,
    read_thought,
    show_json,
    show_kind,
)
from memviz.transcripts.readers.json_access import (
    as_list,
    at_least_half,
    first_value,
    id_text,
    join_lines,
    json_text,
    list_at,
    object_at,
    objects_at,
    pick_fields,
    value_at,
)
from memviz.transcripts.readers.json_rows import add_places, tool_schemas
from memviz.transcripts.times import meta_with_time, moment

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
WHOLE_KEYS = frozenset({"response", "request", "contents"})
"""What a piece of a streamed response never has."""
FINISHED = ("finishReason", "finish_reason")
CREATED = ("createTime", "create_time")
NO_LIST = noop("has parts that are {kind}, not a list")
MORE_CANDIDATES = noop("of several candidates, the first was taken")
CODE_TOOL = "code_execution"
NAME_KEYS = ("name", "toolType", "tool_type")
RESULT_KEYS = ("output", "result")
"""Keys under which programs put a result that is nothing but text, because the API only takes objects."""
BESIDE = frozenset(
    {
        "thought",
        "thoughtSignature",
        "thought_signature",
        "videoMetadata",
        "video_metadata",
        "partMetadata",
        "part_metadata",
        "mediaResolution",
        "media_resolution",
    }
)


def _kind_of(part: Block) -> str:
    """Return the key that says what a part is; empty for a text, and for one that only says something of others."""
    for key, value in part.items():
        if isinstance(value, dict) and key in PARTS.kinds:
            return key
    if isinstance(part.get("text"), str):
        return ""
    others = [key for key, value in part.items() if value is not None]
    return next((key for key in others if key not in BESIDE), "")


def _read_call(call: Block, note: Note, words: Vocabulary) -> list[Part]:
    name = first_value(call, *NAME_KEYS)
    return [make_call(call.get("id"), name, call.get("args"), note)]


def _read_result(result: Block, note: Note, words: Vocabulary) -> list[Part]:
    beside = words.text(list_at(result, "parts"), note)
    text = join_lines([text_of_response(result.get("response")), beside])
    return [make_result(result.get("id"), text, first_value(result, *NAME_KEYS))]


def _show_code(code: Block, note: Note, words: Vocabulary) -> list[Part]:
    arguments = pick_fields(code, ("language", "code"))
    return [make_call(code.get("id"), CODE_TOOL, arguments, note)]


def _show_code_result(output: Block, note: Note, words: Vocabulary) -> list[Part]:
    text = json_text(output.get("output")) or id_text(output.get("outcome"))
    return [make_result(output.get("id"), text, CODE_TOOL)]


def _show_file(blob: Block, note: Note, words: Vocabulary) -> str:
    label = file_label(first_value(blob, "mimeType", "mime_type"))
    uri = first_value(blob, "fileUri", "file_uri")
    name = first_value(blob, "displayName", "display_name")
    if not name and isinstance(uri, str) and not uri.startswith("data:"):
        name = uri.rsplit("/", 1)[-1]
    return stand_in(label, name)


def _show_text_or_kind(part: Block, note: Note, words: Vocabulary) -> str | list[Part]:
    text = part.get("text")
    if isinstance(text, str):
        return read_thought(text) if part.get("thought") is True else text
    kind = words.kind_of(part)
    if kind in words.kinds:  # what stands under its key is no object
        note(NOT_TEXT)
        return show_json(part, note, words)
    return show_kind(part, note, words) if kind else []


PARTS = Vocabulary(
    kind_of=_kind_of,
    is_key=True,
    kinds={
        **dict.fromkeys(
            ("functionCall", "function_call", "toolCall", "tool_call"), _read_call
        ),
        **dict.fromkeys(("functionResponse", "function_response"), _read_result),
        **dict.fromkeys(("toolResponse", "tool_response"), _read_result),
        **dict.fromkeys(("executableCode", "executable_code"), _show_code),
        **dict.fromkeys(
            ("codeExecutionResult", "code_execution_result"), _show_code_result
        ),
        **dict.fromkeys(
            ("inlineData", "inline_data", "fileData", "file_data"), _show_file
        ),
    },
    other=_show_text_or_kind,
)


class GeminiApi(Reader):
    """Requests to the Gemini API, its responses, or both."""

    name = "gemini_api"
    title = noop("Gemini API contents")

    def recognise(self, document: Document) -> bool:
        """Contents in a list, but not of the Gemini CLI; or one or more objects that are requests or responses."""
        if are_contents(document.items):
            return read_checkpoint(document) is None
        if document.object:
            return _is_exchange(document.object)
        return at_least_half(document.items[:HEAD_ITEMS], _is_exchange)

    def conversations(self, document: Document) -> Sequence[Any]:
        """One for a list of contents and for the pieces of one streamed response; else one for each object."""
        alone = document.object
        items = document.items
        if are_contents(items):
            return [document.placed]
        expected = "an object with contents or candidates"
        if not any(map(_is_exchange, [alone] if alone else items)):
            listed = f"a list of contents, or {expected},"
            raise mismatch_error(expected if alone else listed, document)
        if alone:
            return [alone]
        if is_stream(items):
            return [join_response_pieces(items)]
        return [object_at(item) for item in items]

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The contents of the request, and the first candidate of the response."""
        if isinstance(piece, list):
            add_contents(piece, builder)
            return builder.build()
        request = _unwrap_row(piece, "request")
        response = _unwrap_row(piece, "response")
        contents = request.get("contents")
        contents_to_read = [] if contents is None else add_places(as_list(contents))
        # A request with a single content may leave the role out; it is the user's.
        add_contents(
            contents_to_read, builder, "user" if len(contents_to_read) == 1 else ""
        )
        _add_response(response, builder)
        instruction = text_of_contents(
            first_value(request, *INSTRUCTIONS), builder.note
        )
        return builder.build(
            system_prompt=instruction or None,
            held_at=moment(first_value(response, *CREATED)),
            tools=tool_schemas(request),
        )


def are_contents(items: object) -> bool:
    """Return whether at least half of a list are contents of the user or the model, and none has parts of another
    kind."""
    if not isinstance(items, Sequence) or isinstance(items, str):
        return False
    return at_least_half(items, _is_content) and not any(map(_is_foreign, items))


def text_of_contents(value: object, note: Note) -> str:
    """Return the text of a content without role, of a list of parts, or of a text."""
    parts = _parts(value) if isinstance(value, dict) else value
    return PARTS.text(parts, note) if isinstance(parts, (str, list)) else ""


def text_of_response(response: object) -> str:
    """Return the text of a function's result: of one that is nothing but a text under the usual key, that text."""
    if isinstance(response, dict) and len(response) == 1:
        ((key, value),) = response.items()
        if key in RESULT_KEYS and isinstance(value, str):
            return value
    return json_text(response)


def read_checkpoint(document: Document) -> list[Any] | None:
    """Return the contents of a conversation that the Gemini CLI saved; ``None`` for any other document.

    They are in an object, under ``history`` or (beside the history as it was shown) ``clientHistory``; or they are a
    list that starts with the CLI's opening words to the model.
    """
    for key in ("clientHistory", "history"):
        if are_contents(document.object.get(key)):
            return list(document.object[key])
    if not are_contents(document.items):
        return None
    first = {"parts": value_at(document.items[0], "parts")}
    text = text_of_contents(first, ignore_note).strip()
    begins = text.removeprefix(CLI_WRAPPER).lstrip().startswith(CLI_GREETING)
    return list(document.items) if begins else None


def add_contents(
    contents: Iterable[PlacedValue],
    builder: TranscriptBuilder,
    role: str = "",
    meta: Mapping[str, Any] = {},
) -> None:
    """Add the messages that contents are, each with its place; ``role`` is that of a content without one."""
    for content, place in contents:
        if isinstance(content, dict):
            content = {**content, "role": content.get("role") or role or None}
        speaker = builder.speaker(content, place)
        if speaker is None:
            continue
        parts = _parts(content)
        note = builder.note_at(place)
        if isinstance(parts, list):
            message_parts = PARTS.parts(parts, note, speaker)
            add_parts(builder, speaker, message_parts, place, meta=meta)
        else:
            builder.leave_out(place, Said(NO_LIST, kind=Said(kind_of(parts))))


def _parts(content: Mapping[str, Any]) -> object:
    parts = content.get("parts")
    if parts is None:
        return []
    return [parts] if isinstance(parts, (str, dict)) else parts


def _is_content(item: object) -> bool:
    if not isinstance(item, dict) or "parts" not in item:
        return False
    parts = _parts(item)
    role = item.get("role")
    return isinstance(parts, list) and (
        role == "model" or (role == "user" and bool(parts))
    )


def _is_foreign(item: object) -> bool:
    """Return whether its parts say their type or kind, as those of other products do."""
    if not isinstance(item, dict):
        return False
    typed = any("type" in part or "kind" in part for part in objects_at(_parts(item)))
    return typed or "parentId" in item or "chat_messages" in item


def _unwrap_row(row: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the request or response that a row of a batch has under a key; any other object is it."""
    inner = row.get(key)
    return inner if isinstance(inner, dict) else row


def _find_candidates(response: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_at(as_list(response.get("candidates")))


def _is_exchange(row: object) -> bool:
    """Return whether it is a request, a response, or a batch row of them."""
    if not isinstance(row, dict):
        return False
    contents = objects_at(as_list(_unwrap_row(row, "request").get("contents")))
    has_parts = any("parts" in content for content in contents)
    return has_parts or any(
        map(_is_candidate, _find_candidates(_unwrap_row(row, "response")))
    )


def _is_candidate(item: dict[str, Any]) -> bool:
    content = object_at(item, "content")
    is_model_content = "parts" in content or content.get("role") == "model"
    return is_model_content or any(key in item for key in FINISHED)


def _add_response(response: dict[str, Any], builder: TranscriptBuilder) -> None:
    candidates = list_at(response, "candidates")
    if not candidates:
        return
    if len(candidates) > 1:
        builder.note(MORE_CANDIDATES)
    place = "candidate 0"
    first = candidates[0]
    model = first_value(response, "modelVersion", "model_version")
    model = model if isinstance(model, str) else ""
    meta = meta_with_time(first_value(response, *CREATED), model=model)
    grounds = first_value(object_at(first), *GROUNDS)
    grounding_meta = meta_of_unknown_fields(
        {"grounding": grounds}, builder.note_at(place)
    )
    content = value_at(first, "content")
    add_contents([(content, place)], builder, "model", {**meta, **grounding_meta})


def is_stream(items: object) -> bool:
    """Return whether these are the pieces of one streamed response, of which only the last says why it ended."""
    rows = objects_at(items)
    if len(rows) < 2 or not all(map(WHOLE_KEYS.isdisjoint, rows)):
        return False
    ended = (item for row in rows[:-1] for item in _find_candidates(row))
    return not any(first_value(item, *FINISHED) for item in ended)


def join_response_pieces(items: object) -> dict[str, Any]:
    """Return one response with the parts of all pieces; a text that goes on in the next piece is one text again."""
    rows = objects_at(items)
    parts: list[Any] = []
    others: list[dict[str, Any]] = []
    for row in rows:
        first, *more = _find_candidates(row) or [{}]
        others = max(others, more, key=len)
        for part in list_at(first, "content", "parts"):
            if parts and _goes_on(parts[-1], part):
                parts[-1] = {**parts[-1], "text": parts[-1]["text"] + part["text"]}
            else:
                parts.append(part)
    whole = {"content": {"role": "model", "parts": parts}}
    return {**rows[-1], "candidates": [whole, *others]}


def _goes_on(before: Any, part: Any) -> bool:
    texts = [isinstance(value_at(item, "text"), str) for item in (before, part)]
    return all(texts) and before.get("thought") == part.get("thought")
