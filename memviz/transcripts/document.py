"""The file to import (:class:`Document`), and the base class of all readers (:class:`Reader`).

``loading`` makes a Document of a file's bytes and asks each Reader whether it recognises it. Text, JSON and tables of a
Document are read when a reader first asks for them, and kept for the next reader.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

from memviz.core.errors import TranscriptError
from memviz.core.translation import _, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.decoding import decode
from memviz.transcripts.file_kinds import SQLITE, FileKind, binary_kind
from memviz.transcripts.import_notes import ImportNotes, Refusal
from memviz.transcripts.json_text import JsonParser, describe, looks_like_lines
from memviz.transcripts.limits import Limits
from memviz.transcripts.sqlite_tables import Tables

HEAD_ITEMS = 500
"""Number of items that are looked at to recognise a format, because every format looks
at every file."""
JSON_STARTS = ("{", "[{", "[[", "[ ", "[\n", "[\r", "[\t", '["', "[]")
"""A text that starts so is JSON, whole or broken. "[" alone is not enough: a chat log may start with "[08/05/2023"."""
OTHER_FORMAT = noop("Choose another format, or leave it to be recognised.")
TREE_MARK = '"messagesTree"'
"""In a file with this key each message lies inside the one that it follows: LibreChat exports conversations so."""
TREE_DEPTH = 800
"""Such a file is read this deep, which is two for each message; Python reads JSON little deeper."""
ONLY_WHITE_SPACE = noop("it holds nothing but {number} bytes of white space")
NO_DATABASE = Refusal(
    noop("an SQLite database was expected, found {found}."), OTHER_FORMAT
)
OTHER_DATABASE = Refusal(
    noop("no known chat database: it has {tables}."),
    noop("Check that it is the right one."),
)
TABLES_NOT_COPIED = Refusal(
    noop(
        "the database has no tables: they are still in the '-wal' file that belongs to it."
    ),
    noop("Close the program that writes it, then copy it again."),
)
NO_MESSAGES = Refusal(
    noop("there are no messages, found {found}."),
    noop("Choose a file with at least one message."),
)
UNKNOWN = Refusal(noop("no known format, found {found}."))
EMPTY_FILE = Refusal(
    noop("the file is empty: {found}."),
    noop("Choose another file, or export it again."),
)
MISMATCH = Refusal(noop("{expected} was expected, found {found}."), OTHER_FORMAT)
UNFORESEEN_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
)
"""The errors of a reader that has missed a case."""
T = TypeVar("T")
PlacedValue = tuple[Any, str]
"""A JSON value with its place in the file: "index 3" or "line 4"."""


class ParsedFile(NamedTuple):
    """A file as JSON: ``value`` of the whole file, ``rows`` of (line number, value), or a ``problem``.

    A file that is a single object has both a value and one row.
    """

    value: Any = None
    rows: tuple[tuple[int, Any], ...] = ()
    problem: TranscriptError | None = None


class UnknownFormatError(TranscriptError):
    """The file is not broken, but none of the known formats, and not nearly one."""


@dataclass(eq=False)
class Document:
    """The bytes of a file with its name; its text, its JSON and its tables are read when first asked for.

    ``user`` is the name under which the user speaks, if that was said.
    """

    data: bytes
    name: str = ""
    limits: Limits = field(default_factory=Limits)
    user: str | None = None
    notes: ImportNotes = field(default_factory=ImportNotes)
    contents: dict[tuple[object, ...], Any] = field(default_factory=dict)
    """The file as plain values for mappings, kept because all mappings ask for the same."""

    @cached_property
    def binary_kind(self) -> FileKind | None:
        """Return what kind of binary file this is; ``None`` if it may be text."""
        return binary_kind(self.data)

    @property
    def is_of_another_kind(self) -> bool:
        """Return whether the file is of a kind that holds no text: an image, a recording, a program."""
        return self.binary_kind is not None and not self.data.startswith(SQLITE)

    @cached_property
    def text(self) -> str:
        """The decoded text; empty for a binary file."""
        return "" if self.binary_kind else decode(self.data, self.notes)

    @cached_property
    def json(self) -> ParsedFile:
        """The text as one JSON value or, where it is not one, as JSON lines."""
        if not self.text:
            return ParsedFile(problem=self._without_text())
        depth = self.limits.depth
        if TREE_MARK in self.text:
            depth = max(depth, TREE_DEPTH)
        parser = JsonParser(self.notes, depth)
        try:
            if looks_like_lines(self.text):
                return ParsedFile(rows=parser.parse_lines(self.text))
            value = parser.parse(self.text)
        except TranscriptError as problem:
            return ParsedFile(problem=problem)
        return ParsedFile(value, ((1, value),) if isinstance(value, dict) else ())

    @cached_property
    def items(self) -> Sequence[Any]:
        """The items of a JSON list, or the values of JSON lines; empty for anything else, also for one object."""
        value, rows, _problem = self.json
        if isinstance(value, list):
            return value
        return [item for _line, item in rows] if value is None else ()

    @cached_property
    def places(self) -> list[str]:
        """Return where each of :attr:`items` stands: "index 3" in a list, "line 4" in lines."""
        rows = self.json.rows
        if len(rows) == len(self.items):
            return [f"line {line}" for line, _ in rows]
        return [f"index {n}" for n in range(len(self.items))]

    @cached_property
    def placed(self) -> list[PlacedValue]:
        """Each of :attr:`items` with its place; empty if there are none."""
        return list(zip(self.items, self.places, strict=True)) if self.items else []

    @cached_property
    def objects(self) -> Sequence[dict[str, Any]]:
        """The objects among the first :data:`HEAD_ITEMS` items, from which formats are recognised."""
        return [item for item in self.items[:HEAD_ITEMS] if isinstance(item, dict)]

    @property
    def heads(self) -> Sequence[dict[str, Any]]:
        """The objects from which formats are recognised: the first items, or the single object of the file."""
        return self.objects or [self.object]

    @property
    def lines(self) -> list[PlacedValue]:
        """Each of :attr:`items` with its place; a file that is one object is a line."""
        return self.placed or [(self.object, "line 1")]

    @cached_property
    def object(self) -> dict[str, Any]:
        """The file as one JSON object; empty if it is something else."""
        value = self.json.value
        return value if isinstance(value, dict) else {}

    @cached_property
    def plain_text(self) -> str:
        """The text of a file that is neither binary nor meant to be JSON; empty for any other."""
        meant_as_json = self.json.problem is None or self.text.lstrip().startswith(
            JSON_STARTS
        )
        return "" if meant_as_json else self.text

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The column names of every table of an SQLite database; empty for any other file, and a broken one."""
        try:
            return self.tables.columns if self.data.startswith(SQLITE) else {}
        except TranscriptError:
            return {}

    @cached_property
    def tables(self) -> Tables:
        """The tables of an SQLite database. Raises :class:`TranscriptError` for any other file, and a broken one."""
        if not self.data.startswith(SQLITE):
            raise NO_DATABASE.error(found=self.found)
        return Tables(self.data, self.limits)

    @property
    def found(self) -> str:
        """The content of the file in a few words, for errors: "lines that start with an object"."""
        value, rows, _problem = self.json
        if self.binary_kind:
            return _(self.binary_kind.name)
        if value is None and rows:
            return _("lines that start with {first}", first=describe(rows[0][1]))
        return describe(value)

    @property
    def problem(self) -> TranscriptError:
        """The error if no format can read the file: it is broken, or of no known kind."""
        if self.data.startswith(SQLITE):
            try:
                tables = ", ".join(
                    repr(name[:40]) for name in list(self.tables.columns)[:8]
                )
            except TranscriptError as broken:
                return broken
            if not tables and self.tables.in_write_ahead_mode:
                return TABLES_NOT_COPIED.error()
            return OTHER_DATABASE.error(tables=tables or _("no table"))
        if self.json.value in ([], {}):
            return NO_MESSAGES.error(found=self.found)
        return self.json.problem or UNKNOWN.error(found=self.found)

    def _without_text(self) -> TranscriptError:
        if self.binary_kind:
            return self.binary_kind.refusal()
        description = _("it has 0 bytes")
        if self.data:
            description = _(ONLY_WHITE_SPACE, number=len(self.data))
        return EMPTY_FILE.error(found=description)


