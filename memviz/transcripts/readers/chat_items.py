"""Messages in the shape of the OpenAI chat API that a program saved with fields of its own beside them."""

from __future__ import annotations

from typing import Any

from memviz.transcripts.base import REASONING
from memviz.transcripts.readers.json_access import first_text, joined, objects_at, text_at

SHOWN_KEYS = ("role", "content", "refusal", "audio", "name", "tool_calls", "tool_call_id", "function_call")


def chat_item(item: dict[str, Any], **meta: Any) -> dict[str, Any]:
    """The message without the fields that its program keeps for itself, with this ``meta`` and reasoning."""
    kept = {key: item[key] for key in SHOWN_KEYS if key in item}
    reasoning = reasoning_of(item)
    return {**kept, "meta": {**meta, **({REASONING: reasoning} if reasoning else {})}}


def reasoning_of(item: dict[str, Any]) -> str:
    """What the model thought before it answered, of a message of the OpenAI API or of a program that calls several."""
    thoughts = [text_at(block, "thinking") for block in objects_at(item, "thinking_blocks")]
    return first_text(item, "reasoning_content", "reasoning") or joined(thoughts)
