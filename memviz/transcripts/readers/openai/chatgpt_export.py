"""ChatGPT's data export: conversations.json, whole or in numbered files, each conversation a tree of nodes.

Tool calls and thoughts have nodes of their own."""

from __future__ import annotations

from collections import deque
from typing import Any

from memviz.conversation import ToolCall
from memviz.transcripts.base import REASONING, UNTITLED
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import kept_beside, known_role
from memviz.transcripts.document import Document
from memviz.transcripts.readers.blocks import add_result
from memviz.transcripts.readers.deepseek import is_deepseek
from memviz.transcripts.readers.json_access import (
    joined,
    list_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import ExportReader
from memviz.transcripts.readers.message_trees import branch_taken, place_of
from memviz.transcripts.readers.openai.chatgpt_content import (
    THOUGHTS,
    Message,
    context_text,
    is_hidden,
    recipient_of,
    role_of,
    text_of,
    thoughts_text,
    type_of,
)
from memviz.transcripts.times import moment, with_time


class ChatPath:
    """Adds the nodes of one branch to a transcript, one after the other. Call :meth:`end` after the last."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self._builder = builder
        self._thoughts: list[str] = []
        self._calls: list[
            ToolCall
        ] = []  # that no other node has followed yet: they are of one message
        self._meta: dict[str, Any] = {}
        self._place = ""
        self._open: dict[str, deque[ToolCall]] = {}  # that have no result yet, by tool
        self._result: tuple[str, str, dict[str, Any]] | None = (
            None  # id, tool and meta of the last result
        )
        self._result_texts: list[str] = []

    def add(self, id: str, message: Message) -> None:
        """Add the message of the next node."""
        if is_hidden(message) and not (
            role_of(message) == "tool" and (self._open or self._calls)
        ):
            return  # the result of a call that is shown belongs to it, shown or not
        place = place_of(id, "node")
        role = known_role(role_of(message))
        if type_of(message.get("content")) == THOUGHTS and role == "assistant":
            self._close()
            self._think(message, place)
        elif recipient_of(message) is not None:
            self._close_result()
            self._call(id, message, place)
        elif role == "tool":
            self._add_result(message, place)
        else:
            self._close()
            self._add_text(message, place)

    def end(self) -> None:
        """End the branch. Thoughts that led to no reply, because it was stopped, are one without text."""
        self._close()
        if self._thoughts:
            self._builder.add_text(
                "assistant", "", self._place, meta=self._with_thoughts(self._meta)
            )

    def _think(self, message: Message, place: str) -> None:
        self._thoughts.append(thoughts_text(message["content"]))
        self._meta, self._place = _meta_of(message), place

    def _add_text(self, message: Message, place: str) -> None:
        role = self._builder.speaker(message.get("author") or {}, place)
        if role is None:
            return
        if role == "user":
            self.end()
            self._open = {}
        meta = _meta_of(message)
        if role == "assistant":
            quoted = {"citations": value_at(message, "metadata", "citations")}
            meta = self._with_thoughts(
                {**meta, **kept_beside(quoted, self._builder.note_at(place))}
            )
        self._builder.add_text(role, self._text(message, place), place, meta=meta)

    def _call(self, id: str, message: Message, place: str) -> None:
        if not self._calls:
            self._meta, self._place = self._with_thoughts(_meta_of(message)), place
        self._calls.append(
            ToolCall(id, recipient_of(message) or "", self._text(message, place))
        )

    def _add_result(self, message: Message, place: str) -> None:
        self._close_calls()
        tool = text_at(message, "author", "name")
        call = self._answered(tool)
        if call or not self._result or self._result[1] != tool:
            self._close_result()
            self._result = (
                call.id if call else "",
                tool,
                with_time(message.get("create_time")),
            )
            self._place = place
        self._result_texts.append(
            self._text(message, place)
        )  # a tool may answer one call in several nodes

    def _answered(self, tool: str) -> ToolCall | None:
        """The oldest open call of this tool, or else of the tool that was called first; it is open no more."""
        name = tool if tool in self._open else next(iter(self._open), None)
        if name is None:
            return None
        calls = self._open[name]
        call = calls.popleft()
        if not calls:
            del self._open[name]
        return call

    def _close(self) -> None:
        self._close_calls()
        self._close_result()

    def _close_calls(self) -> None:
        if self._calls:
            self._close_result()
            self._builder.add_text(
                "assistant",
                "",
                self._place,
                tool_calls=tuple(self._calls),
                meta=self._meta,
            )
            for call in self._calls:
                self._open.setdefault(call.name, deque()).append(call)
            self._calls = []

    def _close_result(self) -> None:
        if self._result:
            id, tool, meta = self._result
            add_result(
                self._builder, self._place, id, joined(self._result_texts), tool, **meta
            )
        self._result, self._result_texts = None, []

    def _with_thoughts(self, meta: dict[str, Any]) -> dict[str, Any]:
        thoughts, self._thoughts = joined(self._thoughts), []
        return {**meta, **({REASONING: thoughts} if thoughts else {})}

    def _text(self, message: Message, place: str) -> str:
        return text_of(message, self._builder.note_at(place))


def _meta_of(message: Message) -> dict[str, Any]:
    model = (
        text_at(message, "metadata", "model_slug")
        if role_of(message) == "assistant"
        else ""
    )
    return {
        **with_time(message.get("create_time")),
        **({"model": model} if model else {}),
    }


NODE_KEYS = frozenset({"message", "parent", "children"})


class ChatGptExport(ExportReader):
    """A list of conversations, or one: the nodes are in ``mapping``, and ``current_node`` ends the branch in use."""

    name = "chatgpt_export"
    title = "ChatGPT export"
    expected = "conversations with a mapping of nodes"
    missing = "it has no mapping of nodes."

    def is_conversation(self, item: object) -> bool:
        """Whether a JSON value is an object with a mapping, and not DeepSeek's."""
        return isinstance(value_at(item, "mapping"), dict) and not is_deepseek(item)

    def recognise(self, document: Document) -> bool:
        """At least half are objects with a mapping, and one of these has nodes in it."""
        return super().recognise(document) and any(
            map(_has_nodes, document.objects or [document.object])
        )

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the branch that ends at the current node; where that is unknown, at the newest leaf. What the model was
        told about the user is the system prompt."""
        path, contexts = ChatPath(builder), dict[str, None]()
        for id in _branch_taken(item["mapping"], item.get("current_node"), builder):
            message = _message(item["mapping"][id])
            if message is not None:
                path.add(id, message)
                contexts[context_text(message)] = None
        path.end()
        held_at = moment(item.get("create_time")) or moment(item.get("update_time"))
        about_user = joined([*contexts])
        return {
            "title": text_at(item, "title") or UNTITLED,
            "held_at": held_at,
            "system_prompt": about_user or None,
        }


def _has_nodes(item: dict[str, Any]) -> bool:
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        return False
    return any(
        not NODE_KEYS.isdisjoint(node) for node in objects_at([*mapping.values()])
    ) or (not mapping and "current_node" in item)


def _message(node: object) -> dict[str, Any] | None:
    message = value_at(node, "message")
    return message if isinstance(message, dict) else None


def _branch_taken(
    mapping: dict[str, Any], current: object, builder: TranscriptBuilder
) -> list[str]:
    def is_shown(id: str) -> bool:
        message = _message(mapping[id])
        if message is None or is_hidden(message):
            return False
        return type_of(message.get("content")) != THOUGHTS

    return branch_taken(
        _parents(mapping),
        current,
        lambda id: value_at(mapping[id], "message", "create_time"),
        builder,
        is_shown,
        "node",
        note_if_unsure=len(mapping) > 1,
    )


def _parents(mapping: dict[str, Any]) -> dict[str, str | None]:
    """The node before each; where a node does not name it, the one that names it among its children."""
    parent_of: dict[str, str | None] = {}
    named_by: dict[str, str] = {}
    for id, node in mapping.items():
        parent = value_at(node, "parent")
        parent_of[id] = parent if isinstance(parent, str) else None
        named_by.update(
            {child: id for child in list_at(node, "children") if isinstance(child, str)}
        )
    return {
        id: parent if parent is not None else named_by.get(id)
        for id, parent in parent_of.items()
    }
