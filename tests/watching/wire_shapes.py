"""Requests and replies of three APIs that say the same, whole and as streams."""

from __future__ import annotations

import json
from typing import Any

from memviz.core.messages import Message, ToolCall

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
