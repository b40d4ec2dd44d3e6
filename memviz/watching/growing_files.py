"""Reads on in session files to which a program appends (JSON lines), each line once.

``folders`` makes one :class:`GrowingFile` for each session and calls ``read_on`` when the
file changes. The new lines become messages by the rules of ``transcripts.growing``, and
the ``keeper`` stores them together with the place that was read up to, so that another
process goes on from there. A file that its program wrote anew is compared with the library.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from memviz.core.messages import clean_text
from memviz.core.translation import Said, from_json, noop, to_json
from memviz.storage.watched import Growth, WatchedConversation, WatchState
from memviz.transcripts.growing import (
    GROWING,
    NO_ROW,
    Rows,
    SessionPiece,
    join_pieces,
    notes_on_skipped_rows,
    parse_row,
    shift_events,
)
from memviz.watching.keeper import (
    Keeper,
    digest_bytes,
    find_first_words,
    folder_of,
    key_of,
)
from memviz.watching.programs import is_subagent_file
from memviz.watching.rewritten import RewrittenNews, find_news

CHUNK_BYTES = 2_000_000
"""The bytes of a file that are read at a time."""
MAX_ANEW_BYTES = 50_000_000
"""The most bytes of a file that was written anew that are compared with the library."""
COMPARED_IN_PART = noop(
    "{name} was written anew and is larger than {limit:,} bytes: only so much of it was compared with what is kept, "
    "so what follows may be there twice."
)
MAX_LINE_BYTES = 30_000_000
"""A longer line is skipped: no session has one, and it would fill the memory."""
LONG_LINE = b"a line that is too long"
"""Takes the place of a longer line, and counts as unread as it is no JSON."""
PRINT_BYTES = 256
"""The number of bytes at the beginning of a file, and before the place that was read up
to, by whose digests the file is known to be still the same."""
MAX_OPEN_ROWS = 5_000
"""The most rows of a newest reply that are read again; a longer one counts as complete."""


@dataclass(frozen=True)
class ReadPlace:
    """The place up to which a file was read."""

    file: str = ""
    """The identity of the file, whatever its name, and its generation: "2049-131-5d0e…:2"."""
    end: int = 0
    """The byte behind the last whole line that was read."""
    certain: int = 0
    """The byte where the first row begins that a later row may still change."""
    messages: int = 0
    """The number of messages before ``certain``, and below that of events, of rows of
    subagents, and of rows that could not be read."""
    events: int = 0
    left_out: int = 0
    unread: int = 0
    before_end: str = ""
    """A digest of the bytes before ``end``."""
    generation: int = 0
    """The number of times that the file was written anew."""

    @classmethod
    def of(cls, kept: object) -> ReadPlace:
        """Return the place that a library stored; fields that are missing or damaged there
        are those of the beginning."""
        values = kept if isinstance(kept, dict) else {}
        fields = {}
        for name, default in vars(cls()).items():
            if type(values.get(name)) is type(default):
                fields[name] = values[name]
        return cls(**fields)


@dataclass(eq=False, repr=False)
class GrowingFile:
    """One session of a program, in a file of one row a line."""

    path: Path
    program: str
    name: str
    keeper: Keeper
    kept: WatchedConversation | None = None
    _rows: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    """The newest rows, which later ones may change, each with its first byte."""
    _known: WatchState = field(default_factory=lambda: WatchState())
    """The use that the rows so far say, and the problem of the file."""
    _is_whole: bool = True
    """False after the file was written anew, until it was compared with the library."""
    _has_title: bool = False
    _place: ReadPlace = ReadPlace()
    _expected: ReadPlace = ReadPlace()

    def __post_init__(self) -> None:
        self.key = key_of(self.program, self.name)
        self._format = GROWING[self.program]
        is_of_claude = self.program == "claude_code"
        self._is_subagent = is_of_claude and is_subagent_file(self.path)
        if self._is_subagent:
            self._known["is_subagent"] = True

    @property
    def problem(self) -> str:
        """The reason why the stored conversation may differ from the file; empty for none."""
        return str(from_json(self._known.get("problem", "")))

    def read_on(self) -> bool:
        """Read the new lines of the file and store their messages; return whether there
        were any.

        Raises StorageError if the library cannot be written, and OSError if the file
        cannot be read: the next call tries again.
        """
        try:
            with self.path.open("rb") as file:
                return self._read(file)
        except FileNotFoundError:
            return False  # the library keeps what was read

    def _read(self, file: BinaryIO) -> bool:
        identity = _identity_of(file)
        if not identity:
            return False
        if self.kept is None:
            self._find_kept(identity)
        if self._is_another(file, identity):
            self._begin_anew(identity)
            self._known["problem"] = self._describe_size_problem(file)
        has_grown = False
        # A file that was written anew is compared with the library as a whole.
        most = CHUNK_BYTES if self._is_whole else MAX_ANEW_BYTES
        while chunk := _read_whole_lines(file, self._place.end, most):
            most = CHUNK_BYTES
            before = self._copy_progress()
            try:
                self._take(file, chunk, identity)
            except BaseException:
                vars(self).update(before)
                raise
            has_grown = True
        return has_grown

    def _find_kept(self, identity: str) -> None:
        """Go on from the place that the library has stored for this session, if any."""
        self.key = self.keeper.key_of_session(
            self.program,
            self.name,
            self.path,
            lambda kept: (
                _digest_in_identity(_place_in_library(kept).file)
                == _digest_in_identity(identity)
            ),
        )
        self.kept = self.keeper.store.find_watched(self.key)
        if self.kept is not None:
            self._rows = []
            self._has_title = bool(self.kept.state.get("is_titled"))
            self._expected = _place_in_library(self.kept)
            self._place = replace(self._expected, end=self._expected.certain)

    def _copy_progress(self) -> dict[str, Any]:
        """Return a copy of the attributes that reading a chunk changes, to restore them
        if the chunk cannot be stored."""
        return {
            "_place": self._place,
            "_rows": list(self._rows),
            "_known": self._known.copy(),
            "_has_title": self._has_title,
            "_is_whole": self._is_whole,
        }

    def _is_another(self, file: BinaryIO, identity: str) -> bool:
        """Return whether the file is another one than before, or its earlier part changed."""
        expected = self._expected
        if not expected.end:
            return False
        if not expected.file.startswith(f"{identity}:"):
            return True
        return _digest_before(file, expected.end) != expected.before_end

    def _begin_anew(self, identity: str) -> None:
        generation = self._expected.generation + 1
        self._rows = []
        self._is_whole = False
        self._place = ReadPlace(f"{identity}:{generation}", generation=generation)
        self._expected = self._place

    def _describe_size_problem(self, file: BinaryIO) -> Any:
        """Return as JSON the sentence that a rewritten file is too large to be compared
        whole; empty for a smaller one."""
        if os.fstat(file.fileno()).st_size <= MAX_ANEW_BYTES:
            return ""
        sentence = Said(COMPARED_IN_PART, name=self.path.name, limit=MAX_ANEW_BYTES)
        return to_json(sentence)

    def _take(self, file: BinaryIO, chunk: Chunk, identity: str) -> None:
        """Read the rows of a chunk together with the newest earlier ones, and store them."""
        self._add_rows(chunk)
        rows = [row for row, _ in self._rows]
        count = self._count_certain(rows)
        certain = self._format.read_piece(rows[:count]) if count else SessionPiece()
        still_open = self._format.read_piece(rows[count:])
        piece = join_pieces((certain, still_open))
        place = replace(
            self._place,
            file=f"{identity}:{self._place.generation}",
            end=chunk.end,
            before_end=_digest_before(file, chunk.end),
        )
        if self._is_whole:
            growth = self._growth_behind(piece)
        else:
            news = self._find_news(piece, len(still_open.messages))
            if news.is_half_written and chunk.end < MAX_ANEW_BYTES:
                self._place = self._expected = place
                return  # all of it is read again with the next rows
            growth = news.growth
            # The library may end with other messages, so none of these is read again.
            count = len(rows)
            certain = piece
            still_open = SessionPiece()
        place = replace(
            place,
            certain=self._rows[count][1] if count < len(rows) else chunk.end,
            messages=growth.start + len(growth.messages) - len(still_open.messages),
            events=_count_certain_events(growth, still_open),
            left_out=place.left_out + certain.left_out,
            unread=place.unread + certain.unread,
        )
        if growth.messages or growth.events or self.kept is not None:
            self._write(growth, piece, place)
        self._place = self._expected = place
        self._is_whole = True
        del self._rows[:count]

    def _write(self, growth: Growth, piece: SessionPiece, place: ReadPlace) -> None:
        """Store the growth and the place that the file is now read up to."""
        about = self._about(piece)
        growth = replace(growth, about=about, state=self._state_at(place))
        self.kept = self.keeper.write(self.key, growth, place.end) or self.kept

    def _count_certain(self, rows: Rows) -> int:
        """Return the number of first rows that no later row can change."""
        count = self._format.count_certain(rows)
        return len(rows) if len(rows) - count > MAX_OPEN_ROWS else count

    def _add_rows(self, chunk: Chunk) -> None:
        """Parse the lines of a chunk. Empty lines and empty rows (``{}``) are skipped."""
        for start, line in chunk.lines:
            text = clean_text(line.decode("utf-8", "replace"))
            row = parse_row(text)
            if row is None:
                if text.strip():
                    self._rows.append((NO_ROW, start))
                continue
            if self._is_subagent:
                # The program marks each row of a subagent; here it is the main conversation.
                row.pop("isSidechain", None)
            if row:
                self._rows.append((row, start))
                self._known = {**self._known, **self._format.find_use(row)}

    def _state_at(self, place: ReadPlace) -> WatchState:
        return {
            **self._known,
            "source": self.program,
            "folder": folder_of(self.path),
            "is_titled": self._has_title,
            "place": vars(place),
        }

    def _growth_behind(self, piece: SessionPiece) -> Growth:
        """Return the growth by a piece that follows what the library has."""
        start = self._place.messages
        events = shift_events(piece.events, start)
        return Growth(start, piece.messages, {}, events, self._place.events)

    def _find_news(self, piece: SessionPiece, open_messages: int) -> RewrittenNews:
        """Return the part of a rewritten file that the library does not have yet."""
        self.kept = self.keeper.store.find_watched(self.key)
        return find_news(
            self.keeper, self.kept, piece.messages, piece.events, open_messages
        )

    def _about(self, piece: SessionPiece) -> dict[str, Any]:
        """Return the fields of the transcript that are known now: title and warnings."""
        about = dict(piece.about)
        if "title" not in about and not self._has_title:
            about["title"] = find_first_words(piece.messages)
        self._has_title = self._has_title or bool(about["title"])
        left_out = self._place.left_out + piece.left_out
        notes = notes_on_skipped_rows(left_out, self._place.unread + piece.unread)
        if notes:
            about["warnings"] = notes
        return about


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a file, each with the byte at which it begins."""

    lines: list[tuple[int, bytes]]
    end: int


