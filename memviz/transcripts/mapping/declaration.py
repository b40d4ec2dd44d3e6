"""A mapping as a value, and as a small YAML file: where the rows lie, who speaks, text, time, conversation, order."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.plain_yaml import PlainYamlError, composed, constructed
from memviz.core.translation import _, noop
from memviz.transcripts.import_notes import Refusal

MAX_YAML_BYTES = 100_000
MAX_LEVELS = 12
MAX_PATH_CHARS = 800
MAX_PATHS = 50
UNREADABLE = Refusal(
    noop("the mapping cannot be read: {problem}."),
    noop("Compare it with the examples in docs/mapping.md."),
)


def _as_word_list(value: object) -> object:
    """Return one text as the only one of several; numbers and truth values as the words that they are in JSON."""
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(_as_word(item) for item in items)


def _as_word(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else value


def _as_path(value: object) -> object:
    return str(value) if isinstance(value, int) else value


AnyPath = Annotated[str, BeforeValidator(_as_path), Field(max_length=MAX_PATH_CHARS)]
Words = Annotated[
    tuple[Annotated[str, Field(max_length=MAX_PATH_CHARS)], ...],
    BeforeValidator(_as_word_list),
    Field(max_length=MAX_PATHS),
]
Role = Literal["user", "assistant", "system", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")


class _Declared(BaseModel):
    """A part of a mapping: unknown names are errors, values never change."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)


class Speaker(_Declared):
    """The field that says who speaks, and the words that it has for each role."""

    field: AnyPath = "role"
    """Path of the field that names the speaker."""
    user: Words = ()
    assistant: Words = ()
    system: Words = ()
    tool: Words = ()
    skip: Words = ()
    """Words of notices that nobody says; their rows are passed over."""
    bot: AnyPath = ""
    """Path that leads to something (``true``) where a program speaks, which is the user only where no person is."""
    others: Literal["known", "first_is_user", "user", "assistant", "skip"] = "known"
    """Who everybody else is: a role by its usual names (``known``), the user for the first of them to speak and the
    assistant for any other (``first_is_user``), or one of them always."""


class Usage(_Declared):
    """Paths of the numbers of tokens that a log recorded for a reply."""

    input: AnyPath = ""
    output: AnyPath = ""
    cache_read: AnyPath = ""
    cache_write: AnyPath = ""


class People(_Declared):
    """The list of those who speak, by which ids become names."""

    file: str = Field(default="", max_length=120)
    """The file of an archive that holds the list: its parts are then read as one object, with their rows under
    ``messages`` and this list under ``people``."""
    at: AnyPath = "people.*"
    """Path from a conversation to each person."""
    id: AnyPath = "id"
    """Path of the word that stands for the person in a row, and of the name."""
    name: AnyPath = "name"


class Saying(_Declared):
    """Messages that a row holds."""

    at: AnyPath = ""
    """Path from the row to the messages; empty where the row is one."""
    where: dict[AnyPath, Words | None] = {}
    """What a row has to hold: one of these words under each path, anything for an empty list; ``null`` where it must
    hold nothing, an empty word where it may."""
    skip: bool = False
    """Rows that hold it say nothing: they are passed over."""
    role: Role | None = None
    """Who speaks, where it is always the same."""
    speaker: Speaker | None = None
    """Who speaks, by a field."""
    chat: bool = False
    """The value is a message, a response or a list of them as an API writes it, of whichever vendor."""
    text: Words = ()
    """Paths of what is said, in order: a text, or parts such as texts, tool calls and results."""
    join: str = Field(default="\n", max_length=20)
    """What stands between the pieces of one text; what other paths lead to stands on lines of its own."""
    time: AnyPath = ""
    name: AnyPath = ""
    """Path of the name of the speaker or of the tool."""
    thoughts: AnyPath = ""
    calls: AnyPath = ""
    """Path of the tool calls, or of one."""
    answers: AnyPath = ""
    """Path of the id of the tool call that the message answers."""
    usage: Usage | None = None
    cache_break: AnyPath = ""
    """Path of the reason why a provider's cache did not hold, such as ``ttl_expired``."""
    say: tuple[Saying, ...] = ()
    """Where a row holds several messages: what says each of them, in order."""


class Detection(_Declared):
    """The marks by which a file of this shape is known."""

    file: Words = ()
    """Paths that lead to something in the file."""
    rows: Words = ()
    """Paths that lead to something in most rows."""
    texts: Words = ()
    """Paths that lead to texts in most rows."""
    some: Words = ()
    """Paths that lead to something in one row or more."""
    where: dict[AnyPath, Words | None] = {}
    """What most rows hold, as in :attr:`Saying.where`."""
    without: dict[AnyPath, Words | None] = {}
    """What no row holds."""
    columns: Words = ()
    """The columns of a table, all of which are there."""
    over: Words = ()
    """Formats that would read such a file as well, and less of it."""


