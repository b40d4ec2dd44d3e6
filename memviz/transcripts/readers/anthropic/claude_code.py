"""Sessions of Claude Code: one row a line, of which an answer may be spread over several; or a log from the web."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.anthropic.claude_code_branch import main_branch
from memviz.transcripts.readers.anthropic.claude_code_sessions import Row, rows_by_session
from memviz.transcripts.readers.anthropic.claude_code_story import SessionStory
from memviz.transcripts.readers.json_access import texts_at
from memviz.transcripts.times import moment

ROW_KEYS = frozenset({"uuid", "parentUuid", "sessionId", "isSidechain", "session_id"})
TITLE_KEYS = {"custom-title": "customTitle", "ai-title": "aiTitle"}


class ClaudeCode(Reader):
    """One session with its branches, subagents and compactions; or several that were joined in one file."""

    name = "claude_code"
    title = "Claude Code session"

    def recognise(self, document: Document) -> bool:
        """Rows with a message and with the ids that chain them; or an object with the lines of a log."""
        log = document.object.get("loglines")
        if isinstance(log, list):
            return any(_has_message(row) for row in log[:500])
        return any(_has_message(row) and not ROW_KEYS.isdisjoint(row) for row in document.objects or [document.object])

    def conversations(self, document: Document) -> Sequence[list[Row]]:
        """One conversation for each session that has messages."""
        found = rows_by_session(_rows(document))
        if not found:
            raise mismatch("a session with rows of type user and assistant", document)
        return found

    def read(self, piece: list[Row], builder: TranscriptBuilder) -> Transcript:
        """The branch that the session ended on."""
        branch = main_branch(piece)
        story = SessionStory(builder)
        for row in branch.rows:
            story.add(row.value, row.place)
        story.write()
        _note_left_out(branch.subagent, branch.abandoned, builder)
        times = (moment(row.value.get("timestamp")) for row in branch.rows)
        held_at = next((time for time in times if time is not None), None)
        return builder.build(title=_title(piece), held_at=held_at)


def _has_message(row: object) -> bool:
    return isinstance(row, dict) and row.get("type") in ("user", "assistant") and isinstance(row.get("message"), dict)


def _rows(document: Document) -> list[tuple[str, dict[str, Any]]]:
    log = document.object.get("loglines")
    if isinstance(log, list):
        return [(f"index {n}", row) for n, row in enumerate(log) if isinstance(row, dict)]
    if not document.items:
        return [("line 1", document.object)] if document.object else []
    return [(place, row) for row, place in document.placed if isinstance(row, dict)]


def _note_left_out(subagent: int, abandoned: int, builder: TranscriptBuilder) -> None:
    if subagent:
        builder.note(f"what subagents said in side conversations was left out (rows: {subagent})")
    if abandoned:
        builder.note(f"branches that the user went back on were left out (messages: {abandoned})")


def _title(rows: list[Row]) -> str:
    """The newest title that the user gave, else the newest one that was generated, else a summary: the one of a
    message of this session, before one whose message is not in the file."""
    for kind, key in TITLE_KEYS.items():
        named = [texts_at(row.value, key) for row in rows if row.value.get("type") == kind]
        given = [texts[key] for texts in named if texts]
        if given:
            return given[-1]
    ids = {row.id for row in rows}
    summaries = [row.value for row in rows if row.value.get("type") == "summary" and texts_at(row.value, "summary")]
    own = [item for item in summaries if str(item.get("leafUuid")) in ids]
    return str((own[-1:] or summaries[:1] or [{"summary": ""}])[0]["summary"])
