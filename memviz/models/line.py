"""The network connections of a call: how much may arrive on them, how long it may take, and
how they are cut, also by a caller who leaves.

A timeout of HTTP clients is a bound on silence alone: a server that sends a byte now and
then, or headers without end, holds them for ever. And a thread that waits for a byte can
only be woken by closing its socket. Both are done here, below HTTP, where every byte passes."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

import httpcore
import httpx

from memviz.core.text.wording import counted
from memviz.models.base import (
    Bill,
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    NoBill,
    Reply,
    unmetered,
)

MAX_REPLY_BYTES = 64 * 1024 * 1024
"""Of one reply, as it arrives and unpacked. The longest ones, 128,000 tokens with an event for each, have some 45."""
MAX_REPLY_SECONDS = 1800.0
"""The longest time from the request until the reply's last byte. 4,096 tokens of a machine that writes three a
second need 1,400."""
_PART_BYTES = 64 * 1024
LOOK_SECONDS = 0.1
"""How long it takes at most until the caller's ``look_up`` is asked again."""


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
        left_seconds = max(0.01, self._until - monotonic())
        return left_seconds if timeout is None else min(timeout, left_seconds)

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
        """A block in which something is waited for at ``stream``. Raises :class:`CutError` once the line was cut."""
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
    """Begin the allowance of the reply to ``request``, which is not to be packed: a small reply gains
    nothing by it, and a packed one hides how large it is."""
    request.headers["accept-encoding"] = "identity"
    _ALLOWANCE.set(Allowance())


@contextmanager
def close_responses(within: Context) -> Iterator[None]:
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
    responses = _RESPONSES.get()
    if responses is not None:
        responses.append(response)


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


def limit_body(pieces: Iterable[bytes]) -> Iterator[bytes]:
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


class Interruptible(ModelWrapper):
    """``model``, asked in a thread of its own, while the caller's thread waits and asks ``look_up`` ten times a
    second. What ``look_up`` raises ends the call at once, and so does closing the stream or Ctrl-C.

    A thread cannot be ended from outside, but its connection can: a call that was left is cut off from its server at
    once, makes no other try, and nobody reads what it got. One that is still looking for its server does so until the
    model's timeout.
    """

    def __init__(self, model: Model, look_up: Callable[[], object]) -> None:
        super().__init__(model)
        self._look_up = look_up

    def __repr__(self) -> str:
        return f"Interruptible({self._model!r})"

    def limited(self, max_output_tokens: int) -> Model | None:
        """The limited model, left in the same way."""
        limited = self._model.limited(max_output_tokens)
        return None if limited is None else Interruptible(limited, self._look_up)

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The model's answer as it arrives, and an empty piece now and then while nothing does. The ``meter`` is asked
        in the thread of the call; its bill is closed at the moment when
        the call is left, also while the server goes on saying nothing."""
        call = _Call(partial(self._model.answer, request), meter)
        call.start()
        # However the caller goes on (an error, Ctrl-C, an iterator that nobody reads on) the call is left.
        try:
            while not isinstance(item := self._next(call), _CallEnd):
                yield item
            if item.error is not None:
                raise item.error
        finally:
            call.leave()

    def _next(self, call: _Call) -> str | Reply | _CallEnd:
        self._look_up()
        try:
            return call.arrived.get(timeout=LOOK_SECONDS)
        except Empty:
            return ""


class _CallEnd:
    """The last thing that arrives of a call: it came to its end, or failed with ``error``."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class _LeftError(Exception):
    """Nobody waits for this call any more."""


class _Call(Thread):
    """One call of a model. ``arrived`` holds its pieces in order; once ``left`` is set, it ends as soon as it can."""

    def __init__(
        self, ask: Callable[[Meter], Iterator[str | Reply]], meter: Meter
    ) -> None:
        # One that was left must not hold the process up.
        super().__init__(name="memviz model call", daemon=True)
        self.arrived: SimpleQueue[str | Reply | _CallEnd] = SimpleQueue()
        self.left = Event()
        self._line = Line()
        self._ask = ask
        self._outer_meter = meter
        self._bill: Bill = NoBill()
        self._guard = Lock()

    def leave(self) -> None:
        """Cut off what is under way, for nobody waits for it any more, and bill it as a call that failed."""
        with self._guard:
            self.left.set()
            bill = self._bill
        bill.failed(None)
        self._line.cut()

    def run(self) -> None:
        """Ask, and hand on what arrives."""
        self._line.context().run(self._hand_on)

    def _hand_on(self) -> None:
        ended = _CallEnd()
        try:
            with closing(self._ask(self._meter)) as items:  # type: ignore[type-var]  # streams are generators
                for item in items:
                    if self.left.is_set():
                        return
                    self.arrived.put(item)
        except BaseException as error:  # the caller's to judge, whatever it is
            ended = _CallEnd(error)
        finally:
            self.arrived.put(ended)

    def _meter(self, request: ModelRequest) -> Bill:
        """Return the bill of one try. Raises once the call was left: after a silence that nobody waited for there is
        to be no other try."""
        if self.left.is_set():
            raise _LeftError
        bill = self._outer_meter(request)  # may wait, and be left meanwhile
        with self._guard:
            if not self.left.is_set():
                self._bill = bill
                return bill
        bill.unused()
        raise _LeftError
