"""A file as plain rows, whatever it is: JSON, JSON lines, a table in text, Parquet, a database."""

from collections.abc import Mapping as Object
from collections.abc import Sequence
from copy import copy
from io import BytesIO
from itertools import chain, islice
from json import JSONDecoder
from math import isfinite
from typing import Any

from memviz.core.bounds import is_deeper
from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.translation import noop
from memviz.transcripts.document import Document
from memviz.transcripts.file_kinds import SQLITE
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits
from memviz.transcripts.readers.database_rows import NO_TABLE
from memviz.transcripts.readers.texts.tables import find_dialects
from memviz.transcripts.readers.texts.tables import rows as table_rows

PARQUET = b"PAR1"
MOST_AT_ONCE = 512
MAX_COLUMNS = 500
UNREADABLE = Refusal(
    noop(
        "the Parquet file cannot be read: it is damaged, ends in the middle, or is packed in an unknown way."
    ),
    noop("Download it again, or export it again as Parquet or JSON lines."),
)
TOO_LARGE = Refusal(
    noop("it holds more than the limit of {rows:,} rows or {size:,} bytes."),
    noop("Split it, or raise MEMVIZ_IMPORT_MESSAGES."),
)
MAX_GAP = 1_000
"""White space between two values of a text."""


def read_content(
    document: Document,
    table: str = "",
    columns: Sequence[str] = (),
    most: int | None = None,
) -> Any:
    """Return what a file holds as a plain value: JSON as it is, anything else as a list of objects.

    ``table``, or ``columns`` that it has, choose one of a database. Of a list ``most`` items are returned.
    Raises :class:`TranscriptError`.
    """
    key = (table, tuple(columns), most)
    if key not in document.contents:
        # Every known mapping asks, so that a file has none is kept as well.
        try:
            content = _read_content(document, table, columns, most)
        except TranscriptError as problem:
            content = problem
        document.contents[key] = content
    if isinstance(document.contents[key], TranscriptError):
        # One that is raised again keeps what it went through before.
        raise copy(document.contents[key])
    return document.contents[key]


def _read_content(
    document: Document, table: str, columns: Sequence[str], most: int | None
) -> Any:
    if document.data.startswith(SQLITE):
        return _read_database_rows(document, table, columns)[:most]
    if document.data.startswith(PARQUET):
        return read_parquet_rows(document.data, document.limits, most)
    if document.json.problem is None:
        value = list(document.items) or document.json.value
        return value[:most] if isinstance(value, list) else value
    rows = read_csv_rows(document.plain_text, most) or read_joined_values(
        document, most
    )
    if not rows:
        raise document.json.problem
    return rows


def read_joined_values(document: Document, most: int | None) -> list[Any]:
    """Return the values of a text in which one JSON value follows the other, as OpenTelemetry's console exporter
    writes them; none where it is something else."""
    text = document.text.lstrip()
    if not text.startswith("{"):
        return []
    decoder = JSONDecoder()
    values: list[Any] = []
    position = 0
    try:
        while position < len(text) and (most is None or len(values) < most):
            value, position = decoder.raw_decode(text, position)
            values.append(value)
            gap = text[position : position + MAX_GAP]
            position += len(gap) - len(gap.lstrip())
    except (ValueError, RecursionError):
        return []
    return [] if is_deeper(values, document.limits.depth) else make_plain(values)


def _read_database_rows(
    document: Document, table: str, columns: Sequence[str]
) -> list[dict[str, Any]]:
    columns_of_tables = document.tables.columns
    fitting = [
        name
        for name in columns_of_tables
        if set(columns).issubset(columns_of_tables[name])
    ]
    tables = [table] if table in columns_of_tables else fitting
    if not tables or (table and table not in columns_of_tables):
        raise NO_TABLE.error(expected=table or list(columns))
    return document.tables.rows(tables[0], columns_of_tables[tables[0]])


def read_csv_rows(text: str, most: int | None = None) -> list[dict[str, str]]:
    """Return the rows of a table in text by the names of its columns; none where it is no table."""
    for dialect in find_dialects(text):
        rows = table_rows(text, dialect)
        first = list(islice(rows, 21))
        if len(first) < 2 or any(len(row.cells) < 2 for row in first):
            continue
        head, *below = first
        names = [cell.strip(" \t\ufeff") for cell in head.cells[:MAX_COLUMNS]]
        return [
            dict(zip(names, row.cells, strict=False))
            for row in islice(chain(below, rows), most)
        ]
    return []


def read_parquet_rows(
    data: bytes, limits: Limits, most: int | None = None
) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file. Raises :class:`TranscriptError` for a broken one, and one beyond the limits.

    Its values are counted while they are read: what the file says of its size is not trusted.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        file = ParquetFile(BytesIO(data))
        _check_size(file.metadata, limits)
        rows: list[dict[str, Any]] = []
        room = limits.inflated_bytes
        for batch in file.iter_batches(count_rows_at_once(file.metadata, limits)):
            room -= batch.nbytes
            if room < 0 or len(rows) + batch.num_rows > limits.messages:
                raise _too_large_error(limits)
            rows += batch.to_pylist()
            if most is not None and len(rows) >= most:
                break
    except TranscriptError:  # a ValueError too, which says already what is wrong
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        raise UNREADABLE.error() from None
    return [make_plain(row) for row in rows[:most]]


def _check_size(metadata: Any, limits: Limits) -> None:
    total = sum(
        metadata.row_group(number).total_byte_size
        for number in range(metadata.num_row_groups)
    )
    if metadata.num_rows > limits.messages or total > limits.inflated_bytes:
        raise _too_large_error(limits)


def count_rows_at_once(metadata: Any, limits: Limits) -> int:
    """Return how many rows may be read at once: a value that is stored once may be as large as its whole column."""
    largest = 1
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in range(group.num_columns):
            largest = max(largest, group.column(column).total_uncompressed_size)
    return max(1, min(MOST_AT_ONCE, limits.inflated_bytes // largest))


def _too_large_error(limits: Limits) -> TranscriptError:
    return TOO_LARGE.error(rows=limits.messages, size=limits.inflated_bytes)


def make_plain(value: Any) -> Any:
    """Return plain values alone: times as ISO texts, maps (lists of pairs) as they are."""
    if isinstance(value, Object):
        return {clean_text(str(key)): make_plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return list(map(make_plain, value))
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
