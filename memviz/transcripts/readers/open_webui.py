"""Open WebUI's chat export: each chat with a tree of messages, of which ``currentId`` ends the branch in use.

Thoughts and tool calls are not fields of a reply. They stand in its text, as HTML ``<details>`` elements.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    content_text,
    meta_of_unknown_fields,
    stand_in,
)
from memviz.transcripts.document import PlacedValue
from memviz.transcripts.readers.blocks import (
    Part,
    add_parts,
    make_call,
    make_result,
    read_thought,
)
from memviz.transcripts.readers.json_access import (
    first_text,
    json_text,
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import About, ExportReader, add_places
from memviz.transcripts.readers.message_trees import (
    find_branch_taken,
    place_of,
)
from memviz.transcripts.times import meta_with_time, time_text

KINDS = frozenset({"reasoning", "tool_calls", "code_interpreter"})
CODE_TOOL = "code_interpreter"
BESIDE = ("sources", "citations", "error")
"""What a reply is based on, and why it failed."""
ABOUT = About(
    title=("title", "chat.title"),
    held_at=("created_at", "chat.timestamp"),
    system_prompt=("chat.params.system", "chat.system"),
)
SUMMARY_KEYS = ("contextSummary", "context_summary")
"""Where a message has the summary that was sent in place of all messages before it, from then on."""
END = "</details>"
_START = re.compile(r"<details\b([^<>]*)>")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_SUMMARY = re.compile(r"\A\s*<summary>[^<]*</summary>")
_FENCE = re.compile(r"\A```\w*\n|\n?```\Z")


class OpenWebUi(ExportReader):
    """A list of chats, or one; those of old versions have a list of messages instead of a tree."""

    name = "open_webui"
    title = noop("Open WebUI export")
    expected = noop("chats with a history of messages")
    missing = noop("it has no chat with messages.")

    def is_conversation(self, item: object) -> bool:
        """Return whether a JSON value is an object with a chat that has a history or messages."""
        chat = object_at(item, "chat")
        return bool(_read_tree(chat)) or isinstance(chat.get("messages"), list)

    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the branch that ends at the current message; a list of messages in its order."""
        for message, place in _find_messages(item["chat"], builder):
            _add_message(message, builder, place)
        return ABOUT.read(item)


def _read_tree(chat: dict[str, Any]) -> dict[str, Any]:
    return object_at(chat, "history", "messages")


def _find_messages(
    chat: dict[str, Any], builder: TranscriptBuilder
) -> list[PlacedValue]:
    """The messages of the branch in use, each with its place."""
    tree = _read_tree(chat)
    if not tree:
        return add_places(list_at(chat, "messages"))

    path = find_branch_taken(
        {id: text_at(node, "parentId") or None for id, node in tree.items()},
        chat["history"].get("currentId"),
        lambda id: value_at(tree[id], "timestamp"),
        builder,
        lambda _: True,
        "message",
        note_if_unsure=True,
    )
    return [(tree[id], place_of(id, "message")) for id in path]


def _add_message(item: Any, builder: TranscriptBuilder, place: str) -> None:
    role = builder.speaker(item, place)
    if role is None:
        return
    note = builder.note_at(place)
    text = content_text(item.get("content"), note)
    text = text or builder.text_elsewhere(item, place, "files", *BESIDE)
    parts = _parts(text, note) if role == "assistant" else [Part("text", text)]
    for file in objects_at(item, "files"):
        kind = texts_at(file, "type").get("type", "file")
        parts.append(Part("text", stand_in(kind, file.get("name"))))
        parts.append(Part("text", text_at(file, "file", "data", "content")))
    time = item.get("timestamp")
    meta = dict(meta_with_time(time))
    summary = first_text(item, *SUMMARY_KEYS)
    event = {"text": summary, "time": time_text(time)}
    if role == "assistant":
        meta = dict(meta_with_time(time, model=text_at(item, "model")))
        meta |= meta_of_unknown_fields({key: item.get(key) for key in BESIDE}, note)
    elif summary:  # it was made before the request that answers the message
        builder.add_event("compaction", **event)
    add_parts(builder, role, parts, place, meta=meta)
    if summary and role == "assistant":
        builder.add_event("compaction", **event)


class Details(NamedTuple):
    """One element that Open WebUI wrote: its attributes, and the text in it without the summary."""

    attributes: dict[str, str]
    body: str


def split_pieces(content: str) -> Iterator[str | Details]:
    """The texts and the elements of a reply in order. Any other markup is text."""
    said_from = position = 0
    while start := _START.search(content, position):
        attributes = dict(_ATTRIBUTE.findall(start[1]))
        end = content.find(END, start.end())
        if end < 0:
            break
        position = start.end()
        if attributes.get("type") in KINDS:
            yield content[said_from : start.start()]
            body = _SUMMARY.sub("", content[start.end() : end])
            yield Details(attributes, html.unescape(body).strip())
            said_from = position = end + len(END)
    yield content[said_from:]


def _parts(content: str, note: Note) -> list[Part]:
    """Return what the text of a reply holds. Calls with nothing but white space between them are of one step."""
    content_pieces = list(split_pieces(content))
    parts = []
    is_parallel = False
    for piece in content_pieces:
        if isinstance(piece, str):
            text = piece if len(content_pieces) == 1 else piece.strip()
            parts.append(Part("text", text))
            is_parallel = is_parallel and not text
        elif piece.attributes["type"] == "reasoning":
            parts += read_thought(_unquote_lines(piece.body))
            is_parallel = False
        else:
            call, *result = _read_call(piece, note)
            parts += [call._replace(is_parallel=is_parallel), *result]
            is_parallel = True
    return parts


def _read_call(details: Details, note: Note) -> list[Part]:
    """Return a call, with its result where the tool is done."""
    attributes = details.attributes
    values = {
        key: _decode_json(html.unescape(value)) for key, value in attributes.items()
    }
    id = attributes.get("id")
    name = CODE_TOOL
    arguments: object = {"code": _FENCE.sub("", details.body)}
    result = values.get("output")
    if attributes["type"] != CODE_TOOL:
        name = html.unescape(attributes.get("name", ""))
        arguments = values.get("arguments") or {}
        result = values["result"] if "result" in values else _decode_json(details.body)
    parts = [make_call(id, name, arguments, note)]
    if attributes.get("done") != "false":
        parts.append(make_result(id, json_text(result), name))
    return parts


def _decode_json(text: str) -> Any:
    """The value of a JSON text; any other text is itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _unquote_lines(text: str) -> str:
    """Lines without the marks of a quotation."""
    return "\n".join(re.sub(r"^> ?", "", line) for line in text.split("\n"))
