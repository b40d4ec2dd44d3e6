"""Tables in text: their cells, whatever the delimiter, and what their columns mean."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from memviz.transcripts.csv_cells import COLUMNS
from memviz.transcripts.readers.texts.speakers import role_of

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
    """The marks that separate the cells of a table. The first ``skipped`` characters are a declaration such as "sep=;".

    ``spaced``: a space after the delimiter belongs to it. ``piped``: rows start with the delimiter, as in Markdown.
    """

    delimiter: str
    skipped: int = 0
    spaced: bool = False
    piped: bool = False


def find_dialects(text: str) -> Iterator[Dialect]:
    """The dialects that a table may be in, judged by its first row; only one, if the table declares it."""
    declared = _DECLARED.match(text)
    skipped = declared.end() if declared else len(text) - len(text.lstrip())
    first = next(_split_lines(text, skipped), "")
    for delimiter in (declared[1],) if declared else DELIMITERS:
        is_sign = delimiter.isprintable() and not delimiter.isalnum()
        if delimiter == "\t" or (is_sign and delimiter not in '" '):
            spaces = first.count(f"{delimiter} ")
            is_spaced = spaces > 0 and spaces == first.count(delimiter)
            is_piped = delimiter == "|" and first.startswith("|")
            yield Dialect(delimiter, skipped, is_spaced, is_piped)


def rows(text: str, dialect: Dialect) -> Iterator[Row]:
    """The rows of a table that are not blank."""
    above = len(_LINE.findall(text[: dialect.skipped]))
    line = above + 1
    reader = csv.reader(
        _add_end(text, dialect.skipped),
        delimiter=dialect.delimiter,
        skipinitialspace=dialect.spaced,
        quoting=csv.QUOTE_NONE if dialect.piped else csv.QUOTE_MINIMAL,
    )
    for cells in reader:
        row = _make_row(cells, line, dialect)
        if row:
            yield row
        line = above + reader.line_num + 1


def _make_row(cells: list[str], line: int, dialect: Dialect) -> Row | None:
    if dialect.piped:
        cells = [cell.strip() for cell in cells[1:] if cell != _END]
        cells = cells[:-1] if cells and not cells[-1] else cells
        if all(map(_RULE.fullmatch, cells)):
            return None
    if not any(map(str.strip, cells)) or cells == [_END]:
        return None
    *others, last = cells
    if not last.endswith(_END):
        return Row(cells, line)
    rest = last.removesuffix(_END).rstrip("\r\n")
    return Row([*others, rest], line, is_open=True)


def _add_end(text: str, start: int) -> Iterator[str]:
    """The lines of a text and one more, which is a row of its own unless a quotation mark swallows it."""
    yield from _split_lines(text, start)
    yield _END


def _split_lines(text: str, start: int) -> Iterator[str]:
    return (match[0] for match in _LINE.finditer(text, start))


# If a table has several columns with the same meaning, the name that is listed first wins.
NAMES = {
    "role": "role message_role speaker sender from author author_role",
    "content": "content text message value message_content message_text body utterance",
    "question": "prompt question instruction user human query input q",
    "answer": "response answer assistant output completion reply ai bot chatgpt gpt model a",
    "conversation": "conversation_id conversation session_id session thread_id thread chat_id chat "
    "dialogue_id dialog_id dialogue dialog conv_id",
    "order": "turn index position turn_index turn_id turn_number message_index message_number order sequence seq step",
    "time": "timestamp time date created_at datetime created sent_at date_time",
    "title": "title conversation_title chat_title",
    "name": "name speaker_name sender_name author_name tool_name tool function_name",
    "tool_calls": "tool_calls",
    "tool_call_id": "tool_call_id call_id",
    "system": "system system_prompt",
}
KINDS: tuple[tuple[set[str], set[str]], ...] = (
    ({"role", "content"}, {"question", "answer", "system"}),
    (
        {"question", "answer"},
        {"role", "content", "name", "tool_calls", "tool_call_id"},
    ),
)
"""The meanings that the columns of each kind of table have to have, and those that say nothing in it."""
HEAD_ROWS = 50


class Table(NamedTuple):
    """The layout of a table: its dialect, the position of the column of each meaning, and the kind of its head.

    ``width``: the columns of the head. ``has_head``: the first row names the columns. ``is_own``: memviz wrote it.
    """

    dialect: Dialect
    columns: dict[str, int]
    width: int
    has_head: bool = True
    is_own: bool = False

    @property
    def asks(self) -> bool:
        """Return whether each row is a question with its answer."""
        return "question" in self.columns

    @property
    def has_tasks(self) -> bool:
        """Return whether each row is a conversation of its own: an instruction with its answer, as Alpaca has them,
        and no column says which rows belong together or which comes first. An instruction beside a prompt, or beside
        roles, is no task."""
        columns = self.columns
        joins_rows = columns.keys() & {"conversation", "order", "time"}
        is_task = "task" in columns and columns.get("question") == columns["task"]
        return is_task and not joins_rows

    def data(self, text: str) -> Iterator[Row]:
        """The rows below the head."""
        return islice(rows(text, self.dialect), int(self.has_head), None)


def find_table(text: str) -> Table | None:
    """The table that a text is, or ``None``: its first row names the columns, or all first cells are roles."""
    for dialect in find_dialects(text):
        head = list(islice(rows(text, dialect), HEAD_ROWS))
        table = _make_table_with_head(head, dialect) or _make_table_without_head(
            head, dialect
        )
        if table:
            return table
    return None


def find_meanings(cells: Sequence[str]) -> frozenset[str]:
    """Return what the columns with these names mean, of :data:`NAMES`."""
    return frozenset(_find_meanings_of_names([_fold_cell(cell) for cell in cells]))


def _make_table_with_head(head: Sequence[Row], dialect: Dialect) -> Table | None:
    if not head or (len(head) > 1 and all(len(row.cells) < 2 for row in head[1:])):
        return None
    names = [_fold_cell(cell) for cell in head[0].cells]
    if tuple(names) == COLUMNS and dialect.delimiter in DELIMITERS:
        column_indices = {
            name: index for index, name in enumerate(("order", *COLUMNS[1:]))
        }
        return Table(dialect, column_indices, len(names), is_own=True)
    columns = _find_meanings_of_names(names)
    for needed, others in KINDS:
        if columns.keys() >= needed:
            column_indices = {
                name: index for name, index in columns.items() if name not in others
            }
            return Table(dialect, column_indices, len(names))
    return None


def _make_table_without_head(head: Sequence[Row], dialect: Dialect) -> Table | None:
    are_roles = all(len(row.cells) > 1 and role_of(row.cells[0]) for row in head)
    if len(head) < 2 or not are_roles:
        return None
    return Table(dialect, {"role": 0, "content": 1}, 2, has_head=False)


def _find_meanings_of_names(names: Sequence[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for meaning, known_names in NAMES.items():
        indices = [names.index(name) for name in known_names.split() if name in names]
        if indices and indices[0] not in columns.values():
            columns[meaning] = indices[0]
    if "instruction" in names:
        columns["task"] = names.index("instruction")
        # Rows of this kind have the text to work on in a column of its own.
        for name in ("context", "input"):
            if name in names:
                columns["input"] = names.index(name)
    return columns


def _fold_cell(cell: str) -> str:
    return re.sub(r"[\s_-]+", "_", cell.strip(" \t\ufeff").lower())
