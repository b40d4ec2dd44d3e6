"""Bytes in the cells of a database, opened: JSON text, or MessagePack as LangGraph keeps its checkpoints in."""

import struct
from typing import Any

from memviz.core.bounds import MAX_DEPTH

LENGTHS = {1: ">B", 2: ">H", 4: ">I", 8: ">Q"}
FLOATS = {0xCA: ">f", 0xCB: ">d"}
CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
MAX_ITEMS = 5_000_000


class _BrokenError(ValueError):
    """The bytes are no MessagePack."""


def opened_bytes(data: bytes) -> Any:
    """Return the text or the value that bytes stand for; an empty text where they are neither."""
    if data[:1] in (b"{", b"[", b'"') or not data:
        return data.decode("utf-8", "replace")
    try:
        return _Unpacker(data).whole()
    except (ValueError, LookupError, struct.error):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return ""


class _Unpacker:
    """Reads MessagePack; an object that Python made (an extension) becomes the object of its fields."""

    def __init__(self, data: bytes, level: int = 0) -> None:
        self._data = data
        self._at = 0
        self._level = level
        self._room = MAX_ITEMS

    def whole(self) -> Any:
        """Return the one value that all bytes are. Raises ValueError."""
        value = self._value()
        if self._at != len(self._data):
            raise _BrokenError
        return value

    def _value(self) -> Any:
        self._room -= 1
        if self._level > MAX_DEPTH or self._room < 0:
            raise _BrokenError
        mark = self._data[self._at]
        self._at += 1
        if mark < 0x80 or mark >= 0xE0:
            return mark if mark < 0x80 else mark - 0x100
        if mark < 0xC0:
            return self._short(mark)
        return self._long(mark)

    def _short(self, mark: int) -> Any:
        if mark < 0x90:
            return self._map(mark & 0x0F)
        if mark < 0xA0:
            return self._list(mark & 0x0F)
        return self._text(mark & 0x1F)

    def _long(self, mark: int) -> Any:
        if mark <= 0xC3:
            return CONSTANTS[mark]
        if mark <= 0xC6:
            return self._bytes(self._number(1 << (mark - 0xC4)))
        if mark <= 0xC9:
            return self._extension(self._number(1 << (mark - 0xC7)))
        if mark in FLOATS:
            return struct.unpack(FLOATS[mark], self._bytes(4 << (mark - 0xCA)))[0]
        if mark <= 0xCF:
            return self._number(1 << (mark - 0xCC))
        if mark <= 0xD3:
            size = 1 << (mark - 0xD0)
            return int.from_bytes(self._bytes(size), "big", signed=True)
        if mark <= 0xD8:
            return self._extension(1 << (mark - 0xD4))
        if mark <= 0xDB:
            return self._text(self._number(1 << (mark - 0xD9)))
        count = self._number(2 if mark in (0xDC, 0xDE) else 4)
        return self._list(count) if mark < 0xDE else self._map(count)

    def _bytes(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise _BrokenError
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self, size: int) -> int:
        return int(struct.unpack(LENGTHS[size], self._bytes(size))[0])

    def _text(self, size: int) -> str:
        return self._bytes(size).decode("utf-8", "replace")

    def _list(self, count: int) -> list[Any]:
        # Each item takes a byte or more, so more than there are bytes is a lie.
        if count > len(self._data) - self._at:
            raise _BrokenError
        self._level += 1
        found = [self._value() for _ in range(count)]
        self._level -= 1
        return found

    def _map(self, count: int) -> dict[str, Any]:
        if 2 * count > len(self._data) - self._at:
            raise _BrokenError
        self._level += 1
        pairs = [(self._value(), self._value()) for _ in range(count)]
        self._level -= 1
        return {str(key): held for key, held in pairs}

    def _extension(self, size: int) -> Any:
        """Return what a packed Python object holds: [module, class, fields, method]."""
        self._bytes(1)
        made = _Unpacker(self._bytes(size), self._level + 1).whole()
        is_object = isinstance(made, list) and len(made) > 2
        return made[2] if is_object else made
