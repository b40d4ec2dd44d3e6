"""ChatGPT's data export: conversations.json, whole or in numbered files, each conversation a tree of nodes.

Tool calls and thoughts have nodes of their own."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from memviz.core.messages import ToolCall
from memviz.transcripts.base import REASONING, UNTITLED
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import kept_beside, known_role
from memviz.transcripts.document import Document
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


@dataclass(slots=True)
class _Draft:
    """A message that further nodes may add to: an assistant message with calls, or a result of a tool."""

    role: str
    place: str
    meta: dict[str, Any]
    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    name: str | None = None
    tool_call_id: str | None = None


class ChatPath:
    """Collects the nodes of one branch, one after the other; :meth:`write` adds the messages that they make."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self._builder = builder
        self._drafts: list[_Draft] = []
        self._thoughts: list[str] = []  # that no message has followed yet
        self._thought_at = ("", dict[str, Any]())  # place and meta of the last of them
        self._open: dict[str, deque[ToolCall]] = {}  # that have no result yet, by tool

    def add(self, id: str, message: Message) -> None:
        """Add the message of the next node."""
        if is_hidden(message) and not (role_of(message) == "tool" and self._open):
            return  # the result of a call that is shown belongs to it, shown or not
        place = place_of(id, "node")
        role = known_role(role_of(message))
        if type_of(message.get("content")) == THOUGHTS and role == "assistant":
            self._thoughts.append(thoughts_text(message["content"]))
            self._thought_at = place, _meta_of(message)
        elif recipient_of(message) is not None:
            self._add_call(id, message, place)
        elif role == "tool":
            self._add_result(message, place)
        else:
            self._add_text(message, place)

    def write(self) -> None:
        """Add all messages to the transcript."""
        self._end_turn()
        for draft in self._drafts:
            self._builder.add_text(
                draft.role,
                joined(draft.texts),
                draft.place,
                name=draft.name,
                tool_calls=tuple(draft.calls),
                tool_call_id=draft.tool_call_id,
                meta=draft.meta,
            )

    def _end_turn(self) -> None:
        """End a turn. Thoughts that led to no reply, because it was stopped, are one without text."""
        self._open = {}
        if self._thoughts:
            place, meta = self._thought_at
            self._drafts.append(_Draft("assistant", place, self._with_thoughts(meta)))

    def _last(self) -> _Draft | None:
        """Return the last message, where nothing was thought since."""
        return self._drafts[-1] if self._drafts and not self._thoughts else None

    def _add_text(self, message: Message, place: str) -> None:
        role = self._builder.speaker(message.get("author") or {}, place)
        if role is None:
            return
        if role == "user":
            self._end_turn()
        meta = _meta_of(message)
        if role == "assistant":
            quoted = {"citations": value_at(message, "metadata", "citations")}
            kept = kept_beside(quoted, self._builder.note_at(place))
            meta = self._with_thoughts({**meta, **kept})
        text = self._text(message, place)
        self._drafts.append(_Draft(role, place, meta, [text]))

    def _add_call(self, id: str, message: Message, place: str) -> None:
        last = self._last()
        if (
            last is None or not last.calls
        ):  # calls that follow each other are of one message
            last = _Draft("assistant", place, self._with_thoughts(_meta_of(message)))
            self._drafts.append(last)
        name = recipient_of(message) or ""
        call = ToolCall(id, name, self._text(message, place))
        last.calls.append(call)
        self._open.setdefault(name, deque()).append(call)

    def _add_result(self, message: Message, place: str) -> None:
        tool = text_at(message, "author", "name")
        call = self._answered(tool)
        last = self._last()
        # A tool may answer one call in several nodes.
        goes_on = last is not None and last.role == "tool" and (last.name or "") == tool
        if last is None or call or not goes_on:
            id = call.id if call else ""
            meta = with_time(message.get("create_time"))
            last = _Draft(
                "tool", place, dict(meta), name=tool or None, tool_call_id=id or None
            )
            self._drafts.append(last)
        last.texts.append(self._text(message, place))

    def _answered(self, tool: str) -> ToolCall | None:
        """Return the oldest open call of this tool, or else of the tool that was called first; it is open no more."""
        name = tool if tool in self._open else next(iter(self._open), None)
        if name is None:
            return None
        calls = self._open[name]
        call = calls.popleft()
        if not calls:
            del self._open[name]
        return call

    def _with_thoughts(self, meta: dict[str, Any]) -> dict[str, Any]:
        thoughts = joined(self._thoughts)
        self._thoughts = []
        return {**meta, REASONING: thoughts} if thoughts else meta

    def _text(self, message: Message, place: str) -> str:
        return text_of(message, self._builder.note_at(place))


def _meta_of(message: Message) -> dict[str, Any]:
    is_reply = role_of(message) == "assistant"
    model = text_at(message, "metadata", "model_slug") if is_reply else ""
    return {**with_time(message.get("create_time"), model=model)}


NODE_KEYS = frozenset({"message", "parent", "children"})


class ChatGptExport(ExportReader):
    """A list of conversations, or one: the nodes are in ``mapping``, and ``current_node`` ends the branch in use."""

    name = "chatgpt_export"
    title = "ChatGPT export"
    expected = "conversations with a mapping of nodes"
    missing = "it has no mapping of nodes."

    def is_conversation(self, item: object) -> bool:
        """Return whether a JSON value is an object with a mapping, and not DeepSeek's."""
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
        path = ChatPath(builder)
        contexts = dict[str, None]()
        for id in _branch_taken(item["mapping"], item.get("current_node"), builder):
            message = _message(item["mapping"][id])
            if message is not None:
                path.add(id, message)
                contexts[context_text(message)] = None
        path.write()
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
