"""Sessions of coding agents while they grow: the rows of a file in order, told piece by
piece by the readers that tell whole files.

A piece begins where the last one that is certain ended. So each row is parsed once, and
only the newest reply, which may get further rows, is told again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.core.messages import Message
from memviz.core.translation import Said
from memviz.transcripts.base import ProgramUse, RecordedEvent, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import pass_over
from memviz.transcripts.document import UNFORESEEN_ERRORS, Placed
from memviz.transcripts.import_notes import SUBAGENTS, UNREAD, ImportNotes
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.limits import Limits
from memviz.transcripts.readers.anthropic.claude_code import ClaudeCode
from memviz.transcripts.readers.anthropic.claude_code_story import Row
from memviz.transcripts.readers.copilot_cli import (
    MESSAGES,
    CopilotStory,
    is_of_subagent,
)
from memviz.transcripts.readers.gemini_api import contents_text
from memviz.transcripts.readers.gemini_cli import SUMMARIES, GeminiCli, Session
from memviz.transcripts.readers.json_access import (
    count_at,
    filled,
    list_at,
    object_at,
    objects_at,
    text_at,
    value_at,
)
from memviz.transcripts.readers.openai.codex import Codex
from memviz.transcripts.readers.openai.codex_entries import CONTEXT

Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Told:
    """The messages and events that some rows are together."""

    messages: Sequence[Message] = ()
    events: Sequence[RecordedEvent] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the transcript that these rows know, such as its title."""
    left_out: int = 0
    """How many rows a subagent said, whose conversation is another one."""
    unread: int = 0
    """How many rows could not be read."""


@dataclass(frozen=True)
class GrowingFormat:
    """The rules by which the sessions of one program are told while they grow."""

    read: Callable[[Rows], Told]
    begins_piece: Callable[[Rows, int], bool]
    """True if everything before the row of this index is certain."""
    use_of: Callable[[Mapping[str, Any]], ProgramUse]
    """The tokens in use, the window and the model that a row knows, if any."""

    def certain(self, rows: Rows) -> int:
        """Return how many of the first rows no later row changes."""
        for index in range(len(rows) - 1, 0, -1):
            if self._begins_piece(rows, index):
                return index
        return 0

    def tell(self, rows: Rows) -> Told:
        """Return the messages and events that rows are together. Those that are
        :data:`NO_ROW` are counted.

        Where a row is as no reader foresaw, each piece is read by itself, and of the
        piece with that row each row: the others are all told.
        """
        readable = [row for row in rows if row]
        try:
            told = self.read(readable)
        except UNFORESEEN_ERRORS:
            told = Told(unread=len(readable))
            if len(readable) > 1:
                told = join_told(map(self.tell, self._split(readable)))
        return replace(told, unread=told.unread + len(rows) - len(readable))

    def _split(self, rows: Rows) -> list[Rows]:
        """Return the pieces of rows; of a single piece each of its rows."""
        inner = [
            index for index in range(1, len(rows)) if self._begins_piece(rows, index)
        ]
        if not inner:
            return [[row] for row in rows]
        bounds = pairwise([0, *inner, len(rows)])
        return [rows[start:stop] for start, stop in bounds]

    def _begins_piece(self, rows: Rows, index: int) -> bool:
        try:
            return self.begins_piece(rows, index)
        except UNFORESEEN_ERRORS:
            return False


NO_ROW: dict[str, Any] = {}
"""Stands for a line that holds no row."""


def parse_row(line: str) -> dict[str, Any] | None:
    """Return the object in a line; ``None`` for a line that holds none."""
    parser = JsonParser(ImportNotes(), Limits().depth)
    try:
        value = parser.parse(line)
    except TranscriptError:
        return None
    return value if isinstance(value, dict) else None


