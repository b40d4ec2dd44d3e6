"""Reads one message in the shape of the OpenAI chat API from untrusted JSON.

``TranscriptBuilder.add_json`` uses :func:`read_message`; readers of other shapes use the functions for roles, contents
and tool calls. Each repair is reported by a call of ``note``.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from memviz.core.errors import LostMessageError, MessageError
from memviz.core.message_fields import (
    PART_KEYS,
    TEXT_KEYS,
    refusal_and_speech,
    role_named,
    text_beside_content,
)
from memviz.core.messages import Message, ToolCall
from memviz.core.translation import Said, noop
from memviz.transcripts.base import REASONING
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.user_names import quote_names

PART_LABELS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
}
PART_TYPES = frozenset({"text", "input_text", "output_text", "refusal", *PART_LABELS})
MAX_META_CHARS = 2_000
"""Most characters of JSON that the fields of a message which memviz does not know may have in all."""

REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
_OTHER_TEXTS = frozenset({*TEXT_KEYS, "refusal", "audio"})
_PLAIN_KEYS = frozenset({"role", "content"})
_KNOWN_KEYS = frozenset(
    {
        "role",
        "content",
        "name",
        "tool_calls",
        "tool_call_id",
        "function_call",
        *REASONING_KEYS,
    }
)

PROMPT_NAME = "system_prompt"
"""The name that memviz gives the system prompt when it writes it as the first message of a list."""
UNKNOWN_KIND = noop("content of a kind that is not known is shown by its name only")
NOT_TEXT = noop("content that is not text was read as JSON text")

OTHER_TEXT = noop(
    "a message says something else under {keys} than in its content, which is what was read"
)
NOT_A_LIST = noop("a value of tool_calls that is {kind}, not a list")
UNKNOWN_SPEAKER = noop("has the unknown {key} {name}")
UNNAMED = "unnamed"
"""The name of a tool call that has none in the file, so that its arguments and its result are kept."""
UNNAMED_CALL = noop("a tool call without a name is called {name}")

Note = Callable[[str], None]
"""Called with a clause about a repair: "content that is not text was read as JSON text"."""
RoleOf = Callable[[object], str | None]
"""Returns the role for the name that a product gives a speaker; ``None`` for an unknown name."""
TOO_LARGE_FIELDS = noop("fields too large to keep beside the text were left out")


def ignore_note(what: str) -> None:
    """Drop a note, for content that is read a second time."""


def known_role(role: object) -> str | None:
    """Return the role for any of its usual names, "ai" -> "assistant"; ``None`` for an unknown name."""
    return role_named(role)


def named(roles: Mapping[str, str]) -> RoleOf:
    """Return a function that looks up roles in a product's own names, for ``role_of`` of :func:`speaker_of`."""
    return lambda role: roles.get(role) if isinstance(role, str) else None


def role_of_speaker(role: object) -> str | None:
    """Return the role as :func:`known_role` does, for products without messages of tools."""
    known = known_role(role)
    return None if known == "tool" else known


def speaker_of(
    item: object, *keys: str, called: str = "role", role_of: RoleOf = known_role
) -> str:
    """Return the role of the speaker of ``item``, a JSON value that should be a message.

    ``keys``: where the item names its speaker; the first that has a value counts ("role" if none are given).
    ``called``: the word for it in the sentence to the user. ``role_of``: translates the product's names into roles.
    Raises :class:`MessageError` with a reason that completes "index 3 ...", if there is no known speaker.
    """
    if not isinstance(item, dict):
        raise MessageError(Said("is {kind}, not an object", kind=Said(kind_of(item))))
    names = [item[key] for key in keys or ("role",) if item.get(key) is not None]
    if not names:
        raise MessageError(Said("has no {key}", key=called))
    name = names[0]
    role = role_of(name)
    if role is not None:
        return role
    is_text = isinstance(name, str)
    shown_name = repr(name[:40]) if is_text else Said(kind_of(name))
    reason = Said(UNKNOWN_SPEAKER, key=called, name=shown_name)
    raise LostMessageError(reason, name if is_text else "")


def read_saved_prompt(item: object) -> str | None:
    """Return the system prompt if memviz wrote this message for it; ``None`` for any other message."""
    if not isinstance(item, dict) or item.get("name") != PROMPT_NAME:
        return None
    content = item.get("content")
    is_prompt = item.get("role") == "system" and isinstance(content, str)
    return content if is_prompt else None


def read_message(item: Any, note: Note, role_of: RoleOf = known_role) -> Message:
    """Parse a JSON value as a message; ``note`` is called for every repair.

    Raises :class:`MessageError` with a reason that completes "message 3 ...": :class:`LostMessageError` for a message
    of somebody unknown, or whose text is not found.
    """
    role = speaker_of(item, role_of=role_of)
    content = _read_content(item, note)
    if _PLAIN_KEYS.issuperset(item):  # nearly every message
        return Message(role, content)
    calls, broken = tool_calls_of(item, note)
    if broken and not content and not calls:
        raise MessageError(Said("has {what}", what=broken[0]))
    for what in broken:
        note(Said("{what}, was left out", what=what))
    return Message(
        role=role,
        content=content,
        name=_read_label(item, "name", note),
        tool_calls=calls,
        tool_call_id=_read_label(item, "tool_call_id", note),
        meta={**meta_of_unknown_fields(item, note), **_read_reasoning(item)} or None,
    )


