"""Questions to a server of this machine, in plain HTTP to a loopback address.

Questions go through no proxy, follow no redirect and send no key. The size of an answer
and the time for it are bounded.
"""

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import ip_address
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from memviz.core.bounds import quoted, read_json
from memviz.core.model_errors import BadRequestError
from memviz.core.translation import Said, _
from memviz.models.access import is_loopback
from memviz.models.provider_keys import LOOPBACK

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""The most bytes that one answer may have. A list of 100 models has some 50 KB."""
SILENCE_SECONDS = 2.0
"""The longest wait for the next bytes. Nothing on this machine is far away."""
MOST_SECONDS = 4.0
"""The longest that all questions to one server may take together."""
_PIECE_BYTES = 64 * 1024
_REFUSES_WITHOUT_KEY = (401, 403)
_LOADING = 503


class SilentError(Exception):
    """Nothing listens at the address."""


class NoAnswerError(Exception):
    """Something listens that does not answer.

    What it ``does`` instead is shown behind the address: "said nothing for 2 seconds".
    """

    def __init__(self, does: Said) -> None:
        super().__init__(does)
        self.does = does


class Answer(NamedTuple):
    """The answer of a server to one question."""

    status: int
    """The status code of HTTP."""
    value: Any
    """The body, read as JSON; ``None`` if it is no JSON."""
    server: str = ""
    """The server's name for itself, from the header ``Server``."""

    @property
    def is_success(self) -> bool:
        """True if the server has what was asked for."""
        return 200 <= self.status < 300

    @property
    def wants_key(self) -> bool:
        """True if the server answers only those who send an API key."""
        return self.status in _REFUSES_WITHOUT_KEY

    @property
    def is_loading(self) -> bool:
        """True if the server is not ready yet: llama.cpp reads its weights first."""
        return self.status == _LOADING

    def items(self, name: str) -> list[Mapping[str, Any]] | None:
        """Return the objects listed under ``name``; ``None`` if there is no such list."""
        if not self.is_success or not isinstance(self.value, dict):
            return None
        items_listed = self.value.get(name)
        if not isinstance(items_listed, list):
            return None
        return [item for item in items_listed if isinstance(item, dict)]


class Place:
    """A loopback address, and the time that is left to ask it in."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self._until = monotonic() + MOST_SECONDS

    @property
    def address(self) -> str:
        """Host and port: ``127.0.0.1:8080``, or ``[::1]:8080`` for an IPv6 host."""
        is_ipv6 = ":" in self.host
        host = f"[{self.host}]" if is_ipv6 else self.host
        return f"{host}:{self.port}"

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Return the answer to GET ``path``, or to POST ``path`` if there is a ``body``.

        Raises :class:`SilentError` and :class:`NoAnswerError`.
        """
        self._check_time()
        connection = HTTPConnection(self.host, self.port, timeout=SILENCE_SECONDS)
        try:
            return self._answer(connection, path, body)
        except TimeoutError:
            raise NoAnswerError(
                Said("said nothing for {seconds:g} seconds", seconds=SILENCE_SECONDS)
            ) from None
        except ConnectionRefusedError:
            raise SilentError from None
        except (OSError, HTTPException, ValueError):
            raise NoAnswerError(Said("does not speak HTTP, or hung up")) from None
        finally:
            connection.close()

    def _answer(
        self, connection: HTTPConnection, path: str, body: Mapping[str, Any] | None
    ) -> Answer:
        headers = {"Accept": "application/json"}
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            headers["Content-Type"] = "application/json"
            connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        content = self._read_bounded(response)
        server = response.getheader("server") or ""
        return Answer(response.status, _json(content), server)

    def _read_bounded(self, response: HTTPResponse) -> bytes:
        """Return the body, read piece by piece so that both bounds end it in time."""
        pieces = list[bytes]()
        bytes_left = MAX_ANSWER_BYTES
        while piece := response.read1(_PIECE_BYTES):
            pieces.append(piece)
            bytes_left -= len(piece)
            if bytes_left < 0:
                megabytes = MAX_ANSWER_BYTES // 1024**2
                raise NoAnswerError(
                    Said(
                        "sent more than {megabytes} MB where a list of models was asked",
                        megabytes=megabytes,
                    )
                )
            self._check_time()
        return b"".join(pieces)

    def _check_time(self) -> None:
        if monotonic() > self._until:
            raise NoAnswerError(endless())


def endless() -> Said:
    """Return the words for an answer that was still coming when its time was over."""
    return Said(
        "did not come to an end within {seconds:g} seconds", seconds=MOST_SECONDS
    )


def _json(body: bytes) -> Any:
    try:
        return read_json(body.decode("utf-8"))
    except ValueError:
        return None


def place_of(address: str) -> Place:
    """Return the place at an address that somebody typed.

    ``8081``, ``127.0.0.1:8081`` and ``http://localhost:8081/v1`` are the same place.

    Raises :class:`memviz.core.model_errors.BadRequestError` for what is no port of this machine.
    """
    text = address.strip()
    if text.isdecimal():
        text = f"{LOOPBACK}:{text}"
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        host = ""
        port = None
    if not port or parts.scheme != "http" or not is_loopback(host):
        raise BadRequestError(
            _(
                "{address} is no address of this machine: give a port, or an address such as {loopback}:8081. For a "
                "server elsewhere, enter its base URL and the model's name.",
                address=quoted(text),
                loopback=LOOPBACK,
            )
        )
    return Place(_numeric(host), port)


def _numeric(host: str) -> str:
    """Return ``host`` if it is an IP address, and the loopback address for a name.

    So no name is looked up.
    """
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        return LOOPBACK
