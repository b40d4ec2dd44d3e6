"""DeepSeek's data export: conversations.json, laid out as ChatGPT's, but with fragments in its messages."""

from collections.abc import Mapping
from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import stand_in
from memviz.transcripts.readers.blocks import Part, PartKind, add_parts
from memviz.transcripts.readers.json_access import (
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import About, ExportReader
from memviz.transcripts.readers.message_trees import find_branch_taken, place_of
from memviz.transcripts.times import meta_with_time

SPEAKERS = {"REQUEST": "user", "RESPONSE": "assistant", "THINK": "assistant"}
PARTS: dict[str, PartKind] = {
    "REQUEST": "text",
    "RESPONSE": "text",
    "THINK": "reasoning",
}
"""The kind of part that a fragment of a speaker is."""
ABOUT = About(title=("title",), held_at=("inserted_at", "updated_at"))
OTHER_FRAGMENT = noop(
    "a fragment that is neither said nor thought, such as a search, was left out"
)
NO_SPEAKER = noop("has no fragment of the type REQUEST or RESPONSE")


def is_deepseek(item: object) -> bool:
    """Return whether a JSON value is a conversation of DeepSeek's export, and none of ChatGPT's."""
    for node in object_at(item, "mapping").values():
        message = object_at(node, "message")
        if isinstance(message.get("fragments"), list) and "author" not in message:
            return True
    return False


class DeepSeekExport(ExportReader):
    """A list of conversations, or one; ``mapping`` has their messages as a tree, without saying which branch counts."""

    name = "deepseek_export"
    title = noop("DeepSeek export")
    expected = noop("conversations with a mapping of nodes that have fragments")
    missing = noop("it has no mapping of nodes with messages of DeepSeek.")

    is_conversation = staticmethod(is_deepseek)

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the branch that ends at the newest leaf."""
        nodes = object_at(item, "mapping")
        parent_of = {id: text_at(node, "parent") or None for id, node in nodes.items()}
        message_ids = {id for id, node in nodes.items() if object_at(node, "message")}
        path = find_branch_taken(
            parent_of,
            None,
            lambda id: value_at(nodes[id], "message", "inserted_at"),
            builder,
            message_ids.__contains__,
            "node",
            note_if_unsure=len(set(parent_of.values())) < len(parent_of),
        )
        for id in path:
            if id in message_ids:
                _add(nodes[id]["message"], place_of(id, "node"), builder)
        return ABOUT.read(item)


def _add(message: Mapping[str, Any], place: str, builder: TranscriptBuilder) -> None:
    fragments = objects_at(message, "fragments")
    kinds = [text_at(fragment, "type") for fragment in fragments]
    role = next((SPEAKERS[kind] for kind in kinds if kind in SPEAKERS), None)
    if role is None:
        builder.leave_out(place, NO_SPEAKER)
        return
    parts = [
        Part("text", stand_in("file", text_at(file, "file_name")))
        for file in objects_at(message, "files")
    ]
    for kind, fragment in zip(kinds, fragments, strict=True):
        if kind in PARTS:
            parts.append(Part(PARTS[kind], text_at(fragment, "content")))
        else:
            builder.note(OTHER_FRAGMENT, place)
    model = text_at(message, "model") if role == "assistant" else ""
    meta = meta_with_time(message.get("inserted_at"), model=model)
    add_parts(builder, role, parts, place, meta=meta)
