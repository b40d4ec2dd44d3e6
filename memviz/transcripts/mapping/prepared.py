"""Rows out of files that have none: a text, a stream of events, a store of keys and values."""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from memviz.transcripts.decoding import pair_with_texts
from memviz.transcripts.document import HEAD_ITEMS, Document
from memviz.transcripts.event_streams import join_converse_events, join_streamed_reply
from memviz.transcripts.mapping.opening import open_value
from memviz.transcripts.mapping.paths import find_values
from memviz.transcripts.mapping.rows import read_content
from memviz.transcripts.readers.json_access import (
    as_list,
    id_text,
    list_at,
    object_at,
    objects_at,
    text_at,
)

AIDER_CHAT = re.compile(r"^# aider chat started at (?P<time>[^\n]+)\n?", re.MULTILINE)
AIDER_ASKED = "#### "
AIDER_NOTICE = "> "
CURSOR_TABLES = ("cursorDiskKV", "ItemTable")
CURSOR_CHATS = "workbench.panel.aichat.view.aichat.chatdata"


def aider_rows(document: Document) -> list[dict[str, Any]]:
    """Return the messages of Aider's Markdown: lines behind ``####`` are the user's, those behind ``>`` notices."""
    text = document.text if "# aider chat started at " in document.text else ""
    rows = []
    starts = list(AIDER_CHAT.finditer(text))
    for number, (start, below) in enumerate(pair_with_texts(starts, text)):
        time = start["time"].strip()
        chat_fields = {"chat": number, "title": f"aider {time}", "started": time}
        for role, words in _aider_messages(below):
            rows.append({"role": role, "text": words, **chat_fields})
    return rows


def _aider_messages(text: str) -> list[tuple[str, str]]:
    spoken = []
    for role, lines in groupby(text.split("\n"), _aider_role):
        if role == "user":
            lines = (
                line.removeprefix(AIDER_ASKED).removesuffix("  ") for line in lines
            )
        words = "\n".join(lines).strip()
        if role and words:
            spoken.append((role, words))
    return spoken


def _aider_role(line: str) -> str:
    """Return who says a line; empty for a notice of the program."""
    if line.startswith(AIDER_ASKED):
        return "user"
    is_notice = line.startswith(AIDER_NOTICE) or line == ">"
    return "" if is_notice else "assistant"


def bedrock_messages(document: Document) -> list[dict[str, Any]]:
    """Return the messages that the events of ConverseStream make."""
    content = read_content(document)
    in_response = objects_at(content, "stream") or objects_at(content, "events")
    return join_converse_events(in_response or objects_at(content))


def bedrock_log(document: Document) -> list[dict[str, Any]]:
    """Return the entries of a log of Amazon Bedrock's model calls, each with its reply in one piece."""
    content = as_list(read_content(document))
    if not any(map(_is_logged_call, _logged_rows(content[:HEAD_ITEMS]))):
        return []
    rows = []
    for entry in filter(_is_logged_call, _logged_rows(content)):
        reply = object_at(entry, "output")
        chunks = list_at(reply, "outputBodyJson")
        if chunks:
            whole = {**reply, "outputBodyJson": join_streamed_reply(chunks)}
            entry = {**entry, "output": whole}
        rows.append(entry)
    return rows


def _logged_rows(content: list[Any]) -> Iterator[Any]:
    """Yield what each row logs: itself, or what CloudWatch exports below ``events``, ``message`` or ``@message``."""
    path = "*.events.*.message | *.@message | *.message | *"
    for entry, _place in find_values(content, path):
        yield open_value(entry)


def _is_logged_call(entry: object) -> bool:
    """Return whether an entry has what was sent, or says in which file that lies."""
    input = object_at(entry, "input")
    return "inputBodyJson" in input or "inputBodyS3Path" in input


def cursor_chats(document: Document) -> list[dict[str, Any]]:
    """Return the chats of Cursor with their bubbles in order, from whichever table and version they are."""
    values_by_key = {}
    for table in CURSOR_TABLES:
        if {"key", "value"}.issubset(document.columns.get(table, ())):
            for row in document.tables.rows(table, ("key", "value")):
                key = id_text(row["key"])
                if (
                    key.startswith(("composerData:", "bubbleId:"))
                    or key == CURSOR_CHATS
                ):
                    values_by_key[key] = open_value(row["value"])
    chats = []
    for key, value in values_by_key.items():
        if key.startswith("composerData:"):
            chats.append(
                _composer(key.partition(":")[2], object_at(value), values_by_key)
            )
        elif key == CURSOR_CHATS:
            for tab in objects_at(value, "tabs"):
                chats.append({"name": tab.get("chatTitle"), **tab})
    return [chat for chat in chats if chat.get("bubbles")]


