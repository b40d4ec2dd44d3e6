"""Reads a file by a mapping: its conversations, their rows, and the messages that each row holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import Said, noop
from memviz.transcripts.base import UNTITLED, Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.document import HEAD_ITEMS, Document, PlacedValue, Reader
from memviz.transcripts.import_notes import ImportNotes, Refusal
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.chat import BLOCKS, plain_content
from memviz.transcripts.mapping.declaration import Detection, FileMapping
from memviz.transcripts.mapping.known import known_mappings
from memviz.transcripts.mapping.paths import (
    find_field,
    find_value,
    find_values,
)
from memviz.transcripts.mapping.places import find_wider_place
from memviz.transcripts.mapping.prepared import PREPARED
from memviz.transcripts.mapping.requests import (
    Request,
    Thread,
    join_requests,
    make_request,
)
from memviz.transcripts.mapping.rows import read_content
from memviz.transcripts.mapping.saying import (
    RowReading,
    find_first_speaker,
    find_names,
    has_wanted_values,
    read_time,
    repair_encoding,
    sort_rows,
)
from memviz.transcripts.readers.json_access import (
    id_text,
    json_text,
    object_at,
)
from memviz.transcripts.readers.json_rows import tool_schemas

MAX_KEY_CHARS = 200
NO_ROWS = Refusal(
    noop("no rows were found where the mapping says that they lie."),
    noop("Change the path of the rows."),
)
ELSEWHERE = Refusal(
    noop(
        "the text of {number:,} of {all:,} rows lies in other files, which {path} names."
    ),
    noop("Download them, put what each holds under {place}, and import the log again."),
)
PARTLY_ELSEWHERE = noop(
    "the text of {number:,} of {all:,} rows lies in other files, which {path} names: "
    "download them, put what each holds under {place}, and import the log again"
)
LIKE_OTHERS = noop(
    "the mapping reads {path} alone, one of {number} lists that are alike. "
    "With conversations: {conversations} and rows: {rows} all are read"
)


class Piece(NamedTuple):
    """One conversation: its value in the file, and its rows."""

    value: Any
    rows: Sequence[PlacedValue] = ()
    """Of requests that were joined the first alone."""
    key: str = ""
    """What the rows of this conversation share."""
    thread: Thread | None = None
    """The messages, where the rows are requests that were joined."""


class MappedReader(Reader):
    """Reads files by a mapping."""

    name: str  # type: ignore[misc]  # each mapping has its own
    title: str  # type: ignore[misc]
    is_mapping = True

    def __init__(self, mapping: FileMapping) -> None:
        self.name = mapping.format
        self.title = mapping.title
        self.over = mapping.detect.over if mapping.detect else ()
        self.files = mapping.files
        self.people_file = mapping.people.file if mapping.people else ""
        self.mapping = mapping
        is_of_rows = mapping.rows == "*" and not mapping.conversations
        if is_of_rows and not mapping.prepare:
            self.conversation_path = mapping.conversation
        has_key = bool(mapping.conversation or mapping.requests)
        self.joins_rows = has_key and not mapping.conversations

    def recognise(self, document: Document) -> bool:
        """Return whether the file holds what the mapping says of its shape."""
        detection = self.mapping.detect
        if detection is None or _is_out_of_question(document, self.mapping):
            return False
        try:
            content = self._unwrapped(document, most=HEAD_ITEMS)
        except TranscriptError:
            return False
        rows = self._rows_of(content, most=HEAD_ITEMS)
        fitting = _count_fitting(rows, detection)
        # A file with a single row is that row.
        if isinstance(content, dict) and not fitting:
            content = [content]
            rows = self._rows_of(content, most=HEAD_ITEMS)
            fitting = _count_fitting(rows, detection)
        if not fitting or 2 * fitting < len(rows):
            return False
        if any(find_value(content, path) is None for path in detection.file):
            return False
        if detection.without and any(
            has_wanted_values(row, detection.without) for row, _place in rows
        ):
            return False
        return all(_leads_to_value(path, rows) for path in detection.some)

    def conversations(self, document: Document) -> list[Piece]:
        """One for each conversation in which there are rows."""
        pieces = list(self._pieces(document))
        self._tell_of_others(document, document.notes)
        for missing in self._texts_elsewhere(document):
            if not pieces:
                raise ELSEWHERE.error(**missing)
            document.notes.add(Said(PARTLY_ELSEWHERE, **missing))
        if not pieces and self.mapping.detect is None:
            raise NO_ROWS.error()
        return pieces

    def _texts_elsewhere(self, document: Document) -> Iterator[dict[str, Any]]:
        """Yield how many rows say that their text lies in another file, for each path that says so."""
        mapping = self.mapping
        if not mapping.elsewhere:
            return
        rows = self._rows_of(self._content(document), most=document.limits.messages)
        for path, place in mapping.elsewhere.items():
            number = 0
            for row, _place in rows:
                is_named = find_value(row, path) is not None
                if is_named and find_value(row, place) is None:
                    number += 1
            if number:
                values = {"path": path, "place": place, "number": number}
                yield {**values, "all": len(rows)}

    def _tell_of_others(self, document: Document, notes: ImportNotes) -> None:
        """Note the lists beside the one that the mapping reads, where they are like it."""
        mapping = self.mapping
        # The rows of a stream have no file around them.
        is_of_stream = not document.data
        if mapping.detect is not None or mapping.prepare or is_of_stream:
            return
        path = ".".join(filter(None, (mapping.conversations, mapping.rows)))
        whole = find_wider_place(path, document)
        if whole is not None:
            known = {"conversations": whole.conversations, "rows": whole.rows}
            notes.add(Said(LIKE_OTHERS, path=path, number=len(whole.parts), **known))

    def read(self, piece: Piece, builder: TranscriptBuilder) -> Transcript:
        """The conversation that the rows are, in order."""
        mapping = self.mapping
        if piece.thread is not None:
            piece.thread.add_to(builder)
        else:
            first = "" if builder.user else find_first_speaker(mapping, piece.rows)
            names = find_names(mapping, piece.value, piece.rows)
            reading = RowReading(mapping, builder, first, names)
            for row, place in piece.rows:
                reading.add_row(row, place)
        system = plain_content(self._known(piece, mapping.system))
        return builder.build(
            title=repair_encoding(id_text(self._known(piece, mapping.titled)), mapping)
            or UNTITLED,
            held_at=read_time(self._known(piece, mapping.held_at)),
            system_prompt=BLOCKS.text(system, builder.note) or None,
            tools=tool_schemas(object_at(self._known(piece, mapping.tools))),
        )

    def _known(self, piece: Piece, path: str) -> Any:
        """Return what a conversation, or its first row, has under a path."""
        value = find_field(piece.value, path)
        for row, _place in piece.rows[:1]:
            value = find_field(row, path) if value is None else value
        return value

    def preview(self, document: Document, most: int) -> Transcript:
        """Return the first messages of the first conversation. Raises :class:`TranscriptError`."""
        for piece in self._pieces(document):
            builder = TranscriptBuilder(document.limits, user=document.user)
            self._tell_of_others(document, builder.notes)
            return self.read(piece._replace(rows=piece.rows[:most]), builder)
        raise NO_ROWS.error()

    def _pieces(self, document: Document) -> Iterator[Piece]:
        content = self._content(document)
        for value, place in find_values(content, self.mapping.conversations or "."):
            pieces = self._group_rows(value, place)
            if self.mapping.requests:
                pieces = self._join_requests(pieces, document.limits)
            yield from pieces

    def _content(self, document: Document, most: int | None = None) -> Any:
        """Return what the file holds as plain values, or ``most`` of its items; of a file with a single row, that in a
        list."""
        content = self._unwrapped(document, most)
        if isinstance(content, dict) and not self._has_rows(content):
            return [content] if self._has_rows([content]) else content
        return content

    def _unwrapped(self, document: Document, most: int | None = None) -> Any:
        """Return what the file holds as plain values, or ``most`` of its items; prepared where the mapping says so."""
        mapping = self.mapping
        if mapping.prepare:
            key = (mapping.prepare,)
            if key not in document.contents:
                document.contents[key] = PREPARED[mapping.prepare](document)
            return document.contents[key][:most]
        columns = mapping.detect.columns if mapping.detect else ()
        return read_content(document, mapping.table, columns, most)

    def _has_rows(self, content: Any) -> bool:
        detection = self.mapping.detect
        rows = [row for row, _place in self._rows_of(content, most=HEAD_ITEMS)]
        if detection is None:
            return any(isinstance(row, dict) for row in rows)
        return any(_fits(row, detection) for row in rows)

    def _rows_of(self, content: Any, most: int) -> list[PlacedValue]:
        rows = []
        for value, place in find_values(content, self.mapping.conversations or "."):
            rows += find_values(value, self.mapping.rows or ".", place, most)
            if len(rows) >= most:
                break
        return rows[:most]

    def _group_rows(self, value: Any, place: str) -> list[Piece]:
        mapping = self.mapping
        rows = find_values(value, mapping.rows or ".", place)
        if mapping.reverse:
            rows.reverse()
        groups: dict[str, list[PlacedValue]] = {}
        for row in rows:
            key = json_text(find_field(row[0], mapping.conversation))
            groups.setdefault(key[:MAX_KEY_CHARS], []).append(row)
        if mapping.order:
            for group in groups.values():
                sort_rows(group, mapping.order)
        return [Piece(value, group, key) for key, group in groups.items()]

    def _join_requests(self, pieces: list[Piece], limits: Limits) -> list[Piece]:
        """Return the conversations that requests make, each of which repeats what was said before."""
        joined = []
        for piece in pieces:
            requests = self._read_requests(piece, limits)
            threads = join_requests(
                requests,
                is_one=bool(piece.key),
                may_be_new=self.mapping.requests == "turns",
            )
            for thread in threads:
                rows = [thread.first_row]
                joined.append(piece._replace(rows=rows, thread=thread))
        return joined

    def _read_requests(self, piece: Piece, limits: Limits) -> Iterator[Request]:
        for row, place in piece.rows:
            builder = TranscriptBuilder(limits)
            RowReading(self.mapping, builder).add_row(row, place)
            if builder.messages:
                notes = tuple(map(str, builder.notes.sentences()))
                yield make_request(builder.messages, (row, place), notes)


def _leads_to_value(path: str, rows: Sequence[PlacedValue]) -> bool:
    return any(find_value(row, path) is not None for row, _place in rows)


def _count_fitting(rows: Sequence[PlacedValue], detection: Detection) -> int:
    return sum(1 for row, _place in rows if _fits(row, detection))


def _fits(row: Any, detection: Detection) -> bool:
    """Return whether a row has what rows of this shape have."""
    for path in detection.rows:
        if find_value(row, path) is None:
            return False
    for path in detection.texts:
        if not isinstance(find_value(row, path), str):
            return False
    return has_wanted_values(row, detection.where)


def _is_out_of_question(document: Document, mapping: FileMapping) -> bool:
    """Return whether a look at the first bytes shows that the file is of another kind than the mapping reads."""
    detection = mapping.detect
    is_for_database = mapping.prepare == "cursor" or bool(
        detection and detection.columns
    )
    return bool(document.columns) != is_for_database


def known_readers() -> Iterator[MappedReader]:
    """Yield a reader for each mapping that memviz knows."""
    for mapping in known_mappings():
        yield MappedReader(mapping)
