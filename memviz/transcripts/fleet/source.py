"""A fleet: many conversations behind addresses, listed one after the other without reading them.

``memviz sweep`` takes the items of a :class:`Fleet`, all or a sample, and hands them to workers, which read them by
``fleet.reading``. An item is the rows of one conversation, or a whole file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from memviz.core.errors import ParameterError, TranscriptError
from memviz.core.translation import _, noop
from memviz.transcripts.document import Reader
from memviz.transcripts.fleet.addresses import (
    SourceFile,
    SourceLostError,
    describe_problem,
    find_files,
)
from memviz.transcripts.fleet.rows import (
    DAMAGES,
    FileKind,
    Row,
    make_row_document,
    read_file_rows,
)
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import (
    find_reader,
    find_recognising_reader,
    load_mapping,
)
from memviz.transcripts.mapping.declaration import FileMapping
from memviz.transcripts.mapping.interpreter import MappedReader
from memviz.transcripts.mapping.paths import find_value
from memviz.transcripts.mapping.rows import TOO_LARGE
from memviz.transcripts.readers.json_access import json_text

HEAD_ROWS = 50
"""The first rows of a file, by which it is decided whether its rows are conversations."""
HASH_BYTES = 8
NOT_OPENED = Refusal(
    noop("the file cannot be opened: {found}."), noop("Make it readable.")
)
SCATTERED = Refusal(
    noop("earlier rows, which others follow, have the same {path}."),
    noop("Sort the file by it, so that the rows of a conversation follow each other."),
)


class Item(NamedTuple):
    """The rows of one conversation, or a whole file of conversations, still to be read. Can be pickled."""

    file: int
    """The number of its file among those of the fleet, from 0."""
    name: str
    """The name of its file."""
    rows: tuple[Row, ...] = ()
    """Its rows; none for a whole file."""
    data: bytes | TranscriptError = b""
    """The bytes of a whole file, or the reason why there are none."""
    format: str = ""
    """The format of its rows."""
    file_bytes: int = 0
    """The size of a whole file by its listing."""

    @property
    def size_bytes(self) -> int:
        """The approximate size of the item. A file that could not be opened counts with its size by the listing."""
        data_bytes = len(self.data) if isinstance(self.data, bytes) else 0
        file_bytes = max(self.file_bytes, data_bytes)
        return file_bytes + sum(row.size_bytes for row in self.rows)

    @property
    def first_row(self) -> int:
        """The number of its first row, from 1; 0 for a whole file."""
        return self.rows[0].number if self.rows else 0


class Place(NamedTuple):
    """The place of a conversation in a fleet, in numbers."""

    file: int
    """The number of its file, from 0."""
    row: int
    """The number of its first row, from 1; 0 in a file that is read as a whole."""
    number: int
    """Its number in that row, or in that file, from 1."""


@dataclass(frozen=True)
class Sample:
    """A share of all conversations, chosen by a hash of their places, so that every run chooses the same ones."""

    share: float = 1.0
    seed: int = 0

    def takes(self, file: int, name: str, key: str) -> bool:
        """Return whether the sample has the conversation ``key`` of file number ``file``, which is named ``name``."""
        if self.share >= 1:
            return True
        text = f"{self.seed}\0{file}\0{name}\0{key}".encode("utf-8", "replace")
        hash_value = int.from_bytes(blake2b(text, digest_size=HASH_BYTES).digest())
        return hash_value < self.share * 2.0 ** (8 * HASH_BYTES)


@dataclass(frozen=True)
class Fleet:
    """Many conversations, behind addresses: files, folders, patterns, on this machine or wherever fsspec reaches.

    ``sources`` is an address, or several. JSON lines (``.jsonl``, ``.ndjson``, also packed: ``.gz``, ``.bz2``,
    ``.xz``, ``.zst``) and Parquet are read row by row where a row is a conversation, or where the mapping names the
    field ``conversation``, whose rows have to follow each other. Any other file is read whole, as an import does.
    ``format``, ``mapping`` and ``user`` are those of :func:`memviz.load_transcript`. ``sample`` is the share of the
    conversations that is taken (0 to 1), chosen by ``seed``.

    Raises :class:`memviz.ParameterError` for another share, :class:`memviz.TranscriptError` for a wrong mapping.
    """

    sources: str | Path | Sequence[str | Path]
    format: str | None = None
    mapping: FileMapping | str | Path | None = None
    user: str | None = None
    sample: float = 1.0
    seed: int = 0
    limits: Limits = field(default_factory=Limits.from_environment)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mapping", load_mapping(self.mapping))
        if not 0 < self.sample <= 1:
            raise ParameterError("sample", self.sample, _("above 0, and at most 1"))
        if self.format is not None:
            find_reader(self.format)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses as texts."""
        sources = self.sources
        listed = [sources] if isinstance(sources, str | Path) else sources
        return tuple(map(str, listed))

    @property
    def chosen(self) -> Sample:
        """The sample that is taken."""
        return Sample(self.sample, self.seed)

    def files(self) -> Iterator[SourceFile]:
        """Yield the files, in order. Raises :class:`memviz.TranscriptError` if there are none."""
        return find_files(self.addresses)

    def items(self) -> Iterator[Item]:
        """Yield the conversations that are taken, one after the other, and whole files. Raises ``OSError`` where a
        file cannot be reached any more."""
        for file in self.files():
            yield from self.items_of(file)

    def items_of(self, file: SourceFile) -> Iterator[Item]:
        kind = FileKind.of(file.name)
        if kind.unit is not None:
            rows = read_file_rows(file, kind, self.limits)
            head = list(islice(rows, HEAD_ROWS))
            reader = self.find_reader_of_rows(head, file.name)
            if reader is not None:
                yield from self._items_of_rows(file, reader, chain(head, rows))
                return
        yield self._items_of_whole_file(file, kind)

    def _items_of_whole_file(self, file: SourceFile, kind: FileKind) -> Item:
        data: bytes | TranscriptError
        try:
            with file.open(kind.packed) as stream:
                data = stream.read(self.limits.file_bytes + 1)
        except SourceLostError:
            raise
        except DAMAGES as error:
            data = NOT_OPENED.error(found=describe_problem(error))
        return Item(file.number, kind.name, data=data, file_bytes=file.size_bytes)

    def _items_of_rows(
        self, file: SourceFile, reader: Reader, rows: Iterator[Row]
    ) -> Iterator[Item]:
        sample = self.chosen
        path = reader.conversation_path
        if path:
            grouped = _group_rows(rows, path, self.limits)
        else:
            grouped = ((f"row {row.number}", (row,)) for row in rows)
        for key, own_rows in grouped:
            # A damaged row takes the place of unknown conversations, so no sample drops it.
            if own_rows[-1].is_damage or sample.takes(file.number, file.name, key):
                yield Item(file.number, file.name, own_rows, format=reader.name)

    def find_reader_of_rows(self, head: Sequence[Row], name: str) -> Reader | None:
        """Return the reader of a file whose rows are conversations or name their conversation; ``None`` for any other
        file, which is read as a whole."""
        opened = [row._replace(content=_value_of_row(row)) for row in head]
        whole = [row for row in opened if not isinstance(row.content, TranscriptError)]
        if not whole:
            return None
        document = make_row_document(whole, name, self.limits, self.user)
        try:
            reader = self.named_reader or find_recognising_reader(document)
            pieces = reader.conversations(document)
        except TranscriptError:
            return None
        if reader.conversation_path:
            return reader
        objects = sum(isinstance(row.content, dict) for row in whole)
        are_conversations = len(pieces) >= max(1, objects)
        return reader if are_conversations and not reader.joins_rows else None

    @property
    def named_reader(self) -> Reader | None:
        """The reader of the given mapping or format; ``None`` if each file's format is to be recognised."""
        if isinstance(self.mapping, FileMapping):
            return MappedReader(self.mapping)
        return None if self.format is None else find_reader(self.format)


