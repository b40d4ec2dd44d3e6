"""The rows of a file, one after the other: lines of JSON, packed or not, or rows of Parquet; and a document of some."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import IO, Any, Literal, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import noop
from memviz.transcripts.decoding import decode
from memviz.transcripts.document import Document, ParsedFile
from memviz.transcripts.fleet.addresses import (
    UNPACK,
    SourceFile,
    SourceLostError,
    describe_problem,
)
from memviz.transcripts.import_notes import ImportNotes, Refusal
from memviz.transcripts.json_text import WHITE_SPACE, JsonParser
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.rows import count_rows_at_once, make_plain

LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
Unit = Literal["line", "row"]
DAMAGED = Refusal(
    noop("it cannot be read on from here ({problem})."),
    noop("Download it again, or make it readable."),
)
TOO_LONG = Refusal(
    noop("the line is longer than the limit of {most_bytes:,} bytes."),
    noop("Split it, or raise MEMVIZ_IMPORT_FILE_BYTES."),
)
DAMAGES = (EOFError, zlib.error, LZMAError, OSError, ValueError)
"""The errors of reading a file that is damaged, not there or closed to this user; ``SourceLostError`` is an OSError
too, and none of them."""


class FileKind(NamedTuple):
    """The way in which a file is read, by its name."""

    unit: Unit | None
    """``None``: not by rows."""
    packed: str = ""
    """The end of the name that says how it is packed, such as ``".gz"``."""
    name: str = ""
    """The name without what says that it is packed."""

    @classmethod
    def of(cls, name: str) -> FileKind:
        """Return the kind of a name: ``"a.jsonl.gz"`` -> lines, packed with gzip."""
        path = PurePosixPath(name)
        suffix = path.suffix.lower()
        if suffix in PARQUET:
            return cls("row", "", name)
        packed = suffix if suffix in UNPACK else ""
        if packed:
            path = path.with_suffix("")
        if path.suffix.lower() in LINES:
            return cls("line", packed, str(path))
        return cls(None, "", name)


class Row(NamedTuple):
    """A row of a file: its number, from 1, and what stands there."""

    number: int
    content: Any
    """The bytes of a line, the value of a row, or the :class:`TranscriptError` that says why it cannot be read."""
    size_bytes: int
    is_damage: bool = False
    """From here on the file cannot be read."""

    @property
    def value(self) -> Any:
        """The value of the row. Raises :class:`TranscriptError`."""
        if isinstance(self.content, TranscriptError):
            raise self.content
        if not isinstance(self.content, bytes):
            return self.content
        notes = ImportNotes()
        text = decode(self.content, notes).strip(WHITE_SPACE)
        return JsonParser(notes).parse(text, self.number)


def read_file_rows(file: SourceFile, kind: FileKind, limits: Limits) -> Iterator[Row]:
    """Yield the rows of a file. Where it is damaged, the last row says so.

    Raises :class:`SourceLostError` where what the file lies on cannot be reached any more.
    """
    number = 0
    try:
        with file.open(kind.packed) as stream:
            read_rows = _read_parquet_rows if kind.unit == "row" else _read_lines
            for row in read_rows(stream, limits):
                number = row.number
                yield row
    except SourceLostError:
        raise
    except DAMAGES as error:
        damage = DAMAGED.error(f"line {number + 1}", problem=describe_problem(error))
        yield Row(number + 1, damage, 0, is_damage=True)


def make_row_document(
    rows: Sequence[Row], name: str, limits: Limits, user: str | None
) -> Document:
    """Return a document that has these rows as its items. Raises :class:`TranscriptError` for one that cannot be
    read."""
    document = Document(b"", name, limits, user)
    values = tuple((row.number, row.value) for row in rows)
    document.json = ParsedFile(rows=values)
    return document


def _read_lines(stream: IO[bytes], limits: Limits) -> Iterator[Row]:
    """Yield the lines of a file that are not blank. One longer than a file may be is not held in memory."""
    most_bytes = limits.file_bytes
    number = 0
    while line := stream.readline(most_bytes + 1):
        number += 1
        if len(line) > most_bytes:
            while line and not line.endswith(b"\n"):
                line = stream.readline(most_bytes)
            error = TOO_LONG.error(f"line {number}", most_bytes=most_bytes)
            yield Row(number, error, 0)
        elif not line.isspace():
            yield Row(number, line, len(line))


def _read_parquet_rows(stream: IO[bytes], limits: Limits) -> Iterator[Row]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    number = 0
    try:
        file = ParquetFile(stream)
        for batch in file.iter_batches(count_rows_at_once(file.metadata, limits)):
            size_bytes = batch.nbytes // max(1, batch.num_rows)
            for value in batch.to_pylist():
                number += 1
                yield Row(number, make_plain(value), size_bytes)
    except ArrowException as error:
        raise ValueError(str(error)) from None
