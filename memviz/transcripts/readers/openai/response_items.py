"""Items of the OpenAI Responses API: which types there are, what one holds, and the messages that they are together.

One reply of the model is several items.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from memviz.core.messages import ToolCall
from memviz.core.translation import Said, noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    known_role,
    meta_of_unknown_fields,
    read_tool_name,
    stand_in,
)
from memviz.transcripts.document import HEAD_ITEMS, PlacedValue
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Vocabulary,
    add_parts,
    show_kind,
)
from memviz.transcripts.readers.json_access import (
    first_under,
    items_in,
    join_lines,
    json_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
    texts_under,
)
from memviz.transcripts.readers.role_lists import part_types
from memviz.transcripts.times import meta_with_time

MESSAGE_OBJECTS = frozenset({"thread.message", "realtime.item"})
PARTS = frozenset(
    {
        "input_text",
        "output_text",
        "input_image",
        "input_file",
        "summary_text",
        "reasoning_text",
    }
)
# The server runs these tools itself: one item is the call and its result.
SERVED = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
    }
)
CALLS = SERVED | {
    "function_call",
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "tool_search_call",
    "program",
    "mcp_approval_request",
}
RESULTS = frozenset(
    {
        "function_call_output", "custom_tool_call_output", "computer_call_output", "local_shell_call_output",
        "shell_call_output", "apply_patch_call_output", "tool_search_output", "program_output",
        "mcp_approval_response",
    }
)  # fmt: skip
COMPACTIONS = frozenset({"compaction", "compaction_summary"})
NOT_HERE = noop("refers to the item {id}, which is not in the file")
UNKNOWN_TYPE = noop("has the type {type}, which is not known")
UNREADABLE = noop(
    "the summary of a compaction is encrypted, so that nobody can read it"
)
# Definitions of tools and orders to the server: no part of what was said.
SILENT = frozenset({"mcp_list_tools", "additional_tools", "compaction_trigger"})
TYPES = (
    CALLS | RESULTS | COMPACTIONS | SILENT | {"reasoning", "item_reference", "message"}
)
CERTAIN = TYPES - {"message"}
# Keys of other products' rows. Some of these rows contain items of the same types, others are mixed with such items.
OTHERS = frozenset(
    {
        "payload", "uuid", "parentUuid", "parts", "blocks", "message_tree_id", "stop_reason", "data", "lc",
        "record_type", "instructions", "git",
    }
)  # fmt: skip
NO_TYPE = noop("has no type and no role")
UNANSWERED_THOUGHT = noop("what the model thought before no reply was left out")


def are_items(items: object) -> bool:
    """Return whether at least half of a list are items or messages, and one is what only the Responses API knows."""
    if not isinstance(items, list) or not items:
        return False
    items = items[:HEAD_ITEMS]
    objects = objects_at(items)
    known_count = sum(
        is_item(item) or bool(known_role(item.get("role"))) for item in objects
    )
    if 2 * known_count < len(items) or any(
        not OTHERS.isdisjoint(item) for item in objects
    ):
        return False
    kinds = {text_at(item, "type") for item in objects} - {""}
    return any(map(_is_certain, objects)) or ("message" in kinds and kinds <= TYPES)


def is_item(item: Mapping[str, Any]) -> bool:
    """Return whether an object is an item by its type and the keys that the type needs."""
    if item.get("type") == "message" and not _is_message_object(item):
        return known_role(item.get("role")) is not None and "content" in item
    return _is_certain(item)


def _is_certain(item: Mapping[str, Any]) -> bool:
    kind = text_at(item, "type")
    if _is_message_object(item) or not PARTS.isdisjoint(part_types(item)):
        return True
    if kind == "reasoning":
        return isinstance(item.get("summary"), list) or "encrypted_content" in item
    return kind in CERTAIN and ("call_id" in item or "id" in item)


def _is_message_object(item: Mapping[str, Any]) -> bool:
    return text_at(item, "object") in MESSAGE_OBJECTS


@dataclass(eq=False)
class ItemReader:
    """Adds the messages that items are. A message of the assistant and the calls that follow it are one message, with
    what the model thought before them; two messages stay two."""

    builder: TranscriptBuilder
    _here: set[str] = field(default_factory=set)
    """The ids of the items that are in the file."""
    _call_of_item: dict[str, str] = field(default_factory=dict)
    _reply: list[Part] = field(default_factory=list)
    """The assistant's current message."""
    _thoughts: list[Part] = field(default_factory=list)
    """Those that no message or call has followed yet."""
    _place: str = ""
    """The place of the current message, whose ``meta`` is the next field."""
    _meta: dict[str, Any] = field(default_factory=dict)

    def add_all(self, items: Sequence[PlacedValue]) -> None:
        """Add all items, each with its place."""
        self._here = {text_at(item, "id") for item, _ in items if _is_there(item)}
        for item, place in items:
            if isinstance(item, dict):
                self._add(item, place)
            else:
                self.builder.leave_out(
                    place, Said("is {kind}, not an object", kind=Said(kind_of(item)))
                )
        self._end()

    def _add(self, item: Mapping[str, Any], place: str) -> None:
        builder = self.builder
        kind = text_at(item, "type")
        if kind == "message" or ("role" in item and kind not in SILENT):
            self._add_message(item, place)
        elif kind == "reasoning":
            self._thoughts += thoughts_of(item)
        elif kind in RESULTS or kind.endswith("_call_output"):
            self._end()
            self._add_result(item, place, self._find_answered_call(item, kind))
        elif kind in ("program", "mcp_approval_request") or kind.endswith("_call"):
            self._add_call(item, kind, place)
        elif kind in COMPACTIONS:
            self._end()
            if text_at(item, "encrypted_content"):
                builder.note(UNREADABLE, place)
            builder.add_event("compaction")
        elif kind == "item_reference" or (not kind and "id" in item):
            id = text_at(item, "id")
            if id not in self._here:
                builder.leave_out(place, Said(NOT_HERE, id=repr(id[:60])))
        elif not kind:
            builder.leave_out(place, NO_TYPE)
        elif kind not in SILENT:
            builder.leave_out(place, Said(UNKNOWN_TYPE, type=repr(kind[:40])))

    def _add_message(self, item: Mapping[str, Any], place: str) -> None:
        note = self.builder.note_at(place)
        role = known_role(item.get("role"))
        content = item.get("content")
        time = meta_with_time(item.get("created_at"))
        is_of_chat_api = role == "tool" or item.get("tool_calls")
        if role == "assistant" and not is_of_chat_api:
            self._close()
            quoted = items_in(objects_at(content), "annotations")
            beside = meta_of_unknown_fields({"annotations": quoted}, note)
            self._place = place
            self._meta = {**time, **beside}
            self._reply = [Part("text", CONTENT.text(content, note)), *self._thoughts]
            self._thoughts = []
            return
        self._end()
        if role is None or is_of_chat_api:
            self.builder.add_json(item, place)
        else:
            text = CONTENT.text(content, note)
            name = text_at(item, "name") or None
            self.builder.add_text(role, text, place, name=name, meta=time)

    def _add_call(self, item: Mapping[str, Any], kind: str, place: str) -> None:
        call = read_call_item(item, self.builder.note_at(place))
        if not self._reply:
            self._place = place
            self._meta = {}
        self._reply += [Part("call", call=call), *self._thoughts]
        self._thoughts = []
        self._call_of_item[text_at(item, "id")] = call.id
        if kind in SERVED:
            self._end()
            self._add_result(item, place, call.id)

    def _find_answered_call(self, item: Mapping[str, Any], kind: str) -> str:
        """Return the id of the call that a result answers."""
        id = call_id(item)
        if text_at(item, "call_id"):
            return id
        # The output of a local shell may name the item instead of the call.
        unknown = "" if kind == "tool_search_output" else id
        return self._call_of_item.get(id, unknown)

    def _add_result(self, item: Mapping[str, Any], place: str, id: str) -> None:
        text = result_text(item, self.builder.note_at(place))
        self.builder.add_text("tool", text, place, tool_call_id=id or None)

    def _end(self) -> None:
        """End the reply: what was thought last belongs to it as well."""
        if self._thoughts and not self._reply:
            self.builder.note(UNANSWERED_THOUGHT)
        elif self._reply:
            self._reply += self._thoughts
        self._thoughts = []
        self._close()

    def _close(self) -> None:
        """End the current message, if there is one."""
        if self._reply:
            meta = self._meta
            add_parts(self.builder, "assistant", self._reply, self._place, meta=meta)
        self._reply = []


