"""One LangChain message, in each of the shapes that the library writes it in. Nothing is loaded: it is only read.

Its content is a text, or a list of texts and of blocks in the shapes of many vendors.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from memviz.core.translation import noop
from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    known_role,
    meta_of_unknown_fields,
    stand_in,
)
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Vocabulary,
    add_parts,
    file_label,
    list_calls,
    make_result,
    read_call,
    read_calls,
    show_kind,
    show_nothing,
)
from memviz.transcripts.readers.json_access import (
    first_text,
    first_under,
    first_value,
    id_text,
    join_lines,
    list_at,
    object_at,
    text_at,
    texts_at,
    value_at,
)

TYPES = frozenset(
    {"human", "ai", "system", "tool", "function", "chat", "remove", "developer"}
)
SPOKEN = frozenset({"human", "ai"})
MODEL_KEYS = ("model_name", "model", "model_id")
REMOVAL = noop("a RemoveMessage, an order to delete another message, was passed over")
CALL_TYPES = ("tool_use", "tool_call", "function_call", "invalid_tool_call")
"""Blocks that repeat what stands in the field ``tool_calls`` of the message."""
THOUGHT_KEYS = (
    "thinking",
    "reasoning",
    "reasoning_content",
    "text",
    "summary",
    "content",
)
NAME_PATHS = tuple(
    f"{place}{key}"
    for place in ("", "file.", "extras.", "metadata.", "source.")
    for key in ("filename", "file_name", "title", "name")
)


class Shape(NamedTuple):
    """A message as its type ("human", "ai", ...), its fields, and whether it is a piece of a stream."""

    type: str
    data: Mapping[str, Any]
    is_chunk: bool = False


def read_shape(item: object) -> Shape | None:
    """Return the message that a JSON value is: ``{type, data}``, a serialised constructor, or the bare fields of a
    message with their type. ``None`` for anything else."""
    if not isinstance(item, dict):
        return None
    kind = item.get("type")
    if "lc" in item:
        is_made = kind == "constructor"
        return (
            _make_shape(_class_of(item), object_at(item, "kwargs")) if is_made else None
        )
    if isinstance(item.get("data"), dict) and "content" not in item:
        return _make_shape(kind, item["data"])
    # Messages of other products have a type and a content as well, and a role beside them.
    is_bare = "role" not in item or kind in ("chat", "ChatMessageChunk")
    return _make_shape(kind, item) if is_bare else None


def _class_of(item: Mapping[str, Any]) -> object:
    """Return the last part of the path by which LangChain finds the class of a serialised object."""
    return next(reversed(list_at(item, "id")), None)


def _make_shape(name: object, data: Mapping[str, Any]) -> Shape | None:
    if not isinstance(name, str) or "content" not in data:
        return None
    type_ = name.removesuffix("Chunk").removesuffix("Message").lower()
    return Shape(type_, data, name.endswith("Chunk")) if type_ in TYPES else None


def _read_text(block: Block, note: Note, words: Vocabulary) -> str:
    for text in texts_at(block, "text", "refusal").values():
        return text
    return _show_page_or_kind(block, note, words)


def _show_page_or_kind(block: Block, note: Note, words: Vocabulary) -> str:
    """Return a page that a search found, by its title and address; any other block by its kind."""
    page = texts_at(block, "title", "url")
    return " ".join(page.values()) if len(page) == 2 else show_kind(block, note, words)


def _read_untyped(block: Block, note: Note, words: Vocabulary) -> str | list[Part]:
    rule = _read_thought if "reasoning_content" in block else _read_text
    return rule(block, note, words)


def _read_thought(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    text = read_thought_text(block)
    return [Part("reasoning", text)] if text else []


def _read_call(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    # The id of a Responses item is not the id that its result names.
    id = block.get("call_id") or block.get("id")
    return [read_call({**block, "id": id}, note)]


def _read_result(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    id = first_value(block, "tool_use_id", "tool_call_id")
    text = words.text(first_value(block, "content", "output"), note)
    return [make_result(id, text)]


def _show_file(block: Block, note: Note, words: Vocabulary) -> str:
    if len(texts_at(block, "title", "url")) == 2:
        return _show_page_or_kind(block, note, words)
    kind = words.kind_of(block)
    label = FILES[kind]
    if kind == "media":
        label = file_label(block.get("mime_type"))
    elif label == "image":
        return stand_in(label)
    return stand_in(label, first_under(block, *NAME_PATHS))


FILES = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
    "video": "video", "file": "file", "input_file": "file", "document": "file", "media": "file",
}  # fmt: skip
BLOCKS = Vocabulary(
    {
        "": _read_untyped,
        **dict.fromkeys(
            ("text", "text-plain", "input_text", "output_text", "refusal"), _read_text
        ),
        **dict.fromkeys(("thinking", "reasoning", "reasoning_content"), _read_thought),
        # Thoughts without text, and pieces of calls that stand whole in ``tool_calls``.
        "redacted_thinking": show_nothing,
        "input_json_delta": show_nothing,
        "tool_call_chunk": show_nothing,
        "server_tool_call_chunk": show_nothing,
        **dict.fromkeys(CALL_TYPES, _read_call),
        # Calls of the provider's own tools, which stand nowhere else.
        **dict.fromkeys(
            ("server_tool_use", "server_tool_call", "mcp_tool_use"), _read_call
        ),
        "tool_result": _read_result,
        **dict.fromkeys(FILES, _show_file),
    },
    endings={"_tool_result": _read_result, "_call_result": _read_result},
    other=_show_page_or_kind,
)


def add_message(item: object, builder: TranscriptBuilder, place: str) -> None:
    """Parse one JSON value as a message and add it; anything else is left out."""
    shape = read_shape(item)
    if shape is None:
        builder.leave_out(place, _reason_for_refusal(item))
    elif shape.type == "remove":
        builder.note(REMOVAL, place)
    else:
        _add_shape(shape, builder, place)


def _add_shape(shape: Shape, builder: TranscriptBuilder, place: str) -> None:
    data = shape.data
    note = builder.note_at(place)
    role = known_role(shape.type) or builder.speaker(data, place)
    if role is None:
        return
    extra = object_at(data, "additional_kwargs")
    calls = _read_calls(data, extra, note) if role == "assistant" else []
    content = data.get("content")
    if calls and isinstance(content, list):  # most messages repeat their calls there
        content = [
            block for block in content if text_at(block, "type") not in CALL_TYPES
        ]
    parts = [*BLOCKS.parts(content, note), *calls]
    if not any(part.text for part in parts):
        spoken = first_under(extra, "refusal", "audio.transcript")
        parts.append(Part("text", spoken))
    meta = {}
    if role == "assistant":
        meta = _make_meta(data, extra, parts)
    elif role == "tool":
        meta = meta_of_unknown_fields({"artifact": data.get("artifact")}, note)
    add_parts(
        builder,
        role,
        parts,
        place,
        name=id_text(data.get("name")) or None,
        tool_call_id=id_text(data.get("tool_call_id")) or None,
        meta=meta,
    )


def _reason_for_refusal(item: object) -> str:
    if not isinstance(item, dict):
        return f"is {kind_of(item)}, not a message"
    if item.get("type") == "not_implemented":
        return "could not be saved by LangChain (not_implemented)"
    if "lc" not in item:
        return "is not a message of a type that LangChain knows"
    name = _class_of(item)
    beginning = f"{name[:40]!r}, not" if isinstance(name, str) else "not"
    return f"is {beginning} a message"


def _read_calls(
    data: Mapping[str, Any], extra: Mapping[str, Any], note: Note
) -> list[Part]:
    """Return the calls of a message. The vendor's own form is kept beside LangChain's, and counts where that is
    missing."""
    calls = [*list_at(data, "tool_calls"), *list_at(data, "invalid_tool_calls")]
    return read_calls(calls or list_calls(extra), note)


def _make_meta(
    data: Mapping[str, Any], extra: Mapping[str, Any], parts: list[Part]
) -> dict[str, Any]:
    model = first_text(object_at(data, "response_metadata"), *MODEL_KEYS)
    meta = {"model": model} if model else {}
    if not any(part.kind == "reasoning" for part in parts):
        thoughts = read_thought_text(extra.get("reasoning_content"))
        thoughts = thoughts or read_thought_text(extra.get("reasoning"))
        if thoughts:
            meta[REASONING] = thoughts
    return meta


def read_thought_text(value: object) -> str:
    """Return the text of reasoning in whichever shape its vendor gives it; empty where it is withheld."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return join_lines(map(read_thought_text, value))
    texts = (read_thought_text(value_at(value, key)) for key in THOUGHT_KEYS)
    return next(filter(None, texts), "") if isinstance(value, dict) else ""
