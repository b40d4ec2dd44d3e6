"""Messages as APIs and agent libraries write them, of whichever vendor: alone, in lists, in requests, in responses."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, known_role
from memviz.transcripts.document import PlacedValue
from memviz.transcripts.mapping.opening import open_value
from memviz.transcripts.mapping.paths import find_field, find_value
from memviz.transcripts.readers.bedrock import BLOCKS as BEDROCK
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Rule,
    Vocabulary,
    add_parts,
    make_call,
    make_result,
    read_call,
    read_thought,
    show_nothing,
)
from memviz.transcripts.readers.citations import meta_of_citations
from memviz.transcripts.readers.json_access import (
    first_text,
    first_value,
    id_text,
    json_text,
    list_at,
    object_at,
    text_at,
)
from memviz.transcripts.readers.langchain_messages import BLOCKS as LANGCHAIN
from memviz.transcripts.readers.langchain_messages import add_message, read_shape
from memviz.transcripts.readers.openai.response_items import ItemReader, are_items

HOLDERS = [
    "message",
    "messages",
    "choices",
    "generations",
    "candidates",
    "output",
    "outputs",
    "response",
    "input",
    "inputs",
    "prompt",
    "completion",
    "question",
    "answer",
    "text",
    "content",
    "args",
    "kwargs",
]
"""Where requests and responses keep their messages; the first that is there counts."""
ALTERNATIVES = ("choices", "generations", "candidates")
"""Lists of replies of which the first was given."""
CONTENT_KEYS = ("content", "parts", "text", "message")
BLOCK_KEYS = ["text", *BEDROCK.kinds, "functionCall", "functionResponse", "json"]
"""The keys by which blocks of Bedrock and Gemini are known, which name no type."""
RESULTS_AT = (
    "content | response | result | output"
    " | toolResult.value.content | toolResult.value | toolResult.error"
)
CALL_IDS = (
    "call_id",
    "tool_call_id",
    "toolUseId",
    "toolCallId",
    "toolCallRequestId",
    "id",
)
INSIDE = "functionCall | functionResponse | toolCall.value"
"""Where a block may keep its call or result: ``{"functionCall": {"name": "look"}}``."""
MAX_LEVELS = 8
MAX_USAGE = 10**12


def _open_block(block: Block) -> Block:
    """Return a block with the fields of the object inside of it, also of its ``data``
    those that it has not itself: ``{"type": "text", "data": {"text": "Hi"}}``."""
    filled_fields = {key: value for key, value in block.items() if value is not None}
    inner = find_value(block, INSIDE)
    return {**object_at(block, "data"), **filled_fields, **object_at(inner)}


def _read_text(block: Block, note: Note, words: Vocabulary) -> str | list[Part]:
    content = first_value(_open_block(block), "text", "content", "json")
    if isinstance(content, list):
        return words.parts(content, note, "user")
    return json_text(content)


def _read_thought(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    inner = _open_block(block)
    return read_thought(first_text(inner, "thinking", "reasoning", "text", "content"))


def _text_or_kind(block: Block, note: Note, words: Vocabulary) -> str | list[Part]:
    """Return the text that a block of an unknown kind has; its kind where it has none."""
    text = block.get("text")
    return text if isinstance(text, str) else LANGCHAIN.other(block, note, words)


def _known_by_key(kind: str, typed: Rule) -> Rule:
    """Return the rule of a kind of Bedrock, whose blocks are known by a key:
    ``{"image": {...}}``. A block that names the kind, ``{"type": "image", "data": "..."}``,
    is read by the rule ``typed``."""

    def read(block: Block, note: Note, words: Vocabulary) -> str | list[Part]:
        if _named_kind(block) and not isinstance(block.get(kind), dict):
            return typed(block, note, words)
        return BEDROCK.parts(block, note)

    return read


def _read_call(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    inner = _open_block(block)
    return [read_call({**inner, "id": _call_id(inner)}, note)]


def _call_id(block: Block) -> str:
    return id_text(first_value(block, *CALL_IDS))


def _read_result(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    inner = _open_block(block)
    content = find_value(inner, RESULTS_AT)
    id = first_value(inner, "tool_use_id", *CALL_IDS)
    name = first_value(inner, "tool_name", "name")
    is_list = isinstance(content, list) and all(
        isinstance(item, dict) for item in content
    )
    text = words.text(content, note) if is_list else json_text(content)
    return [make_result(id, text, name)]


def _named_kind(block: Block) -> str:
    return first_text(block, "type", "part_kind", "kind")


def _kind(block: Block) -> str:
    """Return what a block says it is, or the key by which it is known where it says nothing."""
    return _named_kind(block) or next((key for key in BLOCK_KEYS if key in block), "")


TEXTS = ["text", "input_text", "output_text", "user-prompt", "system-prompt", "json"]
THOUGHTS = ["thinking", "reasoning"]
CALLS = [
    "tool_call",
    "tool_use",
    "function_call",
    "tool-call",
    "toolCallRequest",
    "toolRequest",
    "builtin-tool-call",
    "functionCall",
    "toolUse",
]
RESULTS = [
    "tool_result",
    "tool_call_response",
    "tool-return",
    "toolCallResult",
    "toolResponse",
    "builtin-tool-return",
    "retry-prompt",
    "function_call_output",
    "functionResponse",
    "toolResult",
]
TYPED: dict[str, Rule] = {
    **LANGCHAIN.kinds,
    **dict.fromkeys(("", *TEXTS), _read_text),
    **dict.fromkeys(THOUGHTS, _read_thought),
    **dict.fromkeys(CALLS, _read_call),
    **dict.fromkeys(RESULTS, _read_result),
    "finish": show_nothing,
}
BLOCKS: Vocabulary = replace(
    LANGCHAIN,
    kind_of=_kind,
    other=_text_or_kind,
    kinds={
        **TYPED,
        **{
            kind: _known_by_key(kind, TYPED.get(kind, _text_or_kind))
            for kind in BEDROCK.kinds
        },
    },
)
"""The kinds of blocks that any vendor has."""


def plain_content(value: Any) -> Any:
    """Return a value as content: bytes and numbers as text, parts as they are."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or isinstance(value, str | list | dict):
        return value
    return json_text(value)


