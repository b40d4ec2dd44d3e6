"""The rows of a file, one after the other: lines of JSON, packed or not, or rows of Parquet; and a document of some."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from lzma import LZMAError
from pathlib import PurePosixPath
from typing import IO, Any, Literal, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import _
from memviz.transcripts.decoding import decode
from memviz.transcripts.document import Document, Parsed
from memviz.transcripts.fleet.addresses import COMPRESSIONS, SourceFile
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.json_text import WHITE_SPACE, JsonParser
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.rows import plain_value, rows_at_once

LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
Unit = Literal["line", "row"]
DAMAGES = (EOFError, zlib.error, LZMAError, ValueError)
"""What reading raises for a file that is damaged, beside ``OSError`` without a number and errors of pyarrow."""


class FileKind(NamedTuple):
    """The way in which a file is read, by its name."""

    unit: Unit | None
    """``None``: not by rows."""
    compression: str | None = None
    name: str = ""
    """The name without what says that it is packed."""

    @classmethod
    def of(cls, name: str) -> FileKind:
        """Return the kind of a name: ``"a.jsonl.gz"`` -> lines, packed with gzip."""
        path = PurePosixPath(name)
        suffix = path.suffix.lower()
        if suffix in PARQUET:
            return cls("row", None, name)
        compression = COMPRESSIONS.get(suffix)
        if compression is not None:
            path = path.with_suffix("")
        if path.suffix.lower() in LINES:
            return cls("line", compression, str(path))
        return cls(None, None, name)


class Row(NamedTuple):
    """A row of a file: its number, from 1, and what stands there."""

    number: int
    content: Any
    """The bytes of a line, the value of a row, or the :class:`TranscriptError` that says why it cannot be read."""
    size_bytes: int

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


def rows_of(file: SourceFile, kind: FileKind, limits: Limits) -> Iterator[Row]:
    """Yield the rows of a file. Where it is damaged, the last row says so.

    Raises ``OSError`` where what the file lies on cannot be reached any more.
    """
    number = 0
    try:
        with file.open(kind.compression) as stream:
            read = _parquet_rows if kind.unit == "row" else _lines
            for row in read(stream, limits):
                number = row.number
                yield row
    except (*DAMAGES, OSError) as error:
        # A system's error has a number: the network is down, the disk is gone.
        is_lost = isinstance(error, OSError) and error.errno is not None
        if is_lost and number:
            raise
        problem = getattr(error, "strerror", None) or type(error).__name__
        reason = _("it cannot be read on from here ({problem}).", problem=problem)
        remedy = _("Download it again, or make it readable.")
        yield Row(number + 1, TranscriptError(reason, remedy=remedy), 0)


def row_document(
    rows: Sequence[Row], name: str, limits: Limits, user: str | None
) -> Document:
    """Return a document that has these rows as its items. Raises :class:`TranscriptError` for one that cannot be
    read."""
    document = Document(b"", name, limits, user)
    values = tuple((row.number, row.value) for row in rows)
    document.json = Parsed(rows=values)
    return document


def _lines(stream: IO[bytes], limits: Limits) -> Iterator[Row]:
    """Yield the lines of a file that are not blank. One longer than a file may be is not held in memory."""
    most_bytes = limits.file_bytes
    number = 0
    while line := stream.readline(most_bytes + 1):
        number += 1
        if len(line) > most_bytes:
            while line and not line.endswith(b"\n"):
                line = stream.readline(most_bytes)
            yield Row(number, _too_long(most_bytes), 0)
        elif not line.isspace():
            yield Row(number, line, len(line))


def _too_long(most_bytes: int) -> TranscriptError:
    reason = _(
        "the line is longer than the limit of {most_bytes:,} bytes.",
        most_bytes=most_bytes,
    )
    remedy = _("Split it, or raise MEMVIZ_IMPORT_FILE_BYTES.")
    return TranscriptError(reason, remedy=remedy)


def _parquet_rows(stream: IO[bytes], limits: Limits) -> Iterator[Row]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    number = 0
    try:
        file = ParquetFile(stream)
        for batch in file.iter_batches(rows_at_once(file.metadata, limits)):
            size_bytes = batch.nbytes // max(1, batch.num_rows)
            for value in batch.to_pylist():
                number += 1
                yield Row(number, plain_value(value), size_bytes)
    except ArrowException as error:
        raise ValueError(str(error)) from None
