"""Spans of several conventions that say the same."""

from __future__ import annotations

import json

from memviz.core.messages import Message, ToolCall

CALL = (ToolCall("call_1", "weather", '{"city": "Paris"}'),)

ASKED = (
    Message("system", "Be kind."),
    Message("user", "Weather in Paris?"),
    Message("assistant", "", tool_calls=CALL),
    Message("tool", "rainy", tool_call_id="call_1"),
)

ANSWERED = (Message("assistant", "It rains."),)

USAGE = {
    "input_tokens": 12,
    "output_tokens": 5,
    "cache_read_tokens": 4,
    "cache_write_tokens": 3,
}

CURRENT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.conversation.id": "talk",
    "gen_ai.request.model": "small",
    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be kind."}]),
    "gen_ai.input.messages": json.dumps(
        [
            {"role": "user", "parts": [{"type": "text", "content": ASKED[1].content}]},
            {
                "role": "assistant",
                "parts": [
                    {
                        "type": "tool_call",
                        "id": "call_1",
                        "name": "weather",
                        "arguments": {"city": "Paris"},
                    }
                ],
            },
            {
                "role": "tool",
                "parts": [
                    {
                        "type": "tool_call_response",
                        "id": "call_1",
                        "response": "rainy",
                    }
                ],
            },
        ]
    ),
    "gen_ai.output.messages": json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "It rains."}]}]
    ),
    "gen_ai.tool.definitions": json.dumps([{"name": "weather"}]),
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.usage.cache_read.input_tokens": 4,
    "gen_ai.usage.cache_creation.input_tokens": 3,
}

OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "session.id": "talk",
    "llm.model_name": "small",
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "Be kind.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.contents.0.message_content.type": "text",
    "llm.input_messages.1.message.contents.0.message_content.text": ASKED[1].content,
    "llm.input_messages.2.message.role": "assistant",
    "llm.input_messages.2.message.tool_calls.0.tool_call.id": "call_1",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "weather",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": CALL[
        0
    ].arguments,
    "llm.input_messages.3.message.role": "tool",
    "llm.input_messages.3.message.tool_call_id": "call_1",
    "llm.input_messages.3.message.content": "rainy",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "It rains.",
    "llm.tools.0.tool.json_schema": '{"name": "weather"}',
    "llm.token_count.prompt": 12,
    "llm.token_count.completion": 5,
    "llm.token_count.prompt_details.cache_read": 4,
    "llm.token_count.prompt_details.cache_write": 3,
}

BESIDE = {
    name: CURRENT[name]
    for name in CURRENT
    if "messages" not in name and "instructions" not in name
}
CALL_SAID = {
    "id": "call_1",
    "function": {"name": "weather", "arguments": CALL[0].arguments},
}
TOLD = [
    ("gen_ai.system.message", {"content": "Be kind."}),
    ("gen_ai.user.message", {"role": "user", "content": ASKED[1].content}),
    ("gen_ai.assistant.message", {"tool_calls": [CALL_SAID]}),
    ("gen_ai.tool.message", {"id": "call_1", "content": "rainy"}),
    ("gen_ai.choice", {"index": 0, "message": {"content": "It rains."}}),
]
