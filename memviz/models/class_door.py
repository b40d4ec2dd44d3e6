"""A class on one server: the code that lets in, and the cookie that says which visitor somebody is."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from memviz.core.errors import AccessError
from memviz.core.new_file import create_whole
from memviz.models.access import CLASS_CODE

CLASS_FOLDER = "MEMVIZ_CLASS_FOLDER"
DEFAULT_FOLDER = "memviz-class"
SHORTEST_CODE_CHARS = 6
LONGEST_CODE_CHARS = 60
IDLE_DAYS = 30
"""A library that nobody has opened for so many days is deleted."""
DAY_SECONDS = 86_400
_KEY_BYTES = 32
_ID_BYTES = 16
_COOKIE = re.compile(r"(?P<visitor>[0-9a-f]{32})\.(?P<signature>[0-9a-f]{64})")


@dataclass(frozen=True)
class ClassDoor:
    """Lets in whoever gives ``code``, each browser as a visitor of its own, whose library lies in ``folder``."""

    code: str
    folder: Path = Path(DEFAULT_FOLDER)

    def check(self) -> None:
        """Raise :class:`memviz.core.errors.AccessError` for a code that is guessed too easily."""
        length = len(_as_typed(self.code))
        if not SHORTEST_CODE_CHARS <= length <= LONGEST_CODE_CHARS:
            raise AccessError(
                f"The code of the class has {length} characters: choose one of {SHORTEST_CODE_CHARS} to "
                f"{LONGEST_CODE_CHARS}, such as two words."
            )

    def admits(self, entered: str) -> bool:
        """Return whether somebody entered the code; upper and lower case, and spaces around it, are the same."""
        given = _as_typed(entered).encode("utf-8", "surrogatepass")
        return hmac.compare_digest(given, _as_typed(self.code).encode())

    def names_for_paths(self, words: str) -> str:
        """Return words with the names of files of the class in place of their paths:
        ``"/srv/maple/libraries/a.db is damaged."`` -> ``"a.db is damaged."``"""
        folder = re.escape(str(self.folder.expanduser()))
        return re.sub(rf"{folder}/(?:[\w.-]+/)*", "", words)

    def variables(self) -> dict[str, str]:
        """Return the environment variables that say all of this."""
        return {CLASS_CODE: self.code, CLASS_FOLDER: str(self.folder)}


def _as_typed(code: str) -> str:
    """Return a code without what people type in different ways: case, spaces around it, and accents that keyboards
    write with different characters."""
    return normalize("NFC", code.strip()).casefold()


def class_door(environment: Mapping[str, str] = os.environ) -> ClassDoor | None:
    """Return the door that the environment names; ``None`` where this server serves no class."""
    code = environment.get(CLASS_CODE, "")
    if not code:
        return None
    return ClassDoor(code, Path(environment.get(CLASS_FOLDER) or DEFAULT_FOLDER))


class VisitorCookies:
    """The cookies of one class: the id of a visitor, signed, so that nobody can make one of somebody else.

    Signed with a key that lies in the folder of the class, and with its code: a cookie of another class, or of the same
    one before it took another code, says nothing here.
    """

    def __init__(self, key: bytes, code: str) -> None:
        self._key = key
        self._code = _as_typed(code)

    @classmethod
    def of(cls, door: ClassDoor) -> VisitorCookies:
        """Return those of a class. Raises :class:`memviz.core.errors.AccessError` where its folder cannot be used."""
        return cls(_read_key(door.folder), door.code)

    def issue(self) -> str:
        """Return the cookie of a new visitor."""
        visitor = secrets.token_hex(_ID_BYTES)
        return f"{visitor}.{self._sign(visitor)}"

    def visitor_of(self, cookie: str) -> str | None:
        """Return the id of the visitor who brings a cookie along; ``None`` for one that was not issued here."""
        match = _COOKIE.fullmatch(cookie)
        if match is None:
            return None
        visitor = match["visitor"]
        is_signed = hmac.compare_digest(self._sign(visitor), match["signature"])
        return visitor if is_signed else None

    def _sign(self, visitor: str) -> str:
        content = f"{self._code}\n{visitor}".encode()
        return hmac.new(self._key, content, hashlib.sha256).hexdigest()


def _read_key(folder: Path) -> bytes:
    """Return the key of a class, which is made with its folder."""
    path = folder.expanduser() / "key"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Of two servers that start at the same time one makes it.
        create_whole(path, secrets.token_bytes(_KEY_BYTES))
        key = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise AccessError(
            f"The folder of the class, {folder}, cannot be used: {reason}."
        ) from None
    if len(key) != _KEY_BYTES:
        raise AccessError(
            f"{path} is no key of a class: delete it, and every visitor begins anew."
        )
    return key
