"""The rows of a Codex rollout on their way to items: what the CLI added is left out, taken back turns are dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memviz.conversation import TIME
from memviz.transcripts.base import RecordedEvent
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role, stand_in
from memviz.transcripts.readers.json_access import count_at, list_at, text_at
from memviz.transcripts.readers.openai.response_builder import ItemReader
from memviz.transcripts.readers.openai.response_items import COMPACTIONS
from memviz.transcripts.times import with_time

ROW_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
NO_ITEMS = frozenset({"ghost_snapshot", "other", "compaction_trigger"})
ALL_COMPACTIONS = COMPACTIONS | {"context_compaction"}
INJECTED = re.compile(
    r"\s*(<(user_instructions|environment_context|turn_aborted|user_shell_command|skill|subagent_notification"
    r"|goal_context|codex_internal_context|instructions)>|<hook_prompt\b"
    r"|# AGENTS\.md instructions\b|Warning: (The maximum number of unified exec|apply_patch was requested via)"
    r"|</?image\b[^>]*>\s*\Z)",
    re.IGNORECASE,
)
"""What the CLI sends in the user's role."""
INSTRUCTED = re.compile(r"\s*<[a-z_]+( instructions)?>", re.IGNORECASE)
"""What the CLI sends in the developer's role begins with a tag; what else is there was set up by somebody."""
SHOWN = "shown by the CLI"
"""Key of an entry that repeats, for the screen, what was sent or answered."""
HANDED_ON = "Another language model started to solve this problem"
"""How a summary starts that the CLI hands to the model as words of the user."""


