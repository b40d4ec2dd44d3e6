"""Schemas of tools that a request brings along are kept: they were sent with every call."""

from __future__ import annotations

import json
from typing import Any

import memviz
from memviz.core.tool_schemas import count_schema_tokens
from memviz.transcripts.export import to_json
from tests.tables import for_each

SCHEMA = {
    "name": "look_up",
    "description": "Wetter für einen Ort",
    "parameters": {"type": "object"},
}
SPOKEN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
CONTENTS = [
    {"role": "user", "parts": [{"text": "Hi"}]},
    {"role": "model", "parts": [{"text": "Hello"}]},
]
BEDROCK = [
    {"role": one["role"], "content": [{"text": one["content"]}]} for one in SPOKEN
]
REQUESTS: dict[str, dict[str, Any]] = {
    "openai": {
        "model": "m",
        "messages": SPOKEN,
        "tools": [{"type": "function", "function": SCHEMA}],
    },
    "openai, old": {"model": "m", "messages": SPOKEN, "functions": [SCHEMA]},
    "anthropic": {
        "model": "m",
        "max_tokens": 9,
        "system": "Be kind.",
        "messages": SPOKEN,
        "tools": [SCHEMA],
    },
    "gemini": {
        "contents": CONTENTS,
        "tools": [{"functionDeclarations": [SCHEMA]}, {"googleSearch": {}}],
    },
    "bedrock": {
        "modelId": "m",
        "messages": BEDROCK,
        "toolConfig": {"tools": [{"toolSpec": SCHEMA}]},
    },
}


@for_each("name", REQUESTS)
def test_each_format_keeps_them(name: str) -> None:
    transcript = memviz.load_transcript(json.dumps(REQUESTS[name]).encode())
    assert "Wetter für einen Ort" in transcript.tools[0]
    tokens = [
        record.tokens["tools"]
        for record in memviz.replay(transcript, memviz.strategy("buffer")).requests
    ]
    assert tokens == [
        count_schema_tokens(
            memviz.counter("o200k_base"),
            transcript.tools,
            transcript.system_prompt is not None,
        )
    ]


@for_each("name", REQUESTS)
def test_a_saved_conversation_has_them_still(name: str) -> None:
    transcript = memviz.load_transcript(json.dumps(REQUESTS[name]).encode())
    assert (
        memviz.load_transcript(to_json(transcript).encode()).tools == transcript.tools
    )


@for_each("tools", [None, [], {}, "look_up", [None, "x", {}], 3])
def test_what_is_no_schema_is_passed_over(tools: Any) -> None:
    request = {"model": "m", "messages": SPOKEN, "tools": tools}
    assert memviz.load_transcript(json.dumps(request).encode()).tools == ()
