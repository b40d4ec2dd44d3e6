"""Fields of stored records, described once: what is expected of the JSON, what is made of it, how it is written.

A record is a frozen dataclass whose fields have these types. pydantic reads it, over the log and the summaries that it
is about, and refuses what names something that is not there.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    GetPydanticSchema,
    PlainSerializer,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WrapValidator,
)
from pydantic_core import core_schema

from memviz.core.forms import FORMS, InTurn, Superseded
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.pieces import Piece, Place, from_json, to_json
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import _
from memviz.models.base import Usage
from memviz.strategies.base import Strategy

T = TypeVar("T")


class DamagedRecordError(ValueError):
    """A stored record is not what it has to be. The text says where and what."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The surroundings that a record is read over."""

    space: MemorySpace
    strategy: Strategy
    """The one that the record was made under."""
    counts: Mapping[str, int]
    """How many turns, messages, summaries and summarizations a record can name."""
    compactions: Sequence[Any] = ()


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter_of(kind: type) -> TypeAdapter[Any]:
    # Made when the first record is read or written: making one takes milliseconds.
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def read(
    kind: type[T],
    value: object,
    over: Reading | Mapping[str, int],
    *place: object,
) -> T:
    """Return the ``kind`` of record that is stored as ``value`` at ``place``. Raises :class:`DamagedRecordError`."""
    try:
        found: T = _adapter_of(kind).validate_python(value, context=over)
    except ValidationError as error:
        # Conversations do not belong into the texts of errors.
        first = error.errors(
            include_url=False, include_context=False, include_input=False
        )[0]
        where = ".".join(map(str, (*place, *first["loc"])))
        raise DamagedRecordError(f"{where}: {first['msg']}") from error
    return found


def write(value: object) -> dict[str, Any]:
    """Return a record as JSON."""
    adapter = _adapter_of(type(value))
    fields: dict[str, Any] = adapter.dump_python(value, mode="json", by_alias=True)
    return fields


def read_as(shape: Any, build: Callable[[Any, Any], Any]) -> GetPydanticSchema:
    """Read a value of this ``shape`` first, and ``build`` the field from it and from what the record is read over."""

    def build_field(value: Any, info: ValidationInfo[Any]) -> Any:
        try:
            return build(value, info.context)
        except TypeError as error:
            raise ValueError(str(error)) from error

    return GetPydanticSchema(
        lambda _, handler: core_schema.with_info_after_validator_function(
            build_field, handler.generate_schema(shape)
        )
    )


def _keep_as_is(value: Any, check: Callable[[Any], Any]) -> Any:
    check(value)
    return value


def _expect_at_most(what: str, behind: int = 0) -> AfterValidator:
    """Expect a number to be at most that of what there is; with ``behind`` the number that is so many behind it."""

    def expect(number: int, info: ValidationInfo[Any]) -> int:
        over = info.context
        counts = over.counts if isinstance(over, Reading) else over
        if number + behind > counts[what]:
            raise ValueError(
                _(
                    "it names {what} {number}, and there are {there}",
                    what=what,
                    number=number + behind,
                    there=counts[what],
                )
            )
        return number

    return AfterValidator(expect)


NotStored = Annotated[
    T, GetPydanticSchema(lambda *_: core_schema.any_schema()), Field(exclude=True)
]
"""A field that the record is given when it is read."""
Count = Annotated[int, Field(strict=True, ge=0)]
Amount = Annotated[
    float, Field(strict=True, ge=0, allow_inf_nan=False), WrapValidator(_keep_as_is)
]
"""Seconds or dollars. A whole number stays one, so that it is written as it was."""
Text = Annotated[str, Field(strict=True)]
Turn = Annotated[Count, _expect_at_most("turn")]
Position = Annotated[Count, _expect_at_most("message", 1)]
LastPosition = Annotated[int, _expect_at_most("message", 1)]
"""The position of the last message, -1 where there is none."""
Stop = Annotated[Count, _expect_at_most("message")]
Version = Annotated[Count, _expect_at_most("summary")]
CompactionStop = Annotated[Count, _expect_at_most("summarization")]
_WRITTEN_RANGE = PlainSerializer(lambda positions: [positions.start, positions.stop])
Positions = Annotated[
    range, read_as(tuple[Stop, Stop], lambda ends, _: range(*ends)), _WRITTEN_RANGE
]
CompactionNumbers = Annotated[
    range,
    read_as(tuple[CompactionStop, CompactionStop], lambda ends, _: range(*ends)),
    _WRITTEN_RANGE,
]


