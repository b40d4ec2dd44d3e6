"""Files that hold several conversations in JSON, and the base classes of their readers.

:class:`RowReader` is for rows that each hold one conversation: JSON lines, a list, or a single row that is an object.
:class:`ExportReader` is for the exports of chat programs, which also have entries without a conversation.
:class:`ExchangeReader` is for chat APIs: lists of messages, requests, responses and logs.
"""

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import Said, _, noop
from memviz.transcripts.base import Transcript
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.chat_messages import known_role
from memviz.transcripts.document import (
    HEAD_ITEMS,
    Document,
    PlacedValue,
    Reader,
    mismatch_error,
)
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.json_text import describe, kind_of
from memviz.transcripts.readers.json_access import (
    at_least_half,
    drop_empty,
    first_under,
    list_at,
    object_at,
    objects_at,
    value_at,
)
from memviz.transcripts.times import parse_first_moment

EXPORT_AGAIN = noop("Export the conversation again.")
NO_MESSAGES = Refusal(noop("it has no messages."), noop("Choose another one."))
NO_OBJECT = Refusal(
    noop("it is {kind}, not an object."), noop("Correct this row, or remove it.")
)
NO_LIST = Refusal(
    noop("the messages are {kind}, not a list."), noop("Correct it, or remove it.")
)
NOT_FOUND = Refusal(noop("{expected} was expected, found {found}."))


class About(NamedTuple):
    """The paths, such as "chat.title", under which a record has what is known of its conversation beside its messages.
    Of several paths to one field the first that leads to something counts."""

    title: tuple[str, ...] = ()
    held_at: tuple[str, ...] = ()
    system_prompt: tuple[str, ...] = ()

    def read(self, record: object) -> dict[str, Any]:
        """Return the fields of a transcript that a record has."""
        times = [value_at(record, *path.split(".")) for path in self.held_at]
        fields = {
            "title": first_under(record, *self.title),
            "held_at": parse_first_moment(times),
            "system_prompt": first_under(record, *self.system_prompt),
        }
        return drop_empty(fields)