def _composer(
    id: str, composer: dict[str, Any], values_by_key: dict[str, Any]
) -> dict[str, Any]:
    bubbles = objects_at(composer, "conversation")
    bubbles_by_id = object_at(composer, "conversationMap")
    for header in objects_at(composer, "fullConversationHeadersOnly"):
        bubble = text_at(header, "bubbleId")
        stored = values_by_key.get(f"bubbleId:{id}:{bubble}") or bubbles_by_id.get(
            bubble
        )
        if isinstance(stored, dict):
            bubbles.append({"type": header.get("type"), **stored})
    if not bubbles:
        beginning = f"bubbleId:{id}:"
        stored = [
            stored_bubble
            for key, stored_bubble in values_by_key.items()
            if key.startswith(beginning)
        ]
        bubbles = [
            stored_bubble for stored_bubble in stored if isinstance(stored_bubble, dict)
        ]
    return {
        "name": composer.get("name"),
        "createdAt": composer.get("createdAt"),
        "bubbles": bubbles,
    }


def lm_studio_chats(document: Document) -> list[dict[str, Any]]:
    """Return the conversation of LM Studio with the version of each message that was chosen last."""
    chat = object_at(read_content(document))
    messages: list[dict[str, Any]] = []
    for message in objects_at(chat, "messages"):
        versions = objects_at(message, "versions")
        chosen = message.get("currentlySelected")
        if not isinstance(chosen, int) or not 0 <= chosen < len(versions):
            chosen = -1
        messages += map(_lm_studio_message, versions[chosen:][:1])
    return [{**chat, "messages": messages}] if messages else []


def _lm_studio_message(version: dict[str, Any]) -> dict[str, Any]:
    """Return a message; a reply that was made in steps with all that they say, and think, in order."""
    steps = objects_at(version, "steps")
    if not steps:
        return version
    content = []
    for step in steps:
        is_thought = text_at(step, "style", "type") == "thinking"
        for block in objects_at(step, "content"):
            kind = "thinking" if is_thought else block.get("type")
            content.append({**block, "type": kind})
    return {**version, "content": content}


def cherry_studio_chats(document: Document) -> list[dict[str, Any]]:
    """Return the topics of Cherry Studio, each message with the blocks that it names."""
    backup = object_at(read_content(document), "indexedDB")
    blocks = {
        text_at(block, "id"): _cherry_block(block)
        for block in objects_at(backup, "message_blocks")
    }
    chats = []
    for topic in objects_at(backup, "topics"):
        messages = []
        for message in objects_at(topic, "messages"):
            # A block belongs to one message: named again and again it would fill the memory.
            block_ids = map(id_text, list_at(message, "blocks"))
            own_blocks = [blocks.pop(id) for id in block_ids if id in blocks]
            messages.append({**message, "blocks": own_blocks})
        if messages:
            chats.append({**topic, "messages": messages})
    return chats


def _cherry_block(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block of text or of a tool under the names that other products have for them."""
    kind = block.get("type")
    if kind in ("main_text", "code"):
        return {**block, "type": "text"}
    if kind != "tool":
        return block
    response = object_at(block, "metadata", "rawMcpToolResponse")
    tool = {
        "name": text_at(block, "toolName") or text_at(response, "tool", "name"),
        "arguments": block.get("arguments") or response.get("arguments") or {},
    }
    return {**block, "type": "tool_call", **tool}


def copilot_chats(document: Document) -> list[dict[str, Any]]:
    """Return the session of Copilot Chat, each reply with its texts, thoughts and calls apart."""
    session = object_at(read_content(document))
    if "responderUsername" not in session:
        return []
    requests = []
    for request in objects_at(session, "requests"):
        parts = objects_at(request, "response")
        requests.append({**request, **_copilot_reply(parts)})
    return [{**session, "requests": requests}]


def _copilot_reply(parts: list[dict[str, Any]]) -> dict[str, Any]:
    texts = []
    thoughts = []
    calls = []
    for part in parts:
        kind = text_at(part, "kind")
        if kind == "thinking":
            thoughts += [part.get("value")]
        elif kind == "toolInvocationSerialized":
            done = part.get("pastTenseMessage") or part.get("invocationMessage")
            result = text_at(done, "value") if isinstance(done, dict) else done
            call = {"id": part.get("toolCallId"), "name": part.get("toolId")}
            calls.append({**call, "result": result})
        elif kind in ("", "markdownContent"):
            texts.append(text_at(part, "value") or text_at(part, "content", "value"))
        elif kind == "inlineReference":
            texts.append(_reference_name(part))
    return {"said": "".join(texts), "thoughts": thoughts, "calls": calls}


def _reference_name(part: dict[str, Any]) -> str:
    """Return the name of a file or symbol that stands within a text of Copilot Chat: "See `house.py`"."""
    target = object_at(part, "inlineReference")
    path = text_at(target, "path") or text_at(target, "uri", "path")
    name = text_at(part, "name") or text_at(target, "name")
    return name or path.rpartition("/")[2]


PREPARED: dict[str, Callable[[Document], list[dict[str, Any]]]] = {
    "aider": aider_rows,
    "bedrock_log": bedrock_log,
    "bedrock_stream": bedrock_messages,
    "cherry_studio": cherry_studio_chats,
    "copilot_chat": copilot_chats,
    "cursor": cursor_chats,
    "lm_studio": lm_studio_chats,
}
"""What makes the rows, by the name that a mapping gives it."""
