"""Cohere's chat API: requests, responses and lists of messages of both versions.

The first version has ``message`` in place of ``content``, no ids for tool calls, and the last message of a request
beside the history. The second is like the API of OpenAI, with a plan before tool calls and documents as results.
"""

from collections.abc import Mapping
from typing import Any

from memviz.core.translation import noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    content_text,
    known_role,
    meta_of_unknown_fields,
    stand_in,
)
from memviz.transcripts.document import HEAD_ITEMS, PlacedValue
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Vocabulary,
    add_parts,
    add_result,
    read_calls,
)
from memviz.transcripts.readers.json_access import (
    as_list,
    at_least_half,
    drop_empty,
    first_text,
    first_value,
    join_lines,
    json_text,
    list_at,
    object_at,
    objects_at,
    pick_fields,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import (
    About,
    ExchangeReader,
    add_places,
    place_inside,
    tool_schemas,
)
from memviz.transcripts.readers.role_lists import is_cohere, part_types

FIRST_KEYS = frozenset({"chat_history", "preamble", "connectors", "prompt_truncation"})
"""Keys of a request of the first version, of which one stands beside its message."""
REPLY_KEYS = frozenset({"generation_id", "response_id"})
"""Keys of a response of the first version, of which one stands beside its text."""
ROLES = {"chatbot": "assistant"}
BESIDE = ("citations", "documents", "search_queries", "search_results")
"""What a reply is based on. It is kept beside the text."""
DOCUMENT_KEYS = frozenset({"title", "name", "text", "snippet", "content", "id"})


def _read_thought(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    return [Part("reasoning", content_text(block.get("thinking"), note))]


def _show_document(block: Block, note: Note, words: Vocabulary) -> str:
    return _text_of_document(block.get("document"))


def _read_text(block: Block, note: Note, words: Vocabulary) -> str:
    return content_text([block], note)


BLOCKS = Vocabulary(
    {"thinking": _read_thought, "document": _show_document}, other=_read_text
)


def _role_of(role: object) -> str | None:
    """Return the role under a name of Cohere's, in any letter case; ``None`` for any other value."""
    name = role.strip().lower() if isinstance(role, str) else ""
    return ROLES.get(name) or known_role(role)


class Cohere(ExchangeReader):
    """Requests to the chat API, its responses, or a list of messages of both."""

    name = "cohere"
    title = noop("Cohere chat messages")
    expected = noop("messages, or an object with messages, a chat_history or a reply,")
    about = About(system_prompt=("preamble",))
    role_of = staticmethod(_role_of)

    def are_messages(self, items: list[Any]) -> bool:
        """Messages that only this API has: one of them is, or thinks as in Anthropic's API but calls tools as in
        OpenAI's."""
        head = items[:HEAD_ITEMS]
        objects = objects_at(head)
        if not at_least_half(head, lambda item: _role_of(value_at(item, "role"))):
            return False
        thinks = any("thinking" in part_types(item) for item in objects)
        calls = any(
            item.get("role") == "tool" or item.get("tool_calls") for item in objects
        )
        return any(map(is_cohere, objects)) or (thinks and calls)

    def is_exchange(self, row: object) -> bool:
        """A request or a response of either version."""
        if not isinstance(row, dict) or "role" in row:
            return False
        if isinstance(row.get("message"), str) and not FIRST_KEYS.isdisjoint(row):
            return True
        if isinstance(row.get("text"), str) and not REPLY_KEYS.isdisjoint(row):
            return True
        if text_at(row, "message", "role") == "assistant" and "finish_reason" in row:
            return True
        keys = ("chat_history", "messages")
        return any(self.are_messages(list_at(row, key)) for key in keys)

    def messages_of(self, row: dict[str, Any], place: str) -> list[PlacedValue]:
        """The history, then what was asked or answered."""
        key = "messages" if isinstance(row.get("messages"), list) else "chat_history"
        placed = add_places(list_at(row, key), place_inside(place, f"{key} index"))
        question = text_at(row, "message")
        reply = _find_answered(row)
        for last in ({"role": "user", "content": question} if question else {}, reply):
            if last and not (placed and _repeats_reply(placed[-1][0], last)):
                placed.append((last, place_inside(place, "message")))
        results = row.get("tool_results")
        if isinstance(results, list):
            message = {"role": "tool", "tool_results": results}
            placed.append((message, place_inside(place, "tool_results")))
        if not reply:
            _add_documents(placed, list_at(row, "documents"))
        return placed

    def known_of(
        self, row: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """The preamble, which is the system prompt, and the tools."""
        return {**self.about.read(row), "tools": tool_schemas(row)}

    def add_message(
        self, item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
    ) -> None:
        """Add a message, or the results of tools that one of the first version holds."""
        if role == "tool" and isinstance(item.get("tool_results"), list):
            for result in item["tool_results"]:
                _add_result(result, place, builder)
            return
        note = builder.note_at(place)
        content = first_value(item, "content", "message")
        if content is None:
            own_keys = ("tool_plan", "tool_calls", *BESIDE)
            content = builder.text_elsewhere(item, place, *own_keys)
        parts = [Part("text", text_at(item, "tool_plan")), *BLOCKS.parts(content, note)]
        beside = pick_fields(item, BESIDE)
        if role == "user":
            for document in beside.pop("documents", []):
                parts.append(Part("text", _text_of_document(document)))
        parts += read_calls(list_at(item, "tool_calls"), note)
        answered = text_at(item, "tool_call_id") or None
        meta = meta_of_unknown_fields(beside, note)
        add_parts(builder, role, parts, place, tool_call_id=answered, meta=meta)


def _find_answered(row: Mapping[str, Any]) -> dict[str, Any]:
    message = row.get("message")
    text = row.get("text")
    if isinstance(message, dict):
        return {"role": "assistant", **message}
    if not isinstance(text, str):
        return {}
    beside = drop_empty(pick_fields(row, ("tool_calls", *BESIDE)))
    return {"role": "assistant", "message": text, **beside}


def _repeats_reply(item: object, last: Mapping[str, Any]) -> bool:
    """Return whether the history ends with the reply that also stands beside it."""
    is_reply = _role_of(value_at(item, "role")) == "assistant" == last["role"]
    return is_reply and text_at(item, "message") == text_at(last, "message")


def _add_documents(placed: list[PlacedValue], documents: list[Any]) -> None:
    """Add the documents of a request to the last message of the user, with which they came."""
    for index in reversed(range(len(placed))):
        item, place = placed[index]
        if documents and _role_of(value_at(item, "role")) == "user":
            placed[index] = ({**item, "documents": documents}, place)
            return


def _add_result(result: object, place: str, builder: TranscriptBuilder) -> None:
    """Add a result of the first version, which repeats the call instead of naming its id."""
    outputs = value_at(result, "outputs")
    if outputs is None:
        outputs = result
    text = join_lines(map(json_text, as_list(outputs)))
    add_result(builder, place, None, text, value_at(result, "call", "name"))


def _text_of_document(document: object) -> str:
    """Return the text of a document: of one with fields its JSON, under its title if it came with a question."""
    data = object_at(document).get("data", document)
    if not isinstance(data, dict):
        return json_text(data)
    title = first_text(data, "title", "name")
    text = first_text(data, "text", "snippet", "content")
    if title and text and DOCUMENT_KEYS.issuperset(data):
        return join_lines([stand_in("file", title), text])
    return json_text(data)
