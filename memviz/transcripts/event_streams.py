"""Messages that came as a stream of events, put together as they would have come whole."""

from collections.abc import Iterable
from typing import Any

from memviz.transcripts.readers.json_access import list_at, object_at, text_at


def converse_messages(events: Iterable[object]) -> list[dict[str, Any]]:
    """Return the messages that events of Amazon Bedrock's ConverseStream make, each with its usage:
    ``{"role": "assistant", "content": [{"text": "Hi"}], "usage": {...}}``."""
    messages: list[dict[str, Any]] = []
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        if "messageStart" in object_at(event):
            blocks = {}
            role = text_at(event, "messageStart", "role") or "assistant"
            messages.append({"role": role, "content": []})
        if not messages:
            continue
        start = object_at(event, "contentBlockStart")
        delta = object_at(event, "contentBlockDelta")
        block = _converse_block(blocks, start or delta)
        if start:
            block.update(object_at(start, "start"))
        if delta:
            _extend_block(block, object_at(delta, "delta"))
        messages[-1]["content"] = list(blocks.values())
        usage = object_at(event, "metadata", "usage")
        if usage:
            messages[-1]["usage"] = usage
    return messages


def _converse_block(
    blocks: dict[int, dict[str, Any]], event: dict[str, Any]
) -> dict[str, Any]:
    if not event:
        return {}
    index = event.get("contentBlockIndex")
    return blocks.setdefault(index if isinstance(index, int) else len(blocks), {})


def _extend_block(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add the next piece of a text, of a thought, of the arguments of a call, or of a result."""
    if "text" in delta:
        block["text"] = text_at(block, "text") + text_at(delta, "text")
    thought = text_at(delta, "reasoningContent", "text")
    if thought:
        held = text_at(block, "reasoningContent", "reasoningText", "text")
        block["reasoningContent"] = {"reasoningText": {"text": held + thought}}
    piece = text_at(delta, "toolUse", "input")
    if piece:
        call = object_at(block, "toolUse")
        block["toolUse"] = {**call, "input": text_at(call, "input") + piece}
    results = list_at(delta, "toolResult")
    if results:
        result = object_at(block, "toolResult")
        content = [*list_at(result, "content"), *results]
        block["toolResult"] = {**result, "content": content}
