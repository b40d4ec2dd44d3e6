"""Reads on in the database of opencode (SQLite: sessions, messages and their parts).

``folders`` calls ``read_on`` when the database changes; new messages go to the ``keeper``.
Parts of a message change in place until it is over, so a session is read again from its
last complete message. The database is only read, and never locked for its program.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from memviz.core.messages import TIME, Message, ToolCall
from memviz.core.recently_used import RecentlyUsed
from memviz.storage.watched import Growth, WatchedConversation, WatchState
from memviz.transcripts.base import ProgramUse, RecordedEvent
from memviz.transcripts.readers.json_access import (
    count_at,
    object_at,
    text_at,
    value_at,
)
from memviz.transcripts.times import meta_with_time
from memviz.watching.keeper import Keeper, key_of

MAX_ROWS = 20_000
"""The most parts of a session that are read at a time."""
MAX_MESSAGES = 2_000
MAY_CHANGE = 50
"""A message that is not over gets no further parts once this many messages follow it."""
MAX_CHARS = 5_000_000
BUSY_SECONDS = 2.0
SCAN_SECONDS = 60.0
"""The time between two scans of all parts for changes, which take a second for a million
parts. In between new parts are found by their ids, which ascend."""
MOST_SESSIONS = 1_000
"""The most sessions that one scan returns."""
MOST_OPEN = 20
"""Sessions whose newest reply is not over, which are read on with every change."""
NOT_NOW = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN)
"""Errors that pass by themselves. Codes of SQLite say more in their further bytes."""
FIRST_BYTE = 0xFF
_CHANGED = """
SELECT session_id, MAX(time_updated) FROM part WHERE time_updated >= ?
GROUP BY session_id ORDER BY 2 LIMIT ?
"""
_NEWEST = "SELECT MAX(id) FROM part"
_NEW = "SELECT session_id FROM part WHERE id > ?"
_MESSAGES = """
SELECT id, substr(data, 1, ?) FROM message WHERE session_id = ? AND id > ?
ORDER BY id LIMIT ?
"""
_PARTS = """
SELECT message_id, substr(data, 1, ?) FROM part
WHERE session_id = ? AND message_id > ? ORDER BY message_id, id LIMIT ?
"""


@dataclass(frozen=True)
class SessionPlace:
    """The place up to which a session was read: the last message that is certain, and how
    many messages and events stand up to it."""

    certain: str = ""
    messages: int = 0
    events: int = 0

    @classmethod
    def of(cls, watched: WatchedConversation | None) -> SessionPlace:
        """Return the place that the library has; the beginning where it has none."""
        place = watched.state.get("place", {}) if watched is not None else {}
        return cls(
            str(place.get("certain", "")),
            int(place.get("messages", 0)),
            int(place.get("events", 0)),
        )


@dataclass(eq=False, repr=False)
class OpencodeLibrary:
    """All sessions of opencode on this machine."""

    path: Path
    keeper: Keeper
    problem: str = ""
    """Always empty: nothing is left out."""
    _since: int = 0
    _newest_part: str = ""
    _scanned_at: float = -SCAN_SECONDS
    _open: RecentlyUsed[str, bool] = field(
        default_factory=lambda: RecentlyUsed(MOST_OPEN)
    )
    """Sessions whose newest reply is not over."""

    def read_on(self) -> bool:
        """Store the new messages of all sessions; return whether any session was read. A
        database that is locked or gone is read with its next change.

        Raises StorageError if the library cannot be written, and sqlite3.OperationalError
        if the database does not have the tables of opencode.
        """
        try:
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            opened = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS)
            with closing(opened) as connection:
                # A title that was cut amid a letter is no UTF-8.
                connection.text_factory = _decode
                if monotonic() - self._scanned_at < SCAN_SECONDS:
                    return self._read_new(connection)
                return self._read_changed(connection)
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & FIRST_BYTE) not in NOT_NOW:
                raise
            return False
        except sqlite3.DatabaseError:
            return False  # no database, or a broken one

    def _read_changed(self, connection: sqlite3.Connection) -> bool:
        """Read on the sessions with parts that changed since the last scan."""
        newest_part = _find_newest_part(connection)
        bounds = (self._since, MOST_SESSIONS)
        changed = connection.execute(_CHANGED, bounds).fetchall()
        for session, updated in changed:
            self._read_to_end(connection, str(session))
            if isinstance(updated, int):
                self._since = max(self._since, updated)
        if len(changed) < MOST_SESSIONS:
            self._scanned_at = monotonic()
            self._newest_part = newest_part
        return bool(changed)

    def _read_new(self, connection: sqlite3.Connection) -> bool:
        """Read on the sessions with new parts, and those whose newest reply is not over."""
        newest_part = _find_newest_part(connection)
        rows = connection.execute(_NEW, (self._newest_part,))
        still_open = self._open.keys_where_value(bool)
        sessions = {*still_open, *(str(session) for (session,) in rows)}
        for session in sorted(sessions):
            self._read_to_end(connection, session)
        self._newest_part = newest_part
        return bool(sessions)

    def _read_to_end(self, connection: sqlite3.Connection, session: str) -> None:
        while self._read_session(connection, session):
            pass

    def _read_session(self, connection: sqlite3.Connection, session: str) -> bool:
        """Store the new messages of a session; return whether there may be more."""
        key = key_of("opencode", session)
        watched = self.keeper.store.find_watched(key)
        if watched is not None and watched.is_deleted:
            self._note_open(session, is_open=False)
            return False  # its place would never move
        start = SessionPlace.of(watched)
        bounds = (MAX_CHARS, session, start.certain)
        rows = connection.execute(_MESSAGES, (*bounds, MAX_MESSAGES)).fetchall()
        growth, place = _read_growth(start, rows, _read_parts(connection, bounds))
        is_open = bool(rows) and place.certain != rows[-1][0]
        self._note_open(session, is_open=is_open)
        if not growth.messages and not growth.events:
            return False
        described = _describe(connection, session)
        is_subagent = bool(described.get("parent_id"))
        state: WatchState = {**growth.state, "is_subagent": is_subagent}
        about = {"title": text_at(described, "title")}
        self.keeper.write_rows(key, replace(growth, state=state, about=about))
        is_more = is_open or len(rows) == MAX_MESSAGES
        return place != start and is_more

    def _note_open(self, session: str, *, is_open: bool) -> None:
        if is_open:
            self._open.put(session, True)
        else:
            self._open.remove(session)


def _read_growth(
    start: SessionPlace,
    rows: Sequence[tuple[str, str]],
    parts: Mapping[str, list[dict[str, Any]]],
) -> tuple[Growth, SessionPlace]:
    """Return the messages and events that the next rows of a session add to its
    conversation, and the place behind the last row that can change no more.

    Args:
        start: the place behind which the rows stand.
        rows: the id and the JSON of each message.
        parts: the parts of each message by its id.
    """
    messages: list[Message] = []
    events: list[RecordedEvent] = []
    state: WatchState = {"source": "opencode"}
    place = start
    is_certain = True
    # The parts of those behind are written next, or read with the next ones.
    stop = max(
        (index + 1 for index, row in enumerate(rows) if row[0] in parts), default=0
    )
    for index, (id, data) in enumerate(rows[:stop]):
        about = _parse_object(data)
        message_parts = parts.get(id, [])  # none where it failed before its first word
        messages += _read_messages(about, message_parts)
        events += _read_compactions(
            about, message_parts, start.messages + len(messages)
        )
        state = {**state, **_read_use(about)}
        is_left = index < stop - MAY_CHANGE  # its program was killed
        is_certain = is_certain and (is_left or _is_over(about))
        if is_certain:
            place = SessionPlace(
                id, start.messages + len(messages), start.events + len(events)
            )
    state["place"] = vars(place)
    return Growth(start.messages, messages, state, events, start.events), place


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _find_newest_part(connection: sqlite3.Connection) -> str:
    (newest,) = connection.execute(_NEWEST).fetchone()
    return str(newest or "")


def _describe(connection: sqlite3.Connection, session: str) -> dict[str, Any]:
    """Return the row of a session: its title, and of a subagent its parent."""
    rows = connection.execute("SELECT * FROM session WHERE id = ?", (session,))
    columns = [column[0] for column in rows.description]
    return dict(zip(columns, rows.fetchone() or (), strict=False))


def _read_parts(
    connection: sqlite3.Connection, bounds: tuple[int, str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the next parts of a session by the ids of their messages. A message of which
    not all parts fit into one read is left for the next one."""
    parts: dict[str, list[dict[str, Any]]] = {}
    rows = connection.execute(_PARTS, (*bounds, MAX_ROWS)).fetchall()
    for id, data in rows:
        parts.setdefault(id, []).append(_parse_object(data))
    if len(rows) == MAX_ROWS and len(parts) > 1:
        del parts[rows[-1][0]]
    return parts


