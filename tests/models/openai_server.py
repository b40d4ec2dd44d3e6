"""A real HTTP server that speaks the OpenAI chat protocol and fails on request. Binds to 127.0.0.1."""

from __future__ import annotations

import json
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import ascii_lowercase
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from memviz.models.rate_limiter import gate_of

USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}


@dataclass(frozen=True)
class Received:
    """One request as it arrived. Header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class OpenAIServer(ThreadingHTTPServer):
    """Gives the answers of ``script`` in order, then ``otherwise``. ``requests`` is what it was sent."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.script: deque[Answer] = deque()
        self.otherwise: Answer = text("Hello there.")
        self.requests: list[Received] = []
        self.client_gone = Event()
        self.closing = Event()
        self.connections: set[socket.socket] = set()

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def then(self, *answers: Answer) -> None:
        self.script.extend(answers)

    def close_connections(self) -> None:
        """Hang up on every client. A connection that is kept open outlives ``server_close``, and clients keep theirs
        by address: the next server on the same port would be asked through it, and this one would answer."""
        for connection in tuple(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: clients that go away are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = (
        True  # otherwise every small reply waits some 40 ms for an acknowledgement
    )
    server: OpenAIServer

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        """No chat is asked for by GET, but a redirect may make one of a POST."""
        self.do_POST()

    def do_POST(self) -> None:
        body = json.loads(
            self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}"
        )
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Received(self.path, headers, body))
        answer = (
            self.server.script.popleft()
            if self.server.script
            else self.server.otherwise
        )
        try:
            answer(self)
        except OSError:
            self.server.client_gone.set()
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal clean."""

    def send(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/json",
        **headers: str,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def start_events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_event(self, data: str) -> None:
        block = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
        self.wfile.flush()

    def end_events(self) -> None:
        self.send_event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def reset_connection(self) -> None:
        """Cut the connection as a crashed server does."""
        self.connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        self.close_connection = True
        self.connection.close()


Answer = Callable[[_Handler], None]


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return json.dumps({**_HEAD, "choices": [choice]})


_HEAD = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "served-model",
}


def text(
    *pieces: str,
    usage: dict[str, Any] | None = USAGE,
    finish_reason: str | None = "stop",
    tools: Sequence[Any] = (),
) -> Answer:
    """A whole streamed reply. ``tools`` are ``delta.tool_calls`` lists, one a chunk."""

    def answer(handler: _Handler) -> None:
        handler.start_events()
        handler.send_event(chunk({"role": "assistant", "content": ""}))
        for piece in pieces:
            handler.send_event(chunk({"content": piece}))
        for calls in tools:
            handler.send_event(chunk({"tool_calls": calls}))
        if finish_reason:
            handler.send_event(chunk({}, finish_reason))
        if usage:
            handler.send_event(json.dumps({**_HEAD, "choices": [], "usage": usage}))
        handler.end_events()

    return answer


def status(
    code: int, message: str, error_code: str | None = None, **headers: str
) -> Answer:
    """An error reply in OpenAI's shape. ``headers`` with underscores for hyphens, as ``Retry_After="1"``."""
    body = json.dumps(
        {
            "error": {
                "message": message,
                "type": "error",
                "param": None,
                "code": error_code,
            }
        }
    ).encode()
    return lambda handler: handler.send(code, body, **headers)


def raw(body: str, content_type: str = "application/json") -> Answer:
    """Status 200 with any body."""
    return lambda handler: handler.send(200, body.encode(), content_type)


def events(*data: str, done: bool = True) -> Answer:
    """A stream of exactly these events; without ``done`` it just ends, in good order."""

    def answer(handler: _Handler) -> None:
        handler.start_events()
        for event in data:
            handler.send_event(event)
        if done:
            handler.end_events()
        else:
            handler.wfile.write(b"0\r\n\r\n")

    return answer


def vectors(handler: _Handler) -> None:
    """A vector for each text that ``/embeddings`` was sent: of the letters in it, so that texts of the same letters
    mean the same. They arrive in another order than they were asked for."""
    vectors_of(letters_of)(handler)


def vectors_of(embed: Callable[[str], list[float]]) -> Answer:
    """The vector that ``embed`` gives for each text, in the same way."""
    return partial(_vectors, embed)


def _vectors(embed: Callable[[str], list[float]], handler: _Handler) -> None:
    texts = handler.server.requests[-1].body["input"]
    data = [
        {"object": "embedding", "index": at, "embedding": embed(text)}
        for at, text in enumerate(texts)
    ]
    tokens = sum(map(len, texts))
    answer = {
        "object": "list",
        "data": data[::-1],
        "model": "served-model",
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }
    handler.send(200, json.dumps(answer).encode())


def letters_of(text: str) -> list[float]:
    """How often each of the letters stands in a text, whatever its case."""
    return [float(text.lower().count(letter)) for letter in ascii_lowercase]


def slow(seconds: float) -> Answer:
    """Nothing for ``seconds``, then a reply."""

    def answer(handler: _Handler) -> None:
        handler.server.closing.wait(seconds)
        text("Late.")(handler)

    return answer


class RateLimited:
    """At most ``requests`` a window of ``seconds``; beyond that status 429, counted in ``refused``, each with the
    whole rest of the window as ``Retry-After`` if it ``says_when``."""

    def __init__(self, requests: int, seconds: float, *, says_when: bool) -> None:
        self.refused = 0
        self._most, self._window_seconds, self._says_when = requests, seconds, says_when
        self._started, self._count, self._lock = float("-inf"), 0, Lock()

    def __call__(self, handler: _Handler) -> None:
        with self._lock:
            now = monotonic()
            if now - self._started >= self._window_seconds:
                self._started, self._count = now, 0
            self._count += 1
            too_many, rest = (
                self._count > self._most,
                self._window_seconds - (now - self._started),
            )
            self.refused += too_many
        headers = {"Retry_After": f"{rest:.3f}"} if self._says_when else {}
        (status(429, "Slow down", **headers) if too_many else text("Hello there."))(
            handler
        )


def closed_socket(handler: _Handler) -> None:
    """The connection is cut before any answer."""
    handler.reset_connection()


def cut(*pieces: str) -> Answer:
    """The connection is cut after ``pieces``."""

    def answer(handler: _Handler) -> None:
        handler.start_events()
        for piece in pieces:
            handler.send_event(chunk({"content": piece}))
        handler.server.closing.wait(
            0.05
        )  # a reset may overtake what is still on its way to the client
        handler.reset_connection()

    return answer


def stall(seconds: float, *pieces: str) -> Answer:
    """Silence for ``seconds`` after ``pieces``."""

    def answer(handler: _Handler) -> None:
        handler.start_events()
        for piece in pieces:
            handler.send_event(chunk({"content": piece}))
        handler.server.closing.wait(seconds)
        handler.end_events()

    return answer


def endless(handler: _Handler) -> None:
    """Words without end, until the client goes away."""
    handler.start_events()
    while not handler.server.closing.wait(0.01):
        handler.send_event(chunk({"content": "word "}))


@contextmanager
def openai_server(port: int = 0) -> Iterator[OpenAIServer]:
    """A running server, on a free port unless one is given. Nobody has refused a call at
    its address yet, though an earlier server may have had the same port."""
    gate_of.cache_clear()
    server = OpenAIServer(port)
    thread = Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        server.close_connections()
        thread.join()
