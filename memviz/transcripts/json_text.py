"""Parses JSON and JSON lines from untrusted text; errors say the line and what to do."""

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from memviz.core.bounds import is_deeper
from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.translation import Said, _, noop
from memviz.transcripts.import_notes import ImportNotes, Refusal
from memviz.transcripts.limits import Limits

WHITE_SPACE = (
    " \t\r\n\ufeff"  # with the byte-order marks that joined files carry in the middle
)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_CUT_OFF = re.compile(
    r"[-+.\w\\]{0,10}\s*"
)  # at most a piece of a number, a literal or an escape is left
_HEX_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9a-fA-F]{2})")
"""An escape that JSON does not know, as Telegram writes control characters: ``\\x0B``."""
_PYTHON_TEXT = re.compile(r"[\[{(]\s*(\{\s*)?('|None|True|False)")
COLUMN = noop("line {line}, column {column}")
INCOMPLETE = noop("The file is incomplete: export or download it again.")
ENCODED_TWICE = Refusal(
    noop("{where} a text that holds JSON: it was encoded twice."),
    noop("Decode it once (json.loads), and save the result with json.dump."),
)
NO_JSON = Refusal(
    noop("this is not JSON: {msg}, found {found!r}."),
    noop("Correct the file, or export it again."),
    "JSON",
)
PYTHON = Refusal(
    noop("this is Python, not JSON."),
    noop("Write it with json.dumps instead of print or str."),
    "JSON",
)
SEVERAL_VALUES = Refusal(
    noop("one JSON value ends here and another one begins."),
    noop("Write one value a line, or put all of them into one list."),
    "JSON",
)
TOO_DEEP = Refusal(
    noop(
        "lists and objects are nested more than {max_depth} deep, as in no conversation."
    ),
    noop("Check that this is the right file. If it is, raise MEMVIZ_IMPORT_DEPTH."),
    "JSON",
)
TOO_MANY_DIGITS = Refusal(
    noop("a number has {digits:,} digits, too many to read."),
    noop("Put it in quotes, or remove it."),
    "JSON",
)
CUT_LINE = noop(
    "imported {imported} of {all} lines: line {line} ends in the middle of a message"
)
HEX_ESCAPES = noop(
    "escapes that JSON does not know, such as \\x0B, were read as the characters they name"
)
KINDS: dict[type, str] = {
    type(None): "null",
    bool: noop("true or false"),
    str: noop("a text"),
    int: noop("a number"),
    float: noop("a number"),
    list: noop("a list"),
    dict: noop("an object"),
}
"""JSON values in words."""
NOT_FINITE = noop("numbers that JSON does not know (NaN, Infinity) were read as null")
SURROGATES = noop(
    "halves of surrogate pairs, which no text can hold, were replaced by U+FFFD"
)


class _CutOffError(TranscriptError):
    """The text ends in the middle of a value."""


CUT_STRING = Refusal(
    noop("the text ends inside the string that starts here."),
    INCOMPLETE,
    "JSON",
    _CutOffError,
)
CUT_OFF = Refusal(
    noop("the text ends where more should follow ({msg})."),
    INCOMPLETE,
    "JSON",
    _CutOffError,
)


