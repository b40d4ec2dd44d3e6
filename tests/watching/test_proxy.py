"""The proxy between real clients and servers that answer as they are told."""

from __future__ import annotations

import gzip
import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pyarrow as pa
import pytest
from openai import APIConnectionError, APIStatusError, OpenAI
from starlette.testclient import TestClient

from memviz.watching import bodies
from memviz.watching.exchanges import CUT_OFF, Exchange
from memviz.watching.keeper import Keeper
from memviz.watching.proxy import BadUpstreamError, make_proxy, parse_address
from memviz.watching.serving import LocalServer, PortTakenError, serve_proxy
from tests.models.openai_server import (
    OpenAIServer,
    cut,
    endless,
    openai_server,
    raw,
    status,
    text,
)
from tests.tables import for_each
from tests.watching.exchanges_said import kept, library, notes_of, only, words
from tests.watching.upstreams import KEY, WAIT_SECONDS, wait_for, whole
from tests.watching.wire_shapes import (
    MESSAGES,
    REPLIES,
    REQUESTS,
    RESPONSES,
    STREAMS,
    stream,
)


@pytest.fixture
def upstream() -> Iterator[OpenAIServer]:
    with openai_server() as server:
        yield server


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return library(tmp_path)


@pytest.fixture
def proxy(upstream: OpenAIServer, keeper: Keeper) -> Iterator[LocalServer]:
    server = serve_proxy(keeper, upstream.api_base.removesuffix("/v1"), 0)
    yield server
    # uvicorn looks ten times a second whether it is to end, and the next test need not wait for that.
    Thread(target=server.close, daemon=True).start()


@pytest.fixture
def client(proxy: LocalServer) -> Iterator[OpenAI]:
    address = f"{proxy.address}/v1"
    with OpenAI(base_url=address, api_key=KEY, max_retries=0, timeout=20.0) as one:
        yield one


