"""A call can be left at any moment, whatever its server does; what it gives otherwise is what the model gives."""

from __future__ import annotations

import socket
import sys
import threading
from time import monotonic, sleep

import pytest

from memviz.core.model_errors import ModelError, ModelTimeoutError
from memviz.models.line import Interruptible
from memviz.models.litellm_client import LiteLLMModel
from tests.models.litellm_calls import HELLO, client
from tests.models.openai_server import (
    Answer,
    OpenAIServer,
    chunk,
    slow,
    stall,
    status,
    text,
)
from tests.models.visitors import SILENCE_SECONDS, SOON_SECONDS, Stopped, Visitor


def thinking(handler: object) -> None:
    """Thoughts without end, until the client goes away; an answer never begins."""
    handler.start_events()  # type: ignore[attr-defined]
    while not handler.server.closing.wait(0.01):  # type: ignore[attr-defined]
        handler.send_event(chunk({"reasoning_content": "hm "}))  # type: ignore[attr-defined]


def calls_under_way() -> int:
    return sum(thread.name == "memviz model call" for thread in threading.enumerate())


def headers_only(seconds: float) -> Answer:
    def answer(handler: object) -> None:
        handler.start_events()  # type: ignore[attr-defined]
        handler.wfile.flush()  # type: ignore[attr-defined]
        handler.server.closing.wait(seconds)  # type: ignore[attr-defined]

    return answer


def test_it_gives_what_the_model_gives(server: OpenAIServer) -> None:
    server.then(text("Hello ", "there."), text("Hello ", "there."), text("A summary."))
    model, visitor = client(server), Visitor()
    watched = Interruptible(model, visitor.look_up)
    assert [item for item in watched.stream(HELLO) if item] == list(model.stream(HELLO))
    assert watched.summarize(HELLO).text == "A summary."
    assert (watched.name, watched.identity, watched.takes_tools) == (
        model.name,
        model.identity,
        model.takes_tools,
    )
    assert visitor.looks > 0


def test_a_failure_is_the_models_own(server: OpenAIServer) -> None:
    server.otherwise = status(401, "Incorrect API key provided", "invalid_api_key")
    with pytest.raises(ModelError) as plain:
        client(server).complete(HELLO)
    with pytest.raises(type(plain.value), match="key"):
        Interruptible(client(server), Visitor().look_up).complete(HELLO)


@pytest.mark.parametrize(
    "silent",
    [
        slow(SILENCE_SECONDS),
        headers_only(SILENCE_SECONDS),
        stall(SILENCE_SECONDS, "One ", "two "),
    ],
    ids=["before the headers", "after the headers", "between the chunks"],
)
def test_a_silent_server_does_not_hold_the_caller(
    server: OpenAIServer, silent: Answer
) -> None:
    server.otherwise = silent
    asked = monotonic()
    visitor = Visitor(lambda: bool(server.requests) and monotonic() > asked + 0.3)
    model = Interruptible(client(server, timeout=SILENCE_SECONDS), visitor.look_up)
    pieces = []
    with pytest.raises(Stopped):
        pieces.extend(model.stream(HELLO))
    assert monotonic() - visitor.stopped_at < 0.5
    assert monotonic() - asked < SOON_SECONDS
    assert "".join(map(str, pieces)) in ("", "One two ")


@pytest.mark.skipif(sys.platform != "linux", reason="a full backlog is silent on Linux")
def test_a_connection_that_nobody_accepts_does_not_hold_the_caller() -> None:
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for waiting in (first, second):  # what the system takes in by itself
            waiting.setblocking(False)
            waiting.connect_ex(deaf.getsockname())
        asked = monotonic()
        visitor = Visitor(lambda: monotonic() > asked + 0.5)
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        model = LiteLLMModel(
            "openai/x", api_key="k", api_base=address, timeout=SILENCE_SECONDS
        )
        with pytest.raises(Stopped):
            Interruptible(model, visitor.look_up).complete(HELLO)
        assert monotonic() - asked < SOON_SECONDS


def test_closing_the_stream_leaves_the_call(server: OpenAIServer) -> None:
    server.otherwise = stall(SILENCE_SECONDS, "One ")
    stream = Interruptible(
        client(server, timeout=SILENCE_SECONDS), Visitor().look_up
    ).stream(HELLO)
    assert next(piece for piece in stream if piece) == "One "
    closing = monotonic()
    stream.close()  # type: ignore[attr-defined]
    assert monotonic() - closing < 0.5


def test_a_call_that_was_left_hangs_up_as_soon_as_its_server_thinks_aloud(
    server: OpenAIServer,
) -> None:
    server.otherwise = thinking
    model = Interruptible(
        client(server), Visitor(lambda: bool(server.requests)).look_up
    )
    with pytest.raises(Stopped):
        model.complete(HELLO)
    assert server.client_gone.wait(SOON_SECONDS)


@pytest.mark.slow
def test_a_call_that_was_left_is_not_tried_again(server: OpenAIServer) -> None:
    server.otherwise = slow(SILENCE_SECONDS)
    patient = client(server, timeout=1, retries=5)
    before = calls_under_way()
    with pytest.raises(Stopped):
        Interruptible(patient, Visitor(lambda: bool(server.requests)).look_up).complete(
            HELLO
        )
    deadline = monotonic() + 20
    while calls_under_way() > before:
        assert monotonic() < deadline, "the thread goes on"
        sleep(0.05)
    assert len(server.requests) == 1


@pytest.mark.slow
def test_without_a_stop_the_timeout_and_its_tries_are_as_before(
    server: OpenAIServer,
) -> None:
    server.otherwise = slow(SILENCE_SECONDS)
    with pytest.raises(ModelTimeoutError):
        Interruptible(
            client(server, timeout=0.3, retries=1), Visitor().look_up
        ).complete(HELLO)
    assert len(server.requests) == 2