@dataclass(eq=False)
class JsonParser:
    """Parses strictly what JSON allows. What only Python's parser allows, such as NaN, is repaired and noted."""

    notes: ImportNotes
    max_depth: int = Limits().depth

    @cached_property
    def _decoder(self) -> json.JSONDecoder:
        return json.JSONDecoder(
            parse_constant=self._refuse_not_finite, parse_float=self._read_float
        )

    def parse(self, text: str, line: int = 1) -> Any:
        """The value of a whole JSON text whose first line is line number ``line`` of the file."""
        try:
            value = self._decoder.decode(text)
        except json.JSONDecodeError as error:
            known_escapes = _HEX_ESCAPE.sub(r"\1\\u00\2", text)
            if "escape" not in error.msg or known_escapes == text:
                raise _syntax_error(text, error, line) from None
            value = self.parse(known_escapes, line)
            self.notes.add(HEX_ESCAPES)
            return value
        except RecursionError:
            raise _too_deep_error(line, self.max_depth) from None
        except ValueError:
            # The only one left: Python refuses to read a number of so many digits.
            raise _too_long_number_error(text, line) from None
        # Nothing is nested deeper than it has brackets, and these are counted in no time.
        brackets = text.count("[") + text.count("{")
        if brackets > self.max_depth and is_deeper(value, self.max_depth):
            raise _too_deep_error(line, self.max_depth)
        if _SURROGATE_ESCAPE.search(text):
            return self._replace_surrogates(value)
        return value

    def parse_lines(self, text: str) -> tuple[tuple[int, Any], ...]:
        """The values of a JSON lines text with their line numbers; blank lines are passed over.

        A last line that was cut off is left out and noted.
        """
        stripped = (line.strip(WHITE_SPACE) for line in text.split("\n"))
        lines = [(number, line) for number, line in enumerate(stripped, 1) if line]
        rows = []
        for number, line in lines:
            try:
                rows.append((number, self.parse(line, number)))
            except _CutOffError:
                is_last = len(rows) == len(lines) - 1
                if not rows or not is_last:
                    raise
                cut = Said(CUT_LINE, imported=len(rows), all=len(lines), line=number)
                self.notes.add(cut)
        return tuple(rows)

    def _replace_surrogates(self, value: Any) -> Any:
        before = json.dumps(value, ensure_ascii=False)
        after = clean_text(before)
        if after == before:
            return value
        self.notes.add(SURROGATES)
        return self._decoder.decode(after)

    def _read_float(self, digits: str) -> float | None:
        number = float(digits)
        if math.isfinite(number):
            return number
        self._refuse_not_finite(digits)
        return None

    def _refuse_not_finite(self, _name: str) -> None:
        self.notes.add(NOT_FINITE)


def looks_like_lines(text: str) -> bool:
    """Return whether the first line that is not blank is a JSON object or list of its own, and others follow."""
    first, _newline, rest = text.lstrip(WHITE_SPACE).partition("\n")
    if not first.startswith(("{", "[")) or not rest:
        return False
    try:
        return isinstance(json.loads(first), (dict, list))
    except (ValueError, RecursionError):
        return False


def is_json_text(value: object) -> bool:
    """Return whether a JSON value is a text that looks like JSON itself."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return text.startswith(("[{", "{", '["')) and text.endswith(("]", "}"))


def encoded_twice_error(where: str) -> TranscriptError:
    """The error for such a text where an object or a list should stand; ``where`` completes "... a text"."""
    return ENCODED_TWICE.error(where=_(where))


def kind_of(value: object) -> str:
    """Return what a JSON value is, in English words that ``_`` translates."""
    return KINDS.get(type(value), type(value).__name__)


def describe(value: object) -> str:
    """A JSON value in a few words, with the keys of an object: for "found ..."."""
    if isinstance(value, list):
        if not value:
            return _("an empty list")
        return _(
            "a list of {count} that starts with {first}",
            count=len(value),
            first=describe(value[0]),
        )
    if isinstance(value, dict):
        keys = ", ".join(repr(key[:40]) for key in islice(value, 6))
        return _("an object with {keys}", keys=keys) if keys else _("an empty object")
    return _(kind_of(value))


def _syntax_error(text: str, error: json.JSONDecodeError, line: int) -> TranscriptError:
    excerpt = text[error.pos : error.pos + 20].split("\n")[0]
    refusal = NO_JSON
    if _PYTHON_TEXT.match(text.lstrip(WHITE_SPACE)):
        refusal = PYTHON
    elif error.msg.startswith("Unterminated string"):
        refusal = CUT_STRING
    elif error.msg == "Extra data":
        refusal = SEVERAL_VALUES
    elif error.pos > 0 and _CUT_OFF.fullmatch(text, error.pos):
        refusal = CUT_OFF
    place = _(COLUMN, line=line + error.lineno - 1, column=error.colno)
    return refusal.error(place, msg=error.msg, found=excerpt)


def _too_deep_error(line: int, max_depth: int) -> TranscriptError:
    place = _("from line {line} on", line=line)
    return TOO_DEEP.error(place, max_depth=max_depth)


def _too_long_number_error(text: str, line: int) -> TranscriptError:
    number = max(
        re.finditer(r"\d+", text), key=lambda match: match.end() - match.start()
    )
    line += text.count("\n", 0, number.start())
    column = number.start() - text.rfind("\n", 0, number.start())
    place = _(COLUMN, line=line, column=column)
    return TOO_MANY_DIGITS.error(place, digits=len(number[0]))
