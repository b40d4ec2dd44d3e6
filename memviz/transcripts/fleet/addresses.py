"""The files behind an address: a file, those of a folder or of a pattern, here or wherever fsspec reaches."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from io import BufferedReader, RawIOBase
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import _, noop
from memviz.core.zstandard import open_zstandard
from memviz.transcripts.import_notes import Refusal

HIDDEN_NAME = re.compile(r"\..*|_[^.]*")
"""The whole name of a file or folder in a folder that is passed over: ``.DS_Store``, ``_SUCCESS``, ``_delta_log``, but
not ``_chat.txt``."""
READ_BYTES = 1 << 20
"""So much of a file is asked for at once."""
SWEPT_FOLDERS = {"conversations", "requests", "failures", "settings"}
"""A folder with all of these is what a sweep has written, and no source of one."""
QUERY = re.compile(r"[?#].*")
"""The part that may sign an address: ``?sig=1``, ``#access_token=1``."""
USER = re.compile(r"^(?:[^/@]*|[^/@:]*:(?!\d+/)[^@]*)@")
"""The name and password of who reads an address, which may have slashes: ``me:a/key@``; not ``host:80/a@b``."""
PATTERN_MARK = re.compile(r"[*?\[]")
"""What makes an address a pattern: ``logs/*.jsonl.gz``."""
UNREADABLE = Refusal(
    noop("the address cannot be read: {reason}."),
    noop("Check it, and whether this machine may read it."),
)


class SourceLostError(OSError):
    """The place where a file lies cannot be reached any more: the network is down, the disk is gone."""


UNPACK: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": open_zstandard,
}
"""The function that unpacks a file of lines, by the end of its name: ``chats.jsonl.gz``."""


class SourceFile(NamedTuple):
    """A file of a fleet."""

    number: int
    """Its place among all files of the fleet, from 0."""
    name: str
    """Its path below the address, such as ``2026/05.jsonl.gz``."""
    size_bytes: int
    files: Any
    """The file system of fsspec that has it."""
    path: str
    """Its path there."""
    version: str = ""
    """What its file system says that changes with it: an ETag, or the time of its last change."""

    def open(self, packed: str = "") -> IO[bytes]:
        """Return the file opened for reading, unpacked where ``packed`` is one of :data:`UNPACK`.

        Here and while it is read, what its bytes lie on raises :class:`SourceLostError`, or FileNotFoundError and
        PermissionError for this file alone; any other error is of the bytes themselves.
        """
        try:
            raw = self.files.open(self.path, "rb")
        except Exception as error:
            raise _hide_address(error) from None
        stream = BufferedReader(_ReachedFile(raw), READ_BYTES)
        return UNPACK[packed](stream) if packed else stream


class _ReachedFile(RawIOBase):
    """A file of fsspec, of which every error says whether more than this file is lost."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self.file.seekable())

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        return int(self.file.seek(place, whence))

    def tell(self) -> int:
        return int(self.file.tell())

    def readinto(self, room: Any) -> int:
        try:
            data = self.file.read(len(room))
        except Exception as error:
            raise _hide_address(error) from None
        room[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self.file.close()
        super().close()


def _hide_address(error: Exception) -> OSError:
    """Return the error of a file system as one without an address in it."""
    if isinstance(error, FileNotFoundError | PermissionError):
        return error
    return SourceLostError(getattr(error, "errno", None), describe_problem(error))


def describe_problem(error: Exception) -> str:
    """Return what went wrong in a few words: those of the system, or the kind of the error. What a file system says
    itself may hold a signed address."""
    number = getattr(error, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number)
    if isinstance(error, SourceLostError):
        return error.strerror or ""
    return type(error).__name__


def find_files(addresses: Sequence[str]) -> Iterator[SourceFile]:
    """Yield the files behind each address, those of a folder by their names, folder by folder.

    Raises :class:`TranscriptError` for an address behind which there is nothing, or that cannot be reached.
    """
    number = 0
    for address in addresses:
        is_there = False
        with _raise_unreachable(address):
            files, path = _open_file_system(address)
            for name, info in _list_files_below(files, path):
                size = info.get("size") or 0
                version = _version_of(info)
                yield SourceFile(number, name, size, files, info["name"], version)
                number += 1
                is_there = True
        if not is_there:
            raise _unreachable_error(address, _("there is no file"))


def list_folder(folder: Path) -> list[Path]:
    """Return the files of a folder on this machine and of those below it, by their names, folder by folder, without
    hidden ones (:data:`HIDDEN_NAME`). A link to a file is one of them, a link to a folder is not followed.

    Raises :class:`TranscriptError` for a folder that cannot be read.
    """
    with _raise_unreachable(str(folder)):
        files, place = _open_file_system(str(folder))
        return [
            folder / Path(info["name"]).relative_to(place)
            for _name, info in _list_folder_files(files, place, "")
        ]


def digest_address(files: Iterator[SourceFile]) -> tuple[str, int]:
    """Return a hash of the names, sizes and versions of files in their order, and how many they are."""
    digest = sha256()
    number = 0
    for file in files:
        text = f"{file.name}\0{file.size_bytes}\0{file.version}\n"
        digest.update(text.encode("utf-8", "replace"))
        number += 1
    return digest.hexdigest(), number


def strip_secrets(address: str) -> str:
    """Return an address as it may be written down, of this machine the whole path; without a password and without what
    signs it, in each of chained ones: ``"zip://a.json::https://me:key@host/x.zip?sig=1"`` ->
    ``"zip://a.json::https://host/x.zip"``."""
    if "://" not in address:
        return str(Path(address).expanduser().absolute())
    return "::".join(map(_strip_secrets_of_piece, address.split("::")))


def _strip_secrets_of_piece(address: str) -> str:
    scheme, separator, rest = address.partition("://")
    return scheme + separator + USER.sub("", QUERY.sub("", rest))


@contextmanager
def _raise_unreachable(address: str) -> Iterator[None]:
    """Raise :class:`TranscriptError` for whatever error a file system has: each has its own, and their texts may hold a
    signed address."""
    try:
        yield
    except Exception as error:
        reason = describe_problem(error)
        if isinstance(error, ImportError):
            reason = str(error)
        raise _unreachable_error(address, reason) from None


def _open_file_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and its path there."""
    import fsspec
    from fsspec.core import url_to_fs

    if "://" in address:
        files, path = url_to_fs(address)
    else:
        # A name on this machine may have signs that mean something in an address.
        files = fsspec.filesystem("file")
        path = files._strip_protocol(address)
    return files, path


