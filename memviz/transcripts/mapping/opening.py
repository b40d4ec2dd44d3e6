"""Opens values that stand packed in another value, so that a path can lead into them.

:func:`open_value` is called wherever a path of a mapping goes on inside a value: it reads
JSON in a text, OpenTelemetry's attributes, and bytes in the cells of a database. Bytes hold
JSON (also packed with Zstandard) or MessagePack, in which LangGraph keeps its checkpoints.
"""

import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from memviz.core.bounds import MAX_DEPTH
from memviz.core.errors import TranscriptError
from memviz.core.zstandard import inflate_zstandard
from memviz.transcripts.import_notes import ImportNotes
from memviz.transcripts.json_text import JsonParser
from memviz.transcripts.readers.json_access import list_at

Kind = Literal["map", "list", "text", "bytes", "extension"]
CONSTANTS: dict[int, Any] = {
    **{number: number for number in range(0x80)},
    **{number + 0x100: number for number in range(-0x20, 0)},
    0xC0: None,
    0xC2: False,
    0xC3: True,
}
"""The value that a mark is: 5 -> 5, 0xFF -> -1."""
NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
"""The form of a number behind a mark, as ``struct`` names it."""
SIZED: dict[int, tuple[Kind, int]] = {
    0xC4: ("bytes", 1),
    0xC5: ("bytes", 2),
    0xC6: ("bytes", 4),
    0xC7: ("extension", 1),
    0xC8: ("extension", 2),
    0xC9: ("extension", 4),
    0xD9: ("text", 1),
    0xDA: ("text", 2),
    0xDB: ("text", 4),
    0xDC: ("list", 2),
    0xDD: ("list", 4),
    0xDE: ("map", 2),
    0xDF: ("map", 4),
}
"""The kind of a value whose size follows its mark, and in how many bytes."""
OF_KNOWN_SIZE: dict[int, tuple[Kind, int]] = {
    **{0x80 + size: ("map", size) for size in range(16)},
    **{0x90 + size: ("list", size) for size in range(16)},
    **{0xA0 + size: ("text", size) for size in range(32)},
    **{0xD4 + power: ("extension", 1 << power) for power in range(5)},
}
"""The kind and the size of a value whose mark says both."""
MAX_ITEMS = 5_000_000
OTLP_NUMBERS = ("intValue", "doubleValue")
ZSTANDARD = b"\x28\xb5\x2f\xfd"
"""The first bytes of what was packed with Zstandard, as Zed packs its threads."""
MAX_INFLATED_BYTES = 100_000_000
"""So much of one cell is inflated at most: one that goes on behind it is no whole JSON, and read as words."""


class _BrokenError(ValueError):
    """The bytes are no MessagePack."""


def open_value(value: Any) -> Any:
    """Return the JSON that a text holds, the object that bytes or a list of attributes stand for; else the value.

    Postgres writes bytes in a text as ``\\x7b7d``.
    """
    if isinstance(value, str) and value.startswith("\\x"):
        with suppress(ValueError):
            inner = open_bytes(bytes.fromhex(value[2:]))
            # Somebody may have written such a text: what it stands for has to be JSON.
            if isinstance(inner, dict | list):
                return inner
            if isinstance(inner, str) and inner.lstrip()[:1] in ("{", "["):
                value = inner
    if isinstance(value, bytes):
        value = open_bytes(value)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return _parse_json(value)
    if isinstance(value, list) and value and _is_attribute(value[0]):
        attributes = filter(_is_attribute, value)
        return {item["key"]: _plain_attribute(item["value"]) for item in attributes}
    return value


def _parse_json(text: str) -> Any:
    """Return the JSON of a text; the text itself where it is broken."""
    try:
        return JsonParser(ImportNotes()).parse(text)
    except TranscriptError:
        return text


def _is_attribute(item: Any) -> bool:
    """Return true for an attribute of OpenTelemetry: ``{"key": "gen_ai.system", "value": {"stringValue": "aws"}}``."""
    return (
        isinstance(item, dict) and isinstance(item.get("key"), str) and "value" in item
    )


def _plain_attribute(value: Any) -> Any:
    """Return the plain value of an attribute of OpenTelemetry: ``{"stringValue": "Hi"}`` -> ``"Hi"``,
    ``{"intValue": "12"}`` -> 12."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue" and isinstance(inner, dict):
        return list(map(_plain_attribute, list_at(inner, "values")))
    if kind == "kvlistValue" and isinstance(inner, dict):
        return open_value(inner.get("values"))
    if kind in OTLP_NUMBERS and isinstance(inner, str) and inner.isdecimal():
        return int(inner[:18])
    return inner if kind.endswith("Value") else value


def open_bytes(data: bytes) -> Any:
    """Return the text or the value that bytes stand for; an empty text where they are neither."""
    if data.startswith(ZSTANDARD):
        try:
            data = inflate_zstandard(data, MAX_INFLATED_BYTES)
        except OSError:
            return ""
    if data[:1] in (b"{", b"[", b'"') or not data:
        return data.decode("utf-8", "replace")
    try:
        return _Unpacker(data).whole()
    except (ValueError, LookupError, struct.error):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return ""


@dataclass(eq=False)
class _Unpacker:
    """Reads MessagePack; an object that Python made (an extension) becomes the object of its fields."""

    data: bytes
    level: int = 0
    """How deep it lies inside another value."""
    _at: int = 0
    """The place of the next byte."""
    _room: int = MAX_ITEMS
    """How many values more are read."""

    def whole(self) -> Any:
        """Return the one value that all bytes are. Raises ValueError."""
        value = self._value()
        if self._at != len(self.data):
            raise _BrokenError
        return value

    def _value(self) -> Any:
        self._room -= 1
        if self.level > MAX_DEPTH or self._room < 0:
            raise _BrokenError
        mark = self.data[self._at]
        self._at += 1
        if mark in CONSTANTS:
            return CONSTANTS[mark]
        if mark in NUMBERS:
            form = NUMBERS[mark]
            return struct.unpack(form, self._bytes(struct.calcsize(form)))[0]
        if mark in SIZED:
            kind, size_bytes = SIZED[mark]
            return self._read(kind, int.from_bytes(self._bytes(size_bytes)))
        kind, size = OF_KNOWN_SIZE[mark]
        return self._read(kind, size)

    def _read(self, kind: Kind, size: int) -> Any:
        """Return a value of this kind, which has so many bytes, items or pairs."""
        if kind == "map":
            return self._map(size)
        if kind == "list":
            return self._list(size)
        if kind == "extension":
            return self._extension(size)
        data = self._bytes(size)
        return data.decode("utf-8", "replace") if kind == "text" else data

    def _bytes(self, size: int) -> bytes:
        if size > len(self.data) - self._at:
            raise _BrokenError
        self._at += size
        return self.data[self._at - size : self._at]

    def _list(self, count: int) -> list[Any]:
        self.level += 1
        items = [self._value() for _ in range(count)]
        self.level -= 1
        return items

    def _map(self, count: int) -> dict[str, Any]:
        self.level += 1
        pairs = [(self._value(), self._value()) for _ in range(count)]
        self.level -= 1
        return {str(key): value for key, value in pairs}

    def _extension(self, size: int) -> Any:
        """Return what a packed Python object holds: [module, class, fields, method]."""
        self._bytes(1)
        value = _Unpacker(self._bytes(size), self.level + 1).whole()
        is_object = isinstance(value, list) and len(value) > 2
        return value[2] if is_object else value
