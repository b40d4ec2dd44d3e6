"""The password of a server. Only what scrypt made of it is kept."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from pathlib import Path
from unicodedata import normalize

from memviz.core.errors import AccessError

SHORTEST_CHARS = 8
LONGEST_BYTES = 1024
_READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


class Password:
    """Compares what somebody enters with a password, in the same time whatever was entered."""

    def __init__(self, text: str) -> None:
        self._salt = os.urandom(16)
        self._digest = self._scrypt(text)

    def __repr__(self) -> str:
        return "Password(***)"

    def matches(self, text: str) -> bool:
        """Return whether ``text`` is the password. Takes some 50 milliseconds, for an attacker as well."""
        return hmac.compare_digest(self._scrypt(text), self._digest)

    def _scrypt(self, text: str) -> bytes:
        # Two keyboards may write the same letter with different characters: NFC makes them equal.
        data = normalize("NFC", text).encode("utf-8", "surrogatepass")[:LONGEST_BYTES]
        return hashlib.scrypt(data, salt=self._salt, n=2**14, r=8, p=1)


def read_password(path: str | Path) -> Password:
    """The password in the first line of a file.

    Raises :class:`memviz.core.errors.AccessError` if the file cannot be read or holds no password.
    """
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise AccessError(f"The password file {path} cannot be read: {why}.") from None
    lines = text.splitlines() or [""]
    if len(lines) > 1 and any(lines[1:]):
        raise AccessError(
            f"The password file {path} has several lines: it has to hold the password and nothing else."
        )
    if len(lines[0]) < SHORTEST_CHARS:
        raise AccessError(
            f"The password in {path} is shorter than {SHORTEST_CHARS} characters: choose a longer one."
        )
    if len(lines[0].encode()) > LONGEST_BYTES:
        raise AccessError(
            f"The password in {path} is longer than {LONGEST_BYTES} bytes: choose a shorter one."
        )
    return Password(lines[0])


def readable_by_others(path: str | Path) -> bool:
    """Return whether other accounts of this machine may read the file. Always ``False`` on Windows."""
    return os.name == "posix" and bool(
        Path(path).expanduser().stat().st_mode & _READABLE_BY_OTHERS
    )
