"""Sessions of the OpenAI Agents SDK in an SQLite database, also those with branches."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_json,
    cell_text,
    conversations_in,
    grouped,
    row_place,
    tables_with,
)
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.openai.response_items import ItemReader
from memviz.transcripts.times import moment

COLUMNS = ("id", "session_id", "message_data", "created_at")
NEEDED = {"session_id", "message_data"}
STRUCTURE = "message_structure"
STRUCTURE_COLUMNS = ("session_id", "message_id", "branch_id", "sequence_number")
MAIN = "main"
MAX_BRANCHES = 5
SPEAKERS = ("user", "assistant", "system", "developer")


class Session(NamedTuple):
    """The rows of one session in order; of several branches those of one, and how many messages the others add."""

    id: str
    rows: Sequence[Row]
    branch: str = ""
    others: tuple[str, ...] = ()
    elsewhere: int = 0


class OpenAIAgents(Reader):
    """One conversation for each session."""

    name = "openai_agents"
    title = "OpenAI Agents SDK session"

    def recognise(self, document: Document) -> bool:
        """A database with a table of messages by session."""
        return bool(tables_with(document, NEEDED))

    def conversations(self, document: Document) -> Sequence[Session]:
        """One for each session that has messages."""
        tables = tables_with(document, NEEDED)
        expected = "with session_id and message_data"
        stored = conversations_in(
            document, tables, COLUMNS, ("id",), "session_id", expected
        )
        order = ("sequence_number", "id")
        steps = document.tables.rows(STRUCTURE, STRUCTURE_COLUMNS, order)
        structure = grouped(steps, "session_id")
        return [_session(id, rows, structure.get(id, [])) for id, rows in stored]

    def read(self, piece: Session, builder: TranscriptBuilder) -> Transcript:
        """The items of the session, read as those of the Responses API."""
        if piece.elsewhere:
            builder.note(_elsewhere(piece))
        ItemReader(builder).add_all(list(_items(piece.rows, builder)))
        return builder.build(
            title=piece.id,
            held_at=moment(piece.rows[0]["created_at"]) if piece.rows else None,
        )


def _elsewhere(piece: Session) -> str:
    where = "are in no branch"
    if piece.others:
        shown = ", ".join(repr(name[:40]) for name in piece.others[:MAX_BRANCHES])
        if len(piece.others) > MAX_BRANCHES:
            shown += f" and {len(piece.others) - MAX_BRANCHES} more"
        where = f"are in other branches ({shown})"
    return f"the branch {piece.branch[:40]!r} was read; {piece.elsewhere} messages of the session {where}"


def _session(id: str, rows: list[Row], structure: list[Row]) -> Session:
    """The rows of the branch that the SDK continues when it opens the session: "main", or else the one last added."""
    by_id = {cell_text(row["id"]): row for row in rows}
    steps = [step for step in structure if cell_text(step["message_id"]) in by_id]
    if not steps:
        return Session(id, rows)
    branches = grouped(steps, "branch_id")
    branch = MAIN if MAIN in branches else cell_text(steps[-1]["branch_id"])
    chosen = [cell_text(step["message_id"]) for step in branches.pop(branch)]
    elsewhere = len(by_id.keys() - set(chosen))
    rows = [by_id[key] for key in chosen]
    return Session(id, rows, branch, tuple(branches), elsewhere)


def _items(
    rows: Sequence[Row], builder: TranscriptBuilder
) -> Iterator[tuple[Any, str]]:
    for row in rows:
        place = row_place(row)
        try:
            item = cell_json(row["message_data"], builder)
        except TranscriptError:
            builder.leave_out(place, "is not JSON")
            continue
        if isinstance(item, dict) and "__enc__" in item:
            builder.leave_out(place, "is encrypted")
        else:
            yield _with_time(item, row), place


def _with_time(item: Any, row: Row) -> Any:
    if text_at(item, "role") not in SPEAKERS:
        return item
    return {"created_at": row["created_at"], **item}