class Rollout:
    """Collects the rows of one session in order; :meth:`write_to` adds the messages that they are to a transcript."""

    def __init__(self) -> None:
        self.metadata: Mapping[str, Any] = {}
        self.title = ""
        self._entries: list[tuple[str, Any]] = []  # items by their places; compactions have their fields and no place
        self._events: list[tuple[str, dict[str, Any]]] = []  # messages as they were shown
        self._tokens: int | None = None
        self._taken_back = 0  # turns
        self._unknown: list[tuple[str, str]] = []  # types of rows, with their places

    @property
    def system_prompt(self) -> str:
        """The instructions that the model got before everything else."""
        base = text_at(self.metadata, "base_instructions") or text_at(self.metadata, "base_instructions", "text")
        return "\n\n".join(text for text in (base, text_at(self.metadata, "instructions")) if text)

    def add(self, row: object, place: str) -> None:
        """Add the next row."""
        if not isinstance(row, dict):
            self._entries.append((place, row))
            return
        kind, payload = text_at(row, "type"), row.get("payload")
        if kind in ROW_TYPES and isinstance(payload, dict):
            self._add_wrapped(kind, payload, row, place)
        elif kind == "response_item":
            self._entries.append((place, payload if "payload" in row else None))
        elif kind and "payload" in row:
            self._unknown.append((kind, place))
        elif "payload" in row or "record_type" in row:
            return
        elif "role" in row or (kind and kind not in ROW_TYPES):
            self._add_item({"type": "message", **row}, row, place)
        elif not self.metadata and "type" not in row:
            self.metadata = row

    def _add_wrapped(self, kind: str, payload: dict[str, Any], row: Mapping[str, Any], place: str) -> None:
        if kind == "session_meta":
            self.metadata = self.metadata or {"timestamp": row.get("timestamp"), **payload}
        elif kind == "response_item":
            self._add_item(payload, row, place)
        elif kind == "compacted":
            self._compact(row, text_at(payload, "message"))
        elif kind == "event_msg":
            self._add_event(payload, row, place)

    def _add_item(self, item: Mapping[str, Any], row: Mapping[str, Any], place: str) -> None:
        kind, entry = text_at(item, "type"), {"created_at": row.get("timestamp"), **item}
        if kind in ALL_COMPACTIONS:
            self._compact(row)
        elif kind != "message":
            if kind not in NO_ITEMS:
                self._entries.append((place, entry))
        elif item.get("role") == "user" and _first_text(item).startswith(HANDED_ON):
            self._compact(row, _first_text(item))
        elif (shown := _spoken(entry)) is not None:
            self._entries.append((place, shown))

    def _add_event(self, event: Mapping[str, Any], row: Mapping[str, Any], place: str) -> None:
        kind = event.get("type")
        role = {"user_message": "user", "agent_message": "assistant"}.get(str(kind))
        if role:
            entry = {"type": "message", "role": role, "content": _event_content(event), SHOWN: True}
            if (shown := _spoken({"created_at": row.get("timestamp"), **entry})) is not None:
                self._entries.append((place, shown))
        elif kind == "context_compacted":
            self._compact(row)
        elif kind == "thread_rolled_back":
            self._take_back(event.get("num_turns"))
        elif kind == "thread_name_updated":
            self.title = text_at(event, "thread_name") or self.title
        elif kind == "token_count":
            self._count(event.get("info"))

    def _compact(self, row: Mapping[str, Any], text: str = "") -> None:
        """Add a compaction. Several rows one after the other are about the same one."""
        last = self._compaction_at_end()
        if last is None:
            last = {"text": "", "tokens_before": self._tokens, "time": with_time(row.get("timestamp")).get(TIME, "")}
            self._entries.append(("", last))
            self._tokens = None
        last["text"] = last["text"] or text

    def _compaction_at_end(self) -> dict[str, Any] | None:
        end = self._entries[-1][1] if self._entries else None
        return end if isinstance(end, dict) and "tokens_before" in end else None

    def _count(self, info: object) -> None:
        total = count_at(info, "last_token_usage", "total_tokens")
        if total is not None:
            last = self._compaction_at_end()
            if last is not None:
                last["tokens_after"] = total
            else:
                self._tokens = total

    def _take_back(self, turns: object) -> None:
        """Drop so many turns from the end."""
        users = [(n, item) for n, (_, item) in enumerate(self._entries) if _is_asked(item)]
        asked = [n for n, item in users if SHOWN not in item] or [n for n, _ in users]
        if isinstance(turns, int) and not isinstance(turns, bool) and turns > 0 and asked:
            first = asked[max(0, len(asked) - turns)]
            self._taken_back += sum(n >= first for n in asked)
            del self._entries[first:]

    def write_to(self, builder: TranscriptBuilder) -> None:
        """Add the messages and the compactions to a transcript.

        The messages as the screen showed them are only used if the file has no others.
        """
        if self._taken_back:
            builder.note(f"turns that the user took back were left out: {self._taken_back}")
        for kind, place in self._unknown:
            builder.note(f"rows of the type {kind[:40]!r}, which is not known, were left out", place)
        said = [item for _, item in self._entries if isinstance(item, dict) and item.get("type") == "message"]
        is_all = all(SHOWN in item for item in said)
        waiting = list[tuple[Any, str]]()
        for place, item in self._entries:
            if isinstance(item, dict) and "tokens_before" in item:
                ItemReader(builder).add_all(waiting)
                waiting = []
                builder.add_event(RecordedEvent("compaction", len(builder.messages), **item))
            elif not isinstance(item, dict) or SHOWN not in item:
                waiting.append((item, place))
            elif is_all:
                waiting.append(({key: value for key, value in item.items() if key != SHOWN}, place))
        ItemReader(builder).add_all(waiting)


def _is_asked(item: object) -> bool:
    return isinstance(item, dict) and item.get("type") == "message" and item.get("role") == "user"


def _first_text(item: Mapping[str, Any]) -> str:
    content = item.get("content")
    first = content[0] if isinstance(content, list) and content else content
    return first if isinstance(first, str) else text_at(first, "text")


def _spoken(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """A message without the parts that the CLI added; ``None`` where nothing else is in it."""
    pattern = {"user": INJECTED, "system": INSTRUCTED}.get(known_role(item.get("role")) or "")
    content = item.get("content")
    parts = content if isinstance(content, list) else [content]
    kept = [part for part in parts if not (pattern and pattern.match(_first_text({"content": part})))]
    if parts and not kept:
        return None
    return {**item, "content": kept if isinstance(content, list) else content}


def _event_content(event: Mapping[str, Any]) -> list[Any]:
    count = len(list_at(event, "images")) + len(list_at(event, "local_images"))
    text = text_at(event, "message")
    return [*([text] if text or not count else []), *[stand_in("image")] * count]
