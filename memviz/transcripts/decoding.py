"""From the bytes of a file to its text, whatever wrote it."""

import codecs
import re
from collections.abc import Iterator, Sequence

from memviz.core.translation import Said, noop
from memviz.transcripts.import_notes import ImportNotes

# The longer marks come first: the one of UTF-32 LE begins with the one of UTF-16 LE.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
REPLACED = noop(
    "byte {byte} at offset {offset} is not {encoding}; it and others like it were replaced by U+FFFD"
)
STRAY_WINDOWS = noop(
    "byte {byte} at offset {offset} is not {encoding}; it and others like it were read as Windows-1252"
)
PADDING = noop("{number} NUL characters after the end were ignored")
ALL_WINDOWS = noop(
    "byte {byte} at offset {offset} is not {encoding}; the file was read as Windows-1252"
)
ALL_CHINESE = noop(
    "byte {byte} at offset {offset} is not {encoding}; the file was read as Chinese in GB 18030"
)
ENOUGH_CHINESE = 4
"""Fewer common Chinese characters than these may as well be letters with accents."""
MAX_STRAY_BYTES = 100_000
"""Number of bytes that are not UTF-8 up to which each is looked at. With more, nothing
in the file is taken for UTF-8."""


def decode(data: bytes, notes: ImportNotes) -> str:
    """The text of a file without byte-order mark and without padding at its end. Never fails.

    The encoding is what the byte-order mark says, else UTF-8, or UTF-16 where every other byte is NUL. Bytes that
    are not UTF-8 are Chinese where all of the file reads as common Chinese characters. Else they are read as
    Windows-1252, each on its own, so that one stray byte does not spoil the rest.
    """
    # Nothing in a file says for certain which encoding it is in, so the surest sign comes first: the byte-order mark,
    # then NUL bytes, which only UTF-16 has beside plain letters, then UTF-8, which few others fit.
    mark = next((mark for mark in BYTE_ORDER_MARKS if data.startswith(mark)), b"")
    encoding = BYTE_ORDER_MARKS.get(mark) or _guess_encoding(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        text, repair = _repair_broken_text(data[len(mark) :], encoding)
        offset = len(mark) + error.start
        byte = f"0x{data[offset]:02X}"
        notes.add(Said(repair, byte=byte, offset=offset, encoding=encoding.upper()))
    content = text.rstrip("\0 \t\r\n")
    padding = text.count("\0", len(content))
    if padding:
        notes.add(Said(PADDING, number=padding))
    return content


def normalize_line_ends(text: str) -> str:
    """The text of a file with one kind of line end, whatever system wrote it."""
    text = text.replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")


def pair_with_texts(
    matches: Sequence[re.Match[str]], text: str
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each of the matches in a text, in order, with what stands between it and the next one."""
    stops = [match.start() for match in matches[1:]] + [len(text)]
    for match, stop in zip(matches, stops, strict=False):
        yield match, text[match.end() : stop]


def _guess_encoding(data: bytes) -> str:
    """The encoding of a text without a mark. In UTF-16, a text that starts with ASCII has a NUL beside each letter."""
    even = data[0:4:2]
    odd = data[1:4:2]
    if odd == b"\0\0" and b"\0" not in even:
        return "utf-16-le"
    return "utf-16-be" if even == b"\0\0" and odd and b"\0" not in odd else "utf-8"


def _repair_broken_text(data: bytes, encoding: str) -> tuple[str, str]:
    if encoding != "utf-8":
        return data.decode(encoding, "replace"), REPLACED
    chinese = _decode_as_chinese(data)
    if chinese is not None:
        return chinese, ALL_CHINESE
    # A few stray bytes come from a program that wrote Windows-1252 into a UTF-8 file: each is repaired where it is.
    # Many would take long one by one, and mean that the whole file is Windows-1252.
    stray_bytes = len(data) - len(data.decode("utf-8", "ignore").encode())
    if stray_bytes > MAX_STRAY_BYTES:
        return data.decode("cp1252", "replace"), ALL_WINDOWS
    return data.decode("utf-8", _WINDOWS_1252), STRAY_WINDOWS


def _decode_as_chinese(data: bytes) -> str | None:
    """Return the text as the Excel and the editors of Chinese systems write it; ``None`` where it is hardly Chinese."""
    # Letters with accents are mostly valid GB 18030 too, but as rare characters: the common ones, in the order of
    # the standard, have both bytes in these ranges, and so have the marks between sentences.
    beyond_ascii = sum(map(data.count, range(0x80, 0x100)))
    common = 2 * len(_COMMON_CHINESE.findall(data))
    marks = 2 * len(_CHINESE_MARKS.findall(data))
    is_chinese = common >= 2 * ENOUGH_CHINESE and common + marks >= 0.6 * beyond_ascii
    if not is_chinese:
        return None
    try:
        return data.decode("gb18030")
    except UnicodeDecodeError:
        return None


_COMMON_CHINESE = re.compile(rb"[\xb0-\xd7][\xa1-\xfe]")
_CHINESE_MARKS = re.compile(rb"[\xa1-\xa3][\xa1-\xfe]")


def _decode_as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


_WINDOWS_1252 = "memviz-windows-1252"
codecs.register_error(_WINDOWS_1252, _decode_as_windows_1252)
