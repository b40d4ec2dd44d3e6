"""Sessions of Claude Code: one row a line, of which an answer may be spread over several; or a log from the web.

Rows name the row before them, so a session is a tree. Its conversation is the branch that it ended on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import Document, Reader, mismatch
from memviz.transcripts.readers.anthropic.claude_code_story import (
    ROLES,
    SessionStory,
    call_ids,
    is_boundary,
    is_conversation,
    is_message,
    is_side,
    is_summary,
    reply_id,
    result_ids,
    summarized_part,
)
from memviz.transcripts.readers.json_access import text_at
from memviz.transcripts.readers.message_trees import branch
from memviz.transcripts.times import moment


class Row(NamedTuple):
    """One row with its place in the file and its id, made up where it has none."""

    place: str
    id: str
    value: dict[str, Any]


def rows_by_session(rows: Iterable[tuple[str, dict[str, Any]]]) -> list[list[Row]]:
    """The rows of each session that has messages. Sessions that continue each other are one; what names no session
    belongs to the one before it."""
    placed = list[Row]()
    seen = set[str]()
    for number, (place, value) in enumerate(rows):
        id = value["uuid"] if isinstance(value.get("uuid"), str) else f"#{number}"
        if id not in seen:  # a session that is resumed may repeat rows
            placed.append(Row(place, id, value if value.get("type") else _typed(value)))
            seen.add(id)
    titles = [row for row in placed if row.value.get("type") == "summary"]
    sessions: dict[str, list[Row]] = {}
    for row, name in zip(placed, _session_names(placed), strict=True):
        if row.value.get("type") != "summary":
            sessions.setdefault(name, []).append(row)
    found = [
        rows
        for rows in sessions.values()
        if any(is_conversation(row.value) for row in rows)
    ]
    return [
        [*_titles_of(rows, titles, is_only=len(found) == 1), *rows] for rows in found
    ]


def _typed(value: dict[str, Any]) -> dict[str, Any]:
    """A row without a type with that of its message, if it has one."""
    role = text_at(value, "message", "role")
    return {**value, "type": role} if role in ROLES else value


def _titles_of(rows: Sequence[Row], titles: Sequence[Row], is_only: bool) -> list[Row]:
    """The titles that name a row of a session as its last; one that names no row is of the only session there is.

    Claude Code writes titles that it makes late into the file of whatever session is open, so one that names a row
    that is not in the file is of another session.
    """
    ids = {row.id for row in rows}

    def is_own(title: Row) -> bool:
        leaf = text_at(title.value, "leafUuid")
        return leaf in ids if leaf else is_only

    return [title for title in titles if is_own(title)]


def _session_names(rows: Sequence[Row]) -> list[str]:
    only_subagents = all(
        is_side(row.value) for row in rows if is_conversation(row.value)
    )
    names = list[str]()
    current = ""
    for row in rows:
        own = row.value.get("sessionId", row.value.get("session_id"))
        if isinstance(own, str) and own and (only_subagents or not is_side(row.value)):
            current = own
        names.append(current)
    name_of = dict(zip((row.id for row in rows), names, strict=True))
    first = next((name for name in names if name), "")
    same_as: dict[str, str] = {"": first} if first else {}

    def root(name: str) -> str:
        while name in same_as:
            name = same_as[name]
        return name

    for row, name in zip(rows, names, strict=True):
        before = text_at(row.value, "parentUuid") or text_at(
            row.value, "logicalParentUuid"
        )
        one = root(name)
        other = root(name_of.get(before, name))
        if one != other:
            same_as[one] = other
    return [root(name) for name in names]


ROW_KEYS = frozenset({"uuid", "parentUuid", "sessionId", "isSidechain", "session_id"})
TITLE_KEYS = {
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "summary": "summary",
}


class ClaudeCode(Reader):
    """One session with its branches, subagents and compactions; or several that were joined in one file."""

    name = "claude_code"
    title = "Claude Code session"

    def recognise(self, document: Document) -> bool:
        """Rows with a message and with the ids that chain them; or an object with the lines of a log."""
        log = document.object.get("loglines")
        if isinstance(log, list):
            return any(_has_message(row) for row in log[:500])
        return any(
            _has_message(row) and not ROW_KEYS.isdisjoint(row)
            for row in document.objects or [document.object]
        )

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
    return (
        isinstance(row, dict)
        and row.get("type") in ("user", "assistant")
        and isinstance(row.get("message"), dict)
    )


def _rows(document: Document) -> list[tuple[str, dict[str, Any]]]:
    log = document.object.get("loglines")
    if isinstance(log, list):
        return [
            (f"index {n}", row) for n, row in enumerate(log) if isinstance(row, dict)
        ]
    if not document.items:
        return [("line 1", document.object)] if document.object else []
    return [(place, row) for row, place in document.placed if isinstance(row, dict)]


def _note_left_out(subagent: int, abandoned: int, builder: TranscriptBuilder) -> None:
    if subagent:
        builder.note(
            f"what subagents said in side conversations was left out (rows: {subagent})"
        )
    if abandoned:
        builder.note(
            f"branches that the user went back on were left out (messages: {abandoned})"
        )


def _title(rows: list[Row]) -> str:
    """The newest title that the user gave, else the newest one that was generated, else the newest summary."""
    for kind, key in TITLE_KEYS.items():
        given = [
            text
            for row in rows
            if row.value.get("type") == kind and (text := text_at(row.value, key))
        ]
        if given:
            return given[-1]
    return ""


class Branch(NamedTuple):
    """The rows of the conversation in order; how many rows are of subagents, and how many messages of branches that
    were left."""

    rows: list[Row]
    subagent: int
    abandoned: int


def main_branch(rows: Sequence[Row]) -> Branch:
    """The branch that ends with the last message of the session. If all of it is of a subagent, this is its own
    conversation."""
    talk = [row for row in rows if is_conversation(row.value)]
    side = [row for row in talk if is_side(row.value)]
    if len(side) == len(talk):
        side = []
    aside = {row.id for row in side}
    chain = [
        row for row in rows if row.id not in aside and not (side and is_side(row.value))
    ]
    index = {row.id: n for n, row in enumerate(chain)}
    last = next(row.id for row in reversed(chain) if is_conversation(row.value))
    path, _ = branch(last, _parents(chain))
    extra = _belonging(chain, [chain[index[id]] for id in path])
    order = _in_order([index[id] for id in path], [index[row.id] for row in extra])
    used = {chain[n].id for n in order}
    left = {
        reply_id(row.value) or row.id
        for row in chain
        if row.id not in used and is_message(row.value)
    }
    return Branch([chain[n] for n in order], len(side), len(left))


def _parents(chain: Sequence[Row]) -> dict[str, str | None]:
    """The row before each. A compaction starts a new chain and names the end of the old one as its logical parent;
    where a parent is not in the file, or none is named at all, it is the row above. So it is for a compaction of a
    part: its logical parent is where the part ends or begins, and what was said after that belongs here as well."""
    known = {row.id for row in chain}
    of_a_part = {
        text_at(row.value, "parentUuid") for row in chain if summarized_part(row.value)
    }
    parents: dict[str, str | None] = {}
    above: str | None = None
    for row in chain:
        if row.value.get("type") == "summary":
            continue
        named = text_at(row.value, "parentUuid")
        logical = text_at(row.value, "logicalParentUuid")
        starts = (
            "parentUuid" in row.value
            and not named
            and not is_boundary(row.value)
            and not is_summary(row.value)
        )
        if named in known:
            parents[row.id] = named
        elif logical in known and row.id not in of_a_part:
            parents[row.id] = logical
        else:
            parents[row.id] = None if starts else above
        above = row.id
    return parents


def _belonging(chain: Sequence[Row], path: Sequence[Row]) -> list[Row]:
    """Rows beside the path that are part of it: other pieces of the same reply, the results of its parallel calls,
    and compactions after which the chain went on from before them."""
    on_path = {row.id for row in path}
    replies = {reply_id(row.value) for row in path} - {""}
    beside = [row for row in chain if row.id not in on_path]
    pieces = [row for row in beside if reply_id(row.value) in replies]
    callers = on_path | {row.id for row in pieces}
    calls = {id for row in [*path, *pieces] for id in call_ids(row.value)}
    answered = {
        (text_at(row.value, "parentUuid"), id)
        for row in path
        for id in result_ids(row.value)
    }
    results = [
        row
        for row in beside
        if (parent := text_at(row.value, "parentUuid")) in callers
        and any(
            id in calls and (parent, id) not in answered for id in result_ids(row.value)
        )
    ]
    bounds = [
        row
        for row in beside
        if is_boundary(row.value) and text_at(row.value, "logicalParentUuid") in on_path
    ]
    marks = {row.id for row in bounds}
    texts = [
        row
        for row in beside
        if is_summary(row.value) and text_at(row.value, "parentUuid") in marks
    ]
    return [*pieces, *results, *bounds, *texts]


def _in_order(path: Sequence[int], extra: Sequence[int]) -> list[int]:
    """The positions of the path in its order, each of the others after those of the path that stand above it."""
    above = sorted((position, step) for step, position in enumerate(path))
    keyed = [(step, -1, position) for step, position in enumerate(path)]
    for position in set(extra):
        at = bisect_left(above, (position, -1)) - 1
        keyed.append((above[at][1] if at >= 0 else -1, position, position))
    return [position for *_, position in sorted(keyed)]
