"""Questions to a server of this machine. Plain HTTP to a loopback address: through no proxy, past no redirect, without
any key, and with a bound on the answer's size and time."""

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from memviz.core.bounds import quoted, read_json
from memviz.core.errors import BadRequestError
from memviz.core.text.wording import counted
from memviz.models.access.settings import is_loopback
from memviz.models.own_servers import LOOPBACK

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Of one answer. A list of a hundred models has some 50 KB."""
SILENCE_SECONDS = 2.0
"""A server that says nothing for so long is left alone. Here nothing is far away."""
MOST_SECONDS = 4.0
"""All questions to one server together take no longer."""
_PIECE_BYTES = 64 * 1024
_REFUSES_WITHOUT_KEY = (401, 403)
_LOADING = 503


class SilentError(Exception):
    """Nothing listens at the address."""


class NoAnswerError(Exception):
    """Something listens, and what it does is no answer: the exception's text says what, to follow the address."""


class Answer(NamedTuple):
    """A reply. ``value`` is the JSON of its body, ``None`` if that is none; ``server`` is what it calls itself."""

    status: int
    value: Any
    server: str = ""

    @property
    def is_success(self) -> bool:
        """True if the server has what was asked for."""
        return 200 <= self.status < 300

    @property
    def wants_key(self) -> bool:
        """True if it tells nobody without an API key."""
        return self.status in _REFUSES_WITHOUT_KEY

    @property
    def is_loading(self) -> bool:
        """True if it is not ready yet, as llama.cpp is not while it reads its weights."""
        return self.status == _LOADING

    def items(self, name: str) -> list[Mapping[str, Any]] | None:
        """The objects listed under ``name``; ``None`` if there is no such list."""
        found = (
            self.value.get(name)
            if self.is_success and isinstance(self.value, dict)
            else None
        )
        return (
            [item for item in found if isinstance(item, dict)]
            if isinstance(found, list)
            else None
        )


class Place:
    """A loopback address, and the time that is left to ask it in."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self.until = monotonic() + MOST_SECONDS

    @property
    def address(self) -> str:
        """``127.0.0.1:8080``."""
        return (
            f"[{self.host}]:{self.port}"
            if ":" in self.host
            else f"{self.host}:{self.port}"
        )

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """GET ``path``, or POST ``body`` there. Raises :class:`SilentError` and :class:`NoAnswerError`."""
        self._check_time()
        connection = HTTPConnection(self.host, self.port, timeout=SILENCE_SECONDS)
        try:
            return self._answer(connection, path, body)
        except TimeoutError:
            raise NoAnswerError(
                f"said nothing for {counted(SILENCE_SECONDS, 'second')}"
            ) from None
        except ConnectionRefusedError:
            raise SilentError from None
        except (OSError, HTTPException, ValueError):
            raise NoAnswerError("does not speak HTTP, or hung up") from None
        finally:
            connection.close()

    def _answer(
        self, connection: HTTPConnection, path: str, body: Mapping[str, Any] | None
    ) -> Answer:
        headers = {"Accept": "application/json"} | (
            {"Content-Type": "application/json"} if body is not None else {}
        )
        connection.request(
            "GET" if body is None else "POST",
            path,
            json.dumps(body) if body else None,
            headers,
        )
        response = connection.getresponse()
        pieces = list[bytes]()
        left = MAX_ANSWER_BYTES
        while piece := response.read1(_PIECE_BYTES):
            pieces.append(piece)
            left -= len(piece)
            if left < 0:
                raise NoAnswerError(
                    f"sent more than {MAX_ANSWER_BYTES // 1024**2} MB where a list of models was asked"
                )
            self._check_time()
        return Answer(
            response.status, _json(b"".join(pieces)), response.getheader("server") or ""
        )

    def _check_time(self) -> None:
        if monotonic() > self.until:
            raise NoAnswerError(
                f"did not come to an end within {counted(MOST_SECONDS, 'second')}"
            )


def _json(body: bytes) -> Any:
    try:
        return read_json(body.decode("utf-8"))
    except ValueError:
        return None


def place_of(address: str) -> Place:
    """The place that somebody typed: ``8081``, ``127.0.0.1:8081``, ``http://localhost:8081/v1``.

    Raises :class:`memviz.core.errors.BadRequestError` for what is no port of this machine.
    """
    text = address.strip()
    text = f"{LOOPBACK}:{text}" if text.isdecimal() else text
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        host = ""
        port = None
    if not port or parts.scheme != "http" or not is_loopback(host):
        raise BadRequestError(
            f"{quoted(text)} is no address of this machine: give a port, or an address such as {LOOPBACK}:8081. For a "
            "server elsewhere, enter its base URL and the model's name."
        )
    return Place(_numeric(host), port)


def _numeric(host: str) -> str:
    """The address itself, so that no name is looked up."""
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        return LOOPBACK
