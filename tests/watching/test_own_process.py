"""Callbacks and the transport within one's own program, with real libraries."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from openai import APIConnectionError, AsyncOpenAI, OpenAI

from memviz.core.messages import Message, ToolCall
from memviz.models.http_guard import import_litellm
from memviz.storage.store import Store
from memviz.watching import HttpxTransport, LangChainHandler
from memviz.watching.exchanges import CUT_OFF, Exchange
from memviz.watching.own_process import BackgroundRecorder
from tests.models.openai_server import (
    OpenAIServer,
    cut,
    endless,
    openai_server,
    status,
    text,
)
from tests.watching.exchanges_said import (
    exchange,
    kept,
    notes_of,
    only,
    said,
    words,
)
from tests.watching.upstreams import KEY, whole

USAGE = {"input_tokens": 10, "output_tokens": 2}
TEXT_USAGE = {"input_tokens": 1000, "output_tokens": 100}
Said = list[dict[str, Any]]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as one:
        yield one


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "own.db"


def found_in(database: Path) -> Store:
    return Store(database)


@pytest.fixture
def transport(database: Path) -> HttpxTransport:
    return HttpxTransport(database=database)


@pytest.fixture
def client(server: OpenAIServer, transport: HttpxTransport) -> Iterator[OpenAI]:
    http = httpx.Client(transport=transport)
    base = server.api_base
    with OpenAI(base_url=base, api_key=KEY, max_retries=0, http_client=http) as one:
        yield one


def test_a_client_with_the_transport(
    server: OpenAIServer, client: OpenAI, transport: HttpxTransport, database: Path
) -> None:
    server.then(whole("a0"), text("a", "1"))
    asked: Any = [{"role": "user", "content": "q0"}]
    client.chat.completions.create(model="small", messages=asked)
    asked += [{"role": "assistant", "content": "a0"}, {"role": "user", "content": "q1"}]
    chunks = client.chat.completions.create(model="small", messages=asked, stream=True)
    pieces = [one.choices[0].delta.content or "" for one in chunks if one.choices]
    assert "".join(pieces) == "a1"
    transport.wait()
    found = only(found_in(database))
    assert words(found.messages) == "u:q0 a:a0 u:q1 a:a1"
    assert [notes_of(one) for one in found.messages[1::2]] == [
        {"usage": USAGE},
        {"usage": TEXT_USAGE},
    ]
    assert KEY.encode() not in database.read_bytes()


def test_a_packed_request_is_read(database: Path) -> None:
    asked = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
    message = {"role": "assistant", "content": "hello"}
    reply = httpx.Response(200, json={"choices": [{"message": message}]})
    inner = httpx.MockTransport(lambda request: reply)
    transport = HttpxTransport(inner, database=database)
    with httpx.Client(transport=transport) as client:
        client.post(
            "http://api/v1/chat/completions",
            content=pa.compress(asked, codec="zstd", asbytes=True),
            headers={"content-encoding": "zstd"},
        )
    transport.wait()
    assert words(only(found_in(database)).messages) == "u:hi a:hello"


def test_an_asynchronous_client_with_the_transport(
    server: OpenAIServer, transport: HttpxTransport, database: Path
) -> None:
    async def ask() -> None:
        http = httpx.AsyncClient(transport=transport)
        client = AsyncOpenAI(
            base_url=server.api_base, api_key=KEY, max_retries=0, http_client=http
        )
        asked: Any = [{"role": "user", "content": "q0"}]
        reply = await client.chat.completions.create(model="small", messages=asked)
        asked.append(reply.choices[0].message.model_dump())
        asked.append({"role": "user", "content": "q1"})
        chunks = await client.chat.completions.create(
            model="small", messages=asked, stream=True
        )
        async for _chunk in chunks:
            pass
        await client.close()

    server.then(whole("a0"), text("a1"))
    asyncio.run(ask())
    transport.wait()
    assert words(only(found_in(database)).messages) == "u:q0 a:a0 u:q1 a:a1"


def test_what_is_not_read_to_its_end_is_cut_off(
    server: OpenAIServer, client: OpenAI, transport: HttpxTransport, database: Path
) -> None:
    asked: Any = [{"role": "user", "content": "q0"}]
    server.then(endless)
    chunks = client.chat.completions.create(model="small", messages=asked, stream=True)
    next(iter(chunks))
    chunks.close()
    server.then(cut("One "))
    asked[0]["content"] = "q1"
    chunks = client.chat.completions.create(model="small", messages=asked, stream=True)
    with pytest.raises((httpx.TransportError, APIConnectionError)):
        list(chunks)
    transport.wait()
    both = kept(found_in(database)).values()
    assert [notes_of(one.messages[-1]) for one in both] == [{CUT_OFF: True}] * 2


def test_failures_and_other_requests_pass(
    server: OpenAIServer, client: OpenAI, transport: HttpxTransport, database: Path
) -> None:
    from openai import RateLimitError

    server.then(status(429, "Slow down"))
    with pytest.raises(RateLimitError, match="Slow down"):
        client.chat.completions.create(
            model="small", messages=[{"role": "user", "content": "q"}]
        )
    transport.wait()
    assert not database.exists()


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_model_of_langchain_with_the_handler(
    server: OpenAIServer, database: Path, is_stream: bool
) -> None:
    handler = LangChainHandler(database)
    model = ChatOpenAI(model="small", api_key=KEY, base_url=server.api_base)
    config: Any = {"callbacks": [handler], "metadata": {"session_id": "talk"}}
    call = {"name": "weather", "args": {"city": "Paris"}, "id": "c1"}
    asked = [
        SystemMessage("Be kind."),
        HumanMessage("q0"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("rainy", tool_call_id="c1"),
    ]
    server.then(
        text("a0") if is_stream else whole("a0"), status(401, "No"), whole("a1")
    )
    if is_stream:
        for _chunk in model.stream(asked, config):
            pass
    else:
        model.invoke(asked, config)
    asked += [AIMessage("a0"), HumanMessage("q1")]
    with pytest.raises(Exception, match="No"):
        model.invoke(asked, config)
    model.invoke(asked, config)
    handler.wait()
    ((key, found),) = kept(found_in(database)).items()
    assert key == "langchain/talk"
    assert found.system_prompt == "Be kind."
    assert found.messages[1].tool_calls == (
        ToolCall("c1", "weather", '{"city": "Paris"}'),
    )
    assert words(found.messages[2:]) == "t:rainy a:a0 u:q1 a:a1"
    assert notes_of(found.messages[-1]) == {"usage": USAGE}
    assert not handler._open


@pytest.fixture
def callback(database: Path) -> Iterator[Any]:
    litellm = import_litellm()  # first, for it keeps litellm off the network
    from memviz.watching import LitellmCallback

    before = litellm.callbacks
    one = LitellmCallback(database)
    litellm.callbacks = [one]
    yield one
    litellm.callbacks = before
    for name in ("success_callback", "_async_success_callback", "input_callback"):
        others = [known for known in getattr(litellm, name) if known is not one]
        setattr(litellm, name, others)


def test_a_call_of_litellm_with_the_callback(
    server: OpenAIServer, callback: Any, database: Path
) -> None:
    from tests.watching.upstreams import WAIT_SECONDS

    litellm = import_litellm()
    known: Any = {
        "model": "openai/small",
        "api_base": server.api_base,
        "api_key": KEY,
        "max_retries": 0,
        "metadata": {"session_id": "talk"},
    }
    server.then(whole("a0"), text("a", "1"))
    asked: Said = [{"role": "user", "content": "q0"}]
    litellm.completion(messages=asked, **known)
    wait_for(callback, database, 2, WAIT_SECONDS)
    asked += [{"role": "assistant", "content": "a0"}, {"role": "user", "content": "q1"}]
    for _chunk in litellm.completion(messages=asked, stream=True, **known):
        pass
    wait_for(callback, database, 4, WAIT_SECONDS)
    ((key, found),) = kept(found_in(database)).items()
    assert key == "litellm/talk"
    assert words(found.messages) == "u:q0 a:a0 u:q1 a:a1"
    assert notes_of(found.messages[1]) == {"usage": USAGE}
    assert KEY.encode() not in database.read_bytes()


def test_an_asynchronous_call_of_litellm(
    server: OpenAIServer, callback: Any, database: Path
) -> None:
    from tests.watching.upstreams import WAIT_SECONDS

    litellm = import_litellm()

    async def ask() -> None:
        await litellm.acompletion(
            model="openai/small",
            messages=[{"role": "user", "content": "q0"}],
            api_base=server.api_base,
            api_key=KEY,
        )
        await asyncio.to_thread(wait_for, callback, database, 2, WAIT_SECONDS)

    server.then(whole("a0"))
    asyncio.run(ask())
    assert words(only(found_in(database)).messages) == "u:q0 a:a0"


def wait_for(callback: Any, database: Path, messages: int, seconds: float) -> None:
    """Wait until litellm has called back, in threads of its own."""
    import time

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        callback.wait()
        if database.exists():
            found = kept(found_in(database)).values()
            if sum(len(one.messages) for one in found) >= messages:
                return
        time.sleep(0.05)
    raise AssertionError("litellm did not call back")


def test_a_library_that_cannot_be_written_is_told_once(
    server: OpenAIServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    transport = HttpxTransport(database=tmp_path)  # a folder is no file
    http = httpx.Client(transport=transport)
    client = OpenAI(
        base_url=server.api_base, api_key=KEY, max_retries=0, http_client=http
    )
    server.then(whole("a0"), whole("a1"))
    for reply in ("a0", "a1"):
        answer = client.chat.completions.create(
            model="small", messages=[{"role": "user", "content": "q"}]
        )
        assert answer.choices[0].message.content == reply
    transport.wait()
    told = [one for one in caplog.records if one.name == "memviz.watching"]
    assert len(told) == 1
    assert told[0].levelno == logging.WARNING


def test_what_could_not_be_kept_is_kept_with_the_next(
    database: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memviz.core.storage_errors import StorageError
    from memviz.watching.keeper import Keeper

    recorder = BackgroundRecorder("test", database)
    append = Keeper.append
    failed: list[Exception] = []

    def fail_once(*args: Any, **named: Any) -> Any:
        if not failed:
            failed.append(StorageError("The disk is full."))
            raise failed[0]
        return append(*args, **named)

    monkeypatch.setattr(Keeper, "append", fail_once)
    first = exchange("u:1", "a:2", conversation="c")
    second = exchange("u:1 a:2 u:3", "a:4", conversation="c")
    recorder.keep(lambda: first)
    recorder.keep(lambda: second)
    recorder.wait()
    assert words(only(found_in(database)).messages) == "u:1 a:2 u:3 a:4"
    assert "The disk is full." in caplog.text


def test_a_disk_that_is_full_for_a_while_breaks_no_conversation_in_two(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memviz.core.storage_errors import StorageError
    from memviz.watching.keeper import Keeper

    recorder = BackgroundRecorder("test", database)
    append = Keeper.append
    recorder.keep(lambda: exchange("u:1", "a:2"))
    recorder.wait()
    with monkeypatch.context() as patched:

        def fail(*args: Any, **named: Any) -> Any:
            raise StorageError("The disk is full.")

        patched.setattr(Keeper, "append", fail)
        recorder.keep(lambda: exchange("u:1 a:2 u:3", "a:4"))
        # The last of another conversation: nothing repeats it.
        recorder.keep(lambda: exchange("u:x", "a:y"))
        recorder.wait()
    assert Keeper.append is append
    recorder.keep(lambda: exchange("u:1 a:2 u:3 a:4 u:5", "a:6"))
    recorder.wait()
    contents = {words(one.messages) for one in kept(found_in(database)).values()}
    assert contents == {"u:1 a:2 u:3 a:4 u:5 a:6", "u:x a:y"}


def test_a_conversation_without_a_name_goes_on_in_another_process(
    database: Path,
) -> None:
    history = ["u:1 a:2 u:1", "u:1 a:2 u:1 a:2 u:3", "u:1 a:2 u:1 a:2 u:3 a:2 u:1"]
    for asked in history:
        recorder = BackgroundRecorder("test", database)
        recorder.keep(lambda asked=asked: exchange(f"s:be {asked}", "a:2"))
        recorder.wait()
        # Another one, which begins alike, and one of another source.
        recorder.keep(lambda: exchange("s:be u:1", "a:2"))
        recorder.wait()
        other = BackgroundRecorder("other", database)
        other.keep(lambda asked=asked: exchange(f"s:be {asked}", "a:9"))
        other.wait()
    logs = [
        (key.partition("/")[0], words(one.messages), len(one.events))
        for key, one in kept(found_in(database)).items()
    ]
    own = [(log, events) for source, log, events in logs if source == "test"]
    assert sorted(own) == [
        ("u:1 a:2", 0),
        ("u:1 a:2", 0),
        ("u:1 a:2", 0),
        ("u:1 a:2 u:1 a:2 u:3 a:2 u:1 a:2", 0),
    ]


class TwoPieces(httpx.SyncByteStream):
    """A body that comes in two pieces."""

    def __init__(self, body: bytes, at: int) -> None:
        self._pieces = (body[:at], body[at:])

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces


def test_a_packed_stream_that_is_left_at_its_last_event_is_read(database: Path) -> None:
    chunk = {"choices": [{"delta": {"content": "hello"}, "finish_reason": "stop"}]}
    events = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
    packed = gzip.compress(events)
    reply = httpx.Response(
        200,
        headers={"content-type": "text/event-stream", "content-encoding": "gzip"},
        stream=TwoPieces(packed, len(packed) - 8),
    )
    transport = HttpxTransport(
        httpx.MockTransport(lambda request: reply), database=database
    )
    asked = {"messages": [{"role": "user", "content": "hi"}], "stream": True}
    place = "http://api/v1/chat/completions"
    with (
        httpx.Client(transport=transport) as client,
        client.stream("POST", place, json=asked) as response,
    ):
        next(response.iter_raw())
    transport.wait()
    messages = only(found_in(database)).messages
    assert words(messages) == "u:hi a:hello"
    assert notes_of(messages[-1]) == {}


@pytest.mark.parametrize("hook", ["start", "end"])
def test_odd_calls_of_a_handler_are_told_and_raise_nothing(
    database: Path, callback: Any, caplog: pytest.LogCaptureFixture, hook: str
) -> None:
    from uuid import uuid4

    handler = LangChainHandler(database)
    run = uuid4()
    asked: Any = [[object()]] if hook == "start" else [[HumanMessage("q")]]
    handler.on_chat_model_start({}, asked, run_id=run)
    handler.on_llm_end(object(), run_id=run)
    callback.log_success_event(5, object(), None, None)
    handler.wait()
    assert not database.exists()
    assert len(caplog.records) == 2


def test_more_than_can_wait_is_told_and_left_out(
    database: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    from memviz.watching import own_process

    monkeypatch.setattr(own_process, "MOST_WAITING", 2)
    recorder = BackgroundRecorder("test", database)
    go_on = Event()

    def read() -> Exchange:
        go_on.wait()
        return Exchange(said("u:1"), (Message("assistant", "2"),), "c")

    for _time in range(4):
        recorder.keep(read)
    go_on.set()
    recorder.wait()
    assert "TooManyWaitingError" in caplog.text
    assert words(only(found_in(database)).messages) == "u:1 a:2"


def test_the_bytes_that_wait_are_bounded(
    database: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    from memviz.watching import own_process

    monkeypatch.setattr(own_process, "MOST_WAITING_BYTES", 3_000_000)
    recorder = BackgroundRecorder("test", database)
    go_on = Event()

    def keep(name: str, size_bytes: int) -> None:
        def read() -> Exchange:
            go_on.wait()
            return exchange(f"u:{name}", f"a:{name}", conversation=name)

        recorder.keep(read, size_bytes)

    keep("alone", 9_000_000)
    for number in range(3):
        keep(f"dropped {number}", 1)
    go_on.set()
    recorder.wait()
    keep("later", 2_000_000)
    recorder.wait()
    assert sorted(kept(found_in(database))) == ["test/alone", "test/later"]
    assert len(caplog.messages) == 1
    assert "An exchange was dropped" in caplog.text
    assert "3 MB" in caplog.text


def test_a_reply_too_large_to_keep_with_the_transport_is_told(
    server: OpenAIServer,
    client: OpenAI,
    transport: HttpxTransport,
    database: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from memviz.watching import bodies

    monkeypatch.setattr(bodies, "MOST_BODY_BYTES", 1_000)
    server.then(whole("x" * 2_000))
    asked: Any = [{"role": "user", "content": "q"}]
    client.chat.completions.create(model="small", messages=asked)
    transport.wait()
    assert not database.exists()
    assert "larger than" in caplog.text
    assert transport._budget.left_bytes == bodies.MOST_BYTES_AT_ONCE


def test_a_worker_of_a_server_that_forks_waits_for_no_thread_of_its_parent(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = BackgroundRecorder("test", database)
    of_parent = recorder._worker
    parent = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    recorder.wait()
    assert recorder._worker is not of_parent


@pytest.mark.slow
def test_workers_of_a_server_that_forks_keep_what_they_say(database: Path) -> None:
    program = f"""
