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

CHAT, RESPONSES, MESSAGES = "/chat/completions", "/responses", "/messages"
CALL = {"name": "weather", "arguments": '{"city": "Paris"}'}
CALLS = (ToolCall("call_1", "weather", '{"city": "Paris"}'),)
SENT = (
    Message("system", "Be kind."),
    Message("user", "Weather in Paris?"),
    Message("assistant", "", tool_calls=CALLS),
    Message("tool", "rainy", tool_call_id="call_1"),
)
SCHEMA = {"type": "object", "properties": {}}
REQUESTS: dict[str, dict[str, Any]] = {
    CHAT: {
        "model": "small",
        "stream": True,
        "store": {"odd": []},
        "messages": [one.to_request() for one in SENT],
        "tools": [
            {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
        ],
    },
    RESPONSES: {
        "model": "small",
        "instructions": "Be kind.",
        "input": [
            {"role": "user", "content": "Weather in Paris?"},
            {"type": "function_call", "call_id": "call_1", **CALL},
            {"type": "function_call_output", "call_id": "call_1", "output": "rainy"},
        ],
        "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA}],
    },
    MESSAGES: {
        "model": "small",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be kind."}],
        "messages": [
            {"role": "user", "content": "Weather in Paris?"},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "call_1",
                        "name": "weather",
                        "input": {"city": "Paris"},
                    }
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "call_1",
                        "content": "rainy",
                    }
                ],
            },
        ],
        "tools": [{"name": "weather", "input_schema": SCHEMA}],
    },
}
REPLIES: dict[str, dict[str, Any]] = {
    CHAT: {
        "id": "x",
        "model": "small",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "It rains.",
                    "reasoning_content": "Hm. Ja.",
                    "tool_calls": [{"id": "c2", "type": "function", "function": CALL}],
                },
            }
        ],
        "usage": {
            "prompt_tokens": 12,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    },
    RESPONSES: {
        "id": "x",
        "object": "response",
        "model": "small",
        "status": "completed",
        "output": [
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "Hm. Ja."}],
            },
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "It rains."}],
            },
            {"type": "function_call", "call_id": "c2", **CALL},
        ],
        "usage": {
            "input_tokens": 12,
            "output_tokens": 5,
            "input_tokens_details": {"cached_tokens": 4},
        },
    },
    MESSAGES: {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "small",
        "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "Hm. Ja.", "signature": "s"},
            {"type": "text", "text": "It rains."},
            {"type": "tool_use", "id": "c2", "name": "weather", "input": {"a": 1}},
        ],
        "usage": {
            "input_tokens": 5,
            "output_tokens": 5,
            "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 3,
        },
    },
}


def chat_chunks() -> list[Any]:
    deltas = [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "Hm. "},
        {"reasoning_content": "Ja."},
        {"content": "It "},
        {"content": "rains.", "tool_calls": None},
        {"tool_calls": [{"index": 0, "id": "c2", "function": {"name": "weather"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"city": '}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"Paris"}'}}]},
    ]
    head = {"id": "x", "model": "small", "usage": None}
    chunks: list[Any] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    ended = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    chunks.append({**head, "choices": [ended]})
    chunks.append({**head, "choices": [], "usage": REPLIES[CHAT]["usage"]})
    return [*chunks, "[DONE]"]


def response_events() -> list[Any]:
    whole = REPLIES[RESPONSES]
    begun = {**whole, "output": [], "status": "in_progress", "usage": None}
    text = {"type": "response.output_text.delta", "output_index": 1}
    done = [
        {"type": "response.output_item.done", "output_index": at, "item": item}
        for at, item in enumerate(whole["output"])
    ]
    return [
        {"type": "response.created", "response": begun},
        {**text, "delta": "It "},
        {**text, "delta": "rains."},
        *done,
        {"type": "response.completed", "response": whole},
    ]


def message_events() -> list[Any]:
    whole = REPLIES[MESSAGES]
    begun = {**whole, "content": [], "stop_reason": None}
    begun["usage"] = {**whole["usage"], "output_tokens": 1}
    events = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    pieces = [
        {"type": "thinking_delta", "thinking": "Hm. Ja."},
        {"type": "text_delta", "text": "It rains."},
        {"type": "input_json_delta", "partial_json": '{"a": 1}'},
    ]
    empty = {"thinking": "", "text": "", "input": {}}
    for at, (block, piece) in enumerate(zip(whole["content"], pieces, strict=True)):
        start = {name: empty.get(name, value) for name, value in block.items()}
        events.append(
            {"type": "content_block_start", "index": at, "content_block": start}
        )
        key = list(piece)[1]
        half = len(piece[key]) // 2
        for part in (piece[key][:half], piece[key][half:]):
            delta = {**piece, key: part}
            events.append({"type": "content_block_delta", "index": at, "delta": delta})
        events.append({"type": "content_block_stop", "index": at})
    usage = {"output_tokens": 5, "input_tokens": None}
    ended = {"delta": {"stop_reason": "tool_use"}, "usage": usage}
    return [*events, {"type": "message_delta", **ended}, {"type": "message_stop"}]


STREAMS = {
    CHAT: chat_chunks(),
    RESPONSES: response_events(),
    MESSAGES: message_events(),
}


def stream(events: list[Any]) -> bytes:
    blocks = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        blocks.append(f"event: any\ndata: {data}\n\n")
    return "".join(blocks).encode("utf-8", "surrogatepass")


def read(
    kind: str, reply: bytes, content_type: str = "application/json", whole: bool = True
) -> Exchange:
    request = json.dumps(REQUESTS[kind]).encode()
    return read_wire(APIS[kind], request, reply, content_type, is_whole=whole)


@pytest.mark.parametrize("kind", APIS)
@pytest.mark.parametrize("is_stream", [False, True])
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


@pytest.mark.parametrize("kind", APIS)
def test_a_stream_that_breaks_off_keeps_what_came(kind: str) -> None:
    places = {CHAT: 5, RESPONSES: 3, MESSAGES: 9}
    begun = stream(STREAMS[kind][: places[kind]]) + b'data: {"cho'
    found = read(kind, begun, "text/event-stream", whole=False)
    (reply,) = found.reply
    assert reply.content == "It rains."
    assert reply.meta is not None
    assert reply.meta[CUT_OFF] is True


@pytest.mark.parametrize("kind", APIS)
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


@pytest.mark.parametrize(
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
    "times", [20, pytest.param(1_000, marks=pytest.mark.slow)], ids=["few", "many"]
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
    "times", [20, pytest.param(700, marks=pytest.mark.slow)], ids=["few", "many"]
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
