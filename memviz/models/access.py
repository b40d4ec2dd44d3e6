"""Access to the dashboard: the switches of a server, and its password.

The switches say who may reach the server, and what visitors may use of its machine.
``memviz ui`` sets them as environment variables, so that the server finds them however it
was started. Of the password only what scrypt made of it is kept, with the attempts to guess
it and the browsers that gave it.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from memviz.core.errors import AccessError
from memviz.models.environment import make_variables, read_switch, read_words

TRUST_EVERYONE = "MEMVIZ_TRUST_EVERYONE"
PASSWORD_FILE = "MEMVIZ_PASSWORD_FILE"  # noqa: S105 - the name of a variable
ALLOW_ENVIRONMENT_KEYS = "MEMVIZ_ALLOW_ENVIRONMENT_KEYS"
ALLOW_PRIVATE_BASE_URLS = "MEMVIZ_ALLOW_PRIVATE_BASE_URLS"
EMBEDDABLE_BY = "MEMVIZ_EMBEDDABLE_BY"
CLASS_CODE = "MEMVIZ_CLASS"
LOGIN = "MEMVIZ_LOGIN"
IDENTITY_HEADER = "MEMVIZ_IDENTITY_HEADER"
PERSONAL_DOORS = {
    "--class": CLASS_CODE,
    "--login": LOGIN,
    "--identity-header": IDENTITY_HEADER,
}
"""The doors that know who somebody is: options of ``memviz ui``, and the variables that say the same."""
JSON_LOG = "MEMVIZ_JSON_LOG"
METRICS = "MEMVIZ_METRICS"
# "9464", "127.0.0.1:9464", "[::1]:9464"
_METRICS_PLACE = re.compile(
    r"(?:\[?(?P<address>[0-9a-zA-Z_.:-]+?)\]?:)?(?P<port>[0-9]{1,5})"
)
# "https://course.example.com", "http://127.0.0.1:8000"
_ORIGIN = re.compile(r"https?://[a-z0-9_.-]+(?::[0-9]{1,5})?", re.IGNORECASE)
SHORTEST_CHARS = 8
LONGEST_BYTES = 1024
_READABLE_BY_OTHERS = stat.S_IRGRP | stat.S_IROTH


class ModelAccess(NamedTuple):
    """The things that a model that a visitor chose may use of the machine that calls
    it: its API keys, and addresses that are not public."""

    environment_keys: bool
    private_base_urls: bool


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """The openness of a server. A switch that is ``None`` is on where nobody but this machine can reach the server,
    and off everywhere else."""

    address: str
    """The address that the server listens on."""
    trust_everyone: bool = False
    """True if nobody is asked for a password."""
    password_file: str = ""
    """The file with the password that every visitor is asked for."""
    environment_keys: bool | None = None
    """True if an empty key field uses the server's own API keys."""
    private_base_urls: bool | None = None
    """True if base URLs that visitors enter may lead to this machine and its network."""
    embeddable_by: tuple[str, ...] = ()
    """The origins whose pages may show memviz in a frame, besides its own; they may do nothing else."""
    personal_doors: tuple[str, ...] = ()
    """The doors that know who somebody is, such as "--class": each visitor has a library of their own behind them."""

    @property
    def is_local(self) -> bool:
        """True if only this machine can reach the server."""
        return is_loopback(self.address)

    @property
    def is_shared(self) -> bool:
        """True if others reach the server: by its address, or because somebody decided who of them may come in."""
        has_door = self.trust_everyone or bool(
            self.password_file or self.personal_doors
        )
        return not self.is_local or has_door

    @property
    def of_models(self) -> ModelAccess:
        """The rights of models that visitors chose."""
        is_own = self.is_local and not self.personal_doors
        keys = self.environment_keys
        base_urls = self.private_base_urls
        return ModelAccess(
            environment_keys=is_own if keys is None else keys,
            private_base_urls=is_own if base_urls is None else base_urls,
        )

    def check(self) -> None:
        """Raise :class:`memviz.core.errors.AccessError` if others could come in without
        anybody having decided so, or if what may show memviz in a frame is no
        origin."""
        for origin in self.embeddable_by:
            if not _ORIGIN.fullmatch(origin):
                raise AccessError(
                    f"{origin!r} is no origin of a page: give scheme, host and port, such as https://course.example.com"
                    " or http://127.0.0.1:8000."
                )
        doors = list(self.personal_doors)
        if self.password_file:
            doors.append("--password-file")
        if self.trust_everyone:
            doors.append("--trust-everyone")
        if self.personal_doors and len(doors) > 1:
            raise AccessError(f"{' and '.join(doors)} are two doors: give one of them.")
        has_door = self.trust_everyone or self.password_file or self.personal_doors
        if self.is_local or has_door:
            return
        raise AccessError(
            f"Others can reach {self.address or 'all addresses'}, and nothing would ask them who they are: "
            "give --class CODE for a library each, --password-file FILE, or --trust-everyone if all of them may read, "
            "change and delete every conversation "
            f"(without memviz ui: the environment variable {PASSWORD_FILE}, or {TRUST_EVERYONE}=1)."
        )

    def variables(self) -> dict[str, str]:
        """The environment variables that say all of this but the address."""
        return make_variables(
            {
                TRUST_EVERYONE: self.trust_everyone or None,
                PASSWORD_FILE: self.password_file,
                ALLOW_ENVIRONMENT_KEYS: self.environment_keys,
                ALLOW_PRIVATE_BASE_URLS: self.private_base_urls,
                EMBEDDABLE_BY: self.embeddable_by,
            }
        )