def _parse_object(data: object) -> dict[str, Any]:
    try:
        value = json.loads(data) if isinstance(data, str) else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def _is_over(about: Mapping[str, Any]) -> bool:
    """Return whether a message gets no further parts. The user's are complete at once."""
    is_complete = "completed" in object_at(about, "time")
    return about.get("role") == "user" or is_complete or "error" in about


def _read_messages(
    about: Mapping[str, Any], parts: list[dict[str, Any]]
) -> Iterator[Message]:
    """Yield the messages that one message of opencode makes: with the results of its tools,
    which it holds beside their calls."""
    text = "".join(
        text_at(part, "text")
        for part in parts
        if part.get("type") == "text" and not part.get("ignored")
    )
    tools = [part for part in parts if part.get("type") == "tool"]
    if about.get("role") != "assistant":
        if text:
            yield Message("user", text, meta=_make_meta(about, "created"))
        return
    if about.get("summary") is True:
        return  # the summary of a compaction, see _read_compactions
    calls = tuple(
        ToolCall(
            text_at(part, "callID"),
            text_at(part, "tool") or "tool",
            json.dumps(object_at(part, "state").get("input", {})),
        )
        for part in tools
    )
    if text or calls:
        meta = _make_meta(about, "created")
        yield Message("assistant", text, tool_calls=calls, meta=meta)
    for part in tools:
        state = object_at(part, "state")
        if state.get("status") in ("completed", "error"):
            result = text_at(state, "output") or text_at(state, "error")
            call_id = text_at(part, "callID")
            meta = _make_meta(state, "end")
            yield Message("tool", result, tool_call_id=call_id, meta=meta)


def _make_meta(fields: Mapping[str, Any], moment: str) -> dict[str, str] | None:
    """Return the time of a message or a call, and the model of a reply."""
    when = value_at(fields, "time", moment)
    return meta_with_time(when, model=text_at(fields, "modelID")) or None


def _read_compactions(
    about: Mapping[str, Any], parts: list[dict[str, Any]], after: int
) -> list[RecordedEvent]:
    if about.get("summary") is not True or not _is_over(about):
        return []
    text = "".join(
        text_at(part, "text") for part in parts if part.get("type") == "text"
    )
    time = (_make_meta(about, "created") or {}).get(TIME, "")
    return [RecordedEvent("compaction", after, text, time=time)]


def _read_use(about: Mapping[str, Any]) -> ProgramUse:
    """Return the tokens and the model that a message says, if any."""
    tokens = object_at(about, "tokens")
    context_tokens = 0
    for path in (("input",), ("output",), ("cache", "read"), ("cache", "write")):
        context_tokens += count_at(tokens, *path) or 0
    use: ProgramUse = {}
    if context_tokens:
        use["context_tokens"] = context_tokens
    model = text_at(about, "modelID")
    if model:
        use["model"] = model
    return use