def notes_of(subagent_rows: int, unread_rows: int) -> tuple[str, ...]:
    """Return the notes of a conversation in which so many rows of subagents, and so many
    that could not be read, were left out; none where there were none."""
    notes = ImportNotes()
    for template, rows in ((SUBAGENTS, subagent_rows), (UNREAD, unread_rows)):
        if rows:
            notes.add(Said(template, rows=rows))
    return notes.sentences()


def join_told(parts: Iterable[Told]) -> Told:
    """Return what rows are that were told in parts, one behind the other."""
    messages: list[Message] = []
    events = []
    about: dict[str, Any] = {}
    left_out = 0
    unread = 0
    for part in parts:
        events += moved_events(part.events, len(messages))
        messages += part.messages
        about |= part.about
        left_out += part.left_out
        unread += part.unread
    return Told(messages, events, about, left_out, unread)


def moved_events(events: Iterable[RecordedEvent], by: int) -> list[RecordedEvent]:
    """Return events that happened after so many messages more."""
    return [replace(event, after_message=event.after_message + by) for event in events]


ABOUT = ("title", "system_prompt", "held_at")


def _told(read: Callable[[TranscriptBuilder], Transcript]) -> Told:
    """Return what a reader makes of a piece, which may hold no message at all."""
    builder = TranscriptBuilder()
    about = {}
    with suppress(TranscriptError):
        transcript = read(builder)
        about = {name: getattr(transcript, name) for name in ABOUT}
    return Told(tuple(builder.messages), tuple(builder.events), filled(about))


def _placed(rows: Rows) -> list[Placed]:
    return [(row, f"line {number}") for number, row in enumerate(rows, 1)]


def _last_of_type(kind: str, rows: Rows) -> dict[str, Any]:
    return next((row for row in reversed(rows) if row.get("type") == kind), {})


# Claude Code


def _tell_claude(rows: Rows) -> Told:
    numbered = [Row(row, "", number) for number, row in enumerate(rows)]
    main_rows = [row for row in numbered if not row.is_side]
    left_out = sum(row.is_side and row.is_talk for row in numbered)
    if not any(row.is_talk for row in main_rows):
        return Told(left_out=left_out)
    told = _told(lambda builder: ClaudeCode().read(main_rows, builder))
    return replace(told, left_out=left_out)


def _claude_begins(rows: Rows, index: int) -> bool:
    row = Row(rows[index], "", index)
    if row.is_side or row.is_hidden or row.is_summary:
        return False
    if row.kind == "user":
        return any(part.kind == "text" for part in row.said())
    if row.kind != "assistant":
        return row.is_boundary
    earlier = (text_at(before, "message", "id") for before in reversed(rows[:index]))
    return next(filter(None, earlier), row.reply_id) != row.reply_id


def _claude_use(row: Mapping[str, Any]) -> ProgramUse:
    usage = value_at(row, "message", "usage")
    if not isinstance(usage, dict) or row.get("isSidechain") is True:
        return {}
    counts = [count_at(usage, name) for name in usage if name.endswith("_tokens")]
    tokens = sum(filter(None, counts))
    return _use(tokens, model=text_at(row, "message", "model"))


# Codex


def _tell_codex(rows: Rows) -> Told:
    placed = [(row, place) for row, place in _placed(rows) if not _is_shown_again(row)]
    return _told(lambda builder: Codex().read(placed, builder))


def _is_shown_again(row: Mapping[str, Any]) -> bool:
    """Return whether a row repeats for the screen what another row holds."""
    shown = text_at(row, "payload", "type") in ("user_message", "agent_message")
    return shown and row.get("type") == "event_msg"


def _codex_begins(rows: Rows, index: int) -> bool:
    item = value_at(rows[index], "payload")
    if rows[index].get("type") != "response_item" or not isinstance(item, dict):
        return False
    kind = text_at(item, "type")
    if kind == "message" and item.get("role") == "user":
        texts = [text_at(part, "text") for part in objects_at(item, "content")]
        return not any(map(CONTEXT.match, texts))
    is_reply = kind == "message" and item.get("role") == "assistant"
    if not is_reply and kind not in ("reasoning", "function_call", "custom_tool_call"):
        return False
    before = _last_of_type("response_item", rows[:index])
    return text_at(before, "payload", "type").endswith("_output")


