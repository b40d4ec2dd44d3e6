"""UI messages of Vercel's AI SDK, of version 5 and later (parts alone) and of version 4 (parts beside content).

A part of a tool is both its call and its result.
"""

from typing import Any

from memviz.core.message_fields import MAX_KEYS_SHOWN, TEXT_KEYS
from memviz.core.translation import Said, noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    content_text,
    meta_of_unknown_fields,
    role_of_speaker,
    stand_in,
)
from memviz.transcripts.document import HEAD_ITEMS, PlacedValue
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Vocabulary,
    add_parts,
    file_label,
    make_call,
    make_result,
    read_thought,
    show_kind,
    show_text_or_kind,
)
from memviz.transcripts.readers.json_access import (
    first_text,
    json_text,
    list_at,
    objects_at,
    text_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import About, ExchangeReader, add_places
from memviz.transcripts.readers.role_lists import are_messages
from memviz.transcripts.times import meta_with_time

ROLES = frozenset({"system", "user", "assistant", "data"})
OLD_CALLS = "toolInvocations"
"""Where early messages of version 4, which have no parts, keep tool calls."""
TEXT_PART_KEYS = {"type", "text", "state", "providerMetadata", "id"}


def _read_text(part: Block, note: Note, words: Vocabulary) -> str:
    """Return the text of a part, under whichever key it stands."""
    text = part.get("text")
    return text if isinstance(text, str) else first_text(part, "content", *TEXT_KEYS)


def _show_text_or_kind(part: Block, note: Note, words: Vocabulary) -> str:
    show = show_text_or_kind if words.kind_of(part) else show_kind
    return show(part, note, words)


def _stand_in_for_unseen(part: Block, note: Note, words: Vocabulary) -> str:
    """Return the text of a part for the screen, which has none: an answer's source, or what a program draws."""
    return text_at(part, "text")


def _end_step(part: Block, note: Note, words: Vocabulary) -> list[Part]:
    return [Part("step")]


def _read_thought(part: Block, note: Note, words: Vocabulary) -> list[Part]:
    return read_thought(part.get("text") or part.get("reasoning"))


def _show_file(part: Block, note: Note, words: Vocabulary) -> str:
    types = texts_at(part, "mediaType", "mimeType", "contentType")
    label = file_label(next(iter(types.values()), ""))
    return stand_in(label, part.get("filename", part.get("name")))


def _read_tool(part: Block, note: Note, words: Vocabulary) -> list[Part]:
    """Return the call that a part is, and its result where there is one."""
    kind = text_at(part, "type")
    name: object = kind.removeprefix("tool-")
    if kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
        part = part["toolInvocation"]
        name = part.get("toolName")
    elif kind == "dynamic-tool":
        name = part.get("toolName")
    id = part.get("toolCallId")
    arguments = part.get("input", part.get("args", part.get("rawInput")))
    parts = [make_call(id, name, arguments, note)._replace(is_parallel=True)]
    failed = part.get("errorText")
    refused = value_at(part, "approval", "approved") is False
    reason = value_at(part, "approval", "reason")
    if isinstance(failed, str):
        parts.append(make_result(id, failed, name, is_error=True))
    elif "output" in part or "result" in part:
        output = part.get("output", part.get("result"))
        parts.append(make_result(id, json_text(output), name))
    elif refused and isinstance(reason, str):
        parts.append(make_result(id, reason, name))
    return parts


PARTS = Vocabulary(
    {
        "text": _read_text,
        "reasoning": _read_thought,
        "step-start": _end_step,
        "file": _show_file,
        "dynamic-tool": _read_tool,
        "tool-invocation": _read_tool,
        "source": _stand_in_for_unseen,
        "source-url": _stand_in_for_unseen,
        "source-document": _stand_in_for_unseen,
    },
    beginnings={
        "tool-": _read_tool,
        "data-": _stand_in_for_unseen,
        "source": _stand_in_for_unseen,
    },
    other=_show_text_or_kind,
)


class VercelUi(ExchangeReader):
    """A list of messages, one message a line, or chats: objects with a list of messages."""

    name = "vercel_ui"
    title = noop("Vercel AI SDK UI messages")
    expected = noop("messages with parts")
    about = About(title=("title",), held_at=("createdAt",))
    role_of = staticmethod(role_of_speaker)

    def are_messages(self, items: list[Any]) -> bool:
        """At least half are messages with a role and parts, all of a type of the SDK."""
        objects = [item for item in objects_at(items) if text_at(item, "role") in ROLES]
        if not objects or 2 * len(objects) < len(items):
            return False
        if any(OLD_CALLS in item for item in objects) and not are_messages(items):
            return True
        if not all("parts" in item or "content" in item for item in objects):
            return False
        parts = [part for item in objects for part in list_at(item, "parts")]
        return bool(parts) and all(map(_is_part, parts))

    def is_message(self, item: object) -> bool:
        """Any object: a message with a text alone shows no format."""
        return isinstance(item, dict)

    def is_exchange(self, item: object) -> bool:
        """A chat: an object with such messages."""
        return self.are_messages(list_at(item, "messages")[:HEAD_ITEMS])

    def messages_of(self, row: dict[str, Any], place: str) -> list[PlacedValue]:
        """The messages of a chat."""
        return add_places(list_at(row, "messages"))

    def add_message(
        self, item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
    ) -> None:
        """Add a message; what a tool answered in the middle of a reply is a message of its own."""
        note = builder.note_at(place)
        parts = list_at(item, "parts")
        message_parts = PARTS.parts(parts, note, role)
        texts = [part for part in objects_at(parts) if part.get("type") == "text"]
        for part in texts:
            if not isinstance(part.get("text"), str):
                _check_text(part, builder, place)
        text_parts = []
        if not texts:
            text_parts.append(Part("text", content_text(item.get("content"), note)))
        if role == "assistant":
            if not parts:  # version 4 before it had parts
                message_parts = read_thought(item.get("reasoning"))
                for call in objects_at(item, OLD_CALLS):
                    message_parts += _read_tool(
                        {"type": "dynamic-tool", **call}, note, PARTS
                    )
            message_parts += text_parts
        else:
            message_parts = [*text_parts, *message_parts]
            for file in objects_at(item, "experimental_attachments"):
                message_parts.append(Part("text", _show_file(file, note, PARTS)))
        time = item.get("createdAt") or value_at(item, "metadata", "createdAt")
        beside = _meta_of_unseen(parts, note)
        add_parts(
            builder,
            role,
            message_parts,
            place,
            meta=meta_with_time(time),
            beside=beside,
        )


def _is_part(part: object) -> bool:
    """Return whether it is a part of a type that the SDK has."""
    kind = text_at(part, "type")
    return kind in PARTS.kinds or kind.startswith(("tool-", "data-"))


def _check_text(part: Block, builder: TranscriptBuilder, place: str) -> None:
    """Say that the text of a part is lost, if the part holds something and no text."""
    if first_text(part, "content", *TEXT_KEYS):
        return
    unknown = [
        repr(key[:40])
        for key, value in part.items()
        if key not in TEXT_PART_KEYS and value not in (None, "", [], {})
    ]
    if unknown:
        keys = ", ".join(unknown[:MAX_KEYS_SHOWN])
        builder.lose(
            place,
            Said(
                "has a part without text: it has {keys}, and none of text, content",
                keys=keys,
            ),
        )


def _meta_of_unseen(parts: list[Any], note: Note) -> dict[str, Any]:
    """Return what a program shows beside a message, which is no text of it, as ``meta``."""
    sources = _parts_of_kind("source", parts)
    drawn = _parts_of_kind("data-", parts)
    sources = [part.get("source", part) for part in sources]
    return meta_of_unknown_fields({"sources": sources, "data": drawn}, note)


def _parts_of_kind(beginning: str, parts: list[Any]) -> list[Any]:
    """Return the parts whose type begins so: "data-" -> those of the type "data-weather"."""
    return [part for part in parts if text_at(part, "type").startswith(beginning)]