class FileMapping(Saying):
    """The declaration of where the conversations of a file lie, and how their messages are read."""

    format: str = Field(default="mapped", pattern=r"^[a-z][a-z0-9_]{0,39}$")
    """The id of the format."""
    title: str = Field(default="A log with a mapping", max_length=120)
    detect: Detection | None = None
    files: str = Field(default="", max_length=120)
    """The names of files of an archive that are parts of one conversation, such as ``message_*.json``."""
    prepare: Literal[
        "",
        "aider",
        "bedrock_log",
        "bedrock_stream",
        "cherry_studio",
        "copilot_chat",
        "cursor",
        "lm_studio",
    ] = ""
    """What makes rows of a file that has none."""
    table: str = Field(default="", max_length=200)
    """The table of a database that holds the rows; without it, the only one with these columns."""
    conversations: AnyPath = ""
    """Path from the file to each conversation; empty where the file is one."""
    rows: AnyPath = "*"
    """Path from a conversation to its rows."""
    conversation: AnyPath = ""
    """Path of the field by which rows of one conversation are known."""
    order: AnyPath = ""
    """Path of the field by which rows are sorted; with a minus in front the largest comes first."""
    reverse: bool = False
    """The newest row comes first in the file."""
    titled: AnyPath = ""
    """Path of the title, from a conversation or from its first row."""
    held_at: AnyPath = ""
    system: AnyPath = ""
    """Path of the system prompt, from a conversation or from its first row."""
    tools: AnyPath = ""
    """Path of the request that offers tools to the model, from the first row of a conversation."""
    elsewhere: dict[AnyPath, AnyPath] = {}
    """Where a row may say that its text lies in another file, and where that text belongs: rows that have the first and
    nothing under the second are counted, and said."""
    requests: Literal["", "whole", "turns"] = ""
    """Each row is a request with everything said before it: what comes again is read once. ``turns``: a row may
    also hold only what is new."""
    people: People | None = None
    mojibake: bool = False
    """Texts are UTF-8 that was read as Latin-1, as in exports of Messenger."""

    @property
    def speaker_of_people(self) -> Speaker | None:
        """Return the field of the speaker where the first of any people is the user; ``None`` for any other."""
        speaker = self.speaker
        is_of_people = speaker is not None and speaker.others == "first_is_user"
        return speaker if is_of_people else None

    @property
    def sayings(self) -> tuple[Saying, ...]:
        """Return what each row says: the mapping itself where it names no others."""
        return self.say or (self,)

    def to_yaml(self) -> str:
        """Return the mapping as YAML, without what is as by default. :func:`read_mapping` reads it."""
        value = self.model_dump(mode="json", exclude_defaults=True)
        return yaml.safe_dump(
            _shorten_lists(value), sort_keys=False, allow_unicode=True
        )


def _shorten_lists(value: Any) -> Any:
    """Return the declaration as people write it: a list of one as its only item."""
    if isinstance(value, dict):
        return {key: _shorten_lists(inner) for key, inner in value.items()}
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], str):
            return value[0]
        return [_shorten_lists(inner) for inner in value]
    return value


def read_mapping(source: str | bytes | Path) -> FileMapping:
    """Return the mapping that a YAML text, its bytes or a file (a path) declares.

    Raises :class:`TranscriptError` with the name in it that is wrong.
    """
    place = ""
    if isinstance(source, Path):
        place = source.name
        try:
            with source.open("rb") as file:
                source = file.read(MAX_YAML_BYTES + 1)
        except OSError as error:
            raise _refusal_error(str(error.strerror), place) from None
    content = source.encode("utf-8", "replace") if isinstance(source, str) else source
    if len(content) > MAX_YAML_BYTES:
        raise _refusal_error(_("it is larger than any mapping"), place)
    try:
        node = composed(content, MAX_LEVELS, "a mapping has few levels")
        value = constructed(node) if node is not None else {}
    except (PlainYamlError, UnicodeDecodeError) as error:
        line = getattr(error, "line", 0)
        where = f"{place}, line {line}".lstrip(", ") if line else place
        raise _refusal_error(clean_text(str(error))[:200], where) from None
    return read_declaration(value, place)


def read_declaration(value: object, place: str = "") -> FileMapping:
    """Return the mapping that a plain value declares. Raises :class:`TranscriptError`."""
    if not isinstance(value, dict) or not value:
        raise _refusal_error(_("it names no field of a mapping"), place)
    try:
        return FileMapping.model_validate(value)
    except ValidationError as error:
        raise _refusal_error(_describe_error(error), place) from None
    except RecursionError:
        raise _refusal_error(_("it is nested too deeply"), place) from None


def _describe_error(error: ValidationError) -> str:
    """Return what is wrong with the first field of a mapping that is, in memviz's own words."""
    first = error.errors(include_url=False, include_input=False)[0]
    name = ".".join(str(part)[:40] for part in first["loc"][:6] if part != "[key]")
    context = first.get("ctx", {})
    return _(
        WRONG.get(first["type"], ANY_WRONG),
        name=clean_text(name),
        most=context.get("max_length", 0),
        words=context.get("expected", "").replace("'", "").replace(" or ", ", "),
    )


ANY_WRONG = noop("{name} has a value that it cannot have")
WRONG = {
    "extra_forbidden": noop("{name} is no field of a mapping"),
    "bool_type": noop("{name} has to be true or false"),
    "bool_parsing": noop("{name} has to be true or false"),
    "string_type": noop("{name} has to be a text"),
    "string_too_long": noop("{name} is too long: at most {most} are read"),
    "too_long": noop("{name} is too long: at most {most} are read"),
    "literal_error": noop("{name} has to be one of {words}"),
    "dict_type": noop("{name} has to be fields with their values"),
    "model_type": noop("{name} has to be fields with their values"),
    "tuple_type": noop("{name} has to be a list"),
    "string_pattern_mismatch": noop(
        "{name} has to be small letters, digits and underscores"
    ),
}
"""What is said of a value that does not fit, by the kind of pydantic's error."""


def _refusal_error(problem: str, place: str) -> TranscriptError:
    return UNREADABLE.error(place, problem=problem)


@lru_cache(maxsize=2_000)
def fold_words(words: Words) -> frozenset[str]:
    """Return words as they are compared, in lower case without spaces around them:
    ``(" Agent",)`` -> ``{"agent"}``."""
    return frozenset(word.strip().casefold() for word in words)
