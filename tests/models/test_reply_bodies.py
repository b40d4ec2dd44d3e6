"""JSON in place of the stream that was asked for: a reply is read, and of all else it is said what it is."""

from __future__ import annotations

import json

import pytest

from tests.models import openai_server as answers
from tests.models.litellm_calls import HELLO, KEY, client, failure
from tests.models.openai_server import OpenAIServer

pytestmark = pytest.mark.usefixtures("no_provider_keys")


def test_a_whole_reply_in_place_of_a_stream_is_read(server: OpenAIServer) -> None:
    call = {
        "id": "abc123456",
        "type": "function",
        "function": {"name": "ping", "arguments": '{"a": 1}'},
    }
    message = {"role": "assistant", "content": f"Hello, {KEY}.", "tool_calls": [call]}
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "usage": answers.USAGE,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
    }
    server.then(answers.raw(json.dumps(whole, indent=2)))
    reply = client(server).complete(HELLO)
    assert reply.text == "Hello, ***."
    assert [(one.name, one.arguments) for one in reply.tool_calls] == [
        ("ping", '{"a": 1}')
    ]
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.finish_reason) == (1000, "tool_calls")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            '{"data": [], "object": "list"}',
            "sent JSON that is no chat completion in place of an answer",
        ),
        ("[1, 2]", "sent JSON that is no chat completion in place of an answer"),
        ('{"error": {"message": "overloaded", "code": "x"}}', "overloaded"),
        ('{"a":' * 100_000, "sent a text that is called JSON and is none"),
        (json.dumps(["word " * 1_000_000]), "more than 2 MB of JSON"),
    ],
    ids=["another object", "a list", "an error", "nested", "large"],
)
def test_json_that_is_no_reply_is_said_to_be_what_it_is(
    server: OpenAIServer, body: str, words: str
) -> None:
    server.then(answers.raw(body))
    error, _ = failure(client(server))
    assert words in str(error)
