"""Sessions of the OpenAI Agents SDK in an SQLite database, also those with branches."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader
from memviz.transcripts.readers.database_rows import (
    Row,
    cell_text,
    find_tables,
    group_conversations,
    group_rows,
    parse_cell,
    row_place,
)
from memviz.transcripts.readers.json_access import object_at, text_at
from memviz.transcripts.readers.openai.response_items import ItemReader
from memviz.transcripts.times import moment

MESSAGE_COLUMNS = ("id", "session_id", "message_data", "created_at")
NEEDED_COLUMNS = {"session_id", "message_data"}
STRUCTURE_TABLE = "message_structure"
"""The table of an advanced session: one row for each message of each branch."""
STRUCTURE_COLUMNS = ("session_id", "message_id", "branch_id", "sequence_number")
MAIN_BRANCH = "main"
MAX_NAMED_BRANCHES = 5
SPEAKERS = ("user", "assistant", "system", "developer")
ENCRYPTED = noop("is encrypted")


class Session(NamedTuple):
    """One conversation of the database."""

    session_id: str
    rows: Sequence[Row]
    """Its messages in order; of a session with branches, those of one branch."""
    branch: str = ""
    """The branch of the rows; empty where the session has no branches."""
    other_branches: tuple[str, ...] = ()
    unread_count: int = 0
    """Number of messages of the session that are not among the rows."""


class OpenAIAgents(Reader):
    """One conversation for each session."""

    name = "openai_agents"
    title = noop("OpenAI Agents SDK session")

    def recognise(self, document: Document) -> bool:
        """A database with a table of messages by session."""
        return bool(find_tables(document, NEEDED_COLUMNS))

    def conversations(self, document: Document) -> Sequence[Session]:
        """Return one for each session that has messages."""
        tables = find_tables(document, NEEDED_COLUMNS)
        stored = group_conversations(
            document,
            tables,
            columns=MESSAGE_COLUMNS,
            order=("id",),
            key="session_id",
            expected="with session_id and message_data",
        )
        order = ("sequence_number", "id")
        structure_rows = document.tables.rows(STRUCTURE_TABLE, STRUCTURE_COLUMNS, order)
        structure_of = group_rows(structure_rows, "session_id")
        return [
            _make_session(session_id, rows, structure_of.get(session_id, []))
            for session_id, rows in stored
        ]

    def read(self, piece: Session, builder: TranscriptBuilder) -> Transcript:
        """Read the items of the session as those of the Responses API."""
        if piece.unread_count:
            builder.note(_make_unread_note(piece))
        ItemReader(builder).add_all(list(_read_items(piece.rows, builder)))
        return builder.build(
            title=piece.session_id,
            held_at=moment(piece.rows[0]["created_at"]) if piece.rows else None,
        )


IN_NO_BRANCH = noop(
    "the branch {branch} was read; {number} messages of the session are in no branch"
)
IN_OTHER_BRANCHES = noop(
    "the branch {branch} was read; {number} messages of the session are in other branches ({branches})"
)


def _make_unread_note(session: Session) -> Said:
    """Return the note on messages that are not read: "the branch 'main' was read; 3
    messages of the session are in other branches ('retry')".
    """
    names = session.other_branches
    listed: Said | tuple[str, ...]
    listed = tuple(repr(name[:40]) for name in names[:MAX_NAMED_BRANCHES])
    more = len(names) - MAX_NAMED_BRANCHES
    if more > 0:
        listed = Said("{names} and {number} more", names=listed, number=more)
    return Said(
        IN_OTHER_BRANCHES if names else IN_NO_BRANCH,
        branch=repr(session.branch[:40]),
        number=session.unread_count,
        branches=listed,
    )


def _make_session(session_id: str, rows: list[Row], structure: list[Row]) -> Session:
    """Return the session with the branch that the SDK continues when it opens it.

    That is "main", or without it the branch of the last message. Without a structure
    all rows are the conversation.
    """
    row_of = {cell_text(row["id"]): row for row in rows}
    stored = [row for row in structure if cell_text(row["message_id"]) in row_of]
    if not stored:
        return Session(session_id, rows)
    branches = group_rows(stored, "branch_id")
    branch = MAIN_BRANCH
    if branch not in branches:
        branch = cell_text(stored[-1]["branch_id"])
    message_ids = [cell_text(row["message_id"]) for row in branches.pop(branch)]
    return Session(
        session_id,
        rows=[row_of[message_id] for message_id in message_ids],
        branch=branch,
        other_branches=tuple(branches),
        unread_count=len(row_of.keys() - set(message_ids)),
    )


def _read_items(
    rows: Sequence[Row], builder: TranscriptBuilder
) -> Iterator[tuple[Any, str]]:
    """Yield each item of the Responses API with its place; leave out what is none."""
    for row in rows:
        stored = parse_cell(row["message_data"], row_place(row), builder)
        for item, place in stored:
            if "__enc__" in object_at(item):
                builder.leave_out(place, ENCRYPTED)
            elif text_at(item, "role") in SPEAKERS:
                yield {"created_at": row["created_at"], **item}, place
            else:
                yield item, place