def _is_there(item: object) -> bool:
    """Return whether an item is itself there, not only its id."""
    if not isinstance(item, dict):
        return False
    return "role" in item or text_at(item, "type") not in ("", "item_reference")


# Keys of a call that are neither its arguments nor, under other names, in them.
BESIDE_ARGUMENTS = frozenset(
    {
        "type", "id", "call_id", "status", "object", "created_at", "name", "namespace", "caller", "created_by",
        "container_id", "environment", "execution", "fingerprint", "pending_safety_checks",
        "acknowledged_safety_checks", "approval_request_id", "output", "outputs", "result", "results", "error",
        "metadata", "internal_chat_message_metadata_passthrough",
    }
)  # fmt: skip
NAMED_CALLS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "mcp_call": "arguments",
}
"""Calls of tools that have a name, with the key of their arguments."""
RESULT_KEYS = ("output", "result", "outputs", "results", "tools", "error", "approve")
LABELS = {
    **dict.fromkeys(("input_image", "image", "image_url", "image_file"), "image"),
    "computer_screenshot": "image",
    **dict.fromkeys(("input_audio", "output_audio", "audio"), "audio"),
    **dict.fromkeys(("input_file", "file", "file_path"), "file"),
}
"""What is shown in place of parts without a text."""


def _read_text(part: Block, note: Note, words: Vocabulary) -> str:
    """Return the text of a part, under whichever key it stands; of one without a text, what it is."""
    text = part.get("text")
    filename = part.get("filename")
    for in_thread in texts_at(text, "value").values():
        return in_thread  # as the messages of a thread have it
    if isinstance(text, str) and isinstance(filename, str):  # a search of files found
        return f"{stand_in('file', filename)}\n{text}"
    if texts_at(part, "stdout", "stderr"):
        return _shell_text(part)
    for said in texts_at(part, "text", "refusal", "transcript", "logs").values():
        return said
    label = LABELS.get(words.kind_of(part))
    return stand_in(label, filename) if label else show_kind(part, note, words)


