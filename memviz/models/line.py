"""The network connections of a call: how much may arrive on them, how long it may take, and how they are cut.

A timeout of HTTP clients is a bound on silence alone: a server that sends a byte now and then, or headers without end,
holds them for ever. And a thread that waits for a byte can only be woken by closing its socket. Both are done here,
below HTTP, where every byte passes.
"""

import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from threading import Lock
from time import monotonic
from typing import Any

import httpcore
import httpx

from memviz.core.text.wording import counted

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""Of one reply, as it arrives and unpacked. The longest ones, 128,000 tokens with an event for each, have some 45."""
MAX_REPLY_SECONDS = 1800.0
"""From the request until the reply's last byte. 4,096 tokens of a machine that writes three a second need 1,400."""

_PART_BYTES = 64 * 1024


class EndlessReplyError(Exception):
    """A reply that is longer, or takes longer, than any reply should: ``most`` says how long, in words."""

    def __init__(self, most: str) -> None:
        self.most = most
        super().__init__("The reply has no end.")


class CutError(Exception):
    """Nobody waits for the reply any more."""


class Allowance:
    """The bytes that may still arrive of a reply, and the moment until which."""

    def __init__(self) -> None:
        self._left_bytes = MAX_REPLY_BYTES
        self._until = monotonic() + MAX_REPLY_SECONDS

    def seconds(self, timeout: float | None) -> float:
        """The seconds that the next piece may be waited for."""
        left = max(0.01, self._until - monotonic())
        return left if timeout is None else min(timeout, left)

    def check_time(self) -> None:
        """Raise :class:`EndlessReplyError` once the time is over."""
        if monotonic() >= self._until:
            raise EndlessReplyError(counted(MAX_REPLY_SECONDS / 60, "minute"))

    def take(self, size: int) -> None:
        """Use up ``size`` bytes. Raises :class:`EndlessReplyError` where there are not so many left."""
        self.check_time()
        self._left_bytes -= size
        if self._left_bytes < 0:
            raise EndlessReplyError(f"{MAX_REPLY_BYTES / 1024 / 1024:g} MB")


class Line:
    """The connections that a call waits at. :meth:`cut` may be called from any thread, at any time."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: list[httpcore.NetworkStream] = []
        self._is_cut = False

    def context(self) -> Context:
        """A context whose requests are cut with this line: ``context.run(function, ...)``."""
        context = copy_context()
        context.run(_LINE.set, self)
        return context

    def cut(self) -> None:
        """Close the connections: who waits at one goes on at once, and nobody waits again."""
        with self._guard:
            self._is_cut = True
            for stream in self._waiting:
                _hang_up(stream)

    def check(self) -> None:
        """Raise :class:`CutError` once the line was cut."""
        if self._is_cut:
            raise CutError

    @contextmanager
    def at(self, stream: httpcore.NetworkStream) -> Iterator[None]:
        """While something is waited for at ``stream``. Raises :class:`CutError` once the line was cut."""
        with self._guard:
            self.check()
            self._waiting.append(stream)
        try:
            yield
        finally:
            with self._guard:
                self._waiting.remove(stream)


_NOBODYS = Line()
_LINE: ContextVar[Line] = ContextVar("line", default=_NOBODYS)
_RESPONSES: ContextVar[list[httpx.Response] | None] = ContextVar(
    "responses", default=None
)
_ALLOWANCE: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


def begin_reply(request: httpx.Request) -> None:
    """From now on what arrives belongs to the reply to ``request``. It is not to be packed: a small reply gains
    nothing by it, and a packed one hides how large it is."""
    request.headers["accept-encoding"] = "identity"
    _ALLOWANCE.set(Allowance())


@contextmanager
def responses_closed(within: Context) -> Iterator[None]:
    """Close at the end all responses that requests made in ``within`` got. One that is left open is closed by Python's
    garbage collector, at any moment: also while a request holds the lock that closing needs, which then waits for
    itself."""
    responses: list[httpx.Response] = []
    within.run(_RESPONSES.set, responses)
    try:
        yield
    finally:
        for response in responses:
            with suppress(Exception):  # its connection may be cut
                response.close()


def note_response(response: httpx.Response) -> None:
    """Keep ``response``, to be closed where its call ends."""
    if (noted := _RESPONSES.get()) is not None:
        noted.append(response)


def watch_connections(client: httpx.Client) -> None:
    """Have all connections that ``client`` opens from now on obey allowances and lines."""
    # httpx has no public place for this, though httpcore below it has one.
    for transport in (client._transport, *client._mounts.values()):
        pool: Any = getattr(transport, "_pool", None)
        if pool is not None and not isinstance(pool._network_backend, _WatchedBackend):
            pool._network_backend = _WatchedBackend(pool._network_backend)


class _WatchedBackend(httpcore.NetworkBackend):
    """Opens the connections that ``backend`` opens."""

    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _WatchedStream(self._backend.connect_tcp(*args, **options))

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _WatchedStream(self._backend.connect_unix_socket(*args, **options))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


class _WatchedStream(httpcore.NetworkStream):
    """A connection that gives no more and waits no longer than the call that reads it may."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        allowance = _ALLOWANCE.get()
        if allowance is None:
            return self._stream.read(max_bytes, timeout)
        try:
            with _LINE.get().at(self._stream):
                data = self._stream.read(max_bytes, allowance.seconds(timeout))
        except httpcore.ReadTimeout:
            allowance.check_time()
            raise
        allowance.take(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _LINE.get().at(self._stream):
            self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        with _LINE.get().at(self._stream):
            return _WatchedStream(self._stream.start_tls(*args, **options))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def at_most(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """``pieces`` of a reply's body, unpacked, large ones in parts. Raises :class:`EndlessReplyError` where they do not
    end in time, and :class:`CutError` once nobody waits for them."""
    allowance = Allowance()
    for piece in pieces:
        for start in range(0, len(piece), _PART_BYTES):
            part = piece[start : start + _PART_BYTES]
            allowance.take(len(part))
            _LINE.get().check()
            yield part


def _hang_up(stream: httpcore.NetworkStream) -> None:
    connection = stream.get_extra_info("socket")
    if isinstance(connection, socket.socket):
        with suppress(OSError):
            # That of the socket alone: TLS would take its own state away from the thread that reads.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
