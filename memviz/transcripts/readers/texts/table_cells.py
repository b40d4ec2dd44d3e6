"""Tables in text: their cells, whatever the delimiter, with the line on which each row starts."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

DELIMITERS = (",", ";", "\t", "|")
MAX_CELL_CHARS = 2**31 - 1
# This limit is global to the process, and csv checks it while it reads. Changing it for one import would also change
# it for an import in another thread. So it is set once, to the most that every system takes; how large a file may be
# is limited before.
csv.field_size_limit(MAX_CELL_CHARS)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_DECLARED = re.compile(r"\s*\"?sep=(.)\"?[ \t]*(?:\r\n|\r|\n)", re.IGNORECASE)
_RULE = re.compile(r"\s*:?-+:?\s*")
_END = "\0 end of the table \0"


class Row(NamedTuple):
    """The cells of a row, and the line of the file on which it starts, counted from 1.

    ``is_open``: a quotation mark in it is never closed, so that the rest of the file is its last cell.
    """

    cells: list[str]
    line: int
    is_open: bool = False


class Dialect(NamedTuple):
    """How the cells of a table are separated. The first ``skipped`` characters are a declaration such as "sep=;".

    ``spaced``: a space after the delimiter belongs to it. ``piped``: rows start with the delimiter, as in Markdown.
    """

    delimiter: str
    skipped: int = 0
    spaced: bool = False
    piped: bool = False


def dialects(text: str) -> Iterator[Dialect]:
    """The dialects that a table may be in, judged by its first row; only one, if the table declares it."""
    declared = _DECLARED.match(text)
    skipped = declared.end() if declared else len(text) - len(text.lstrip())
    first = next(_lines(text, skipped), "")
    for delimiter in (declared[1],) if declared else DELIMITERS:
        if delimiter == "\t" or (
            delimiter.isprintable()
            and not delimiter.isalnum()
            and delimiter not in '" '
        ):
            spaced = f"{delimiter} " in first and first.count(delimiter) == first.count(
                f"{delimiter} "
            )
            yield Dialect(
                delimiter, skipped, spaced, delimiter == "|" and first.startswith("|")
            )


def rows(text: str, dialect: Dialect) -> Iterator[Row]:
    """The rows of a table that are not blank."""
    above = len(_LINE.findall(text[: dialect.skipped]))
    line = above + 1
    reader = csv.reader(_with_end(text, dialect.skipped), **_options(dialect))
    for cells in reader:
        row = _row(cells, line, dialect)
        if row:
            yield row
        line = above + reader.line_num + 1


def _options(dialect: Dialect) -> dict[str, Any]:
    quoting = csv.QUOTE_NONE if dialect.piped else csv.QUOTE_MINIMAL
    return {
        "delimiter": dialect.delimiter,
        "skipinitialspace": dialect.spaced,
        "quoting": quoting,
    }


def _row(cells: list[str], line: int, dialect: Dialect) -> Row | None:
    if dialect.piped:
        cells = [cell.strip() for cell in cells[1:] if cell != _END]
        cells = cells[:-1] if cells and not cells[-1] else cells
        if all(_RULE.fullmatch(cell) for cell in cells):
            return None
    if not any(cell.strip() for cell in cells) or cells == [_END]:
        return None
    if not cells[-1].endswith(_END):
        return Row(cells, line)
    return Row(
        [*cells[:-1], cells[-1].removesuffix(_END).rstrip("\r\n")], line, is_open=True
    )


def _with_end(text: str, start: int) -> Iterator[str]:
    """The lines of a text and one more, which is a row of its own unless a quotation mark swallows it."""
    yield from _lines(text, start)
    yield _END


def _lines(text: str, start: int) -> Iterator[str]:
    return (found[0] for found in _LINE.finditer(text, start))