def _shell_text(part: Mapping[str, Any]) -> str:
    ended = object_at(part, "outcome")
    code = ended.get("exit_code")
    how = ""
    if code:
        how = stand_in("exit code", str(code))
    elif ended.get("type") == "timeout":
        how = stand_in("timeout")
    return join_lines([*texts_under(part, "stdout", "stderr"), how])


CONTENT = Vocabulary({}, other=_read_text)
"""The content of a message, or the result of a tool."""


def thoughts_of(item: Mapping[str, Any]) -> list[Part]:
    """Return all that the model thought where a reasoning item has it, or else the summary."""
    parts = []
    for key in ("content", "summary"):
        for part in list_at(item, key):
            text = part if isinstance(part, str) else text_at(part, "text")
            if text:
                parts.append(Part("reasoning", text))
        if parts:
            break
    return parts


def call_id(item: Mapping[str, Any]) -> str:
    """The id by which a call and its result name each other; the item's own id where it has no other."""
    return first_under(item, "call_id", "approval_request_id", "id")


def read_call_item(item: Mapping[str, Any], note: Note) -> ToolCall:
    """The call of a tool that an item is."""
    kind = text_at(item, "type")
    is_request = kind == "mcp_approval_request"
    id = text_at(item, "id") if is_request or kind in SERVED else call_id(item)
    if kind in NAMED_CALLS:
        arguments = json_text(item.get(NAMED_CALLS[kind]), "{}")
        return ToolCall(id, read_tool_name(item, note), arguments)
    beside = BESIDE_ARGUMENTS - {"name"} if is_request else BESIDE_ARGUMENTS
    asked = _drop_keys(item, beside)
    values = list(asked.values())
    if len(values) == 1 and isinstance(values[0], dict):
        asked = _drop_keys(values[0], {"sources"})
    return ToolCall(id, kind.removesuffix("_call"), json_text(asked))


def result_text(item: Mapping[str, Any], note: Note) -> str:
    """The result of a tool that an item holds; its state in brackets where it holds none, such as
    "[web_search: completed]"."""
    if item.get("type") == "mcp_approval_response":
        keys = ("approve", "reason")
        return json_text({key: item[key] for key in keys if item.get(key) is not None})
    held = [key for key in RESULT_KEYS if item.get(key) is not None]
    if not held:
        sources = join_lines(texts_under(item, "action.sources[].url"))
        kind = text_at(item, "type").removesuffix("_output").removesuffix("_call")
        name = text_at(item, "name") or kind
        return sources or stand_in(name, item.get("status"))
    if item.get("type") == "image_generation_call":
        return stand_in("image")
    result = item[held[0]]
    if held[0] in ("tools", "error"):
        return json_text(result)
    return CONTENT.text(result, note)


def _drop_keys(fields: Mapping[str, Any], keys: Set[str]) -> dict[str, Any]:
    """Return the fields that have a value, without those of these keys."""
    return {
        key: value
        for key, value in fields.items()
        if key not in keys and value is not None
    }
