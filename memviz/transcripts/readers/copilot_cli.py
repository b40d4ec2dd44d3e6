"""Sessions of the Copilot CLI (``events.jsonl``): one row for each thing that happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memviz.core.messages import ToolCall
from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, PlacedValue, Reader, mismatch_error
from memviz.transcripts.import_notes import SUBAGENTS
from memviz.transcripts.readers.json_access import (
    count_at,
    json_text,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.json_rows import About
from memviz.transcripts.times import meta_with_time, time_text

ABOUT = {
    "session.start": About(held_at=("startTime",)),
    "system.message": About(system_prompt=("content",)),
    "session.title_changed": About(title=("title",)),
}
"""Kinds of rows that say something of the session."""
MESSAGES = frozenset({"user.message", "assistant.message", "tool.execution_complete"})
EXPECTED = noop("rows of a session with messages")


class CopilotCli(Reader):
    """One session of the Copilot CLI."""

    name = "copilot_cli"
    title = noop("Copilot CLI session")

    def recognise(self, document: Document) -> bool:
        """A row that says that a session begins: ``{"type": "session.start", "data": {"sessionId": "49fdd4fc"}}``."""
        return any(
            row.get("type") == "session.start" and text_at(row, "data", "sessionId")
            for row in document.heads
        )

    def conversations(self, document: Document) -> Sequence[list[PlacedValue]]:
        """One conversation: the session."""
        if not any(text_at(row, "type") in MESSAGES for row, _place in document.lines):
            raise mismatch_error(EXPECTED, document)
        return [document.lines]

    def read(self, piece: list[PlacedValue], builder: TranscriptBuilder) -> Transcript:
        """The messages of the session's own agent; compactions are events."""
        story = CopilotStory(builder)
        for row, place in piece:
            story.add(row, place)
        if story.left_out:
            builder.note(Said(SUBAGENTS, rows=story.left_out))
        return builder.build(**{"title": "", **story.about})


def is_of_subagent(row: object) -> bool:
    """Return whether a row is of a subagent, which a call of the session's own agent began."""
    return bool(text_at(row, "data", "parentToolCallId"))


@dataclass(eq=False)
class CopilotStory:
    """Adds the messages and compactions of rows to a transcript, in order. ``about`` are the fields of the transcript
    that the rows know, such as its title; ``left_out`` is how many messages of subagents there were."""

    builder: TranscriptBuilder
    about: dict[str, Any] = field(default_factory=dict)
    left_out: int = 0

    def add(self, row: object, place: str) -> None:
        """Add the next row; one of a subagent, and one that says nothing, is passed over."""
        kind = text_at(row, "type")
        if is_of_subagent(row):
            self.left_out += kind in MESSAGES
            return
        data = object_at(row, "data")
        time = value_at(row, "timestamp")
        if kind in ABOUT:
            self.about |= ABOUT[kind].read(data)
        elif kind == "session.compaction_complete":
            self._add_compaction(data, time)
        elif kind in MESSAGES:
            self._add_message(kind, data, time, place)

    def _add_compaction(self, data: Mapping[str, Any], time: object) -> None:
        if data.get("success") is False:
            return
        self.builder.add_event(
            "compaction",
            text_at(data, "summaryContent"),
            tokens_before=count_at(data, "preCompactionTokens"),
            tokens_after=count_at(data, "postCompactionTokens"),
            time=time_text(time),
        )

    def _add_message(
        self, kind: str, data: Mapping[str, Any], time: object, place: str
    ) -> None:
        meta = meta_with_time(time, model=text_at(data, "model"))
        text = text_at(data, "content")
        if kind == "user.message":
            self.builder.add_text("user", text, place, meta=meta)
        elif kind == "assistant.message":
            calls = tuple(map(_read_call, objects_at(data, "toolRequests")))
            if text or calls:
                fields = {"tool_calls": calls, "meta": meta}
                self.builder.add_text("assistant", text, place, **fields)
        else:
            result = text_at(data, "result", "content")
            result = result or text_at(data, "error", "message")
            answers = {"tool_call_id": text_at(data, "toolCallId"), "meta": meta}
            self.builder.add_text("tool", result, place, **answers)


def _read_call(request: Mapping[str, Any]) -> ToolCall:
    name = text_at(request, "name") or "tool"
    arguments = json_text(request.get("arguments")) or "{}"
    return ToolCall(text_at(request, "toolCallId"), name, arguments)
