"""Files that a program appends to, read on from where they were left: each line once,
whole lines only, and a file that was written anew noticed."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from memviz.core.messages import clean_text
from memviz.core.translation import Said, from_json, noop, to_json
from memviz.storage.watched import Growth, WatchedConversation
from memviz.transcripts.growing import (
    GROWING,
    NO_ROW,
    Rows,
    Told,
    join_told,
    moved_events,
    notes_of,
    parse_row,
)
from memviz.watching.keeper import (
    Keeper,
    digest_bytes,
    first_words,
    folder_of,
    key_of,
)
from memviz.watching.programs import is_subagent_file
from memviz.watching.rewritten import News, find_news

CHUNK_BYTES = 2_000_000
"""So much of a file is read and told at a time."""
MAX_ANEW_BYTES = 50_000_000
"""So much of a file that was written anew is compared with the library at once."""
COMPARED_IN_PART = noop(
    "{name} was written anew and is larger than {limit:,} bytes: only so much of it was compared with what is kept, "
    "so what follows may be there twice."
)
MAX_LINE_BYTES = 30_000_000
"""A longer line is passed over: no session has one, and it would fill the memory."""
LONG_LINE = b"a line that is too long"
"""Stands for one: no row, as the line itself is none that is read."""
PRINT_BYTES = 256
"""The beginning of a file, and what stands before the place that was read up to, tell
whether it is still the same file."""
MAX_OPEN_ROWS = 5_000
"""A reply that never ends is certain after so many rows."""


@dataclass(frozen=True)
class Place:
    """The place up to which a file was read."""

    file: str = ""
    """The file itself, under whatever name: another one after it was written anew."""
    end: int = 0
    """The byte behind the last whole line that was read."""
    certain: int = 0
    """The byte where the rows begin that later ones may change."""
    messages: int = 0
    """The number of messages before these rows, of events, of rows of subagents, and of
    rows that could not be read."""
    events: int = 0
    left_out: int = 0
    unread: int = 0
    before_end: str = ""
    """A digest of the bytes before ``end``."""
    generation: int = 0
    """How often the file was written anew."""

    @classmethod
    def of(cls, kept: object) -> Place:
        """Return a kept place; the beginning, where nothing sound is kept."""
        values = kept if isinstance(kept, dict) else {}
        fields = {}
        for name, default in vars(cls()).items():
            if type(values.get(name)) is type(default):
                fields[name] = values[name]
        return cls(**fields)


@dataclass(eq=False, repr=False)
class GrowingFile:
    """One session of a program, which its file holds row by row."""

    path: Path
    program: str
    name: str
    keeper: Keeper
    kept: WatchedConversation | None = None
    _rows: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    """Each with its first byte."""
    _known: dict[str, Any] = field(default_factory=dict)
    """Tokens in use, window, model."""
    _is_whole: bool = True
    """Of the conversation nothing was kept from elsewhere."""
    _has_title: bool = False
    _place: Place = Place()
    _expected: Place = Place()

    def __post_init__(self) -> None:
        self.key = key_of(self.program, self.name)
        self._format = GROWING[self.program]
        is_of_claude = self.program == "claude_code"
        self._is_subagent = is_of_claude and is_subagent_file(self.path)
        if self._is_subagent:
            self._known["is_subagent"] = True

    @property
    def problem(self) -> str:
        """The reason why not all that is kept is certain; empty where it is."""
        return str(from_json(self._known.get("problem", "")))

    def read_on(self) -> bool:
        """Read what the file has more, and keep it; returns whether there was anything.

        Raises StorageError where it cannot be kept, and OSError where the file cannot be
        read: the next call tries again.
        """
        try:
            with self.path.open("rb") as file:
                return self._read(file)
        except FileNotFoundError:
            return False  # what was said is kept

    def _read(self, file: BinaryIO) -> bool:
        identity = _identity_of(file)
        if not identity:
            return False
        if self.kept is None:
            self._find_kept(identity)
        if self._is_another(file, identity):
            self._begin_anew(identity)
            self._known["problem"] = self._problem_of_size(file)
        has_grown = False
        # What was written anew is compared with the library at once, all of it.
        most = CHUNK_BYTES if self._is_whole else MAX_ANEW_BYTES
        while chunk := _whole_lines(file, self._place.end, most):
            most = CHUNK_BYTES
            before = self._progress()
            try:
                self._take(file, chunk, identity)
            except BaseException:
                vars(self).update(before)
                raise
            has_grown = True
        return has_grown

    def _find_kept(self, identity: str) -> None:
        """Go on from where the library has this session, if it has it."""
        self.key = self.keeper.key_of_session(
            self.program,
            self.name,
            self.path,
            lambda kept: _beginning(_kept_place(kept).file) == _beginning(identity),
        )
        self.kept = self.keeper.store.find_watched(self.key)
        if self.kept is not None:
            self._rows = []
            self._has_title = bool(self.kept.state.get("is_titled"))
            self._expected = _kept_place(self.kept)
            self._place = replace(self._expected, end=self._expected.certain)

    def _progress(self) -> dict[str, Any]:
        """Return what changes while a chunk is told: all of it is as before where the
        chunk could not be kept."""
        return {
            "_place": self._place,
            "_rows": list(self._rows),
            "_known": dict(self._known),
            "_has_title": self._has_title,
            "_is_whole": self._is_whole,
        }

    def _is_another(self, file: BinaryIO, identity: str) -> bool:
        """Return whether it is not the file that was read before, or was changed there."""
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
        self._place = Place(f"{identity}:{generation}", generation=generation)
        self._expected = self._place

    def _problem_of_size(self, file: BinaryIO) -> Any:
        """Return as JSON that a file, which was written anew, is too large to be compared whole; empty for others."""
        if os.fstat(file.fileno()).st_size <= MAX_ANEW_BYTES:
            return ""
        sentence = Said(COMPARED_IN_PART, name=self.path.name, limit=MAX_ANEW_BYTES)
        return to_json(sentence)

    def _take(self, file: BinaryIO, chunk: Chunk, identity: str) -> None:
        """Tell the rows of a chunk together with those that are open, and keep it."""
        self._add_rows(chunk)
        rows = [row for row, _ in self._rows]
        count = self._count_certain(rows)
        certain = self._format.tell(rows[:count]) if count else Told()
        still_open = self._format.tell(rows[count:])
        piece = join_told((certain, still_open))
        place = replace(
            self._place,
            file=f"{identity}:{self._place.generation}",
            end=chunk.end,
            before_end=_digest_before(file, chunk.end),
        )
        if self._is_whole:
            growth = self._appended(piece)
        else:
            news = self._find_news(piece, len(still_open.messages))
            if news.is_half_written and chunk.end < MAX_ANEW_BYTES:
                self._place = self._expected = place
                return  # all of it is told again with the next rows
            growth = news.growth
            # Where the library ends with other messages, none of these may change.
            count = len(rows)
            certain = piece
            still_open = Told()
        place = replace(
            place,
            certain=self._rows[count][1] if count < len(rows) else chunk.end,
            messages=growth.start + len(growth.messages) - len(still_open.messages),
            events=_certain_events(growth, still_open),
            left_out=place.left_out + certain.left_out,
            unread=place.unread + certain.unread,
        )
        if growth.messages or growth.events or self.kept is not None:
            self._write(growth, piece, place)
        self._place = self._expected = place
        self._is_whole = True
        del self._rows[:count]

    def _write(self, growth: Growth, piece: Told, place: Place) -> None:
        """Keep what a piece of the file adds, and that it is read up to ``place``."""
        about = self._about(piece)
        growth = replace(growth, about=about, state=self._state_at(place))
        self.kept = self.keeper.write(self.key, growth, place.end) or self.kept

    def _count_certain(self, rows: Rows) -> int:
        """Return how many of the first rows no later row changes."""
        count = self._format.certain(rows)
        return len(rows) if len(rows) - count > MAX_OPEN_ROWS else count

    def _add_rows(self, chunk: Chunk) -> None:
        """Parse the lines of a chunk. Empty ones, and rows without content (``{}``), are passed over."""
        for start, line in chunk.lines:
            text = clean_text(line.decode("utf-8", "replace"))
            row = parse_row(text)
            if row is None:
                if text.strip():
                    self._rows.append((NO_ROW, start))
                continue
            if self._is_subagent:
                row.pop("isSidechain", None)  # it is no side of this conversation
            if row:
                self._rows.append((row, start))
                self._known |= self._format.use_of(row)

    def _state_at(self, place: Place) -> dict[str, Any]:
        return {
            **self._known,
            "source": self.program,
            "folder": folder_of(self.path),
            "is_titled": self._has_title,
            "place": vars(place),
        }

    def _appended(self, piece: Told) -> Growth:
        """Return what is to be kept of rows that stand behind those that are kept."""
        start = self._place.messages
        events = moved_events(piece.events, start)
        return Growth(start, piece.messages, {}, events, self._place.events)

    def _find_news(self, piece: Told, open_messages: int) -> News:
        """Return what the file has more than the library, after it was written anew."""
        self.kept = self.keeper.store.find_watched(self.key)
        return find_news(
            self.keeper, self.kept, piece.messages, piece.events, open_messages
        )

    def _about(self, piece: Told) -> dict[str, Any]:
        """Return what is known of the conversation now."""
        about = dict(piece.about)
        if "title" not in about and not self._has_title:
            about["title"] = first_words(piece.messages)
        self._has_title = self._has_title or bool(about["title"])
        left_out = self._place.left_out + piece.left_out
        notes = notes_of(left_out, self._place.unread + piece.unread)
        if notes:
            about["warnings"] = notes
        return about


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a file, each with the byte at which it begins."""

    lines: list[tuple[int, bytes]]
    end: int