def _value_of_row(row: Row) -> Any:
    try:
        return row.value
    except TranscriptError as error:
        return error


def _group_rows(
    rows: Iterator[Row], path: str, limits: Limits
) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """Yield each group of adjacent rows with the same value under ``path``, behind that value as text.

    A row without a value is a group of its own. A row that cannot be read may belong to the conversation before it,
    and is put into that group. If a value comes back later, the group is a single row with an error.
    """
    earlier_keys = set()
    last_key = ""

    def key_of(row: Row) -> str:
        nonlocal last_key
        is_broken = isinstance(row.content, TranscriptError)
        if not is_broken or not last_key:
            value = None if is_broken else find_value(row.content, path)
            last_key = json_text(value) or f"row {row.number}"
        return last_key

    opened = (row._replace(content=_value_of_row(row)) for row in rows)
    for key, group in groupby(opened, key_of):
        own_rows = _limit_group(group, limits)
        digest = blake2b(key.encode("utf-8", "replace"), digest_size=HASH_BYTES)
        mark = int.from_bytes(digest.digest())
        if mark in earlier_keys:
            own_rows = (own_rows[0]._replace(content=SCATTERED.error(path=path)),)
        earlier_keys.add(mark)
        yield key, own_rows


def _limit_group(group: Iterator[Row], limits: Limits) -> tuple[Row, ...]:
    """Return the rows of a conversation; if it is beyond the limits, a single row with an error."""
    own_rows = []
    room_bytes = limits.file_bytes
    for row in islice(group, limits.messages + 1):
        own_rows.append(row)
        room_bytes -= row.size_bytes
        if room_bytes < 0 or len(own_rows) > limits.messages:
            error = TOO_LARGE.error(rows=limits.messages, size=limits.file_bytes)
            return (own_rows[0]._replace(content=error),)
    return tuple(own_rows)
