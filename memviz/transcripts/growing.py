"""Reads the session files of coding agents while they grow, piece by piece.

``watching.growing_files`` gives the new rows of a file, in order; :data:`GROWING` has the
rules of each program. The messages are made by the same readers that import whole files.
A piece ends where no later row can change it any more, so each row is read once, and only
the newest reply, which may get further rows, is read again.
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
from memviz.transcripts.chat_messages import ignore_note
from memviz.transcripts.document import UNFORESEEN_ERRORS, PlacedValue
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
from memviz.transcripts.readers.gemini_api import text_of_contents
from memviz.transcripts.readers.gemini_cli import SUMMARIES, GeminiCli, Session
from memviz.transcripts.readers.json_access import (
    count_at,
    drop_empty,
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
class SessionPiece:
    """The messages and events that some rows of a session make."""

    messages: Sequence[Message] = ()
    events: Sequence[RecordedEvent] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the transcript that stand in these rows, such as its title."""
    left_out: int = 0
    """The number of rows of subagents, which have conversations of their own."""
    unread: int = 0
    """The number of rows that could not be read."""


@dataclass(frozen=True)
class GrowingFormat:
    """The rules by which the growing sessions of one program are read."""

    read: Callable[[Rows], SessionPiece]
    begins_piece: Callable[[Rows, int], bool]
    """True if everything before the row of this index is certain."""
    find_use: Callable[[Mapping[str, Any]], ProgramUse]
    """Returns the tokens in use, the window and the model that a row states, if any."""

    def count_certain(self, rows: Rows) -> int:
        """Return the number of first rows that no later row can change."""
        for index in range(len(rows) - 1, 0, -1):
            if self._begins_piece(rows, index):
                return index
        return 0

    def read_piece(self, rows: Rows) -> SessionPiece:
        """Return the messages and events of these rows. Each :data:`NO_ROW` counts as
        unread.

        Where the reader fails at a row that it did not foresee, each piece is read by
        itself, and of the piece with that row each row: so no other row is lost.
        """
        readable = [row for row in rows if row]
        try:
            piece = self.read(readable)
        except UNFORESEEN_ERRORS:
            piece = SessionPiece(unread=len(readable))
            if len(readable) > 1:
                piece = join_pieces(map(self.read_piece, self._split(readable)))
        return replace(piece, unread=piece.unread + len(rows) - len(readable))

    def _split(self, rows: Rows) -> list[Rows]:
        """Return the pieces that rows consist of; for a single piece each of its rows."""
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
"""Takes the place of a line that holds no row."""


def parse_row(line: str) -> dict[str, Any] | None:
    """Return the object in a line; ``None`` for a line that holds none."""
    parser = JsonParser(ImportNotes(), Limits().depth)
    try:
        value = parser.parse(line)
    except TranscriptError:
        return None
    return value if isinstance(value, dict) else None


def notes_on_skipped_rows(subagent_rows: int, unread_rows: int) -> tuple[str, ...]:
    """Return the sentences that tell the user how many rows of subagents, and how many
    that could not be read, were left out."""
    notes = ImportNotes()
    for template, rows in ((SUBAGENTS, subagent_rows), (UNREAD, unread_rows)):
        if rows:
            notes.add(Said(template, rows=rows))
    return notes.sentences()


def join_pieces(parts: Iterable[SessionPiece]) -> SessionPiece:
    """Return pieces that follow each other as one."""
    messages: list[Message] = []
    events = []
    about: dict[str, Any] = {}
    left_out = 0
    unread = 0
    for part in parts:
        events += shift_events(part.events, len(messages))
        messages += part.messages
        about |= part.about
        left_out += part.left_out
        unread += part.unread
    return SessionPiece(messages, events, about, left_out, unread)


def shift_events(events: Iterable[RecordedEvent], by: int) -> list[RecordedEvent]:
    """Return the events, each ``by`` messages later."""
    return [replace(event, after_message=event.after_message + by) for event in events]


ABOUT = ("title", "system_prompt", "held_at")


def _read_piece(read: Callable[[TranscriptBuilder], Transcript]) -> SessionPiece:
    """Return what a reader makes of a piece. A piece without any message is empty, and
    no error as it is for a whole file."""
    builder = TranscriptBuilder()
    about = {}
    with suppress(TranscriptError):
        transcript = read(builder)
        about = {name: getattr(transcript, name) for name in ABOUT}
    return SessionPiece(
        tuple(builder.messages), tuple(builder.events), drop_empty(about)
    )


def _number_rows(rows: Rows) -> list[PlacedValue]:
    return [(row, f"line {number}") for number, row in enumerate(rows, 1)]


def _find_last_of_type(kind: str, rows: Rows) -> dict[str, Any]:
    return next((row for row in reversed(rows) if row.get("type") == kind), {})


# Claude Code


def _read_claude(rows: Rows) -> SessionPiece:
    numbered = [Row(row, "", number) for number, row in enumerate(rows)]
    main_rows = [row for row in numbered if not row.is_side]
    left_out = sum(row.is_side and row.is_talk for row in numbered)
    if not any(row.is_talk for row in main_rows):
        return SessionPiece(left_out=left_out)
    piece = _read_piece(lambda builder: ClaudeCode().read(main_rows, builder))
    return replace(piece, left_out=left_out)


