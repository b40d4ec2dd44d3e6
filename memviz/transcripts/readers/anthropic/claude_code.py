"""Sessions of Claude Code: one row a line, of which an answer may be spread over several; or a log from the web.

Rows name the row before them, so a session is a tree. Its conversation is the branch that it ended on."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memviz.core.translation import Said, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, PlacedValue, Reader, require_pieces
from memviz.transcripts.import_notes import SUBAGENTS
from memviz.transcripts.readers.anthropic.claude_code_story import (
    ROLES,
    Row,
    SessionStory,
)
from memviz.transcripts.readers.json_access import text_at, value_at
from memviz.transcripts.readers.json_rows import add_places
from memviz.transcripts.readers.message_trees import walk_branch
from memviz.transcripts.times import parse_first_moment

ROW_KEYS = frozenset({"uuid", "parentUuid", "sessionId", "isSidechain", "session_id"})
TITLE_KEYS = {
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "summary": "summary",
}
"""Kinds of rows with a title: given by the user, generated, and the summary of older versions."""
EXPECTED = noop("a session with rows of type user and assistant")
ABANDONED = noop(
    "branches that the user went back on were left out (messages: {messages})"
)


class ClaudeCode(Reader):
    """One session with its branches, subagents and compactions; or several that were joined in one file."""

    name = "claude_code"
    title = noop("Claude Code session")

    def recognise(self, document: Document) -> bool:
        """Rows with a message and with the ids that chain them; or an object with the lines of a log."""
        log = document.object.get("loglines")
        if isinstance(log, list):
            return any(map(_has_message, log[:500]))
        return any(
            _has_message(row) and not ROW_KEYS.isdisjoint(row) for row in document.heads
        )

    def conversations(self, document: Document) -> Sequence[list[Row]]:
        """One conversation for each session that has messages."""
        log = document.object.get("loglines")
        placed = add_places(log) if isinstance(log, list) else document.lines
        return require_pieces(group_by_session(placed), EXPECTED, document)

    def read(self, piece: list[Row], builder: TranscriptBuilder) -> Transcript:
        """The branch that the session ended on."""
        branch = find_main_branch(piece)
        story = SessionStory(builder)
        for row in branch.rows:
            story.add(row)
        story.write()
        if branch.subagent:
            builder.note(Said(SUBAGENTS, rows=branch.subagent))
        if branch.abandoned:
            builder.note(Said(ABANDONED, messages=branch.abandoned))
        held_at = parse_first_moment(row.value.get("timestamp") for row in branch.rows)
        return builder.build(title=_find_title(piece), held_at=held_at)


def _has_message(row: object) -> bool:
    has_message = isinstance(value_at(row, "message"), dict)
    return has_message and text_at(row, "type") in ROLES


def group_by_session(placed: Iterable[PlacedValue]) -> list[list[Row]]:
    """The rows of each session that has messages. Sessions that continue each other are one; what names no session
    belongs to the one before it."""
    rows: dict[str, Row] = {}
    for number, (value, place) in enumerate(placed):
        if isinstance(value, dict):
            row = Row(value, place, number)
            rows.setdefault(row.id, row)  # a session that is resumed may repeat rows
    sessions: dict[str, list[Row]] = {}
    talking = set()
    titles: list[Row] = []
    for row, name in zip(rows.values(), _name_sessions(rows), strict=True):
        session_rows = (
            titles if row.kind == "summary" else sessions.setdefault(name, [])
        )
        session_rows.append(row)
        if row.is_talk:
            talking.add(name)
    talking_sessions = [
        session_rows for name, session_rows in sessions.items() if name in talking
    ]
    is_only = len(talking_sessions) == 1
    return [
        [*_find_titles(session_rows, titles, is_only), *session_rows]
        for session_rows in talking_sessions
    ]


def _find_titles(
    rows: Sequence[Row], titles: Sequence[Row], is_only: bool
) -> list[Row]:
    """The titles that name a row of a session as its last; one that names no row is of the only session there is.

    Claude Code writes titles that it makes late into the file of whatever session is open, so one that names a row
    that is not in the file is of another session.
    """
    ids = {row.id for row in rows}
    if is_only:
        ids.add("")
    return [title for title in titles if text_at(title.value, "leafUuid") in ids]


def _name_sessions(rows: dict[str, Row]) -> list[str]:
    """Return the name of the session of each row; of sessions that continue each other, one name."""
    only_subagents = all(row.is_side for row in rows.values() if row.is_talk)
    name_of = {}
    current = ""
    first = ""
    for row in rows.values():
        session_id = row.value.get("sessionId", row.value.get("session_id"))
        if (
            isinstance(session_id, str)
            and session_id
            and (only_subagents or not row.is_side)
        ):
            current = session_id
        name_of[row.id] = current
        first = first or current
    same_as = {"": first} if first else {}

    def root(name: str) -> str:
        while name in same_as:
            name = same_as[name]
        return name

    for id, row in rows.items():
        root_name = root(name_of[id])
        other_root = root(name_of.get(row.parent or row.logical_parent, root_name))
        if root_name != other_root:
            same_as[root_name] = other_root
    return [root(name) for name in name_of.values()]


def _find_title(rows: Sequence[Row]) -> str:
    """The newest title that the user gave, else the newest one that was generated, else the newest summary."""
    for kind, key in TITLE_KEYS.items():
        titles = [text_at(row.value, key) for row in rows if row.kind == kind]
        for title in filter(None, reversed(titles)):
            return title
    return ""


class Branch(NamedTuple):
    """The rows of the conversation in order; how many rows are of subagents, and how many messages of branches that
    were left."""

    rows: list[Row]
    subagent: int
    abandoned: int


def find_main_branch(rows: Sequence[Row]) -> Branch:
    """The branch that ends with the last message of the session. If all of it is of a subagent, this is its own
    conversation."""
    talk = [row for row in rows if row.is_talk]
    subagent = sum(row.is_side for row in talk)
    if subagent == len(talk):
        subagent = 0
    chain = [row for row in rows if not (subagent and row.is_side)]
    position = {row.id: index for index, row in enumerate(chain)}
    last = next(row.id for row in reversed(chain) if row.is_talk)
    path = [position[id] for id in walk_branch(last, _find_parents(chain))[0]]
    beside = _find_belonging(chain, [chain[index] for index in path])
    extra = [position[row.id] for row in beside]
    branch_rows = [chain[index] for index in _sort_positions(path, extra)]
    ids = {row.id for row in branch_rows}
    left_ids = {
        row.reply_id or row.id for row in chain if row.id not in ids and row.is_message
    }
    return Branch(branch_rows, subagent, len(left_ids))


def _find_parents(chain: Sequence[Row]) -> dict[str, str | None]:
    """The row before each. A compaction starts a new chain and names the end of the old one as its logical parent;
    where a parent is not in the file, or none is named at all, it is the row above. So it is for a compaction of a
    part: its logical parent is where the part ends or begins, and what was said after that belongs here as well."""
    chain_ids = {row.id for row in chain}
    of_a_part = {row.parent for row in chain if row.summarized_part}
    parents: dict[str, str | None] = {}
    above: str | None = None
    for row in chain:
        if row.kind == "summary":
            continue
        goes_on = row.is_boundary or row.is_summary
        starts = "parentUuid" in row.value and not row.parent and not goes_on
        if row.parent in chain_ids:
            parents[row.id] = row.parent
        elif row.logical_parent in chain_ids and row.id not in of_a_part:
            parents[row.id] = row.logical_parent
        else:
            parents[row.id] = None if starts else above
        above = row.id
    return parents


def _find_belonging(chain: Sequence[Row], path: Sequence[Row]) -> list[Row]:
    """Rows beside the path that are part of it: other pieces of the same reply, the results of its parallel calls,
    and compactions after which the chain went on from before them."""
    on_path = {row.id for row in path}
    replies = {row.reply_id for row in path} - {""}
    beside = [row for row in chain if row.id not in on_path]
    belonging = [row for row in beside if row.reply_id in replies]
    callers = [*path, *belonging]
    caller_ids = {row.id for row in callers}
    calls = {id for row in callers for id in row.call_ids}
    answered = {(row.parent, id) for row in path for id in row.result_ids}
    marks = set()
    for row in beside:
        if row.is_boundary and row.logical_parent in on_path:
            marks.add(row.id)
            belonging.append(row)
        elif row.parent in caller_ids:
            results = [id for id in row.result_ids if (row.parent, id) not in answered]
            if not calls.isdisjoint(results):
                belonging.append(row)
    belonging += [row for row in beside if row.is_summary and row.parent in marks]
    return belonging


def _sort_positions(path: Sequence[int], extra: Sequence[int]) -> list[int]:
    """The positions of the path in its order, each of the others after those of the path that stand above it."""
    above = sorted((position, step) for step, position in enumerate(path))
    keyed = [(step, -1, position) for step, position in enumerate(path)]
    for position in set(extra):
        index = bisect_left(above, (position, -1)) - 1
        keyed.append((above[index][1] if index >= 0 else -1, position, position))
    return [position for *_, position in sorted(keyed)]
