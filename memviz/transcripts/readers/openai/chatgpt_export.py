"""ChatGPT's data export: conversations.json, whole or in numbered files, each conversation a tree of nodes.

Tool calls and thoughts have nodes of their own."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from memviz.core.messages import ToolCall
from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    ignore_note,
    known_role,
    meta_of_unknown_fields,
    stand_in,
)
from memviz.transcripts.document import Document
from memviz.transcripts.readers.blocks import (
    Block,
    File,
    Part,
    Text,
    Vocabulary,
    add_parts,
)
from memviz.transcripts.readers.deepseek import is_deepseek
from memviz.transcripts.readers.json_access import (
    as_list,
    first_value,
    id_text,
    join_lines,
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
    texts_under,
    value_at,
)
from memviz.transcripts.readers.json_rows import About, ExportReader
from memviz.transcripts.readers.message_trees import find_branch_taken, place_of
from memviz.transcripts.times import meta_with_time

CONTEXTS = frozenset({"user_editable_context", "model_editable_context"})
"""What ChatGPT lets the model know about the user, as instructions and memories; it is never shown as a message."""
CONTEXT_FIELDS = (
    "user_profile",
    "user_instructions",
    "model_set_context",
    "structured_context",
)
ABOUT = About(title=("title",), held_at=("create_time", "update_time"))
THOUGHTS = "thoughts"
RECAP = "reasoning_recap"
AUDIO = frozenset({"audio_asset_pointer", "real_time_user_audio_video_asset_pointer"})
NODE_KEYS = frozenset({"message", "parent", "children"})
Message = dict[str, Any]


def _type_of(content: object) -> str:
    return text_at(content, "content_type")


def _name_video_frame(part: Block, note: Note, words: Vocabulary) -> str:
    is_filmed = isinstance(part.get("video_container_asset_pointer"), dict)
    return stand_in("video" if is_filmed else "audio")


CONTENTS = Vocabulary(
    kind_of=_type_of,
    kinds={
        **dict.fromkeys(("text", "code", "execution_output", "system_error"), Text()),
        "tether_quote": Text(("title",)),
        "tether_browsing_display": Text(("result",)),
        "image_asset_pointer": File("image"),
        "audio_asset_pointer": File("audio"),
        "video_asset_pointer": File("video"),
        "video_container_asset_pointer": File("video"),
        "file_asset_pointer": File("file"),
        "real_time_user_audio_video_asset_pointer": _name_video_frame,
    },
)


def _text_of(message: Message, note: Note) -> str:
    """The text of a message, with stand-ins for what is no text, and for the files that came with it."""
    content = message.get("content")
    if isinstance(content, dict):
        content = content.get("parts", content)
    parts = as_list(content)
    # Speech is in the file twice, as a recording and as its transcription: the transcription is enough.
    if any(_type_of(part) == "audio_transcription" for part in parts):
        parts = [part for part in parts if _type_of(part) not in AUDIO]
    files = []
    for file in objects_at(message, "metadata", "attachments"):
        mime = id_text(first_value(file, "mime_type", "mimeType"))
        if "width" not in file and not mime.startswith("image/"):
            files.append(stand_in("file", file.get("name")))
    return join_lines([CONTENTS.text(parts, note), *files])


def _role_of(message: Message) -> object:
    return value_at(message, "author", "role")


def _recipient_of(message: Message) -> str:
    """The tool that a message of the assistant is for; empty for what it says to the user."""
    recipient = text_at(message, "recipient")
    is_call = _role_of(message) == "assistant" and recipient not in ("all", "user")
    return recipient if is_call else ""


def _is_hidden(message: Message) -> bool:
    """Return whether ChatGPT keeps this node for itself: it is marked as hidden or as without weight, or of a type
    that is never shown, or it is empty and not from the user or a tool."""
    if value_at(message, "metadata", "is_visually_hidden_from_conversation") is True:
        return True
    weight = message.get("weight")
    kind = _type_of(message.get("content"))
    if (weight == 0 and weight is not False) or kind in CONTEXTS or kind == RECAP:
        return True
    if kind == THOUGHTS or _recipient_of(message):
        return False
    is_own = _role_of(message) in ("system", "assistant")
    return is_own and not _text_of(message, ignore_note).strip()


@dataclass(slots=True)
class _Draft:
    """A message that further nodes may add to: an assistant message with calls, or a result of a tool."""

    role: str
    place: str
    meta: dict[str, Any]
    parts: list[Part]
    name: str | None = None
    tool_call_id: str | None = None


@dataclass(eq=False)
class ChatPath:
    """Collects the nodes of one branch, one after the other; :meth:`write` adds the messages that they make."""

    builder: TranscriptBuilder
    _drafts: list[_Draft] = field(default_factory=list)
    _thoughts: list[Part] = field(default_factory=list)
    """Those that no message has followed yet."""
    _thought_at: tuple[str, dict[str, Any]] = ("", {})
    """The place and the ``meta`` of the last of them."""
    _open: dict[str, deque[ToolCall]] = field(default_factory=dict)
    """The calls that have no result yet, by their tool."""

    def add(self, id: str, message: Message) -> None:
        """Add the message of the next node."""
        if _is_hidden(message) and not (_role_of(message) == "tool" and self._open):
            return  # the result of a call that is shown belongs to it, shown or not
        place = place_of(id, "node")
        role = known_role(_role_of(message))
        content = message.get("content")
        if _type_of(content) == THOUGHTS and role == "assistant":
            for thought in objects_at(content, "thoughts"):
                text = join_lines(texts_under(thought, "summary", "content"))
                self._thoughts.append(Part("reasoning", text))
            self._thought_at = place, _meta_of(message)
        elif _recipient_of(message):
            self._add_call(id, message, place)
        elif role == "tool":
            self._add_result(message, place)
        else:
            self._add_text(message, place)

    def write(self) -> None:
        """Add all messages to the transcript."""
        self._end_turn()
        for draft in self._drafts:
            add_parts(
                self.builder,
                draft.role,
                draft.parts,
                draft.place,
                name=draft.name,
                tool_call_id=draft.tool_call_id,
                meta=draft.meta,
            )

    def _end_turn(self) -> None:
        """End a turn. Thoughts that led to no reply, because it was stopped, are one without text."""
        self._open = {}
        if self._thoughts:
            place, meta = self._thought_at
            self._add_draft("assistant", place, meta)

    def _add_draft(self, role: str, place: str, meta: dict[str, Any]) -> _Draft:
        """Return a new message, with what was thought before it if the assistant says it."""
        parts = []
        if role == "assistant":
            parts = self._thoughts
            self._thoughts = []
        self._drafts.append(_Draft(role, place, meta, parts))
        return self._drafts[-1]

    def _last(self) -> _Draft | None:
        """Return the last message, where nothing was thought since."""
        return self._drafts[-1] if self._drafts and not self._thoughts else None

    def _add_text(self, message: Message, place: str) -> None:
        role = self.builder.speaker(message.get("author") or {}, place)
        if role is None:
            return
        if role == "user":
            self._end_turn()
        meta = _meta_of(message)
        if role == "assistant":
            quoted = {"citations": value_at(message, "metadata", "citations")}
            meta |= meta_of_unknown_fields(quoted, self.builder.note_at(place))
        draft = self._add_draft(role, place, meta)
        draft.parts.append(Part("text", self._text(message, place)))

    def _add_call(self, id: str, message: Message, place: str) -> None:
        last = self._last()
        # Calls that follow each other are of one message.
        if last is None or not any(part.call for part in last.parts):
            last = self._add_draft("assistant", place, _meta_of(message))
        name = _recipient_of(message)
        call = ToolCall(id, name, self._text(message, place))
        last.parts.append(Part("call", call=call))
        self._open.setdefault(name, deque()).append(call)

    def _add_result(self, message: Message, place: str) -> None:
        tool = text_at(message, "author", "name")
        call = self._answered(tool)
        last = self._last()
        # A tool may answer one call in several nodes.
        goes_on = last is not None and last.role == "tool" and (last.name or "") == tool
        if last is None or call or not goes_on:
            last = self._add_draft("tool", place, _meta_of(message))
            last.name = tool or None
            last.tool_call_id = call.id if call and call.id else None
        last.parts.append(Part("text", self._text(message, place)))

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

    def _text(self, message: Message, place: str) -> str:
        return _text_of(message, self.builder.note_at(place))


def _meta_of(message: Message) -> dict[str, Any]:
    is_reply = _role_of(message) == "assistant"
    model = text_at(message, "metadata", "model_slug") if is_reply else ""
    return {**meta_with_time(message.get("create_time"), model=model)}


class ChatGptExport(ExportReader):
    """A list of conversations, or one: the nodes are in ``mapping``, and ``current_node`` ends the branch in use."""

    name = "chatgpt_export"
    title = noop("ChatGPT export")
    expected = noop("conversations with a mapping of nodes")
    missing = noop("it has no mapping of nodes.")

    def is_conversation(self, item: object) -> bool:
        """Return whether a JSON value is an object with a mapping, and not DeepSeek's."""
        return isinstance(value_at(item, "mapping"), dict) and not is_deepseek(item)

    def recognise(self, document: Document) -> bool:
        """At least half are objects with a mapping, and one of these has nodes in it."""
        return super().recognise(document) and any(map(_has_nodes, document.heads))

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the branch that ends at the current node; where that is unknown, at the newest leaf. What the model was
        told about the user is the system prompt."""
        mapping = item["mapping"]
        path = ChatPath(builder)
        contexts: dict[str, None] = {}
        for id in _branch_taken(mapping, item.get("current_node"), builder):
            message = value_at(mapping[id], "message")
            if isinstance(message, dict):
                path.add(id, message)
                content = message.get("content")
                if _type_of(content) in CONTEXTS:
                    context_texts = texts_at(content, *CONTEXT_FIELDS)
                    contexts[join_lines(context_texts.values())] = None
        path.write()
        return {**ABOUT.read(item), "system_prompt": join_lines(contexts) or None}


def _has_nodes(item: dict[str, Any]) -> bool:
    mapping = item.get("mapping")
    if mapping == {}:
        return "current_node" in item
    nodes = objects_at([*object_at(mapping).values()])
    return any(not NODE_KEYS.isdisjoint(node) for node in nodes)


def _branch_taken(
    mapping: dict[str, Any], current: object, builder: TranscriptBuilder
) -> list[str]:
    def is_shown(id: str) -> bool:
        message = value_at(mapping[id], "message")
        if not isinstance(message, dict) or _is_hidden(message):
            return False
        return _type_of(message.get("content")) != THOUGHTS

    return find_branch_taken(
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
    named_by = {}
    for id, node in mapping.items():
        for child in list_at(node, "children"):
            if isinstance(child, str):
                named_by[child] = id
    return {
        id: texts_at(node, "parent").get("parent", named_by.get(id))
        for id, node in mapping.items()
    }