import os
from memviz.core.messages import Message
from memviz.watching.exchanges import Exchange
from memviz.watching.own_process import BackgroundRecorder
recorder = BackgroundRecorder("test", {str(database)!r})
def keep(text):
    exchange = Exchange((Message("user", text),), (Message("assistant", text),), text)
    recorder.keep(lambda: exchange)
    recorder.wait()
keep("parent")
child = os.fork()
keep("child" if child == 0 else "again")
if child:
    os.waitpid(child, 0)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
    there = sorted(kept(found_in(database)))
    assert there == ["test/again", "test/child", "test/parent"]


@pytest.mark.slow
def test_a_program_that_ends_at_once_has_kept_everything(
    database: Path,
) -> None:
    program = f"""
from memviz.core.messages import Message
from memviz.watching.exchanges import Exchange
from memviz.watching.own_process import BackgroundRecorder
import atexit
recorder = BackgroundRecorder("test", {str(database)!r})
def keep(text):
    exchange = Exchange((Message("user", text),), (Message("assistant", text),), text)
    recorder.keep(lambda: exchange)
atexit.register(keep, "late")
keep("now")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    assert sorted(kept(found_in(database))) == ["test/late", "test/now"]


@pytest.mark.slow
def test_the_names_cost_nothing_until_they_are_used() -> None:
    program = """
import sys
import memviz.watching
loaded = {"litellm", "langchain_core", "uvicorn"} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