def test_a_conversation_passes_and_is_kept(
    upstream: OpenAIServer,
    keeper: Keeper,
    client: OpenAI,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[Any] = [{"role": "system", "content": "Be kind."}]
    for turn in range(3):
        said.append({"role": "user", "content": f"q{turn}"})
        if turn == 1:
            upstream.then(text("a", "1"))
            chunks = client.chat.completions.create(
                model="small", messages=said, stream=True
            )
            pieces = [
                one.choices[0].delta.content or "" for one in chunks if one.choices
            ]
            reply = "".join(pieces)
        else:
            upstream.then(whole(f"a{turn}"))
            answer = client.chat.completions.create(model="small", messages=said)
            reply = answer.choices[0].message.content or ""
        assert reply == f"a{turn}"
        said.append({"role": "assistant", "content": reply})
    wait_for(keeper, 6)
    found = only(keeper.store)
    assert words(found.messages) == "u:q0 a:a0 u:q1 a:a1 u:q2 a:a2"
    assert (found.title, found.system_prompt) == ("q0", "Be kind.")
    assert notes_of(found.messages[-1]) == {
        "usage": {"input_tokens": 10, "output_tokens": 2}
    }
    assert found.events == ()
    # The key went through, in both directions, and is nowhere else.
    sent = [one.headers["authorization"] for one in upstream.requests]
    assert sent == [f"Bearer {KEY}"] * 3
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in files
    of_client = ("httpx2", "httpcore2", "openai")
    told = [one for one in caplog.records if not one.name.startswith(of_client)]
    assert KEY not in "".join(one.getMessage() for one in told)


def test_a_stream_passes_byte_by_byte_as_it_comes(
    upstream: OpenAIServer, proxy: LocalServer
) -> None:
    request = {"model": "small", "messages": [{"role": "user", "content": "hi"}]}
    answers = []
    for address in (proxy.address, upstream.api_base.removesuffix("/v1")):
        upstream.then(text("One ", "two ", "three."))
        place = f"{address}/v1/chat/completions"
        with httpx.stream("POST", place, json=request) as reply:
            chunks = list(reply.iter_raw())
            answers.append((reply.status_code, dict(reply.headers), b"".join(chunks)))
    through, direct = answers
    for _status, headers, _body in answers:
        headers.pop("date", None)
    assert through == direct


def test_the_first_words_do_not_wait_for_the_last(
    upstream: OpenAIServer, client: OpenAI
) -> None:
    upstream.then(endless)
    chunks = client.chat.completions.create(
        model="small", messages=[{"role": "user", "content": "hi"}], stream=True
    )
    assert next(iter(chunks)).choices[0].delta.content == "word "
    chunks.close()
    assert upstream.client_gone.wait(WAIT_SECONDS), (
        "the proxy hangs up as its client does"
    )


def test_what_came_before_the_client_hung_up_is_kept(
    upstream: OpenAIServer, keeper: Keeper, client: OpenAI
) -> None:
    upstream.then(endless)
    chunks = client.chat.completions.create(
        model="small", messages=[{"role": "user", "content": "hi"}], stream=True
    )
    next(iter(chunks))
    chunks.close()
    wait_for(keeper, 2)
    reply = only(keeper.store).messages[-1]
    assert reply.content.startswith("word")
    assert notes_of(reply) == {CUT_OFF: True}


def test_a_client_that_waits_no_longer_ends_the_request(
    upstream: OpenAIServer, proxy: LocalServer
) -> None:
    """Also before the reply has begun."""
    gone: list[bool] = []

    def answer(handler: Any) -> None:
        handler.connection.settimeout(WAIT_SECONDS)
        gone.append(handler.connection.recv(1) == b"")
        raise OSError

    upstream.then(answer)
    place = f"{proxy.address}/v1/chat/completions"
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(place, json={"messages": []}, timeout=0.3)
    assert upstream.client_gone.wait(WAIT_SECONDS)
    assert gone == [True]


@pytest.mark.parametrize(
    ("code", "headers"), [(429, {"Retry_After": "7"}), (500, {}), (401, {}), (400, {})]
)
def test_failures_pass_as_they_are(
    upstream: OpenAIServer,
    keeper: Keeper,
    client: OpenAI,
    code: int,
    headers: dict[str, str],
) -> None:
    upstream.then(status(code, "No, thanks", **headers), whole("fine"))
    with pytest.raises(APIStatusError, match="No, thanks") as failed:
        client.chat.completions.create(
            model="small", messages=[{"role": "user", "content": "hi"}]
        )
    assert failed.value.status_code == code
    assert failed.value.response.headers.get("retry-after") == headers.get(
        "Retry_After"
    )
    client.chat.completions.create(
        model="small", messages=[{"role": "user", "content": "again"}]
    )
    wait_for(keeper, 2)
    assert words(only(keeper.store).messages) == "u:again a:fine"


def test_a_reply_that_breaks_off_breaks_off_for_the_client(
    upstream: OpenAIServer, keeper: Keeper, client: OpenAI
) -> None:
    upstream.then(cut("One ", "two "))
    chunks = client.chat.completions.create(
        model="small", messages=[{"role": "user", "content": "hi"}], stream=True
    )
    with pytest.raises((httpx.TransportError, APIConnectionError)):
        list(chunks)
    wait_for(keeper, 2)
    assert notes_of(only(keeper.store).messages[-1]) == {CUT_OFF: True}


def test_an_api_that_is_not_there_is_named_in_a_sentence(keeper: Keeper) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        server = serve_proxy(keeper, f"http://127.0.0.1:{held.getsockname()[1]}", 0)
        answer = httpx.post(f"{server.address}/v1/chat/completions?key={KEY}", json={})
        server.close()
    assert answer.status_code == 502
    assert "could not reach" in answer.json()["error"]["message"]
    assert KEY not in answer.text


@pytest.mark.parametrize("is_stream", [False, True])
def test_the_sdk_of_anthropic(
    upstream: OpenAIServer, keeper: Keeper, proxy: LocalServer, is_stream: bool
) -> None:
    anthropic = pytest.importorskip("anthropic")
    client = anthropic.Anthropic(base_url=proxy.address, api_key=KEY, max_retries=0)
    asked = {key: REQUESTS[MESSAGES][key] for key in REQUESTS[MESSAGES]}
    if is_stream:
        upstream.then(raw(stream(STREAMS[MESSAGES]).decode(), "text/event-stream"))
        with client.messages.stream(**asked) as events:
            reply = events.get_final_message()
    else:
        upstream.then(raw(json.dumps(REPLIES[MESSAGES])))
        reply = client.messages.create(**asked)
    assert reply.content[1].text == "It rains."
    wait_for(keeper, 4)
    found = only(keeper.store)
    assert words(found.messages[1:3]) == "a: t:rainy"
    assert found.messages[-1].content == "It rains."
    assert found.tools[0].startswith('{"name":"weather"')
    assert KEY in " ".join(upstream.requests[0].headers.values())


def test_the_responses_api_goes_on_by_its_ids(
    upstream: OpenAIServer, keeper: Keeper, client: OpenAI
) -> None:
    for turn in (1, 2):
        reply = {**REPLIES[RESPONSES], "id": f"r{turn}", "created_at": turn}
        upstream.then(raw(json.dumps(reply)))
        before = {"previous_response_id": "r1"} if turn == 2 else {}
        client.responses.create(model="small", input=f"q{turn}", **before)
    wait_for(keeper, 4)
    assert words(only(keeper.store).messages) == "u:q1 a:It rains. u:q2 a:It rains."


def test_other_requests_pass_and_are_not_kept(
    upstream: OpenAIServer,
    keeper: Keeper,
    client: OpenAI,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies.HeldBody, "add", None)  # nothing of them is copied
    upstream.then(raw('{"object": "list", "data": [{"id": "small"}]}'))
    assert client.models.list().data[0].id == "small"
    assert upstream.requests[0].path == "/v1/models"
    assert kept(keeper.store) == {}


def test_zipped_replies_are_read_beside(
    upstream: OpenAIServer, keeper: Keeper, proxy: LocalServer
) -> None:
    message = {"role": "assistant", "content": "zipped"}
    packed = gzip.compress(json.dumps({"choices": [{"message": message}]}).encode())
    upstream.then(lambda handler: handler.send(200, packed, Content_Encoding="gzip"))
    asked = {"messages": [{"role": "user", "content": "hi"}]}
    place = f"{proxy.address}/v1/chat/completions"
    with httpx.stream("POST", place, json=asked) as reply:
        assert b"".join(reply.iter_raw()) == packed
    wait_for(keeper, 2)
    wanted = upstream.requests[0].headers["accept-encoding"]
    assert wanted == "gzip, deflate"


def test_a_reply_too_large_to_keep_passes(
    upstream: OpenAIServer,
    keeper: Keeper,
    proxy: LocalServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(bodies, "MOST_BODY_BYTES", 50_000)
    large = json.dumps({"choices": [{"message": {"content": "x" * 100_000}}]})
    upstream.then(raw(large), whole("small"))
    asked = {"messages": [{"role": "user", "content": "hi"}]}
    place = f"{proxy.address}/v1/chat/completions"
    assert httpx.post(place, json=asked).text == large
    httpx.post(place, json=asked)
    wait_for(keeper, 2)
    assert words(only(keeper.store).messages) == "u:hi a:small"
    told = [one for one in caplog.messages if "does not keep this" in one]
    assert len(told) == 1
    assert "larger than" in told[0]


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_request_too_large_to_keep_passes(
    upstream: OpenAIServer,
    keeper: Keeper,
    proxy: LocalServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    is_chunked: bool,
) -> None:
    monkeypatch.setattr(bodies, "MOST_BODY_BYTES", 50_000)
    upstream.then(whole("large"), whole("small"))
    large = json.dumps({"messages": [{"role": "user", "content": "x" * 100_000}]})
    asked = {"messages": [{"role": "user", "content": "hi"}]}
    place = f"{proxy.address}/v1/chat/completions"
    # Clients that give no length are passed on in chunks.
    content = iter([large.encode()]) if is_chunked else large.encode()
    assert httpx.post(place, content=content).json()["choices"]
    httpx.post(place, json=asked)
    wait_for(keeper, 2)
    assert words(only(keeper.store).messages) == "u:hi a:small"
    assert len(upstream.requests) == 2
    assert upstream.requests[0].headers.get("content-length") == (
        None if is_chunked else str(len(large))
    )
    told = [one for one in caplog.messages if "does not keep this" in one]
    assert len(told) == 1
    assert "larger than" in told[0]


def test_a_client_that_leaves_amid_its_request_ends_it(
    upstream: OpenAIServer, keeper: Keeper, proxy: LocalServer
) -> None:
    host, port = proxy.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=WAIT_SECONDS) as line:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99\r\n\r\n"
        line.sendall(head.encode() + b"{")
    upstream.otherwise = whole("a")
    asked = {"messages": [{"role": "user", "content": "hi"}]}
    httpx.post(f"{proxy.address}/v1/chat/completions", json=asked)
    wait_for(keeper, 2)
    assert words(only(keeper.store).messages) == "u:hi a:a"


@pytest.mark.parametrize(
    ("accepted", "asked_for"),
    [
        ("br, zstd, gzip;q=0.8, deflate", "gzip;q=0.8, deflate"),
        ("br;q=1.0, *;q=0.5", "identity"),
        ("gzip;q=0, zstd", "gzip;q=0"),
        (None, "identity"),
    ],
)
def test_replies_are_asked_for_in_encodings_that_are_read_beside(
    upstream: OpenAIServer,
    proxy: LocalServer,
    accepted: str | None,
    asked_for: str,
) -> None:
    upstream.then(whole("a"))
    with httpx.Client() as client:
        del client.headers["accept-encoding"]
        headers = {} if accepted is None else {"accept-encoding": accepted}
        client.post(
            f"{proxy.address}/v1/chat/completions",
            json={"messages": []},
            headers=headers,
        )
    assert upstream.requests[0].headers["accept-encoding"] == asked_for


PACKED = {
    "gzip": gzip.compress,
    "zstd": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


@for_each("encoding", PACKED)
def test_a_packed_request_passes_as_it_is_and_is_kept(encoding: str) -> None:
    asked = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
    packed = PACKED[encoding](asked)
    passed: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        passed.append(request.content)
        message = {"role": "assistant", "content": "hello"}
        reply = json.dumps({"choices": [{"message": message}]}).encode()
        return httpx.Response(200, stream=httpx.ByteStream(reply))

    taken: list[Exchange] = []
    complaints: list[Exception] = []
    api = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    app = make_proxy("http://api", taken.append, complaints.append, api)
    with TestClient(app, "http://127.0.0.1") as client:
        client.post(
            "/v1/chat/completions",
            content=packed,
            headers={"content-encoding": encoding},
        )
    assert passed == [packed]
    assert complaints == []
    (exchange,) = taken
    assert words((*exchange.sent, *exchange.reply)) == "u:hi a:hello"


@pytest.mark.parametrize(
    ("broken", "status"),
    [
        (PACKED["zstd"](b"x" * 1_000)[:-3], 400),
        (b"no zstd", 400),
        (PACKED["zstd"](b"x" * 10_001), 413),
    ],
    ids=["cut", "none", "bomb"],
)
def test_a_body_that_is_no_whole_zstd_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, broken: bytes, status: int
) -> None:
    monkeypatch.setattr(bodies, "MOST_BODY_BYTES", 10_000)
    with pytest.raises(bodies.BodyError) as refused:
        bodies.inflate(broken, "zstd")
    assert refused.value.status == status


def test_web_pages_are_not_served(upstream: OpenAIServer, proxy: LocalServer) -> None:
    place = f"{proxy.address}/v1/chat/completions"
    for headers in ({"origin": "https://example.com"}, {"host": "example.com"}):
        assert httpx.post(place, json={}, headers=headers).status_code == 403
    assert upstream.requests == []


@pytest.mark.parametrize(
    "target",
    [
        "@evil.example/v1/models",
        "http://evil.example/v1/models",
        "//evil.example/x",
        "*",
    ],
)
def test_no_request_goes_to_another_host(
    upstream: OpenAIServer, proxy: LocalServer, target: str
) -> None:
    host, port = proxy.address.removeprefix("http://").split(":")
    upstream.otherwise = raw("{}")
    with socket.create_connection((host, int(port)), timeout=WAIT_SECONDS) as line:
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        line.sendall(head.encode())
        answer = b""
        while piece := line.recv(65_536):
            answer += piece
    assert int(answer.split()[1]) in (200, 400, 404)
    assert len(upstream.requests) <= 1


@pytest.mark.parametrize(
    "address",
    [
        "", "api.openai.com", "ftp://x", "https://", "https://u:p@x", "https://x?key=1", "https://[", "file:///etc",
        "https://x#y", "http://x:99999",
    ],
)  # fmt: skip
def test_no_plain_web_address_is_refused(keeper: Keeper, address: str) -> None:
    with pytest.raises(BadUpstreamError):
        parse_address(address)


def test_a_port_in_use_is_named(proxy: LocalServer, keeper: Keeper) -> None:
    port = int(proxy.address.rsplit(":", 1)[1])
    with pytest.raises(PortTakenError, match=str(port)):
        serve_proxy(keeper, "http://127.0.0.1:1", port)
