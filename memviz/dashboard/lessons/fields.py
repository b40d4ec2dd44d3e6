"""The fields of a lesson file, each with the place that an error names: file, line, step and field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn, TypeVar

import yaml

from memviz.core.bounds import (
    LARGEST_NUMBER,
    MAX_QUOTED_CHARS,
    is_whole_number,
    quoted,
)
from memviz.core.errors import LessonError
from memviz.core.plain_yaml import PlainYamlError, composed, constructed
from memviz.core.text.wording import counted, listed
from memviz.core.translation import _, noop
from memviz.dashboard.lessons.lesson import LANGUAGES, Text
from memviz.dashboard.lessons.markdown import describe_forbidden_parts

T = TypeVar("T")
MAX_BYTES = 500_000
"""The size of a file at most: a lesson of sixty steps in two languages has a tenth of it."""
_YAML_HINT = noop(
    "put texts with a colon, a comma, a question mark or a # in quotes, and indent with spaces."
)
_KINDS = {
    yaml.SequenceNode: noop("a list"),
    yaml.MappingNode: noop("a mapping"),
    yaml.ScalarNode: noop("a single value"),
}
_MAPPING = noop("is {kind}; it has to be a mapping of names to values.")
_LIST = noop("is {kind}; it has to be a list.")
_TEXT = noop("is {kind}; it has to be a text.")
_TEXTS = noop("is {kind}; it has to be a text, or one for each of {languages}.")
"""What is said of a value of another kind than its field has."""
_LEVELS_WORDS = noop("a lesson is eight levels deep")
MOST_LISTED = 20
_NULL = "tag:yaml.org,2002:null"
_SPACES = dict.fromkeys(map(ord, "\n\t\u3000\xa0"), " ")
"""White space that a text may have, though it is not printable."""


@dataclass(frozen=True, slots=True)
class Field:
    """A value of the file. ``place`` says where it stands: "step 2, view: turn"."""

    file: str
    node: yaml.Node
    place: str = ""

    def fail(self, problem: str) -> NoReturn:
        """Raise :class:`LessonError` for this field."""
        raise LessonError(
            self.file, problem, line=self.node.start_mark.line + 1, place=self.place
        )

    def at(self, name: str, node: yaml.Node) -> Field:
        """Return a field within this one."""
        place = f"{self.place}: {name}" if self.place else name
        return Field(self.file, node, place)

    def fields(
        self, known: Collection[str], required: Sequence[str] = ()
    ) -> dict[str, Field]:
        """The fields of a mapping by name; those without a value are left out. Raises :class:`LessonError`."""
        named = dict(self._named(100))
        for name, field in named.items():
            if name not in known:
                self._fail_unknown(field, known)
        filled = {name: field for name, field in named.items() if not field._is_empty}
        for name in required:
            if name not in filled:
                self.fail(_("has no {name}; it needs one.", name=name))
        return filled

    def entries(self, at_most: int = 100) -> Iterator[tuple[str, Field]]:
        """The entries of a mapping whose names may be any; those without a value are left out."""
        for name, field in self._named(at_most):
            if not field._is_empty:
                yield name, field

    @property
    def _is_empty(self) -> bool:
        return self.node.tag == _NULL

    def _fail_unknown(self, field: Field, known: Collection[str]) -> NoReturn:
        if (
            field._is_empty
            and isinstance(self.node, yaml.MappingNode)
            and self.node.flow_style
        ):
            field.fail(
                _(
                    "is no field, but the end of a text with a comma; put the text in quotes."
                )
            )
        field.fail(_("is unknown; known are {names}.", names=listed(known)))

    def _named(self, at_most: int) -> Iterator[tuple[str, Field]]:
        self._require(yaml.MappingNode, _MAPPING)
        if len(self.node.value) > at_most:
            self.fail(
                _(
                    "has {count:,} entries; at most {at_most} are read.",
                    count=len(self.node.value),
                    at_most=at_most,
                )
            )
        names = set[str]()
        for key, value in self.node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.fail(_("has a list or a mapping as a name; names are words."))
            name = str(key.value)[:MAX_QUOTED_CHARS]
            if name in names:
                self.at(name, key).fail(_("is there twice; keep one of them."))
            names.add(name)
            yield name, self.at(name, value)

    def each(
        self, noun: str, read: Callable[[Field], T], at_most: int, at_least: int = 1
    ) -> tuple[T, ...]:
        """Return the entries of a list as ``read`` has them. An error names an entry by ``noun`` and its number from
        1."""
        self._require(yaml.SequenceNode, _LIST)
        count = len(self.node.value)
        if not at_least <= count <= at_most:
            self.fail(
                _(
                    "has {entries}; allowed are {at_least} to {at_most}.",
                    entries=counted(count, "entry"),
                    at_least=at_least,
                    at_most=at_most,
                )
            )
        above = f"{self.place.rpartition(': ')[0]}, ".lstrip(", ")
        values = []
        for number, node in enumerate(self.node.value, 1):
            values.append(read(Field(self.file, node, f"{above}{noun} {number}")))
        return tuple(values)

    def word(self, allowed: Collection[str]) -> str:
        """One of the allowed words."""
        text = self.line(MAX_QUOTED_CHARS)
        if text not in allowed:
            self.fail(
                _(
                    "is {text}; {allowed}.",
                    text=quoted(text),
                    allowed=_allowed_words(text, allowed),
                )
            )
        return text

    def line(self, most_chars: int) -> str:
        """A text on one line. Words such as Yes and 12 are texts here."""
        self._require(yaml.ScalarNode, _TEXT)
        text = " ".join(str(self.node.value).split())
        self._judge_text(text, most_chars)
        return text

    def markdown(self, most_chars: int) -> str:
        """A text in Markdown without HTML, images and links."""
        self._require(yaml.ScalarNode, _TEXT)
        text = str(self.node.value).strip("\n")
        self._judge_text(text, most_chars)
        forbidden = describe_forbidden_parts(text)
        if forbidden:
            self.fail(
                _(
                    "holds {found}; texts of lessons are Markdown without HTML, images and links, so take it out.",
                    found=_(forbidden),
                )
            )
        return text

    def text(self, most_chars: int, *, is_markdown: bool = False) -> Text:
        """A text in one language or two: ``{en: …, zh: …}``, or a plain text, which counts as English."""
        read = Field.markdown if is_markdown else Field.line
        if isinstance(self.node, yaml.ScalarNode):
            return Text(en=read(self, most_chars))
        self._require(yaml.MappingNode, _TEXTS)
        fields = self.fields(tuple(LANGUAGES))
        texts = {name: read(field, most_chars) for name, field in fields.items()}
        if not texts:
            self.fail(
                _("has no text; give one in {languages}.", languages=listed(LANGUAGES))
            )
        return Text(**texts)

    def number(self, least: int, most: int) -> int:
        """A whole number within these bounds."""
        value: int = self.value()
        if not is_whole_number(value) or not least <= value <= most:
            self.fail(
                _(
                    "is {value}; it has to be a whole number from {least:,} to {most:,}.",
                    value=quoted(value),
                    least=least,
                    most=most,
                )
            )
        return value

    def amount(self, least: float, most: float) -> float:
        """Return any number from ``least`` to ``most``."""
        value = self.value()
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not least <= value <= most
        ):
            self.fail(
                _(
                    "is {value}; it has to be a number from {least:,.0f} to {most:,.0f}.",
                    value=quoted(value),
                    least=least,
                    most=most,
                )
            )
        return float(value)

    def value(self) -> Any:
        """The plain value: a number, a text, a list of such."""
        try:
            value = constructed(self.node)
        except PlainYamlError as error:
            self.fail(
                _("cannot be read ({error}); give a number or a text.", error=error)
            )
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            self.fail(_("is a number that is far too large."))
        return value

    def scalars(self) -> tuple[tuple[str, float | bool | str], ...]:
        """Return the names in this field with their values, each a number, a text, true or false."""
        values = []
        for name, entry in self.entries():
            value = entry.value()
            if not isinstance(value, int | float | str):
                entry.fail(_("is no number, no text, and neither true nor false."))
            values.append((name, value))
        return tuple(values)

    def _judge_text(self, text: str, most_chars: int) -> None:
        if not text.strip():
            self.fail(_("is empty; it has to be a text."))
        if len(text) > most_chars:
            self.fail(
                _(
                    "has {count:,} characters; at most {most:,} are read.",
                    count=len(text),
                    most=most_chars,
                )
            )
        # Marks that reorder the text around them (U+202A to U+2069) are not printable either.
        if not text.translate(_SPACES).isprintable():
            self.fail(_("holds a character that cannot be seen; write the text anew."))

    def _require(self, kind: type[yaml.Node], problem: str) -> None:
        """Raise :class:`LessonError` with the ``problem``, a template, unless the value is of this kind."""
        if not isinstance(self.node, kind):
            own_kind = _(_KINDS[type(self.node)])
            self.fail(_(problem, kind=own_kind, languages=listed(LANGUAGES)))


def _allowed_words(text: str, allowed: Collection[str]) -> str:
    """The allowed words, or of very many those that are near."""
    near = get_close_matches(text, allowed, 4, 0.4)
    if len(allowed) <= MOST_LISTED or not near:
        return _("allowed are {words}", words=listed(allowed))
    return _(
        "perhaps {words} is meant, of {count} that there are",
        words=_(" or ").join(near),
        count=len(allowed),
    )


Readers = Mapping[str, Callable[[Field], Any]]
"""The function that reads each field of a mapping, by the field's name."""


