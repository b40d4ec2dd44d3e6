"""Replies of real HTTP calls through litellm, against a server on this machine, and what it is sent."""

from __future__ import annotations

import copy
import json
import logging
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import memviz
from memviz.core.messages import Message, ToolCall
from memviz.models.base import Reply, Usage
from memviz.models.line import Interruptible
from memviz.models.litellm_client import LiteLLMModel
from tests.models import openai_server as answers
from tests.models.litellm_calls import (
    FAILURES,
    HELLO,
    KEY,
    NAME,
    TIMEOUT,
    client,
    failure,
)
from tests.models.openai_server import OpenAIServer

pytestmark = pytest.mark.usefixtures("no_provider_keys")

# Replies


def test_its_answers_may_cost_and_so_do_those_of_what_wraps_it() -> None:
    assert LiteLLMModel("openai/gpt-5-mini", api_key=KEY).may_cost
    wrapped = Interruptible(LiteLLMModel("openai/gpt-5-mini", api_key=KEY), object)
    assert wrapped.may_cost
    assert not memviz.model("offline").may_cost


def test_a_reply_streams_in_pieces_and_ends_with_the_whole(
    server: OpenAIServer,
) -> None:
    server.then(answers.text("Hello", " there", "."))
    *pieces, reply = client(server).stream(HELLO)
    assert pieces == ["Hello", " there", "."]
    assert reply == Reply(
        "Hello there.", (), Usage(1000, 100), reply.cost_usd, NAME, "stop"
    )
    assert reply.cost_usd == pytest.approx(1000 * 0.15e-6 + 100 * 0.6e-6)


def test_complete_gives_the_same_reply(server: OpenAIServer) -> None:
    server.then(answers.text("Hello", " there"), answers.text("Hello", " there"))
    assert client(server).complete(HELLO) == list(client(server).stream(HELLO))[-1]


def test_cached_tokens_are_read_and_cost_less(server: OpenAIServer) -> None:
    usage = {**answers.USAGE, "prompt_tokens_details": {"cached_tokens": 800}}
    server.then(answers.text("Hello", usage=usage))
    reply = client(server, "openai/gpt-4o").complete(HELLO)
    assert reply.usage == Usage(1000, 100, cached_tokens=800)
    assert reply.cost_usd == pytest.approx(200 * 2.5e-6 + 800 * 1.25e-6 + 100 * 10e-6)


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}]
)
def test_usage_and_cost_are_unknown_when_the_server_does_not_say(
    server: OpenAIServer, usage: Any
) -> None:
    server.then(answers.text("Hello", usage=usage))
    reply = client(server).complete(HELLO)
    assert (reply.text, reply.usage, reply.cost_usd) == ("Hello", None, None)


def test_the_cost_of_a_model_without_a_price_is_unknown(server: OpenAIServer) -> None:
    reply = client(server, "openai/our-own-model").complete(HELLO)
    assert reply.usage == Usage(1000, 100)
    assert reply.cost_usd is None


def test_the_finish_reason_is_kept(server: OpenAIServer) -> None:
    server.then(answers.text("Hello", finish_reason="length"))
    assert client(server).complete(HELLO).finish_reason == "length"