def chat_items(value: Any, place: str, level: int = 0) -> Iterator[PlacedValue]:
    """Yield every message, or text, that a value holds, wherever an API puts it."""
    value = open_value(value)
    if _is_pair(value):
        yield {"role": value[0], "content": value[1]}, place
        return
    if isinstance(value, list) and level < MAX_LEVELS:
        for number, item in enumerate(value):
            inner = f"{place}, index {number}" if place else f"index {number}"
            yield from chat_items(item, inner, level + 1)
        return
    if not isinstance(value, dict):
        if isinstance(value, str) and value:
            yield value, place
        return
    if _is_message(value) or level >= MAX_LEVELS:
        yield value, place
        return
    for holder in HOLDERS:
        chat = find_value(value, holder)
        if chat is not None:
            if holder in ALTERNATIVES and isinstance(chat, list):
                chat = chat[:1]
            yield from chat_items(chat, place, level + 1)
            return
    # The only argument of a function is what it was asked: {"user_query": "Where?"}
    if len(value) == 1:
        (argument,) = value.values()
        yield from chat_items(argument, place, level + 1)


def _is_pair(value: Any) -> bool:
    """Return whether a list is a role and a text, as LangChain takes them."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    return known_role(value[0]) is not None and isinstance(value[1], str)


def _is_message(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("role"), str) or read_shape(value) is not None:
        return True
    kind = text_at(value, "type")
    return kind in BLOCKS.kinds and kind not in ("", "text")


def add_chat(value: Any, role: str, builder: TranscriptBuilder, place: str) -> None:
    """Add the messages that a value holds; ``role`` speaks where a message does not say who does."""
    items = _find_response_items(value)
    if items:
        # One reply of the Responses API is several items, which are read together.
        ItemReader(builder).add_all([(item, place) for item in items])
        return
    for item, item_place in chat_items(value, place):
        if isinstance(item, str):
            builder.add_text(role, item, item_place)
        elif read_shape(item) is not None:
            add_message(item, builder, item_place)
        else:
            _add_one(item, role, builder, item_place)


def _find_response_items(value: Any) -> list[Any]:
    """Return the items of the Responses API that a list is, or a response has under
    ``output``; none where it is of another API."""
    value = open_value(value)
    items = value if isinstance(value, list) else list_at(object_at(value), "output")
    return items if are_items(items) else []


def _add_one(
    item: dict[str, Any], role: str, builder: TranscriptBuilder, place: str
) -> None:
    note = builder.note_at(place)
    speaker = known_role(item.get("role")) or role
    content = first_value(item, *CONTENT_KEYS)
    if "role" not in item and "type" in item:
        content = item  # an item of a response that is no message: a call, a result
    content = plain_content(open_value(content))
    parts = []
    if thought := first_text(item, "reasoning_content", "reasoning", "thinking"):
        parts.append(Part("reasoning", thought))
    parts += BLOCKS.parts(content, note, speaker)
    parts += read_tool_calls(item.get("tool_calls"), note)
    if isinstance(item.get("function_call"), dict):
        parts.append(read_call(item["function_call"], note))
    if speaker != "assistant" and any(part.kind == "call" for part in parts):
        speaker = "assistant"
    answers = id_text(first_value(item, "tool_call_id", "call_id")) or None
    add_parts(
        builder,
        speaker,
        parts,
        place,
        name=id_text(item.get("name")) or None,
        tool_call_id=answers if speaker == "tool" else None,
        beside=meta_of_citations(content, note) if speaker == "assistant" else {},
    )


def read_tool_calls(value: Any, note: Note) -> list[Part]:
    """Return the tool calls that a value holds, however they are written: a list or one, wrapped or not."""
    value = open_value(value)
    items = value if isinstance(value, list) else [value]
    parts = []
    for item in items:
        item = open_value(item)
        call = object_at(item, "tool_call") or object_at(item)
        if not call:
            continue
        name = call.get("function")
        if isinstance(name, str):  # Inspect names the tool so
            arguments = first_value(call, "arguments", "args", "input")
            parts.append(make_call(call.get("id"), name, arguments, note))
        else:
            name = find_value(
                call, "function.name | name | tool_name | toolName | apiName"
            )
            arguments = find_value(
                call, "function.arguments | arguments | args | input | rawArgs | params"
            )
            parts.append(make_call(_call_id(call), name, arguments, note))
    return parts


def read_usage(value: Any, paths: Mapping[str, str]) -> dict[str, int]:
    """Return the tokens that a log recorded, under the names ``input_tokens``, ``output_tokens`` and so on."""
    counts = {}
    for name, path in paths.items():
        count = find_field(value, path)
        if isinstance(count, str) and count.isdecimal():
            count = int(count[:15])
        if isinstance(count, float) and 0 <= count < MAX_USAGE:
            count = int(count)
        if isinstance(count, bool) or not isinstance(count, int):
            continue
        if 0 <= count < MAX_USAGE:
            counts[f"{name}_tokens"] = count
    # LangSmith says 0 where nobody counted.
    return counts if any(counts.values()) else {}


def join_text(parts: list[Part], between: str) -> str:
    """Return the texts among parts with ``between`` between them."""
    texts = [part.text for part in parts if part.kind == "text" and part.text]
    return between.join(texts)
