"""Open WebUI's chat export: each chat with a tree of messages, of which ``currentId`` ends the branch in use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import content_text, known_role, stand_in
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.json_text import kind_of
from memviz.transcripts.readers.message_trees import NO_LEAF, newest_leaf, place_of, take_branch
from memviz.transcripts.readers.open_webui.content import read_content
from memviz.transcripts.readers.replies import Reply, joined
from memviz.transcripts.times import moment, with_time


class OpenWebUi(Reader):
    """A list of chats, or one; those of old versions have a list of messages instead of a tree."""

    name = "open_webui"
    title = "Open WebUI export"

    def recognise(self, document: Document) -> bool:
        """At least half are objects with a chat that has a history or messages."""
        if document.object:
            return _is_chat(document.object)
        found = sum(map(_is_chat, document.objects))
        return found > 0 and 2 * found >= len(document.objects)

    def conversations(self, document: Document) -> Sequence[Any]:
        """Every item of the list, or the one object."""
        pieces = [document.object] if document.object else document.items
        if not any(map(_is_chat, pieces)):
            raise mismatch("chats with a history of messages", document)
        return pieces

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The branch that ends at the current message; a list of messages in its order."""
        if not _is_chat(piece):
            raise TranscriptError("it has no chat with messages.", remedy="Export the chat again.")
        chat = piece["chat"]
        for message, place in _messages(chat, builder):
            _read_message(message, builder, place)
        titles = [title for title in (piece.get("title"), chat.get("title")) if isinstance(title, str) and title]
        held_at = moment(piece.get("created_at")) or moment(chat.get("timestamp"))
        return builder.build(title=(titles or [UNTITLED])[0], held_at=held_at, system_prompt=_system(chat))


def _is_chat(item: object) -> bool:
    chat = item.get("chat") if isinstance(item, dict) else None
    return isinstance(chat, dict) and (bool(_tree(chat)) or isinstance(chat.get("messages"), list))


def _tree(chat: dict[str, Any]) -> dict[str, Any]:
    history = chat.get("history")
    messages = history.get("messages") if isinstance(history, dict) else None
    return messages if isinstance(messages, dict) else {}


def _system(chat: dict[str, Any]) -> str | None:
    params = chat.get("params")
    own = params.get("system") if isinstance(params, dict) else None
    return next((text for text in (own, chat.get("system")) if isinstance(text, str) and text), None)


def _messages(chat: dict[str, Any], builder: TranscriptBuilder) -> list[tuple[Any, str]]:
    """The messages of the branch in use, each with its place."""
    tree = _tree(chat)
    if not tree:
        listed = chat.get("messages")
        return [(item, f"index {n}") for n, item in enumerate(listed if isinstance(listed, list) else [])]

    def said_at(id: str) -> datetime | None:
        return moment(tree[id].get("timestamp")) if isinstance(tree[id], dict) else None

    parent_of = {id: _parent(node) for id, node in tree.items()}
    leaf: str | None = chat["history"].get("currentId")
    if not isinstance(leaf, str) or leaf not in parent_of:
        leaf = newest_leaf(parent_of, said_at)
        builder.note(NO_LEAF)
    path = take_branch(leaf, parent_of, builder, lambda _: True) if leaf is not None else []
    return [(tree[id], place_of(id, "message")) for id in path]


def _parent(node: object) -> str | None:
    parent = node.get("parentId") if isinstance(node, dict) else None
    return parent if isinstance(parent, str) else None


def _read_message(item: object, builder: TranscriptBuilder, place: str) -> None:
    if not isinstance(item, dict):
        builder.leave_out(place, f"is {kind_of(item)}, not an object")
        return
    role, written = known_role(item.get("role")), item.get("role")
    if role is None:
        builder.leave_out(place, "has no role" if written is None else f"has the unknown role {str(written)[:40]!r}")
        return
    text = content_text(item.get("content"), lambda what: builder.note(what, place))
    meta = with_time(item.get("timestamp"))
    if role == "assistant":
        model = item.get("model")
        reply = Reply(builder, place, {**meta, **({"model": model} if isinstance(model, str) and model else {})})
        read_content(text, reply)
        reply.text(joined(_files(item)))
        reply.end()
    else:
        builder.add_text(role, joined([text, *_files(item)]), place, meta=meta or None)


def _files(item: dict[str, Any]) -> list[str]:
    """Placeholders of the files of a message, each with the text that was read from it, if the export holds it."""
    files = item.get("files")
    shown = []
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict):
            kind = file.get("type") if isinstance(file.get("type"), str) else "file"
            inner = file.get("file")
            data = inner.get("data") if isinstance(inner, dict) else None
            text = data.get("content") if isinstance(data, dict) else None
            shown.append(joined([stand_in(str(kind), file.get("name")), text if isinstance(text, str) else ""]))
    return shown
