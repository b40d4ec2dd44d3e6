"""The files inside a zip or gzip archive, inflated in memory and only up to a limit (a zip bomb is an error)."""

import zlib
from collections.abc import Iterator
from io import SEEK_CUR, BytesIO
from pathlib import PurePosixPath
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from memviz.core.errors import TranscriptError
from memviz.core.messages import clean_text
from memviz.core.translation import noop
from memviz.core.zstandard import inflate_zstandard
from memviz.transcripts.file_kinds import OFFICE
from memviz.transcripts.import_notes import Refusal
from memviz.transcripts.limits import Limits

ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
GZIP = b"\x1f\x8b"
ZSTANDARD = 93
FORMAT = "archive"
ENCRYPTED = Refusal(
    noop("a file in it is encrypted."),
    noop("Unpack it with the password first."),
    FORMAT,
)
TOO_MANY_FILES = Refusal(
    noop("it lists {count:,} files, more than the limit of {most:,}."),
    noop(
        "Unpack it and choose the file with the conversations, or raise MEMVIZ_IMPORT_ARCHIVE_FILES."
    ),
    FORMAT,
)
TOO_LARGE = Refusal(
    noop("it inflates to more than the limit of {limit:,} bytes."),
    noop(
        "Unpack it and choose the file with the conversations, or raise MEMVIZ_IMPORT_INFLATED_BYTES."
    ),
    FORMAT,
)
INCOMPLETE = Refusal(
    noop("it ends in the middle."),
    noop("The file is incomplete: download it again."),
    FORMAT,
)
DAMAGED = Refusal(
    noop("it is damaged: not all that is packed in it can be unpacked."),
    noop("Download or pack it again."),
    FORMAT,
)
LOCAL_HEAD_BYTES = 30
JUNK = ("__MACOSX/", ".DS_Store", "Thumbs.db")
MEDIA = frozenset(
    f".{suffix}"
    for kinds in (
        "png jpg jpeg gif webp bmp svg heic ico",
        "mp3 wav m4a ogg opus flac mp4 mov webm",
        "pdf dat css js py woff woff2 ttf html htm docx xlsx pptx",
    )
    for suffix in kinds.split()
)
"""Exports of chat programs have files of these kinds beside the conversations; they are not opened."""


def is_archive(data: bytes) -> bool:
    """Return whether these bytes are a zip or gzip archive."""
    return data.startswith((ZIP, EMPTY_ZIP, GZIP))


def list_archived_names(data: bytes) -> list[str]:
    """The names of all files in a zip archive that could be opened; none for a gzip archive."""
    if data.startswith(GZIP):
        return []
    with ZipFile(BytesIO(data)) as archive:
        return [
            clean_text(entry.filename)
            for entry in archive.infolist()
            if not entry.is_dir()
        ]


def read_archived_files(data: bytes, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every file in the archive that may hold a conversation, one after the other.

    Raises :class:`TranscriptError` for a broken archive, an encrypted one, and one that inflates beyond the limits.
    """
    if data.startswith(GZIP):
        yield "", _gunzip_file(data, limits)
        return
    try:
        with ZipFile(BytesIO(data)) as archive:
            yield from _unzip_files(archive, limits)
    except (
        TranscriptError
    ):  # says what it is: a limit, or a document that is packed as a zip archive
        raise
    except (
        BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        ValueError,
        OSError,
    ):
        raise DAMAGED.error() from None
    except RuntimeError:  # what zipfile raises for a file that asks for a password
        raise ENCRYPTED.error() from None


def _unzip_files(archive: ZipFile, limits: Limits) -> Iterator[tuple[str, bytes]]:
    entries = archive.infolist()
    names = set(archive.namelist())
    office = next((kind for inner, kind in OFFICE.items() if inner in names), None)
    if office:
        raise office.refusal()
    if len(entries) > limits.archive_files:
        raise TOO_MANY_FILES.error(count=len(entries), most=limits.archive_files)
    room = limits.inflated_bytes
    for entry in sorted(filter(_may_hold, entries), key=lambda file: file.filename):
        inflated = _inflate_file(archive, entry, room + 1)
        room -= len(inflated)
        if room < 0:
            raise TOO_LARGE.error(limit=limits.inflated_bytes)
        yield clean_text(entry.filename), inflated


def _inflate_file(archive: ZipFile, entry: ZipInfo, most: int) -> bytes:
    """Return at most so many bytes of a file: the size that the archive states is never trusted."""
    if entry.compress_type == ZSTANDARD and archive.fp is not None:
        return _decompress_zstandard(archive.fp, entry, most)
    with archive.open(entry) as file:
        return file.read(most)


def _decompress_zstandard(file: IO[bytes], entry: ZipInfo, most: int) -> bytes:
    """Return the beginning of a file that was packed with Zstandard, as Inspect packs its logs."""
    file.seek(entry.header_offset)
    head = file.read(LOCAL_HEAD_BYTES)
    if len(head) < LOCAL_HEAD_BYTES or entry.flag_bits & 1:
        raise BadZipFile(entry.filename)
    lengths = (
        int.from_bytes(head[26:28], "little"),
        int.from_bytes(head[28:30], "little"),
    )
    file.seek(sum(lengths), SEEK_CUR)
    return inflate_zstandard(file.read(entry.compress_size), most)


def _may_hold(entry: ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    return not (
        entry.is_dir()
        or any(junk in entry.filename for junk in JUNK)
        or path.name.startswith("._")
        or path.suffix.lower() in MEDIA
    )


def _gunzip_file(data: bytes, limits: Limits) -> bytes:
    inflater = zlib.decompressobj(wbits=31)  # 31: with the header of gzip
    try:
        inflated = inflater.decompress(data, limits.inflated_bytes + 1)
    except zlib.error:
        raise DAMAGED.error() from None
    if len(inflated) > limits.inflated_bytes:
        raise TOO_LARGE.error(limit=limits.inflated_bytes)
    if not inflater.eof:
        raise INCOMPLETE.error()
    return inflated