def content_text(content: object, note: Note) -> str:
    """Return the text of a message's content: of a list the text of each part on a line of its own, with a stand-in
    such as "[image]" for other parts; of ``None`` an empty text; any other value as JSON text."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        return "\n".join(_read_part(part, note) for part in content)
    return _write_as_json(content, note)


def stand_in(kind: str, filename: object = None) -> str:
    """Return the text that stands for an image or a file: "[image]", or "[file: plan.pdf]"."""
    if isinstance(filename, str) and filename:
        return f"[{kind[:40]}: {filename[:200]}]"
    return f"[{kind[:40]}]"


def _read_content(item: Mapping[str, Any], note: Note) -> str:
    if item.get("content") not in (None, ""):
        content = content_text(item["content"], note)
        if not _OTHER_TEXTS.isdisjoint(item):
            _note_other_texts(item, content, note)
        return content
    try:
        content = text_beside_content(item)
    except MessageError as error:
        raise LostMessageError(*error.args) from None
    if content is None and isinstance(item.get("audio"), dict):
        return stand_in("audio")
    return content_text(content, note)


def _note_other_texts(item: Mapping[str, Any], content: str, note: Note) -> None:
    texts = {key: item[key] for key in TEXT_KEYS if isinstance(item.get(key), str)}
    texts["refusal or audio"] = refusal_and_speech(item)
    expected_texts = ("", content.strip())
    others = [key for key, text in texts.items() if text.strip() not in expected_texts]
    if others:
        note(Said(OTHER_TEXT, keys=quote_names(others)))


def _read_part(part: object, note: Note) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return _write_as_json(part, note)
    for key in ("text", "refusal"):
        if isinstance(part.get(key), str):
            return str(part[key])
    kind = part.get("type")
    if not isinstance(kind, str):
        return _write_as_json(part, note)
    if kind not in PART_TYPES:
        note(UNKNOWN_KIND)
    file = part.get("file")
    filename = file.get("filename") if isinstance(file, dict) else None
    return stand_in(PART_LABELS.get(kind, kind), filename)


def _write_as_json(value: object, note: Note) -> str:
    note(NOT_TEXT)
    return json.dumps(value, ensure_ascii=False)


def _read_label(item: Mapping[str, Any], key: str, note: Note) -> str | None:
    value = item.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    note(Said("a {key} that is not text was left out", key=key))
    return None


def _read_reasoning(item: Mapping[str, Any]) -> dict[str, str]:
    """Return the model's reasoning as ``meta``. Servers of this API have different names for it."""
    for key in REASONING_KEYS:
        if key in item:  # nearly no message
            thoughts = _read_thought(item[key])
            if thoughts:
                return {REASONING: thoughts}
    return {}


def _read_thought(value: object) -> str:
    """Return the text of a thought, which may come in pieces; empty for an encrypted one."""
    if not isinstance(value, list):
        return value if isinstance(value, str) else ""
    texts = []
    for piece in value:
        if isinstance(piece, dict):
            texts += [piece.get("text"), piece.get("summary")]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def meta_of_unknown_fields(item: Mapping[str, Any], note: Note) -> dict[str, Any]:
    """Return the fields of a message that memviz does not know as ``meta``. Empty fields are dropped; those that are
    too large are dropped and noted."""
    meta = {}
    known_keys = _KNOWN_KEYS
    if item.get("content") in (None, ""):
        known_keys = known_keys.union(TEXT_KEYS, PART_KEYS)
    room = MAX_META_CHARS
    too_large = False
    for key, value in item.items():
        if key in known_keys or value in (None, "", [], {}):
            continue
        if key == "audio" and isinstance(value, dict):
            value = {name: part for name, part in value.items() if name != "data"}
        size = len(key) + len(json.dumps(value, ensure_ascii=False))
        if key == "meta" and isinstance(value, dict):
            meta.update(value)
        elif size <= room:
            meta[key] = value
            room -= size
        else:
            too_large = True
    if too_large:
        note(TOO_LARGE_FIELDS)
    return meta


def tool_calls_of(
    item: Mapping[str, Any], note: Note
) -> tuple[tuple[ToolCall, ...], list[str]]:
    """Return the tool calls of a message, and a description of each entry that is none."""
    calls = item.get("tool_calls") or []
    legacy = item.get("function_call")
    if not calls and not legacy:  # nearly every message
        return (), []
    if not isinstance(calls, list):
        return (), [Said(NOT_A_LIST, kind=Said(kind_of(calls)))]
    calls_read = []
    broken = []
    for call in [*calls, legacy] if legacy else calls:
        if isinstance(call, dict):
            calls_read.append(_read_tool_call(call, note))
        else:
            broken.append(describe_non_call(call))
    return tuple(calls_read), broken


def _read_tool_call(call: Mapping[str, Any], note: Note) -> ToolCall:
    inner = call
    key = "arguments"
    if isinstance(call.get("custom"), dict):  # such a tool takes free text instead
        inner = call["custom"]
        key = "input"
    elif isinstance(call.get("function"), dict):
        inner = call["function"]
    name = read_tool_name(inner, note)
    id = call.get("id")
    return ToolCall.of({"id": id, "name": name, "arguments": inner.get(key)})


def read_tool_name(call: Mapping[str, Any], note: Note, *keys: str) -> str:
    """Return the name of the tool under the first of these keys that has one ("name" if no keys are given). If none
    has, note it and return :data:`UNNAMED`."""
    for key in keys or ("name",):
        name = call.get(key)
        if isinstance(name, str) and name:
            return name
    note(Said(UNNAMED_CALL, name=repr(UNNAMED)))
    return UNNAMED


def describe_non_call(value: object) -> str:
    """Return the description of an entry in a list of tool calls that is no object."""
    return Said("a tool call that is {kind}, not an object", kind=Said(kind_of(value)))
