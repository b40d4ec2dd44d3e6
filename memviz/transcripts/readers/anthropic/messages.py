"""Anthropic's Messages API: requests, responses, lists of messages, and the rows of its batches."""

from collections.abc import Mapping
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.core.translation import _, noop
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import (
    Note,
    kept_beside,
    known_role,
    spoken_role,
    stand_in,
)
from memviz.transcripts.document import Placed
from memviz.transcripts.readers.blocks import (
    Block,
    Part,
    Result,
    Text,
    Thought,
    Vocabulary,
    add_parts,
    read_call_block,
    show_json,
    show_kind,
    show_nothing,
)
from memviz.transcripts.readers.json_access import (
    joined,
    list_at,
    object_at,
    objects_at,
    text_at,
    texts_at,
    texts_under,
)
from memviz.transcripts.readers.json_rows import (
    ExchangeReader,
    tool_schemas,
    with_places,
)
from memviz.transcripts.readers.role_lists import is_cohere

CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
THOUGHTS = frozenset({"thinking", "redacted_thinking"})
MARKS = frozenset({"token_budget", "flag", "fallback"})
"""Blocks in which a program notes something for itself."""
FILES = {
    "image": "image",
    "document": "file",
    "container_upload": "file",
    "local_resource": "file",
}
COMPACTION = "compaction"
OWN_TYPES = (
    CALLS | THOUGHTS | {"document", "search_result", "container_upload", COMPACTION}
)
RESULT_ENDING = "_tool_result"


