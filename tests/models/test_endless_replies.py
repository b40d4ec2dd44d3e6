"""Replies without an end, packed or not, as real HTTP servers send them: they are left, and so is whoever clicks
Stop."""

from __future__ import annotations

import gc
import gzip
import resource
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from time import monotonic

import pytest

from memviz.core.model_errors import MalformedReplyError, ModelError, ServerError
from memviz.models import line, litellm_client
from memviz.models.base import Reply, Usage
from memviz.models.line import Interruptible
from tests.models import openai_server as answers
from tests.models.litellm_calls import HELLO, NAME, check_sentence, client, failure
from tests.models.openai_server import Answer, OpenAIServer, chunk
from tests.models.visitors import Stopped, Visitor

pytestmark = pytest.mark.usefixtures("no_provider_keys")

EVENT = f"data: {chunk({'content': 'word '})}\n\n".encode()
ZEROS = b"0" * 1_000_000
ENOUGH_MB = 1500
SOON_SECONDS = 5.0
ANTHROPIC, OLLAMA = "anthropic/claude-sonnet-4-5", "ollama_chat/llama3"


def packed(wbits: int, block: bytes, times: int) -> Iterator[bytes]:
    """``block`` again and again, a thousand times smaller on its way."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    yield packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(
        zlib.Z_FULL_FLUSH
    )  # the same bytes each time
    yield from repeat(again, times)


def sends(
    pieces: Callable[[], Iterator[bytes]], status: int = 200, **headers: str
) -> Answer:
    """All ``pieces`` as the body of a reply, in chunks."""

    def answer(handler: answers._Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        for piece in pieces():
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        handler.wfile.write(b"0\r\n\r\n")

    return answer


def gzip_bomb() -> Answer:
    return sends(
        lambda: packed(zlib.MAX_WBITS | 16, ZEROS, ENOUGH_MB), Content_Encoding="gzip"
    )


def deflate_bomb() -> Answer:
    return sends(
        lambda: packed(zlib.MAX_WBITS, ZEROS, ENOUGH_MB), Content_Encoding="deflate"
    )


def packed_lines_without_end() -> Answer:
    return sends(
        lambda: packed(zlib.MAX_WBITS | 16, b"\n" * 1_000_000, 10**9),
        Content_Encoding="gzip",
    )


def plain_flood() -> Answer:
    return sends(lambda: iter([ZEROS] * ENOUGH_MB))


def megabytes_at_most() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 * 1024 if sys.platform == "darwin" else 1024
    )


@pytest.mark.parametrize("bomb", [gzip_bomb, deflate_bomb, plain_flood])
@pytest.mark.parametrize(
    "name", [NAME, pytest.param(ANTHROPIC, marks=pytest.mark.slow), OLLAMA]
)
def test_a_reply_of_gigabytes_is_left_whatever_it_is_packed_in(
    server: OpenAIServer, name: str, bomb: Callable[[], Answer]
) -> None:
    server.then(bomb())
    before = megabytes_at_most()
    error, _ = failure(client(server, name))
    assert type(error) is MalformedReplyError
    check_sentence(error, name)
    assert "more than 64 MB" in str(error)
    assert megabytes_at_most() - before < 150


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "compress"])
def test_what_cannot_be_unpacked_within_bounds_is_one_sentence(
    server: OpenAIServer, packing: str
) -> None:
    server.then(
        sends(
            lambda: iter([gzip.compress(gzip.compress(ZEROS))]),
            Content_Encoding=packing,
        )
    )
    error, _ = failure(client(server))
    check_sentence(error)
    assert "is compressed in a way that memviz does not ask for" in str(error)
    assert server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "wbits", [zlib.MAX_WBITS | 16, zlib.MAX_WBITS], ids=["gzip", "deflate"]
)
def test_a_packed_reply_of_ordinary_size_is_read(
    server: OpenAIServer, wbits: int
) -> None:
    events = [EVENT, f"data: {chunk({}, 'stop')}\n\n".encode(), b"data: [DONE]\n\n"]
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    body = packer.compress(b"".join(events)) + packer.flush()
    server.then(
        sends(
            lambda: iter([body]),
            Content_Encoding="gzip" if wbits > zlib.MAX_WBITS else "deflate",
        )
    )
    assert client(server).complete(HELLO).text == "word "


def test_what_is_not_what_its_packing_says_is_one_sentence(
    server: OpenAIServer,
) -> None:
    server.then(sends(lambda: iter([EVENT]), Content_Encoding="gzip"))
    error, _ = failure(client(server))
    check_sentence(error)
    assert type(error) is MalformedReplyError


def test_a_stream_without_end_is_left_when_it_is_too_large(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "MAX_REPLY_BYTES", 100_000)
    server.then(sends(lambda: iter(lambda: EVENT * 10, b"")))
    error, streamed = failure(client(server))
    check_sentence(error)
    assert "without an end" in str(error)
    assert 0 < len(streamed) < 100_000
    assert error.partial == streamed
    assert server.client_gone.wait(SOON_SECONDS)


def trickle(handler: answers._Handler) -> None:
    """A word now and then, so that no silence is ever long."""
    handler.start_events()
    while not handler.server.closing.wait(0.05):
        handler.send_event(chunk({"content": "word "}))


def slow_headers(handler: answers._Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b"a")


@pytest.mark.parametrize("answer", [trickle, slow_headers])
def test_a_reply_that_trickles_is_left_when_its_time_is_over(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    monkeypatch.setattr(line, "MAX_REPLY_SECONDS", 0.4)
    server.then(answer)
    begun = monotonic()
    error, _ = failure(client(server, retries=2))
    check_sentence(error)
    assert "without an end" in str(error)
    assert monotonic() - begun < SOON_SECONDS
    assert len(server.requests) == 1, "it would take as long again"
    assert server.client_gone.wait(SOON_SECONDS)


def endless_headers(handler: answers._Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not handler.server.closing.is_set():
        handler.wfile.write(b"X-More: " + b"a" * 1000 + b"\r\n")


def endless_continues(handler: answers._Handler) -> None:
    """Replies that only say that the real one is to come."""
    while not handler.server.closing.is_set():
        handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100)


@pytest.mark.parametrize("answer", [endless_headers, endless_continues])
def test_headers_without_end_are_left(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    monkeypatch.setattr(line, "MAX_REPLY_BYTES", 200_000)
    server.then(answer)
    error, _ = failure(client(server))
    assert isinstance(error, (MalformedReplyError, ServerError))
    check_sentence(error)
    assert server.client_gone.wait(SOON_SECONDS)


def silent(handler: answers._Handler) -> None:
    """Not even a header. Whether the client went away shows by reading."""
    if not handler.connection.recv(1):
        handler.server.client_gone.set()


def silent_stream(handler: answers._Handler) -> None:
    handler.start_events()
    handler.wfile.flush()
    silent(handler)


@pytest.mark.parametrize(
    "answer",
    [silent, silent_stream, packed_lines_without_end(), answers.endless],
    ids=["before the headers", "after the headers", "packed", "endless"],
)
def test_stop_closes_the_connection(
    server: OpenAIServer, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "MAX_REPLY_BYTES", 10**12)
    server.otherwise = answer
    asked = monotonic()
    visitor = Visitor(lambda: bool(server.requests) and monotonic() > asked + 0.3)
    with pytest.raises(Stopped):
        Interruptible(client(server, timeout=45), visitor.look_up).complete(HELLO)
    assert server.client_gone.wait(SOON_SECONDS)


def test_a_stopped_call_leaves_those_beside_it(server: OpenAIServer) -> None:
    """All calls of the process share a client."""
    server.then(answers.endless, answers.text("Hello ", "there."))
    stopped = Interruptible(client(server), Visitor().look_up).stream(HELLO)
    assert next(piece for piece in stopped if piece)
    other = Interruptible(client(server), Visitor().look_up).stream(HELLO)
    assert next(piece for piece in other if piece) == "Hello "
    stopped.close()  # type: ignore[attr-defined]
    assert server.client_gone.wait(1.0)
    *_, reply = other
    assert reply.text == "Hello there."  # type: ignore[union-attr]
    server.then(answers.text("Again."))
    assert client(server).complete(HELLO).text == "Again."


def test_after_a_reply_without_end_the_next_one_is_read(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one reply used up is not taken from another on the same connection."""
    monkeypatch.setattr(line, "MAX_REPLY_BYTES", 3_000)
    model = client(server)
    for _ in range(4):
        server.then(answers.text("Hello there."))
        assert model.complete(HELLO).text == "Hello there."
    server.then(gzip_bomb())
    with pytest.raises(ModelError):
        model.complete(HELLO)
    server.then(answers.text("Hello there."))
    assert model.complete(HELLO).text == "Hello there."


def pieces_in_memory() -> int:
    gc.collect()
    return sum(type(one).__name__ == "ModelResponseStream" for one in gc.get_objects())


@pytest.mark.slow
def test_a_long_reply_is_not_kept_in_pieces_and_its_usage_is_known(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(litellm_client, "MOST_PIECES", 40)
    server.then(answers.text(*["word "] * 300, usage=answers.USAGE))
    before = pieces_in_memory()
    stream = client(server).stream(HELLO)
    begun = list(islice(stream, 200))
    kept = pieces_in_memory() - before
    *_, reply = stream
    assert begun == ["word "] * 200
    assert kept < 60
    assert isinstance(reply, Reply)
    assert reply.text == "word " * 300
    assert reply.usage == Usage(1000, 100)