def _list_files_below(files: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and description of each file that a path leads to."""
    if files.isfile(path):
        yield _last_name(path), files.info(path)
    elif files.isdir(path):
        yield from _list_folder_files(files, path, "")
    elif PATTERN_MARK.search(path):
        before_pattern = PATTERN_MARK.split(path)[0]
        folder = before_pattern.rpartition("/")[0]
        for place, info in sorted(files.glob(path, detail=True).items()):
            name = _strip_query(place.removeprefix(folder).lstrip("/"))
            is_hidden = any(HIDDEN_NAME.fullmatch(part) for part in name.split("/"))
            if not is_hidden and _is_file(files, info) and not _is_swept(files, place):
                yield name, info


def _list_folder_files(
    files: Any, folder: str, above: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    entries = files.ls(folder, detail=True)
    if SWEPT_FOLDERS.issubset(_last_name(info["name"]) for info in entries):
        return
    for info in sorted(entries, key=lambda info: str(info["name"])):
        name = _last_name(info["name"])
        # A folder of an object store may be among its own entries.
        is_itself = info["name"].rstrip("/") == folder.rstrip("/")
        if HIDDEN_NAME.fullmatch(name) or is_itself:
            continue
        if info["type"] == "directory":
            # A link to a folder above would be followed for ever.
            if not info.get("islink"):
                yield from _list_folder_files(files, info["name"], f"{above}{name}/")
        elif _is_file(files, info):
            yield above + name, info


def _is_file(files: Any, info: dict[str, Any]) -> bool:
    """Return whether a description is that of a file, or of a link to one."""
    if info.get("islink"):
        return bool(files.isfile(info["name"]))
    return bool(info["type"] == "file")


def _is_swept(files: Any, place: str) -> bool:
    """Return whether a sweep has written this: ``swept/manifest.json``, ``swept/failures/part-000000.parquet``."""
    path = PurePosixPath(place)
    folder = path.parent
    if path.name != "manifest.json":
        if folder.name not in SWEPT_FOLDERS:
            return False
        folder = folder.parent
    return all(files.isdir(f"{folder}/{name}") for name in SWEPT_FOLDERS)


def _version_of(info: dict[str, Any]) -> str:
    versions = (info.get(name) for name in ("ETag", "mtime", "LastModified"))
    return str(next(filter(None, versions), ""))


def _last_name(path: str) -> str:
    return PurePosixPath(_strip_query(path).rstrip("/")).name


def _strip_query(path: str) -> str:
    """Return a path without what signs it. On this machine, where nothing does, names may have such signs."""
    return QUERY.sub("", path) if "://" in path else path


def _unreachable_error(address: str, reason: str) -> TranscriptError:
    return UNREADABLE.error(strip_secrets(address), reason=reason)
