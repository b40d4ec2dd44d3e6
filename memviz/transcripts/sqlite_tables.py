"""The tables of an uploaded SQLite database: read in memory, never run, never written to disk."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.text.wording import duration_words
from memviz.core.translation import noop
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits

WRITE_AHEAD = b"\x02\x02"
ROLLBACK = b"\x01\x01"
VERSIONS_AT = slice(18, 20)  # bytes of the header: how the file is written and read
STEPS_BETWEEN_LOOKS = 10_000
REMEDY = noop(
    "Close the program that writes it, copy the database again, and choose the copy."
)
UNREADABLE = Refusal(
    noop(
        "the database cannot be read: it is damaged, or was copied while a program wrote it."
    ),
    REMEDY,
    "SQLite",
)
COMPUTED_ROWS = Refusal(noop("its rows hold more than the whole file."), REMEDY)
TOO_MANY_ROWS = Refusal(
    noop("the table {table!r} has more than {most:,} rows."),
    noop("Export one conversation, or raise MEMVIZ_IMPORT_MESSAGES."),
)
TOO_SLOW = Refusal(
    noop("reading its tables takes longer than the limit of {time}."),
    noop("Export one conversation, or raise MEMVIZ_IMPORT_DATABASE_SECONDS."),
    "SQLite",
)
ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}


class Tables:
    """The tables of a database and their rows. Views, triggers, virtual tables and functions are never touched.

    ``columns`` holds the column names of every table; ``in_write_ahead_mode`` says that newer rows may lie in a file
    beside this one. Raises :class:`TranscriptError` for a file that SQLite cannot read.
    """

    def __init__(self, data: bytes, limits: Limits) -> None:
        self.in_write_ahead_mode = data[VERSIONS_AT] == WRITE_AHEAD
        self._limits = limits
        self._bytes = len(data)
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.text_factory = lambda raw: clean_text(
            raw.decode("utf-8", "replace")
        )
        with _open_read_only(limits.database_seconds):
            # A database in memory has no file beside it, and refuses to open in the mode that needs one.
            self._connection.deserialize(
                data[:18] + ROLLBACK + data[20:] if self.in_write_ahead_mode else data
            )
            self._connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else 1
            )
            self._connection.setlimit(
                sqlite3.SQLITE_LIMIT_LENGTH, max(self._bytes, 1_000_000)
            )
            self._stop_after(limits.database_seconds)
            names = self._connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
            self.columns = {
                name: self._columns(name) for name, sql in names if _is_plain(name, sql)
            }

    def rows(
        self, table: str, columns: Sequence[str], order: Sequence[str] = ()
    ) -> list[dict[str, Any]]:
        """The rows of a table as dictionaries of these columns; one that the table lacks is ``None``. They come in
        the order of ``order`` (columns), else as they were written. Raises :class:`TranscriptError` for too many."""
        most = self._limits.messages
        there = self.columns.get(table, ())
        picked = [column for column in columns if column in there]
        if not picked:
            return []
        ordered = [_quote_name(column) for column in order if column in there]
        query = (
            f"SELECT {', '.join(map(_quote_name, picked))} FROM {_quote_name(table)}"  # noqa: S608 - quoted, and read only
        )
        query += f" ORDER BY {', '.join(ordered)}" if ordered else ""
        with _open_read_only(self._limits.database_seconds):
            self._stop_after(self._limits.database_seconds)
            rows = self._fetch(f"{query} LIMIT {most + 1}")
        if len(rows) > most:
            raise TOO_MANY_ROWS.error(table=clean_text(table)[:40], most=most)
        missing = dict.fromkeys(columns)
        return [missing | dict(zip(picked, values, strict=True)) for values in rows]

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        """All rows. A column may be computed, so it could be larger than anything in the file: that is no data."""
        room = self._bytes
        rows = []
        for row in self._connection.execute(query):
            room -= sum(len(value) for value in row if isinstance(value, (str, bytes)))
            if room < 0:
                raise COMPUTED_ROWS.error()
            rows.append(row)
        return rows

    def _columns(self, table: str) -> tuple[str, ...]:
        described = self._connection.execute(
            f"SELECT * FROM {_quote_name(table)} LIMIT 0"  # noqa: S608
        ).description
        return tuple(column[0] for column in described)

    def _stop_after(self, seconds: int) -> None:
        self._connection.set_progress_handler(
            _set_deadline(seconds), STEPS_BETWEEN_LOOKS
        )


def _set_deadline(seconds: float) -> Callable[[], bool]:
    end = monotonic() + seconds
    return lambda: monotonic() > end


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_plain(name: object, sql: object) -> bool:
    begins_plain = isinstance(sql, str) and sql.lstrip()[:12].upper() == "CREATE TABLE"
    return isinstance(name, str) and begins_plain


@contextmanager
def _open_read_only(seconds: int) -> Iterator[None]:
    try:
        yield
    except TranscriptError:
        raise
    except (sqlite3.Error, ValueError, OverflowError) as error:
        # A name with NUL is a ValueError, a number too large an OverflowError.
        problem = getattr(error, "sqlite_errorname", "")
        if problem == "SQLITE_INTERRUPT":
            raise TOO_SLOW.error(time=duration_words(seconds)) from None
        if problem == "SQLITE_TOOBIG":
            raise COMPUTED_ROWS.error() from None
        raise UNREADABLE.error() from None
