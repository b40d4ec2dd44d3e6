"""LibreChat's export of a conversation: messages in a tree, or in a list in which each names the one before it."""

from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import Note, stand_in
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Thought,
    Vocabulary,
    add_parts,
    make_result,
    read_call,
)
from memviz.transcripts.readers.json_access import (
    json_text,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import About, ExportReader
from memviz.transcripts.readers.message_trees import find_branch_taken, place_of
from memviz.transcripts.times import meta_with_time

ABOUT = About(
    title=("title",),
    held_at=("messages.0.createdAt", "exportAt"),
    system_prompt=("options.promptPrefix", "options.system"),
)


def _read_tool_call(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    """Return the call that a part is, with its result: ``{"tool_call": {"id": ..., "args": ..., "output": ...}}``."""
    call = object_at(block, "tool_call")
    parts = [read_call(call, note)]
    output = call.get("output")
    if output is not None:
        parts.append(make_result(call.get("id"), json_text(output), call.get("name")))
    return parts


def _read_text(block: Block, note: Note, words: Vocabulary) -> str:
    """Return the text of a part: ``{"text": "Hi"}`` or ``{"text": {"value": "Hi"}}``."""
    return text_at(block, "text") or text_at(block, "text", "value")


BLOCKS = Vocabulary(
    {
        "text": _read_text,
        "think": Thought(("think", "think.value")),
        "tool_call": _read_tool_call,
    }
)


def _is_message(item: object) -> bool:
    return type(value_at(item, "isCreatedByUser")) is bool


class LibreChat(ExportReader):
    """An object with ``messagesTree``, or with ``messages`` that say whether the user wrote them."""

    name = "librechat"
    title = noop("LibreChat export")
    expected = noop("a conversation with messagesTree or messages of LibreChat")
    missing = noop("it has no messages of LibreChat.")

    def is_conversation(self, item: object) -> bool:
        """Return whether the first messages say ``isCreatedByUser``."""
        return any(map(_is_message, _find_top(item)[:3]))

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the branch that ends at the newest message."""
        messages: dict[str, dict[str, Any]] = {}
        parent_of: dict[str, str | None] = {}
        # In a tree a message lies inside the one that it follows, however deep: a stack does not mind.
        unread = [(message, "") for message in reversed(_find_top(item))]
        while unread:
            message, parent = unread.pop()
            id = text_at(message, "messageId") or str(len(messages))
            messages.setdefault(id, message)
            parent_of.setdefault(id, parent or text_at(message, "parentMessageId"))
            children = objects_at(message, "children")
            unread += [(child, id) for child in reversed(children)]
        # The first message names one that no file has.
        parents = {
            id: parent if parent in messages else None
            for id, parent in parent_of.items()
        }
        path = find_branch_taken(
            parents,
            None,
            lambda id: messages[id].get("createdAt"),
            builder,
            messages.__contains__,
            "message",
            note_if_unsure=False,
        )
        for id in path:
            _add(messages[id], place_of(id, "message"), builder)
        return ABOUT.read(item)


def _find_top(item: object) -> list[dict[str, Any]]:
    return objects_at(item, "messagesTree") or objects_at(item, "messages")


def _add(message: dict[str, Any], place: str, builder: TranscriptBuilder) -> None:
    role = "user" if message.get("isCreatedByUser") else "assistant"
    parts = [
        Part("text", stand_in("file", text_at(file, "filename")))
        for file in objects_at(message, "files")
    ]
    content = message.get("content") or message.get("text")
    parts += BLOCKS.parts(content, builder.note_at(place))
    meta = meta_with_time(message.get("createdAt"))
    add_parts(builder, role, parts, place, meta=meta)
