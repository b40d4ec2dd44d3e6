"""The messages of a Claude Code session, which several rows make together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memviz.conversation import TIME, ToolCall
from memviz.text.wording import counted
from memviz.transcripts.base import REASONING
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import UNKNOWN_KIND, Note, tool_name
from memviz.transcripts.readers.anthropic.claude_code_rows import (
    BOUNDARIES,
    PARTS,
    as_blocks,
    block_text,
    blocks_of,
    is_boundary,
    is_hidden,
    is_summary,
    is_unknown,
    queued_blocks,
    reply_id,
    said_texts,
    summarized_part,
)
from memviz.transcripts.readers.json_access import count_at, text_at
from memviz.transcripts.times import with_time

MAX_ASKED_CHARS = 200


@dataclass(slots=True)
class _Draft:
    """A message that is still growing."""

    role: str
    place: str
    meta: dict[str, Any]
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    tool_call_id: str | None = None

    def grow(self, blocks: Sequence[Mapping[str, Any]], note: Note) -> None:
        """Add the blocks of one more row. A row may repeat what an earlier one had, or had the start of."""
        texts, thoughts, known = (
            len(self.texts),
            len(self.thoughts),
            [call.id for call in self.calls],
        )
        for block in blocks:
            kind, id = block.get("type"), text_at(block, "id")
            if kind in ("tool_use", "server_tool_use"):
                if not id or id not in known:
                    arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
                    self.calls.append(ToolCall(id, tool_name(block, note), arguments))
            elif kind == "thinking":
                _grow(self.thoughts, thoughts, block.get("thinking"))
            elif kind != "redacted_thinking":
                if is_unknown(block):
                    note(UNKNOWN_KIND)
                _grow(self.texts, texts, block_text(block))


class SessionStory:
    """Collects the rows of a session in order; :meth:`write` adds the messages that they make to a transcript."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self._builder = builder
        self._parts: list[
            _Draft | dict[str, Any]
        ] = []  # messages, and the fields of compactions between them
        self._open: dict[str, _Draft] = {}  # replies that may go on, by their id

    def add(self, value: Mapping[str, Any], place: str) -> None:
        """Add the next row; what is no part of the conversation is ignored."""
        if is_boundary(value):
            self._add_compaction(value)
        elif is_summary(value):
            self._add_summary(value)
        elif is_hidden(value):
            return
        elif not isinstance(value.get("message"), dict) and value.get("type") in (
            "user",
            "assistant",
        ):
            self._builder.leave_out(place, "has no message")
        elif value.get("type") == "user":
            self._add_prompt(value, place, blocks_of(value))
        elif value.get("type") == "assistant":
            self._add_reply(value, place)
        elif (queued := queued_blocks(value)) is not None:
            self._add_prompt(value, place, queued)
        elif isinstance(value.get("message"), dict):
            self._builder.leave_out(
                place,
                f"has the type {text_at(value, 'type')[:40]!r}, which is not known",
            )

    def write(self) -> None:
        """Add the messages and the compactions to the transcript."""
        builder = self._builder
        for part in self._parts:
            if isinstance(part, dict):
                builder.add_event("compaction", **part)
            elif part.role == "tool" or part.texts or part.calls:
                thoughts = (
                    {REASONING: "\n".join(part.thoughts)} if part.thoughts else {}
                )
                builder.add_text(
                    part.role,
                    "\n".join(part.texts),
                    part.place,
                    tool_calls=tuple(part.calls),
                    tool_call_id=part.tool_call_id,
                    meta={**part.meta, **thoughts} or None,
                )
            elif part.thoughts:
                builder.note(
                    "what the model thought before no reply was left out", part.place
                )

    def _add_prompt(
        self, value: Mapping[str, Any], place: str, blocks: list[dict[str, Any]]
    ) -> None:
        if any(map(is_unknown, blocks)):
            self._builder.note(UNKNOWN_KIND, place)
        time: dict[str, Any] = dict(with_time(value.get("timestamp")))
        for block in blocks:
            if block.get("type") == "tool_result":
                texts = [block_text(part) for part in as_blocks(block.get("content"))]
                self._parts.append(
                    _Draft(
                        "tool",
                        place,
                        time,
                        texts,
                        tool_call_id=text_at(block, "tool_use_id"),
                    )
                )
        if said := said_texts(blocks):
            self._parts.append(_Draft("user", place, time, said))
            self._open.clear()

    def _add_reply(self, value: Mapping[str, Any], place: str) -> None:
        id = reply_id(value)
        draft = self._open.get(id) if id else None
        if draft is None:
            model = text_at(value, "message", "model")
            named = {"model": model} if model else {}
            draft = _Draft(
                "assistant", place, {**with_time(value.get("timestamp")), **named}
            )
            self._parts.append(draft)
            self._open[id] = draft
        draft.grow(blocks_of(value), self._builder.note_at(place))

    def _add_compaction(self, value: Mapping[str, Any]) -> None:
        data = value.get(BOUNDARIES[str(value["subtype"])])
        before, after, saved = (
            count_at(data, key) for key in ("preTokens", "postTokens", "tokensSaved")
        )
        if after is None and before is not None and saved is not None:
            after = max(0, before - saved)
        event = {
            "reason": text_at(data, "trigger"),
            "tokens_before": before,
            "tokens_after": after,
        }
        self._parts.append(
            {**event, "time": with_time(value.get("timestamp")).get(TIME, "")}
        )
        self._open.clear()

    def _add_summary(self, value: Mapping[str, Any]) -> None:
        text = "\n".join(block_text(block) for block in blocks_of(value))
        last = self._parts[-1] if self._parts else None
        if (
            not isinstance(last, dict) or "text" in last
        ):  # older versions and the web record no boundary
            last = {"time": with_time(value.get("timestamp")).get(TIME, "")}
            self._parts.append(last)
            self._open.clear()
        last["text"] = text
        if part := _part_words(value):
            last["reason"] = ", ".join(filter(None, (last.get("reason"), part)))


def _part_words(value: Mapping[str, Any]) -> str:
    """Which messages a summary of a part stands for, and what the user asked of it: "the first 12 messages"."""
    part = summarized_part(value)
    if not part:
        return ""
    count = count_at(value, "summarizeMetadata", "messagesSummarized")
    which = f"the {PARTS[part]} {counted(count, 'message') if count else 'messages'}"
    asked = text_at(value, "summarizeMetadata", "userContext").strip()
    return f"{which}, asked for: {asked[:MAX_ASKED_CHARS]}" if asked else which


def _grow(texts: list[str], earlier: int, text: object) -> None:
    """Add a text of a row, unless an earlier row had it. The first ``earlier`` of the texts are from earlier rows."""
    if not isinstance(text, str) or not text or text in texts[:earlier]:
        return
    if 0 < earlier == len(texts) and text.startswith(texts[-1]):
        texts[-1] = text
    else:
        texts.append(text)