def _codex_use(row: Mapping[str, Any]) -> ProgramUse:
    if row.get("type") == "session_meta":
        source = object_at(row, "payload", "source")
        return {"is_subagent": True} if "subagent" in source else {}
    if row.get("type") == "turn_context":
        return _use(None, model=text_at(row, "payload", "model"))
    if text_at(row, "payload", "type") != "token_count":
        return {}
    info = value_at(row, "payload", "info")
    tokens = count_at(info, "last_token_usage", "total_tokens")
    return _use(tokens, window_tokens=count_at(info, "model_context_window"))


# Gemini CLI

FIRST_ROWS = 2
"""A file begins with so many rows that describe the session and set its first messages."""


def _tell_gemini(rows: Rows) -> Told:
    first = FIRST_ROWS if rows and "projectHash" in rows[0] else 0
    placed = _placed([*rows[:first], *map(_without_restated, rows[first:])])
    return _told(lambda builder: GeminiCli().read(Session.of_rows(placed), builder))


def _without_restated(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row that sets all messages anew without those that stood before: of a
    compression its summary is left."""
    messages = list_at(row, "$set", "messages")
    if not messages:
        return row
    summaries = [item for item in messages if _is_summary(item)]
    return {"$set": {**row["$set"], "messages": summaries}} if summaries else {}


def _is_summary(item: object) -> bool:
    text = contents_text(value_at(item, "content"), pass_over)
    return value_at(item, "type") == "user" and text.lstrip().startswith(SUMMARIES)


def _gemini_begins(rows: Rows, index: int) -> bool:
    row = rows[index]
    kind = row.get("type")
    if kind == "user":
        parts = objects_at(row, "content")
        return not parts or any("text" in part for part in parts)
    if kind != "gemini":
        return False
    before = _last_of_type("gemini", rows[:index])
    return bool(before) and text_at(before, "id") != row.get("id")


def _gemini_use(row: Mapping[str, Any]) -> ProgramUse:
    tokens = count_at(row, "tokens", "input")
    return _use(tokens, model=text_at(row, "model")) if tokens else {}


# Copilot CLI


def _tell_copilot(rows: Rows) -> Told:
    builder = TranscriptBuilder()
    story = CopilotStory(builder)
    for row, place in _placed(rows):
        story.add(row, place)
    messages = tuple(builder.messages)
    return Told(messages, tuple(builder.events), story.about, story.left_out)


def _copilot_begins(rows: Rows, index: int) -> bool:
    # What rows before the first message know of the session is told with that.
    return rows[index].get("type") in MESSAGES


def _copilot_use(row: Mapping[str, Any]) -> ProgramUse:
    if row.get("type") != "session.usage_record" or is_of_subagent(row):
        return {}
    usage = value_at(row, "data", "usage")
    window = count_at(usage, "maxPromptTokens")
    tokens = count_at(usage, "inputTokens")
    return _use(tokens, window_tokens=window, model=text_at(usage, "model"))


def _use(
    context_tokens: int | None, window_tokens: int | None = None, model: str = ""
) -> ProgramUse:
    """Return the values that are known."""
    use: ProgramUse = {}
    if context_tokens:
        use["context_tokens"] = context_tokens
    if window_tokens:
        use["window_tokens"] = window_tokens
    if model:
        use["model"] = model
    return use


GROWING: Mapping[str, GrowingFormat] = {
    "claude_code": GrowingFormat(_tell_claude, _claude_begins, _claude_use),
    "codex": GrowingFormat(_tell_codex, _codex_begins, _codex_use),
    "gemini_cli": GrowingFormat(_tell_gemini, _gemini_begins, _gemini_use),
    "copilot_cli": GrowingFormat(_tell_copilot, _copilot_begins, _copilot_use),
}
"""The programs whose sessions are files of one row a line."""
