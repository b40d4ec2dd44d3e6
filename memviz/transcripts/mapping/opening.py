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
"""The values of the first bytes that are values themselves: 5 -> 5, 0xFF -> -1."""
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
"""The ``struct`` format of the number behind a first byte."""
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
"""For a first byte that the size follows: the kind of value, and the number of bytes of its size."""
OF_KNOWN_SIZE: dict[int, tuple[Kind, int]] = {
    **{0x80 + size: ("map", size) for size in range(16)},
    **{0x90 + size: ("list", size) for size in range(16)},
    **{0xA0 + size: ("text", size) for size in range(32)},
    **{0xD4 + power: ("extension", 1 << power) for power in range(5)},
}
"""For a first byte that includes the size: the kind of value, and its size."""
MAX_ITEMS = 5_000_000
OTLP_NUMBERS = ("intValue", "doubleValue")
ZSTANDARD = b"\x28\xb5\x2f\xfd"
"""The first bytes of Zstandard, with which Zed packs its threads."""
MAX_INFLATED_BYTES = 100_000_000
"""The most bytes to which one cell is inflated. A longer one is cut, and then read as text."""


class _BrokenError(ValueError):
    """The bytes are no MessagePack."""


def open_value(value: Any) -> Any:
    """Return the value inside of a text of JSON, of bytes, or of a list of OpenTelemetry's attributes; any other value
    as it is. PostgreSQL writes bytes as a text such as ``\\x7b7d``.
    """
    if isinstance(value, str) and value.startswith("\\x"):
        with suppress(ValueError):
            inner = open_bytes(bytes.fromhex(value[2:]))
            # A person may have written such a text, so only JSON inside of it counts.
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
    """Return the text or the MessagePack value that bytes hold; an empty text for other bytes."""
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
    """The depth inside other values."""
    _at: int = 0
    """The offset of the next byte."""
    _room: int = MAX_ITEMS
    """The number of values that may still be read."""

    def whole(self) -> Any:
        """Return the single value that the bytes hold. Raises ValueError if they go on behind it."""
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
        """Return a value of this kind; ``size`` is its number of bytes, items or pairs."""
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