def read_each(
    noun: str, read: Callable[[Field], T], at_most: int, at_least: int = 1
) -> Callable[[Field], tuple[T, ...]]:
    """Return a function that reads a list, see :meth:`Field.each`."""
    return lambda field: field.each(noun, read, at_most, at_least)


def read_word(allowed: Collection[str]) -> Callable[[Field], str]:
    """Return a function that reads one of the allowed words."""
    return partial(Field.word, allowed=allowed)


def read_number(least: int, most: int) -> Callable[[Field], int]:
    """Return a function that reads a whole number within these bounds."""
    return partial(Field.number, least=least, most=most)


def read_root(content: bytes | str, file: str) -> Field:
    """Return the whole of a YAML text as a field, whose errors call it ``file``. Raises :class:`LessonError`."""
    if isinstance(content, str):
        content = content.encode("utf-8", "replace")
    if len(content) > MAX_BYTES:
        raise LessonError(
            file,
            _(
                "has more than {most:,} bytes; a lesson is a short YAML file.",
                most=MAX_BYTES,
            ),
        )
    try:
        root = composed(content, 20, _(_LEVELS_WORDS))
    except UnicodeDecodeError:
        raise LessonError(
            file, _("is not a text in UTF-8; a lesson is a YAML file.")
        ) from None
    except PlainYamlError as error:
        raise LessonError(
            file,
            _(
                "is not valid YAML: {error}; {hint}",
                error=error,
                hint=_(_YAML_HINT),
            ),
            line=error.line,
        ) from None
    if root is None:
        raise LessonError(file, _("is empty; a lesson has a title and steps."))
    return Field(file, root)


def read_mapping(
    field: Field, readers: Readers, required: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what the fields of a mapping say, by their names; it may have no others."""
    return read_values(field.fields(readers, required), readers)


def read_values(fields: Mapping[str, Field], readers: Readers) -> dict[str, Any]:
    """Return what the fields say that are there, by their names."""
    values = {}
    for name, read in readers.items():
        if name in fields:
            values[name] = read(fields[name])
    return values