def test_tool_calls_are_put_together_from_their_pieces(server: OpenAIServer) -> None:
    first = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "recall", "arguments": ""},
    }
    more = [
        {"index": 0, "function": {"arguments": part}} for part in ('{"last', '_n": 3}')
    ]
    other = {
        "index": 1,
        "id": "call_2",
        "type": "function",
        "function": {"name": "stop", "arguments": ""},
    }
    server.then(
        answers.text(
            tools=[[first], [more[0]], [more[1]], [other]], finish_reason="tool_calls"
        )
    )
    tools = [
        {
            "type": "function",
            "function": {
                "name": "recall",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]
    reply = client(server, tools=tools).complete(HELLO)
    assert reply.tool_calls == (
        ToolCall("call_1", "recall", '{"last_n": 3}'),
        ToolCall("call_2", "stop", "{}"),
    )
    assert (reply.text, reply.finish_reason) == ("", "tool_calls")
    assert server.requests[0].body["tools"] == tools


def test_broken_characters_never_reach_the_caller(server: OpenAIServer) -> None:
    server.then(answers.text("caf\u00e9 \U0001f600", "\ud83d"))
    reply = client(server).complete(HELLO)
    assert reply.text == "caf\u00e9 \U0001f600\ufffd"


# Requests


def test_the_request_holds_messages_options_and_key(server: OpenAIServer) -> None:
    conversation = (
        Message("system", "Be brief.", meta={"source": "import"}),
        Message(
            "assistant", "", tool_calls=(ToolCall("call_1", "recall", '{"last_n": 3}'),)
        ),
        Message("tool", "3 messages", tool_call_id="call_1"),
        Message("user", "Hello"),
    )
    client(server, temperature=0.5).complete(conversation)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "gpt-4o-mini",
        "messages": [message.to_request() for message in conversation],
        "temperature": 0.5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_key_from_the_environment_goes_to_its_provider(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    LiteLLMModel(NAME, timeout=TIMEOUT, retries=0).complete(HELLO)
    assert server.requests[0].headers["authorization"] == "Bearer sk-of-the-environment"


@pytest.mark.parametrize("setting", ["api_base", "base_url"])
def test_a_key_from_the_environment_never_goes_to_an_address_given_here(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    LiteLLMModel(
        NAME, timeout=TIMEOUT, retries=0, **{setting: server.api_base}
    ).complete(HELLO)
    assert "environment" not in json.dumps(server.requests[0].headers)


def test_one_model_serves_several_threads(server: OpenAIServer) -> None:
    model = client(server)
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: model.complete(HELLO).text, range(8)))
    assert replies == ["Hello there."] * 8


@pytest.mark.parametrize("name", [NAME, "mistral/mistral-small-latest"])
def test_closing_the_stream_early_closes_the_connection(
    server: OpenAIServer, name: str
) -> None:
    server.then(answers.endless)
    stream = client(server, name).stream(HELLO)
    assert next(stream) == "word "
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert server.client_gone.wait(60)


# The key stays hidden


@pytest.fixture
def model_with_secrets(server: OpenAIServer) -> LiteLLMModel:
    address = server.api_base.replace("//", "//user:pass-word@") + "?key=query-word"
    return client(
        server,
        api_base=address,
        extra_headers={"X-Auth": "Bearer header-word"},
        temperature=0.5,
    )


SECRETS = (KEY, "pass-word", "query-word", "header-word")


def test_no_secret_shows_in_the_model(model_with_secrets: LiteLLMModel) -> None:
    shown = (
        repr(model_with_secrets)
        + str(model_with_secrets)
        + repr(vars(model_with_secrets))
    )
    assert NAME in shown
    assert not any(secret in shown for secret in SECRETS)


def test_no_secret_is_pickled_and_the_rest_is(
    server: OpenAIServer, model_with_secrets: LiteLLMModel
) -> None:
    data = pickle.dumps(model_with_secrets)
    assert not any(secret.encode() in data for secret in SECRETS)
    back = pickle.loads(data)  # noqa: S301 - made here
    assert back.complete(HELLO).text == "Hello there."
    assert server.requests[0].body["temperature"] == 0.5
    assert not any(
        secret in json.dumps(server.requests[0].headers) for secret in SECRETS
    )


def test_a_copy_in_the_same_process_still_has_the_key(server: OpenAIServer) -> None:
    for copied in (copy.copy(client(server)), copy.deepcopy(client(server))):
        copied.complete(HELLO)
    assert {request.headers["authorization"] for request in server.requests} == {
        f"Bearer {KEY}"
    }


@pytest.mark.parametrize("fault", ["401", "400", "500", "closed socket"])
def test_no_secret_is_logged_or_printed(
    server: OpenAIServer,
    fault: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    server.then(FAILURES[fault][0])
    with caplog.at_level(logging.DEBUG):
        failure(client(server))
    printed = capfd.readouterr()
    assert KEY not in caplog.text + printed.out + printed.err


def test_nothing_is_printed(
    server: OpenAIServer, capfd: pytest.CaptureFixture[str]
) -> None:
    server.then(FAILURES["500"][0], FAILURES["error event"][0])
    model = client(server)
    failure(model)
    failure(model)
    assert capfd.readouterr() == ("", "")


def test_a_key_from_the_environment_is_hidden_too(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    server.then(answers.status(400, "not for sk-of-the-environment"))
    error, _ = failure(LiteLLMModel(NAME, timeout=TIMEOUT, retries=0))
    assert '("not for ***")' in str(error)