class Reader(ABC):
    """Reads files of one format. To add a format, put a module with such a class into the folder ``readers``.

    Importing has three steps. Every reader says whether it can :meth:`recognise` the document; the one that does
    splits it into pieces, one for each of its :meth:`conversations`; and it :meth:`read`s each piece on its own, so
    that a broken conversation does not spoil the others.
    """

    name: ClassVar[str]
    """The id of the format, by which a user can choose it."""

    title: ClassVar[str]
    """The name of the format on the screen."""

    is_mapping = False
    """It reads by a mapping: a programmed reader that recognises the same file comes first."""

    conversation_path = ""
    """The path of the field that names the conversation of a row, if the file consists of rows."""
    joins_rows = False
    """The rows of one conversation may stand anywhere in the file."""
    over: tuple[str, ...] = ()
    """The names of formats that also recognise such files, but read less of them."""

    files: str = ""
    """A pattern of names: files of an archive that fit it and lie in one folder are one conversation."""
    people_file: str = ""
    """The file of an archive that has the names of the speakers in these files."""

    @abstractmethod
    def recognise(self, document: Document) -> bool:
        """Return whether the document is of this format and of no other. Never raises.

        Two readers that claim the same file make it unreadable, so this should look for what only this format has.
        """

    @abstractmethod
    def conversations(self, document: Document) -> Sequence[Any]:
        """One piece for each conversation in the document, of whatever type :meth:`read` takes.

        The user may have chosen the wrong format, so the document can be anything. Raises :class:`TranscriptError`.
        """

    @abstractmethod
    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """Add the messages of a piece to ``builder`` and build the transcript. Raises :class:`TranscriptError`."""


def require_pieces(
    pieces: Sequence[T], expected: str, document: Document
) -> Sequence[T]:
    """Return the pieces of a document. Raises the error of :func:`mismatch_error` if there are none."""
    if not pieces:
        raise mismatch_error(expected, document)
    return pieces


def mismatch_error(expected: str, document: Document) -> TranscriptError:
    """The error for a document that is not what a format reads: ``expected`` completes "... was expected"."""
    problem = document.json.problem
    return problem or MISMATCH.error(expected=_(expected), found=document.found)