class MemoryFields(NamedTuple):
    """A memory as :meth:`memviz.core.memory.Memory.to_json` has it."""

    length: Stop
    summary_count: Version
    cursor: Stop
    marks: dict[Text, Stop] | None = None


StoredMemory = Annotated[
    Memory,
    read_as(MemoryFields, lambda value, over: Memory.from_json(over.space, value)),
    PlainSerializer(Memory.to_json),
]
StoredMessage = Annotated[
    Message,
    read_as(dict[Text, Any], lambda value, _: Message.of(value)),
    PlainSerializer(Message.to_dict),
]
StoredUsage = Annotated[
    Usage,
    read_as(dict[Text, Count], lambda value, _: Usage(**value)),
    PlainSerializer(asdict),
]


def _version_of(number: int | None, over: Reading) -> SummaryVersion | None:
    return over.space.summaries.versions[number - 1] if number else None


WrittenVersion = Annotated[
    SummaryVersion | None,
    read_as(Version | None, _version_of),
    PlainSerializer(lambda version: version.version if version else None),
]
"""A summary, stored as its number."""


@lru_cache(maxsize=64)
def _expect_form(text: str) -> None:
    """Raise ValueError unless this is a form. The requests of a run have few different ones."""
    fields = json.loads(text)
    name = fields.pop("form", None)
    if name not in FORMS:
        raise ValueError(_("the form is unknown"))
    known_fields = {field.name for field in dataclass_fields(FORMS[name])}  # type: ignore[arg-type]
    if not fields.keys() <= known_fields:
        raise ValueError(
            _("the form {name} has a field that is unknown", name=repr(name))
        )
    try:
        shape = _OF_FORMS.get(name, FORMS[name])
        TypeAdapter(shape).validate_json(json.dumps(fields), strict=True)
    except ValidationError:
        raise ValueError(
            _("the form {name} has a field with a wrong value", name=repr(name))
        ) from None


def _expect_sound_form(form: dict[str, Any]) -> dict[str, Any]:
    _expect_form(json.dumps(form, sort_keys=True))
    return form


def _tag_of(piece: object) -> object:
    """The name of a piece, with that of a field that not every such piece has: ``messages with a form``."""
    if not isinstance(piece, list | tuple) or not piece:
        return None
    name = str(piece[0])
    needed, last_field = _LAST_FIELDS.get(name, (len(piece), ""))
    return f"{name} with {last_field}" if len(piece) > needed else name


_LAST_FIELDS = {
    "messages": (3, "a form"),
    "picked": (2, "a form"),
    "line": (3, "quotes"),
}
"""How many fields a piece has at least, its name among them, and what may stand behind them."""
_Form = Annotated[dict[Text, Any], AfterValidator(_expect_sound_form)]


@dataclass
class _InTurn:
    forms: list[_Form]


@dataclass
class _Superseded:
    length: Annotated[int, Field(ge=0)]
    older: _Form
    others: _Form | None = None


_OF_FORMS: dict[str, type] = {InTurn.name: _InTurn, Superseded.name: _Superseded}
"""The fields of forms that are made of forms."""
NotesRole = Literal["system", "user", "assistant"]
"""The role of a message of notes."""
_Run = Annotated[list[Position], Field(min_length=1)]
_Quote = tuple[Count, Annotated[Count, _expect_at_most("summary", 1)], float]
_PieceFields = Annotated[
    Annotated[tuple[Text, Stop, Stop], Tag("messages")]
    | Annotated[tuple[Text, Stop, Stop, _Form], Tag("messages with a form")]
    | Annotated[tuple[Text, Version, Version, Place, NotesRole], Tag("notes")]
    | Annotated[tuple[Text, list[Position]], Tag("picked")]
    | Annotated[
        tuple[Text, _Run, _Form] | tuple[Text, _Run, None, _Form],
        Tag("picked with a form"),
    ]
    | Annotated[tuple[Text, StoredMessage, Place], Tag("line")]
    | Annotated[
        tuple[Text, StoredMessage, Place, list[_Quote]], Tag("line with quotes")
    ],
    Discriminator(
        _tag_of,
        custom_error_type="unknown_piece",
        custom_error_message="the piece is unknown",
    ),
]
StoredPiece = Annotated[
    Piece,
    read_as(_PieceFields, lambda value, _: from_json(value)),
    PlainSerializer(to_json),
]


def left_out_where(*values: object) -> Any:
    """Return the mark of a field that is not written where it is one of these values."""
    return Field(exclude_if=lambda value: value in values)