def _whole_lines(file: BinaryIO, start: int, most_bytes: int) -> Chunk | None:
    """Return the whole lines from byte ``start`` on, at most so many as are told at a
    time; ``None`` where there is none. A last line without an end is still written."""
    file.seek(start)
    data = file.read(most_bytes)
    while data and b"\n" not in data and len(data) < MAX_LINE_BYTES:
        more = file.read(CHUNK_BYTES)
        if not more:
            return None
        data += more
    end = data.rfind(b"\n") + 1
    if not end:
        return _behind_a_long_line(file, start, len(data)) if data else None
    lines = []
    offset = start
    for line in data[:end].split(b"\n")[:-1]:
        lines.append((offset, line))
        offset += len(line) + 1
    return Chunk(lines, start + end)


def _behind_a_long_line(file: BinaryIO, start: int, size_bytes: int) -> Chunk | None:
    """Return a line that is too long, of which so much was read; ``None`` as long as it
    has no end."""
    offset = start + size_bytes
    while data := file.read(CHUNK_BYTES):
        line_end = data.find(b"\n")
        if line_end >= 0:
            return Chunk([(start, LONG_LINE)], offset + line_end + 1)
        offset += len(data)
    return None


def _identity_of(file: BinaryIO) -> str:
    """Return the number of a file on its disk and a digest of how it begins, such as
    "2049-131-5d0e…"; empty as long as its first line is still written."""
    status = os.fstat(file.fileno())
    file.seek(0)
    beginning = file.read(PRINT_BYTES)
    if b"\n" not in beginning and len(beginning) < PRINT_BYTES:
        return ""
    first_line = beginning.partition(b"\n")[0]
    return f"{status.st_dev}-{status.st_ino}-{digest_bytes(first_line)}"


def _beginning(identity: str) -> str:
    """Return the digest of the first line: "5d0e…" of "2049-131-5d0e…:2"."""
    return identity.partition(":")[0].rpartition("-")[2]


def _kept_place(watched: WatchedConversation) -> Place:
    return Place.of(watched.state.get("place"))


def _digest_before(file: BinaryIO, end: int) -> str:
    start = max(0, end - PRINT_BYTES)
    file.seek(start)
    return digest_bytes(file.read(end - start))


def _certain_events(growth: Growth, still_open: Told) -> int:
    earlier = growth.first_event or 0
    return max(earlier, earlier + len(growth.events) - len(still_open.events))
