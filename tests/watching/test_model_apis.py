"""Requests and replies of three APIs, whole and as streams."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

import pytest

from memviz.core.errors import MemvizError
from memviz.core.messages import Message, ToolCall
from memviz.transcripts.base import REASONING
from memviz.watching.exchanges import CUT_OFF, Exchange
from memviz.watching.model_apis import APIS, api_of, read_wire
from tests.tables import for_each
from tests.transcripts.fuzzing import MANY_EXCHANGES
from tests.watching.wire_shapes import (
    CALL,
    CHAT,
    MESSAGES,
    REPLIES,
    REQUESTS,
    RESPONSES,
    SENT,
    STREAMS,
    stream,
)


def read(
    kind: str, reply: bytes, content_type: str = "application/json", whole: bool = True
) -> Exchange:
    request = json.dumps(REQUESTS[kind]).encode()
    return read_wire(APIS[kind], request, reply, content_type, is_whole=whole)


@for_each("kind", APIS)
@for_each("is_stream", [False, True])
def test_every_api_says_the_same(kind: str, is_stream: bool) -> None:
    if is_stream:
        found = read(kind, stream(STREAMS[kind]), "text/event-stream; charset=utf-8")
    else:
        found = read(kind, json.dumps(REPLIES[kind]).encode())
    assert found.sent == SENT
    (reply,) = found.reply
    assert reply.content == "It rains."
    assert reply.meta is not None
    assert reply.meta[REASONING] == "Hm. Ja."
    assert CUT_OFF not in reply.meta
    arguments = '{"a": 1}' if kind == MESSAGES else CALL["arguments"]
    assert reply.tool_calls == (ToolCall("c2", "weather", arguments),)
    written = {"cache_write_tokens": 3} if kind == MESSAGES else {}
    cached = {"cache_read_tokens": 4, **written}
    assert found.usage == {"input_tokens": 12, "output_tokens": 5, **cached}
    assert [json.loads(tool)["name"] for tool in found.tools] == ["weather"]
    assert found.model == "small"


@for_each("kind", APIS)
def test_a_stream_that_breaks_off_keeps_what_came(kind: str) -> None:
    places = {CHAT: 5, RESPONSES: 3, MESSAGES: 9}
    begun = stream(STREAMS[kind][: places[kind]]) + b'data: {"cho'
    found = read(kind, begun, "text/event-stream", whole=False)
    (reply,) = found.reply
    assert reply.content == "It rains."
    assert reply.meta is not None
    assert reply.meta[CUT_OFF] is True


@for_each("kind", APIS)
def test_a_client_that_hangs_up_at_the_end_cuts_nothing_off(kind: str) -> None:
    found = read(kind, stream(STREAMS[kind]), "text/event-stream", whole=False)
    assert CUT_OFF not in (found.reply[0].meta or {})


def test_what_a_server_keeps_is_told_by_its_ids() -> None:
    asked = {"model": "m", "input": "hi", "previous_response_id": "r1"}
    reply = json.dumps({**REPLIES[RESPONSES], "id": "r2"}).encode()
    api = APIS[RESPONSES]
    found = read_wire(api, json.dumps(asked).encode(), reply, "application/json")
    assert (found.follows, found.id) == ("r1", "r2")
    asked = {"model": "m", "input": "hi", "conversation": {"id": "conv"}}
    found = read_wire(api, json.dumps(asked).encode(), reply, "application/json")
    assert (found.follows, found.id) == ("conv", "conv")


@for_each(
    ("method", "path", "kind"),
    [
        ("POST", "/v1/chat/completions", CHAT),
        ("POST", "/openai/v1/chat/completions/", CHAT),
        ("POST", "/v1/responses", RESPONSES),
        ("POST", "/v1/messages", MESSAGES),
        ("GET", "/v1/responses", None),
        ("POST", "/v1/messages/count_tokens", None),
        ("POST", "/v1/embeddings", None),
    ],
)
def test_only_requests_to_models_are_read(
    method: str, path: str, kind: str | None
) -> None:
    assert api_of(method, path) is (APIS[kind] if kind else None)


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Every list and object within a value, with a key of each."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += places_in(inner)
    return found


ODD = [None, True, -1, 1e300, "", "x" * 50, [], {}, [[]], [None], {"a": {}}, "\ud800"]


@pytest.mark.parametrize(
    "times",
    [20, pytest.param(MANY_EXCHANGES, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("kind", APIS)
def test_odd_values_are_read_or_refused_in_a_sentence(kind: str, times: int) -> None:
    chance = random.Random(13)
    outcomes = set()
    for _time in range(times):
        whole = [REQUESTS[kind], REPLIES[kind], STREAMS[kind]]
        request, reply, events = json.loads(json.dumps(whole))
        for value in (request, chance.choice([reply, events])):
            for _place in range(chance.randint(0, 2)):
                holder, key = chance.choice(places_in(value))
                holder[key] = deepcopy(chance.choice(ODD))
        asked = json.dumps(request).encode()
        for answered, content_type in (
            (json.dumps(reply).encode(), "application/json"),
            (stream(events), "text/event-stream"),
        ):
            refusal = refusal_of(kind, asked, answered, content_type)
            outcomes.add(refusal is None)
            assert refusal is None or len(refusal) > 10
    assert outcomes == {True, False}


def refusal_of(
    kind: str, request: bytes, reply: bytes, content_type: str
) -> str | None:
    """The sentence that refuses an exchange; ``None`` where it is read."""
    try:
        found = read_wire(APIS[kind], request, reply, content_type)
    except MemvizError as error:
        return str(error)
    assert all(isinstance(one, Message) for one in (*found.sent, *found.reply))
    return None


@pytest.mark.parametrize(
    "times",
    [20, pytest.param(MANY_EXCHANGES, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("kind", APIS)
def test_broken_bodies_are_read_or_refused_in_a_sentence(kind: str, times: int) -> None:
    chance = random.Random(11)
    request = json.dumps(REQUESTS[kind]).encode()
    whole = json.dumps(REPLIES[kind]).encode()
    streamed = stream(STREAMS[kind])
    for _time in range(times):
        for reply, content_type in (
            (whole, "application/json"),
            (streamed, "text/event-stream"),
        ):
            broken = [bytearray(request), bytearray(reply)]
            data = chance.choice(broken)
            for _place in range(chance.randint(1, 5)):
                at = chance.randrange(len(data))
                length = chance.randint(0, 30)
                put_in = chance.choice([b"", b"null", b"[]", b"9", b'"', b"{", b"\xff"])
                data[at : at + length] = put_in
            asked, answered = map(bytes, broken)
            refusal = refusal_of(kind, asked, answered, content_type)
            assert refusal is None or refusal.endswith((".", ")"))