def _begins_claude_piece(rows: Rows, index: int) -> bool:
    row = Row(rows[index], "", index)
    if row.is_side or row.is_hidden or row.is_summary:
        return False
    if row.kind == "user":
        return any(part.kind == "text" for part in row.said())
    if row.kind != "assistant":
        return row.is_boundary
    earlier = (text_at(before, "message", "id") for before in reversed(rows[:index]))
    return next(filter(None, earlier), row.reply_id) != row.reply_id


def _use_in_claude_row(row: Mapping[str, Any]) -> ProgramUse:
    usage = value_at(row, "message", "usage")
    if not isinstance(usage, dict) or row.get("isSidechain") is True:
        return {}
    counts = [count_at(usage, name) for name in usage if name.endswith("_tokens")]
    tokens = sum(filter(None, counts))
    return _make_use(tokens, model=text_at(row, "message", "model"))


# Codex


def _read_codex(rows: Rows) -> SessionPiece:
    placed = [
        (row, place) for row, place in _number_rows(rows) if not _is_screen_copy(row)
    ]
    return _read_piece(lambda builder: Codex().read(placed, builder))


def _is_screen_copy(row: Mapping[str, Any]) -> bool:
    """Return whether a row repeats another row's message for the screen."""
    shown = text_at(row, "payload", "type") in ("user_message", "agent_message")
    return shown and row.get("type") == "event_msg"


def _begins_codex_piece(rows: Rows, index: int) -> bool:
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
    before = _find_last_of_type("response_item", rows[:index])
    return text_at(before, "payload", "type").endswith("_output")


def _use_in_codex_row(row: Mapping[str, Any]) -> ProgramUse:
    if row.get("type") == "session_meta":
        source = object_at(row, "payload", "source")
        return {"is_subagent": True} if "subagent" in source else {}
    if row.get("type") == "turn_context":
        return _make_use(None, model=text_at(row, "payload", "model"))
    if text_at(row, "payload", "type") != "token_count":
        return {}
    info = value_at(row, "payload", "info")
    tokens = count_at(info, "last_token_usage", "total_tokens")
    return _make_use(tokens, window_tokens=count_at(info, "model_context_window"))


# Gemini CLI

FIRST_ROWS = 2
"""The number of rows at the beginning of a file that describe the session and set its
first messages."""


def _read_gemini(rows: Rows) -> SessionPiece:
    first = FIRST_ROWS if rows and "projectHash" in rows[0] else 0
    placed = _number_rows([*rows[:first], *map(_drop_restated_messages, rows[first:])])
    return _read_piece(
        lambda builder: GeminiCli().read(Session.of_rows(placed), builder)
    )


def _drop_restated_messages(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row that sets all messages anew, as a compression does, with its summary
    alone: the other messages were read before."""
    messages = list_at(row, "$set", "messages")
    if not messages:
        return row
    summaries = [item for item in messages if _is_summary(item)]
    return {"$set": {**row["$set"], "messages": summaries}} if summaries else {}


def _is_summary(item: object) -> bool:
    text = text_of_contents(value_at(item, "content"), ignore_note)
    return value_at(item, "type") == "user" and text.lstrip().startswith(SUMMARIES)


def _begins_gemini_piece(rows: Rows, index: int) -> bool:
    row = rows[index]
    kind = row.get("type")
    if kind == "user":
        parts = objects_at(row, "content")
        return not parts or any("text" in part for part in parts)
    if kind != "gemini":
        return False
    before = _find_last_of_type("gemini", rows[:index])
    return bool(before) and text_at(before, "id") != row.get("id")


def _use_in_gemini_row(row: Mapping[str, Any]) -> ProgramUse:
    tokens = count_at(row, "tokens", "input")
    return _make_use(tokens, model=text_at(row, "model")) if tokens else {}


# Copilot CLI


def _read_copilot(rows: Rows) -> SessionPiece:
    builder = TranscriptBuilder()
    story = CopilotStory(builder)
    for row, place in _number_rows(rows):
        story.add(row, place)
    messages = tuple(builder.messages)
    return SessionPiece(messages, tuple(builder.events), story.about, story.left_out)


def _begins_copilot_piece(rows: Rows, index: int) -> bool:
    # Rows before the first message, which describe the session, are read together with it.
    return rows[index].get("type") in MESSAGES


def _use_in_copilot_row(row: Mapping[str, Any]) -> ProgramUse:
    if row.get("type") != "session.usage_record" or is_of_subagent(row):
        return {}
    usage = value_at(row, "data", "usage")
    window = count_at(usage, "maxPromptTokens")
    tokens = count_at(usage, "inputTokens")
    return _make_use(tokens, window_tokens=window, model=text_at(usage, "model"))


def _make_use(
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
    "claude_code": GrowingFormat(
        _read_claude, _begins_claude_piece, _use_in_claude_row
    ),
    "codex": GrowingFormat(_read_codex, _begins_codex_piece, _use_in_codex_row),
    "gemini_cli": GrowingFormat(_read_gemini, _begins_gemini_piece, _use_in_gemini_row),
    "copilot_cli": GrowingFormat(
        _read_copilot, _begins_copilot_piece, _use_in_copilot_row
    ),
}
"""The programs whose sessions are files of one row a line."""
