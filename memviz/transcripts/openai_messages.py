"""OpenAI chat messages: a JSON list, an object with such a list (as memviz itself saves), or JSON lines."""

from __future__ import annotations

from typing import Any

from memviz.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.chat_messages import PART_TYPES, known_role
from memviz.transcripts.conversation_items import read_items
from memviz.transcripts.document import Document, Format
from memviz.transcripts.saved_probes import read_probes

# Objects of other products that hold a list under "messages" as well.
FOREIGN_KEYS = frozenset({"agent_type", "projectHash", "system", "chat_messages", "mapping"})
# Messages of other vendors and products: items of other types than messages, or parts instead of content.
FOREIGN_ITEM_KEYS = frozenset({"type", "parts"})


class OpenAIMessages(Format):
    """One list of messages, alone or under the key ``messages`` of an object.

    The object may have title, description, language, system_prompt and probes beside it.
    """

    name = "openai_messages"
    title = "OpenAI chat messages (JSON list, or an object with messages)"

    def recognise(self, document: Document) -> bool:
        """A list of which at least half are messages with a role; or an object that holds one."""
        value = document.json.value
        if isinstance(value, dict):
            return not FOREIGN_KEYS & value.keys() and _are_messages(value.get("messages"))
        return _are_messages(value)

    def read(self, document: Document) -> Transcript:
        """The conversation with the title, system prompt and probes beside it."""
        value, _, problem = document.json
        if problem:
            raise problem
        saved: dict[str, Any] = value if isinstance(value, dict) else {}
        items = saved.get("messages") if saved else value
        if not isinstance(items, list):
            raise TranscriptError(
                f"a list of messages was expected, found {document.found}.", remedy="Choose another format."
            )
        places = [f"index {index}" for index in range(len(items))]
        messages, positions = read_items(items, places, document.findings)
        texts = {key: saved[key] for key in ("title", "description", "language") if isinstance(saved.get(key), str)}
        prompt = saved.get("system_prompt")
        return Transcript(
            messages,
            probes=read_probes(saved.get("probes"), positions, document.findings),
            system_prompt=prompt if isinstance(prompt, str) else None,
            **texts,
        )


class OpenAIMessagesJsonl(Format):
    """One message a line."""

    name = "openai_messages_jsonl"
    title = "OpenAI chat messages (JSON lines, one message a line)"

    def recognise(self, document: Document) -> bool:
        """Lines of which at least half are messages with a role."""
        items = [item for _, item in document.json.rows]
        return bool(items) and _are_messages(items)

    def read(self, document: Document) -> Transcript:
        """The conversation that the lines are, in order."""
        _, rows, problem = document.json
        if problem:
            raise problem
        if not rows:
            raise TranscriptError(
                f"one message a line was expected, found {document.found}.", remedy="Choose another format."
            )
        messages, _ = read_items([item for _, item in rows], [f"line {line}" for line, _ in rows], document.findings)
        return Transcript(messages)


def _are_messages(items: object) -> bool:
    if not isinstance(items, list):
        return False
    objects = [item for item in items if isinstance(item, dict)]
    with_role = sum(known_role(item.get("role")) is not None for item in objects)
    return 2 * with_role >= len(items) and not any(_is_foreign(item) for item in objects)


def _is_foreign(item: dict[str, Any]) -> bool:
    content = item.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    kinds = [part["type"] for part in parts if isinstance(part.get("type"), str)]
    return not FOREIGN_ITEM_KEYS.isdisjoint(item) or not PART_TYPES.issuperset(kinds)