def _read_whole_lines(file: BinaryIO, start: int, most_bytes: int) -> Chunk | None:
    """Return the complete lines from byte ``start`` on, up to ``most_bytes``; ``None`` if
    there is none. A last line without a line feed is still being written."""
    file.seek(start)
    data = file.read(most_bytes)
    while data and b"\n" not in data and len(data) < MAX_LINE_BYTES:
        more = file.read(CHUNK_BYTES)
        if not more:
            return None
        data += more
    end = data.rfind(b"\n") + 1
    if not end:
        return _skip_long_line(file, start, len(data)) if data else None
    lines = []
    offset = start
    for line in data[:end].split(b"\n")[:-1]:
        lines.append((offset, line))
        offset += len(line) + 1
    return Chunk(lines, start + end)


def _skip_long_line(file: BinaryIO, start: int, size_bytes: int) -> Chunk | None:
    """Return the stand-in for a line that is too long, of which ``size_bytes`` were read;
    ``None`` while the line is still being written."""
    offset = start + size_bytes
    while data := file.read(CHUNK_BYTES):
        line_end = data.find(b"\n")
        if line_end >= 0:
            return Chunk([(start, LONG_LINE)], offset + line_end + 1)
        offset += len(data)
    return None


def _identity_of(file: BinaryIO) -> str:
    """Return a file's device, its inode and a digest of its first line, such as
    "2049-131-5d0e…"; empty while the first line is still being written."""
    status = os.fstat(file.fileno())
    file.seek(0)
    beginning = file.read(PRINT_BYTES)
    if b"\n" not in beginning and len(beginning) < PRINT_BYTES:
        return ""
    first_line = beginning.partition(b"\n")[0]
    return f"{status.st_dev}-{status.st_ino}-{digest_bytes(first_line)}"


def _digest_in_identity(identity: str) -> str:
    """Return the digest of the first line: "5d0e…" of "2049-131-5d0e…:2"."""
    return identity.partition(":")[0].rpartition("-")[2]


def _place_in_library(watched: WatchedConversation) -> ReadPlace:
    return ReadPlace.of(watched.state.get("place"))


def _digest_before(file: BinaryIO, end: int) -> str:
    start = max(0, end - PRINT_BYTES)
    file.seek(start)
    return digest_bytes(file.read(end - start))


def _count_certain_events(growth: Growth, still_open: SessionPiece) -> int:
    earlier = growth.first_event or 0
    return max(earlier, earlier + len(growth.events) - len(still_open.events))