def _text_or_kind(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    """Return the text of a block of any kind; without a text, what kind it is."""
    held = block.get("content")
    if isinstance(block.get("text"), str) or isinstance(held, (str, list, dict)):
        return Text()(block, note, words)
    return (show_kind if words.kind_of(block) else show_json)(block, note, words)


def _file(block: Block, note: Note, words: Vocabulary) -> list[Part]:
    name = next(iter(texts_under(block, "title", "file_name", "name")), None)
    shown = stand_in(FILES[words.kind_of(block)], name)
    source = object_at(block, "source")
    held = source.get("data") if source.get("type") == "text" else source.get("content")
    text = words.text(held, note) if isinstance(held, (str, list)) else ""
    return [Part("text", joined([shown, text, text_at(block, "context")]))]


OUTPUT = Text(("stdout", "stderr"))
TITLED = Text(("title", "url"))
RESULT = Result("tool_use_id", "content", ("is_error", True))
BLOCKS = Vocabulary(
    {
        "text": Text(),
        **dict.fromkeys(CALLS, read_call_block),
        **dict.fromkeys(THOUGHTS, Thought("thinking")),
        "tool_result": RESULT,
        **dict.fromkeys(FILES, _file),
        **dict.fromkeys(MARKS, show_nothing),
        "web_search_result": TITLED,
        "web_search_tool_result_error": Text(("error_code",)),
        "search_result": Text(("title", "source")),
        "knowledge": TITLED,
        "tool_reference": Text(("tool_name",)),
        "rich_link": TITLED,
        "voice_note": Text(("title",)),
        "code_execution_result": OUTPUT,
        "bash_code_execution_result": OUTPUT,
    },
    endings={RESULT_ENDING: RESULT},
    other=_text_or_kind,
)


class AnthropicMessages(ExchangeReader):
    """Requests to the Messages API, its responses, or a list of messages of both."""

    name = "anthropic_messages"
    title = noop("Anthropic messages")
    expected = noop("messages with content blocks, or an object with messages,")

    def are_messages(self, items: list[Any]) -> bool:
        """At least half are messages with a role, and one is a response or has a block of this API; responses alone
        are each a conversation of its own."""
        if not _are_roles(items) or (items and all(map(_is_response, items))):
            return False
        objects = objects_at(items)
        blocks = [block for item in objects for block in list_at(item, "content")]
        return any(map(_is_own, blocks)) or any(map(_is_response, objects))

    def is_message(self, item: object) -> bool:
        """Any object: a message with a text alone shows no format."""
        return isinstance(item, dict)

    def is_exchange(self, item: object) -> bool:
        """A request, a response, or a row of a batch."""
        request = _request(item)
        if _is_response(request):
            return True
        if isinstance(item, dict) and not request and "custom_id" in item:
            failed = text_at(item, "result", "type")
            return failed in ("errored", "canceled", "expired")
        messages = request.get("messages")
        if not isinstance(messages, list) or "probes" in request:
            return False
        if self.are_messages(messages):
            return True
        instructs = isinstance(request.get("system"), (str, list))
        is_asked = instructs or request is not item
        return is_asked and "max_tokens" in request and _are_roles(messages)

    def messages_of(self, row: dict[str, Any], place: str) -> list[Placed]:
        """The messages of a request, or the one that a response is. Raises :class:`TranscriptError` for a row of a
        batch without any."""
        request = _request(row)
        if _is_response(request):
            return with_places([request])
        failed = text_at(row, "result", "type")
        if failed and "messages" not in request:
            reason = _(
                "it has no messages: the request ended as {failed!r}.",
                failed=failed[:40],
            )
            raise TranscriptError(reason, remedy=_("Choose another one."))
        return with_places(list_at(request, "messages"))

    def known_of(
        self, row: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """The system prompt and the tools of a request."""
        request = _request(row)
        system = BLOCKS.text(request.get("system"), builder.note)
        return {"system_prompt": system or None, "tools": tool_schemas(request)}

    def add_message(self, item: Any, place: str, builder: TranscriptBuilder) -> None:
        """Add a message of content blocks."""
        role = builder.speaker(item, place, role_of=spoken_role)
        if role is not None:
            model = texts_at(item, "model") if role == "assistant" else {}
            add_blocks(role, item.get("content"), builder, place, model)


def _request(row: object) -> dict[str, Any]:
    """Return the request or the response that a row of a batch is about; any other object is it."""
    found = object_at(row)
    if "custom_id" not in found:
        return found
    if isinstance(found.get("result"), dict):
        return object_at(found, "result", "message")
    return object_at(found, "params") or found


def _is_response(item: object) -> bool:
    if text_at(item, "role") != "assistant" or text_at(item, "type") != "message":
        return False
    found = object_at(item)
    ended = "stop_reason" in found or "stop_sequence" in found
    return ended and isinstance(found.get("content"), list)


def _is_own(block: object) -> bool:
    kind = text_at(block, "type")
    return kind in OWN_TYPES or kind == "tool_result" or kind.endswith(RESULT_ENDING)


def _are_roles(items: list[Any]) -> bool:
    """Return whether at least half are messages with a role, and none is of Cohere, or a result as OpenAI has it."""
    roles = []
    for item in objects_at(items):
        if "tool_calls" in item or is_cohere(item):
            return False
        roles.append(known_role(item.get("role")) if "content" in item else None)
    known = sum(role is not None for role in roles)
    return "tool" not in roles and 2 * known >= len(items)


def add_blocks(
    role: str,
    content: object,
    builder: TranscriptBuilder,
    place: str,
    meta: Mapping[str, str],
    more: str = "",
) -> None:
    """Add a message of content blocks, with ``more`` text that came with it."""
    note = builder.note_at(place)
    blocks = content if isinstance(content, list) else [content]
    quoted: list[Any] = []
    if role == "assistant":
        for block in objects_at(blocks):
            if "citations" in block:
                quoted += list_at(block, "citations")
            elif block.get("type") == COMPACTION:
                builder.add_event("compaction", text_at(block, "content"))
                blocks = [other for other in blocks if other is not block]
    parts = BLOCKS.parts(blocks, note, of_model=role == "assistant")
    beside = kept_beside({"citations": quoted}, note)
    if more:
        parts.append(Part("text", more))
    add_parts(builder, role, parts, place, meta=meta, beside=beside)