def read_server_access(
    address: str | None, environment: Mapping[str, str] = os.environ
) -> ServerAccess:
    """The switches as the environment has them, for a server on ``address`` (``None``: on all addresses).

    Raises :class:`memviz.core.errors.AccessError` for a switch that is neither on nor off.
    """
    return ServerAccess(
        address or "",
        read_switch(environment, TRUST_EVERYONE) or False,
        environment.get(PASSWORD_FILE, ""),
        read_switch(environment, ALLOW_ENVIRONMENT_KEYS),
        read_switch(environment, ALLOW_PRIVATE_BASE_URLS),
        read_words(EMBEDDABLE_BY, environment),
        personal_doors=_personal_doors(environment),
    )


def _personal_doors(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the options of the doors that are open, behind which each visitor has a library of their own."""
    options = []
    for option, variable in PERSONAL_DOORS.items():
        is_given = bool(environment.get(variable))
        # LOGIN is a switch, which "0" turns off; the others are texts.
        if is_given and (variable != LOGIN or read_switch(environment, LOGIN)):
            options.append(option)
    return tuple(options)


def read_metrics_address(place: str) -> tuple[str, int] | None:
    """Return the address and port that figures for Prometheus are served at: "9464" is 127.0.0.1 and 9464, and
    "[::1]:9464" is ::1 and 9464; ``None`` where nothing is given.

    Raises :class:`memviz.core.errors.AccessError` for what is neither.
    """
    if not place:
        return None
    match = _METRICS_PLACE.fullmatch(place.strip())
    if match is None or not 0 < int(match["port"]) < 65_536:
        raise AccessError(
            f"{place!r} is no place for figures: give a port or address and port, such as 127.0.0.1:9464."
        )
    return match["address"] or "127.0.0.1", int(match["port"])


def is_loopback(host: str) -> bool:
    """Return whether ``host``, a name or an address, is this machine as nobody else can reach it."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


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
    # Editors end a file with a line break, which is no part of the password.
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


def is_readable_by_others(path: str | Path) -> bool:
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

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        free_of_one: int = FREE_OF_ONE,
        free_of_all: int = FREE_OF_ALL,
        longest_wait_seconds: float = LONGEST_WAIT_OF_ONE_SECONDS,
    ) -> None:
        self._clock = clock
        self._free_of_one = free_of_one
        self._longest_wait_seconds = longest_wait_seconds
        self._all = _Series(free_of_all, LONGEST_WAIT_OF_ALL_SECONDS)
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
        self._visitors.pop(network_of(address), None)
        self._all.wrong = max(0, self._all.wrong - 1)

    def _visitor(self, address: str) -> _Series:
        name = network_of(address)
        if name not in self._visitors:
            self._visitors[name] = _Series(
                self._free_of_one, self._longest_wait_seconds
            )
        self._visitors.move_to_end(name)
        if len(self._visitors) > _MOST_VISITORS:
            self._visitors.popitem(last=False)
        return self._visitors[name]


def network_of(address: str) -> str:
    """Return the name of the network of an address: who has one IPv6 address has the 2**64 of its network as well."""
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