class RowReader(Reader):
    """Base of formats in which every row is one conversation."""

    expected: ClassVar[str]
    """What the file should have held, for the error: completes "... was expected"."""

    @abstractmethod
    def is_row(self, row: dict[str, Any]) -> bool:
        """Return whether an object is a row of this format. Never raises."""

    @abstractmethod
    def read_row(
        self, row: dict[str, Any], place: str, builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages of a row; returns what else is known of the conversation (fields of a transcript)."""

    def recognise(self, document: Document) -> bool:
        """Return whether most rows are of this format."""
        return are_mostly(document, self.is_row)

    def conversations(self, document: Document) -> Sequence[PlacedValue]:
        """One conversation for each row."""
        return rows(document, self.expected)

    def read(self, piece: PlacedValue, builder: TranscriptBuilder) -> Transcript:
        """The conversation of one row."""
        row, place = piece
        return builder.build(
            **self.read_row(require_object(row, place), place, builder)
        )


class ExchangeReader(Reader):
    """Base of formats of a chat API: a list of its messages is one conversation, and so is each request, response or
    log entry."""

    expected: ClassVar[str]
    """What the file should have held, for the error: completes "... was expected"."""
    about: ClassVar[About] = About()
    """Where a request, a response or a log entry has what it says of the conversation."""
    role_of = staticmethod(known_role)
    """Returns the role for the name that the API gives a speaker."""

    @abstractmethod
    def are_messages(self, items: list[Any]) -> bool:
        """Return whether these are messages that only this API has. Never raises."""

    def is_message(self, item: object) -> bool:
        """Return whether it may be a message of this API, for whoever names the format. Never raises."""
        return self.are_messages([item])

    @abstractmethod
    def is_exchange(self, row: object) -> bool:
        """Return whether it is a request, a response or a log entry of this API. Never raises."""

    @abstractmethod
    def messages_of(self, row: dict[str, Any], place: str) -> list[PlacedValue]:
        """Return the messages of a request, a response or a log entry."""

    @abstractmethod
    def add_message(
        self, item: dict[str, Any], role: str, place: str, builder: TranscriptBuilder
    ) -> None:
        """Add one message, which somebody of this role says."""

    def known_of(
        self, row: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Return what else a request, a response or a log entry says of the conversation (fields of a transcript)."""
        return self.about.read(row)

    def recognise(self, document: Document) -> bool:
        """Messages of this API, or one or more of its requests, responses or log entries."""
        if document.object:
            return self.is_exchange(document.object)
        head = list(document.items[:HEAD_ITEMS])
        return self.are_messages(head) or at_least_half(head, self.is_exchange)

    def conversations(
        self, document: Document
    ) -> Sequence[PlacedValue | list[PlacedValue]]:
        """One for a list of messages; else one for each request, response or log entry."""
        items = document.items or [document.object]
        if not self.are_messages(list(items)) and any(map(self.is_exchange, items)):
            return document.placed or [(document.object, "")]
        if isinstance(document.object.get("messages"), list):
            return [(document.object, "")]
        if not any(map(self.is_message, document.items)):
            raise mismatch_error(self.expected, document)
        return [document.placed]

    def read(
        self, piece: PlacedValue | list[PlacedValue], builder: TranscriptBuilder
    ) -> Transcript:
        """The messages in order."""
        if isinstance(piece, list):
            self._add_all(piece, builder)
            return builder.build()
        row = object_at(piece[0])
        messages = self.messages_of(row, piece[1])
        if not messages:
            raise NO_MESSAGES.error(piece[1])
        self._add_all(messages, builder)
        return builder.build(**self.known_of(row, builder))

    def _add_all(
        self, placed: Iterable[PlacedValue], builder: TranscriptBuilder
    ) -> None:
        """Add messages; what is said by nobody known is left out."""
        for item, place in placed:
            role = builder.speaker(item, place, role_of=self.role_of)
            if role is not None:
                self.add_message(item, role, place, builder)


class ExportReader(Reader):
    """Base of the exports of chat programs: a list of conversations, or one of them."""

    expected: ClassVar[str]
    """What the file should have held, for the error: completes "... was expected"."""
    missing: ClassVar[str]
    """The error for an entry that is no conversation."""

    @abstractmethod
    def is_conversation(self, item: object) -> bool:
        """Return whether a JSON value is a conversation of this program. Never raises."""

    @abstractmethod
    def read_conversation(
        self, item: dict[str, Any], builder: TranscriptBuilder
    ) -> dict[str, Any]:
        """Add the messages of a conversation; returns what else is known of it (fields of a transcript)."""

    def recognise(self, document: Document) -> bool:
        """Return whether at least half of the entries are conversations of this program."""
        return at_least_half(document.heads, self.is_conversation)

    def conversations(self, document: Document) -> Sequence[Any]:
        """Every entry of the list, or the one object."""
        items = [document.object] if document.object else document.items
        if not any(map(self.is_conversation, items)):
            raise mismatch_error(self.expected, document)
        return items

    def read(self, piece: Any, builder: TranscriptBuilder) -> Transcript:
        """The conversation of one entry."""
        if not self.is_conversation(piece):
            raise TranscriptError(Said(self.missing), remedy=EXPORT_AGAIN)
        return builder.build(**self.read_conversation(piece, builder))


def rows(document: Document, expected: str) -> list[PlacedValue]:
    """The rows of a document with their places; the place of a file that is a single object is empty.

    Raises :class:`TranscriptError`, that ``expected`` was expected, if it has none.
    """
    if document.object:
        return [(document.object, "")]
    if not document.items:
        raise mismatch_error(expected, document)
    return document.placed


def are_mostly(document: Document, is_row: Callable[[dict[str, Any]], bool]) -> bool:
    """Return true if more than half of the first rows are such, so that no two kinds of
    rows can claim the same file."""
    head = document.items[:HEAD_ITEMS] or [document.object]
    fitting = [row for row in head if isinstance(row, dict) and is_row(row)]
    return 2 * len(fitting) > len(head)


def require_object(row: object, place: str) -> dict[str, Any]:
    """The row, which has to be an object. Raises :class:`TranscriptError` for anything else."""
    if not isinstance(row, dict):
        raise NO_OBJECT.error(place, kind=_(kind_of(row)))
    return row


def place_inside(place: str, part: str) -> str:
    """The place of a part of a row: "line 4, index 2"."""
    return f"{place}, {part}" if place else part


def add_places(items: Iterable[Any], unit: str = "index") -> list[PlacedValue]:
    """The items of a list inside a file, each with its place: "index 3"."""
    return [(item, f"{unit} {index}") for index, item in enumerate(items)]


def require_list(row: Mapping[str, Any], key: str, what: str, place: str) -> list[Any]:
    """The list under a key of a row. Raises :class:`TranscriptError`, that ``what`` was expected, for anything else."""
    items = row.get(key)
    if not isinstance(items, list):
        raise NOT_FOUND.error(place, expected=_(what), found=describe(row))
    return items


def add_messages(
    items: object,
    place: str,
    builder: TranscriptBuilder,
    part: str = "",
    start: int = 0,
) -> None:
    """Add a list of messages in the shape of the OpenAI chat API, which is in this ``part`` of a row, from ``start``.

    Raises :class:`TranscriptError` if it is no list.
    """
    if not isinstance(items, list):
        where = place_inside(place, part) if part else place
        raise NO_LIST.error(where, kind=_(kind_of(items)))
    for index, item in enumerate(items[start:], start):
        builder.add_json(item, place_inside(place, f"{part} index {index}".lstrip()))


TOOL_LISTS = (
    ("tools",),
    ("functions",),
    ("toolConfig", "tools"),
    ("toolConfig", "functions"),
)
"""Where requests of OpenAI, Anthropic, Google and Cohere have them, and of Amazon Bedrock."""
DECLARATIONS = ("functionDeclarations", "function_declarations")
"""Where one tool of Google holds several functions."""


def tool_schemas(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Each schema as compact JSON text, as it stands in ``request`` (under ``toolConfig`` for Amazon Bedrock), without
    what OpenAI wraps around a function; none where there are none. What is no object is passed over."""
    schemas = []
    for path in TOOL_LISTS:
        for tool in objects_at(request, *path):
            schemas += _functions(tool)
    return tuple(
        json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        for schema in filter(None, schemas)
    )


def _functions(tool: dict[str, Any]) -> list[dict[str, Any]]:
    declared = [schema for key in DECLARATIONS for schema in list_at(tool, key)]
    if declared:
        return objects_at(declared)
    return [object_at(tool, "function") or tool]
