"""The files behind an address: a file, those of a folder or of a pattern, here or wherever fsspec reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from memviz.core.errors import TranscriptError
from memviz.core.translation import _

HIDDEN_NAME = re.compile(r"\..*|_[^.]*")
"""The whole name of a file or folder in a folder that is passed over: ``.DS_Store``, ``_SUCCESS``, ``_delta_log``, but
not ``_chat.txt``."""
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
"""fsspec's names of how a file of lines is packed, by the end of its name."""
PATTERN_MARK = re.compile(r"[*?\[]")
"""What makes an address a pattern: ``logs/*.jsonl.gz``."""


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

    def open(self, compression: str | None = None) -> IO[bytes]:
        """Return the file opened for reading, unpacked where its ``compression`` is named."""
        stream: IO[bytes] = self.files.open(self.path, "rb", compression=compression)
        return stream


def find_files(addresses: Sequence[str]) -> Iterator[SourceFile]:
    """Yield the files behind each address, those of a folder by their names, folder by folder.

    Raises :class:`TranscriptError` for an address behind which there is nothing, or that cannot be reached.
    """
    number = 0
    for address in addresses:
        is_there = False
        with _reaching(address):
            files, path = _file_system(address)
            for name, info in _below(files, path):
                size = info.get("size") or 0
                yield SourceFile(number, name, size, files, info["name"])
                number += 1
                is_there = True
        if not is_there:
            raise _unreachable(address, _("there is no file"))


def list_folder(folder: Path) -> list[Path]:
    """Return the files of a folder on this machine and of those below it, by their names, folder by folder, without
    hidden ones (:data:`HIDDEN_NAME`). A link to a file is one of them, a link to a folder is not followed.

    Raises :class:`TranscriptError` for a folder that cannot be read.
    """
    paths = []
    with _reaching(str(folder)):
        files, place = _file_system(str(folder))
        for _name, info in _in_folder(files, place, ""):
            below = Path(info["name"]).relative_to(place)
            paths.append(folder / below)
    return paths


def digest_of(files: Iterator[SourceFile]) -> tuple[str, int]:
    """Return a hash of the names and sizes of files in their order, and how many they are."""
    digest = sha256()
    number = 0
    for file in files:
        digest.update(f"{file.name}\0{file.size_bytes}\n".encode("utf-8", "replace"))
        number += 1
    return digest.hexdigest(), number


def without_secrets(address: str) -> str:
    """Return an address as it may be written down, of this machine the whole path; without a password and without what
    signs it: ``"https://me:key@host/x.jsonl?sig=1"`` -> ``"https://host/x.jsonl"``."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        return str(Path(address).expanduser().absolute())
    host, slash, path = rest.partition("/")
    return scheme + separator + host.rpartition("@")[2] + slash + path.split("?")[0]


@contextmanager
def _reaching(address: str) -> Iterator[None]:
    """Raise :class:`TranscriptError` for whatever error a file system has: each has its own, and their texts may hold a
    signed address."""
    try:
        yield
    except Exception as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        if isinstance(error, ImportError):
            reason = str(error)
        raise _unreachable(address, reason) from None


def _file_system(address: str) -> tuple[Any, str]:
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


def _below(files: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and description of each file that a path leads to."""
    if files.isfile(path):
        yield _last_name(path), files.info(path)
    elif files.isdir(path):
        yield from _in_folder(files, path, "")
    elif PATTERN_MARK.search(path):
        before_pattern = PATTERN_MARK.split(path)[0]
        folder = before_pattern.rpartition("/")[0]
        for place, info in sorted(files.glob(path, detail=True).items()):
            if _is_file(files, info):
                yield place.removeprefix(folder).lstrip("/"), info


def _in_folder(
    files: Any, folder: str, above: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    entries = files.ls(folder, detail=True)
    for info in sorted(entries, key=lambda info: str(info["name"])):
        name = _last_name(info["name"])
        # A folder of an object store may be among its own entries.
        is_itself = info["name"].rstrip("/") == folder.rstrip("/")
        if HIDDEN_NAME.fullmatch(name) or is_itself:
            continue
        if info["type"] == "directory":
            # A link to a folder above would be followed for ever.
            if not info.get("islink"):
                yield from _in_folder(files, info["name"], f"{above}{name}/")
        elif _is_file(files, info):
            yield above + name, info


def _is_file(files: Any, info: dict[str, Any]) -> bool:
    """Return whether a description is that of a file, or of a link to one."""
    if info.get("islink"):
        return bool(files.isfile(info["name"]))
    return bool(info["type"] == "file")


def _last_name(path: str) -> str:
    return PurePosixPath(path.split("?")[0].rstrip("/")).name


def _unreachable(address: str, reason: str) -> TranscriptError:
    return TranscriptError(
        _("the address cannot be read: {reason}.", reason=reason),
        place=without_secrets(address),
        remedy=_("Check it, and whether this machine may read it."),
    )
