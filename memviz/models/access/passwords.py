"""The password of a server, the attempts to guess it, and the browsers that gave it.

Only what scrypt made of the password is kept.
"""

import hashlib
import hmac
import os
import secrets
import stat
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
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


FREE_OF_ONE = 3
"""So often may one visitor mistype without a wait."""
LONGEST_WAIT_OF_ONE_SECONDS = 300.0
FREE_OF_ALL = 30
LONGEST_WAIT_OF_ALL_SECONDS = 4.0
"""Short, since it holds up those who know the password too. It is there for guessing from many addresses."""
FORGOTTEN_AFTER_SECONDS = 900.0
_MOST_VISITORS = 10_000


@dataclass(slots=True)
class _Series:
    """Wrong attempts one after the other."""

    free: int
    longest_wait_seconds: float
    wrong: int = 0
    last: float = float("-inf")

    def wait_seconds(self, now: float) -> float:
        if now - self.last > FORGOTTEN_AFTER_SECONDS:
            self.wrong = 0
        if self.wrong < self.free:
            return 0.0
        wait = min(self.longest_wait_seconds, 2.0 ** min(30, self.wrong - self.free))
        return max(0.0, self.last + wait - now)

    def add(self, now: float) -> None:
        self.wrong = self.wrong + 1
        self.last = now


class Attempts:
    """Counts the wrong attempts of each visitor and of all together. An attempt that comes too early is not looked
    at, so that waiting is the only way; nobody who is in already is held up."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._all = _Series(FREE_OF_ALL, LONGEST_WAIT_OF_ALL_SECONDS)
        self._visitors: OrderedDict[str, _Series] = OrderedDict()

    def begin(self, address: str) -> float:
        """Ask to make an attempt from ``address``: 0.0, or the seconds to wait before asking again.

        An attempt counts as wrong until :meth:`succeeded`, so that many at once are as slow as one by one.
        """
        now = self._clock()
        visitor = self._visitor(address)
        wait_seconds = max(visitor.wait_seconds(now), self._all.wait_seconds(now))
        if wait_seconds <= 0:
            visitor.add(now)
            self._all.add(now)
        return wait_seconds

    def succeeded(self, address: str) -> None:
        """The last attempt from ``address`` had the right password."""
        self._visitors.pop(_network(address), None)
        self._all.wrong = max(0, self._all.wrong - 1)

    def _visitor(self, address: str) -> _Series:
        name = _network(address)
        if name not in self._visitors:
            self._visitors[name] = _Series(FREE_OF_ONE, LONGEST_WAIT_OF_ONE_SECONDS)
        self._visitors.move_to_end(name)
        if len(self._visitors) > _MOST_VISITORS:
            self._visitors.popitem(last=False)
        return self._visitors[name]


def _network(address: str) -> str:
    """Whoever has one IPv6 address has the 2**64 of its network as well."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(int(parsed) >> 64)
    return str(parsed)


_MOST_SESSIONS = 10_000


class Sessions:
    """The browsers that are in. Of each word only a digest is kept."""

    def __init__(self) -> None:
        self._digests: OrderedDict[bytes, None] = OrderedDict()

    def open(self) -> str:
        """Let one more browser in; returns the word that it has to bring along."""
        word = secrets.token_urlsafe(32)
        self._digests[_digest(word)] = None
        if len(self._digests) > _MOST_SESSIONS:
            self._digests.popitem(last=False)
        return word

    def __contains__(self, word: str) -> bool:
        return _digest(word) in self._digests


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
