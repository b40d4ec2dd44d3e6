"""Replies and failures of real HTTP calls through litellm, against a server on this machine."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from memviz.conversation import Message, ToolCall
from memviz.errors import (
    BadKeyError,
    BadRequestError,
    ConnectionRefusedModelError,
    ContextTooLongError,
    MalformedReplyError,
    MissingKeyError,
    ModelError,
    ModelTimeoutError,
    ParameterError,
    RateLimitError,
    ServerError,
    UnknownModelError,
)
from memviz.models.base import Reply, Usage
from memviz.models.litellm_client import LiteLLMModel
from tests.models import openai_server as answers
from tests.models.openai_server import Answer, OpenAIServer, chunk, openai_server

KEY = "sk-top-secret-0123456789"
NAME = "openai/gpt-4o-mini"
HELLO = (Message("user", "Hello"),)
TIMEOUT = 10.0
SHORT_TIMEOUT = 0.4


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """The first call of a process takes half a second, which would count against the short timeouts."""
    with openai_server() as server:
        LiteLLMModel(NAME, api_key=KEY, api_base=server.api_base).complete(HELLO)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL", "MISTRAL_API_KEY", "NADIR_API_KEY"):
        monkeypatch.delenv(name, raising=False)


class Naps(list[float]):
    """Stands in for ``time.sleep`` and remembers how long it was asked to sleep."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def client(server: OpenAIServer, name: str = NAME, **settings: Any) -> LiteLLMModel:
    defaults = {"api_key": KEY, "api_base": server.api_base, "timeout": TIMEOUT, "retries": 0, "jitter": lambda: 1.0}
    return LiteLLMModel(name, **{**defaults, **settings})


def failure(model: LiteLLMModel) -> tuple[ModelError, str]:
    """The error that asking ``model`` ends in, and the text streamed before it."""
    pieces: list[str] = []
    with pytest.raises(ModelError) as caught:
        pieces.extend(map(str, model.stream(HELLO)))
    return caught.value, "".join(pieces)


# Replies


def test_a_reply_streams_in_pieces_and_ends_with_the_whole(server: OpenAIServer) -> None:
    server.then(answers.text("Hello", " there", "."))
    *pieces, reply = client(server).stream(HELLO)
    assert pieces == ["Hello", " there", "."]
    assert reply == Reply("Hello there.", (), Usage(1000, 100), reply.cost_usd, NAME, "stop")
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


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}])
def test_usage_and_cost_are_unknown_when_the_server_does_not_say(server: OpenAIServer, usage: Any) -> None:
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
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "recall", "arguments": ""}}
    more = [{"index": 0, "function": {"arguments": part}} for part in ('{"last', '_n": 3}')]
    other = {"index": 1, "id": "call_2", "type": "function", "function": {"name": "stop", "arguments": ""}}
    server.then(answers.text(tools=[[first], [more[0]], [more[1]], [other]], finish_reason="tool_calls"))
    tools = [{"type": "function", "function": {"name": "recall", "parameters": {"type": "object", "properties": {}}}}]
    reply = client(server, tools=tools).complete(HELLO)
    assert reply.tool_calls == (ToolCall("call_1", "recall", '{"last_n": 3}'), ToolCall("call_2", "stop", "{}"))
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
        Message("assistant", "", tool_calls=(ToolCall("call_1", "recall", '{"last_n": 3}'),)),
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


def test_a_key_from_the_environment_goes_to_its_provider(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    LiteLLMModel(NAME, timeout=TIMEOUT, retries=0).complete(HELLO)
    assert server.requests[0].headers["authorization"] == "Bearer sk-of-the-environment"


@pytest.mark.parametrize("setting", ["api_base", "base_url"])
def test_a_key_from_the_environment_never_goes_to_an_address_given_here(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    LiteLLMModel(NAME, timeout=TIMEOUT, retries=0, **{setting: server.api_base}).complete(HELLO)
    assert "environment" not in json.dumps(server.requests[0].headers)


def test_one_model_serves_several_threads(server: OpenAIServer) -> None:
    model = client(server)
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: model.complete(HELLO).text, range(8)))
    assert replies == ["Hello there."] * 8


@pytest.mark.parametrize("name", [NAME, "mistral/mistral-small-latest"])
def test_closing_the_stream_early_closes_the_connection(server: OpenAIServer, name: str) -> None:
    server.then(answers.endless)
    stream = client(server, name).stream(HELLO)
    assert next(stream) == "word "
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert server.client_gone.wait(2)


# Failures

LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
QUOTA = "You exceeded your current quota"
NO_CHOICES = json.dumps({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []})
ERROR_EVENT = json.dumps({"error": {"message": "overloaded", "type": "server_error", "code": "overloaded"}})
LIMIT_EVENT = json.dumps({"error": {"message": "slow down", "type": "error", "code": "rate_limit_exceeded"}})
NAMELESS = {"index": 0, "id": "1", "type": "function", "function": {"arguments": "{}"}}

FAILURES: dict[str, tuple[Answer, type[ModelError], str]] = {
    "401": (answers.status(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"), BadKeyError, "refused"),
    "403": (answers.status(403, f"No access with {KEY}"), BadKeyError, "refused"),
    "402": (answers.status(402, "Payment required"), RateLimitError, "no quota left"),
    "404": (answers.status(404, "The model does not exist", "model_not_found"), UnknownModelError, "check the name"),
    "404 page": (lambda to: to.send(404, b"<html>no</html>", "text/html"), UnknownModelError, "check the name"),
    "400 no such model": (answers.status(400, "foo is not a valid model ID"), UnknownModelError, "check the name"),
    "429": (answers.status(429, "Slow down", Retry_After="7"), RateLimitError, "try again in 7 seconds"),
    "429 bare": (answers.status(429, "Slow down"), RateLimitError, "try again a little later"),
    "429 quota": (answers.status(429, QUOTA, "insufficient_quota"), RateLimitError, "no quota left"),
    "context": (answers.status(400, LONG, "context_length_exceeded"), ContextTooLongError, "context window"),
    "context, local server": (answers.status(400, "Prompt is too long: 9 > 8"), ContextTooLongError, "context window"),
    "413": (answers.status(413, "Too large"), ContextTooLongError, "context window"),
    "400": (answers.status(400, f"temperature is out of range for {KEY}"), BadRequestError, "temperature is out of"),
    "422": (answers.status(422, "Unprocessable"), BadRequestError, "Unprocessable"),
    "content policy": (answers.status(400, "Rejected by our safety system"), BadRequestError, "safety system"),
    "500": (answers.status(500, f"boom {KEY}"), ServerError, 'with status 500 ("boom ***")'),
    "502 page": (lambda to: to.send(502, b"<html>bad</html>", "text/html"), ServerError, "status 502: try"),
    "503": (answers.status(503, "Busy"), ServerError, "status 503"),
    "closed socket": (answers.closed_socket, ServerError, "broke off"),
    "slow": (answers.slow(3), ModelTimeoutError, "for 0.4 seconds"),
    "stall before any text": (answers.stall(3), ModelTimeoutError, "for 0.4 seconds"),
    "cut before any text": (answers.cut(), ServerError, "broke off"),
    "error event": (answers.events(ERROR_EVENT), ServerError, "overloaded"),
    "rate limit event": (answers.events(LIMIT_EVENT), RateLimitError, "more requests"),
    "malformed JSON": (answers.raw("{nope"), MalformedReplyError, "empty answer"),
    "malformed event": (answers.events("{nope"), MalformedReplyError, "no chat completion"),
    "HTML": (answers.raw("<html>hi</html>", "text/html"), MalformedReplyError, "base URL"),
    "no bytes": (answers.raw(""), MalformedReplyError, "empty answer"),
    "empty stream": (answers.events(), MalformedReplyError, "empty answer"),
    "empty choices": (answers.events(NO_CHOICES), MalformedReplyError, "empty answer"),
    "empty text": (answers.text(""), MalformedReplyError, "empty answer"),
    "nameless tool call": (answers.text(tools=[[NAMELESS]], finish_reason="tool_calls"), MalformedReplyError, "empty"),
    "output limit": (answers.text("", finish_reason="length"), MalformedReplyError, "more output tokens"),
    "content filter": (answers.text("", finish_reason="content_filter"), BadRequestError, "withheld"),
}


def check_sentence(error: ModelError, name: str = NAME) -> None:
    """One plain sentence about the model, without a traceback, and without the key anywhere near it."""
    message = str(error)
    assert name in message
    assert message.endswith(".")
    assert "\n" not in message
    assert "Traceback" not in message
    assert "litellm" not in message
    assert error.model == name
    assert KEY not in message + repr(error) + repr(vars(error)) + repr(error.args)
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.parametrize("fault", FAILURES)
def test_every_failure_is_one_typed_error_in_one_sentence(server: OpenAIServer, fault: str) -> None:
    answer, kind, words = FAILURES[fault]
    server.then(answer)
    error, streamed = failure(client(server, timeout=SHORT_TIMEOUT if kind is ModelTimeoutError else TIMEOUT))
    assert type(error) is kind
    assert words in str(error)
    assert (streamed.strip(), error.partial.strip()) == ("", "")
    check_sentence(error)
    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", ["401", "429", "context", "slow", "HTML", "empty choices", "closed socket"])
def test_complete_fails_in_the_same_way(server: OpenAIServer, fault: str) -> None:
    answer, kind, words = FAILURES[fault]
    server.then(answer)
    model = client(server, timeout=SHORT_TIMEOUT if kind is ModelTimeoutError else TIMEOUT)
    with pytest.raises(kind) as caught:
        model.complete(HELLO)
    assert words in str(caught.value)
    check_sentence(caught.value)


PIECES = ("Hello", " the")
INTERRUPTIONS: dict[str, tuple[Answer, type[ModelError]]] = {
    "cut": (answers.cut(*PIECES), ServerError),
    "error event": (answers.events(*(chunk({"content": piece}) for piece in PIECES), ERROR_EVENT), ServerError),
    "malformed event": (answers.events(*(chunk({"content": p}) for p in PIECES), "{nope"), MalformedReplyError),
    "stall": (answers.stall(3, *PIECES), ModelTimeoutError),
    "end without a finish": (answers.events(*(chunk({"content": p}) for p in PIECES), done=False), ServerError),
}


@pytest.mark.parametrize("fault", INTERRUPTIONS)
def test_after_text_arrived_the_error_holds_it_and_nothing_is_asked_again(server: OpenAIServer, fault: str) -> None:
    answer, kind = INTERRUPTIONS[fault]
    server.then(answer)
    naps = Naps()
    timeout = SHORT_TIMEOUT if kind is ModelTimeoutError else TIMEOUT
    error, streamed = failure(client(server, timeout=timeout, retries=2, sleep=naps))
    assert type(error) is kind
    assert streamed == error.partial == "Hello the"
    assert (len(server.requests), naps) == (1, [])
    check_sentence(error)


@pytest.mark.parametrize(
    "name", ["gemini/gemini-2.5-pro", "deepinfra/some/model", "anthropic/claude-opus-5", "ollama_chat/llama3"]
)
def test_other_providers_are_asked_once_and_keep_the_timeout_too(server: OpenAIServer, name: str) -> None:
    server.then(answers.slow(3))
    error, _ = failure(client(server, name, timeout=SHORT_TIMEOUT))
    assert type(error) is ModelTimeoutError
    assert len(server.requests) == 1
    check_sentence(error, name)


@pytest.mark.parametrize("name", ["deepinfra/some/model", "anthropic/claude-opus-5", "ollama_chat/llama3"])
def test_the_reason_of_other_providers_is_told_in_their_words(server: OpenAIServer, name: str) -> None:
    server.then(answers.status(400, "temperature is out of range"))
    error, _ = failure(client(server, name))
    assert type(error) is BadRequestError
    assert '("temperature is out of range")' in str(error)
    check_sentence(error, name)


def test_a_model_that_needs_a_package_which_is_not_there(server: OpenAIServer) -> None:
    error, _ = failure(client(server, "vertex_ai/gemini-2.5-pro", vertex_project="p", vertex_location="l"))
    assert type(error) is BadRequestError
    assert "google.auth" in str(error)
    check_sentence(error, "vertex_ai/gemini-2.5-pro")


def unused_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@pytest.mark.parametrize("address", [unused_address, lambda: "http://no.such.host.invalid/v1"])
def test_nobody_at_the_address(address: Callable[[], str]) -> None:
    where, naps = address(), Naps()
    model = LiteLLMModel(NAME, api_key=KEY, api_base=where, timeout=TIMEOUT, retries=1, sleep=naps)
    error, _ = failure(model)
    assert type(error) is ConnectionRefusedModelError
    assert f"Nothing answers at {where}" in str(error)
    assert len(naps) == 1
    check_sentence(error)


def test_no_key_at_all() -> None:
    error, _ = failure(LiteLLMModel(NAME))
    assert type(error) is MissingKeyError
    assert "OPENAI_API_KEY" in str(error)
    check_sentence(error)


def test_no_key_for_a_provider_that_only_litellm_knows() -> None:
    error, _ = failure(LiteLLMModel("nadir/some-model"))
    assert type(error) is MissingKeyError
    assert "NADIR_API_KEY" in str(error)


def test_an_empty_variable_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert type(failure(LiteLLMModel(NAME))[0]) is MissingKeyError


def test_no_key_for_an_address_that_wants_one(server: OpenAIServer) -> None:
    server.then(answers.status(401, "Unauthorized"))
    error, _ = failure(client(server, api_key=None))
    assert type(error) is MissingKeyError
    assert server.api_base in str(error)


@pytest.mark.parametrize("name", ["nonsense", "nonsense/model"])
def test_a_name_that_no_provider_knows(server: OpenAIServer, name: str) -> None:
    error, _ = failure(client(server, name))
    assert type(error) is UnknownModelError
    check_sentence(error, name)


@pytest.mark.parametrize("key", ["sk-with space-0123", "sk-wïth-umlaut-0123"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(BadKeyError) as caught:
        LiteLLMModel(NAME, api_key=key)
    assert "0123" not in str(caught.value)


def test_an_address_that_cannot_be_one_is_refused_without_showing_it() -> None:
    with pytest.raises(BadRequestError) as caught:
        LiteLLMModel(NAME, api_base=KEY)
    check_sentence(caught.value)


@pytest.mark.parametrize("settings", [{"timeout": 0}, {"timeout": float("nan")}, {"retries": -1}])
def test_settings_out_of_range(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        LiteLLMModel(NAME, **settings)


# Trying again


def test_a_passing_failure_is_tried_again_after_growing_waits(server: OpenAIServer) -> None:
    server.then(answers.status(500, "boom"), answers.closed_socket, answers.text("Hello"))
    naps = Naps()
    assert client(server, retries=2, sleep=naps).complete(HELLO).text == "Hello"
    assert naps == [0.5, 1.0]


def test_waits_are_spread_at_random(server: OpenAIServer) -> None:
    server.then(answers.status(500, "boom"))
    naps = Naps()
    client(server, retries=1, sleep=naps, jitter=lambda: 0.0).complete(HELLO)
    assert naps == [0.25]


def test_the_last_failure_is_raised_when_all_tries_are_used_up(server: OpenAIServer) -> None:
    server.then(*[answers.status(500, "boom")] * 2, answers.status(503, "busy"))
    naps = Naps()
    error, _ = failure(client(server, retries=2, sleep=naps))
    assert "503" in str(error)
    assert (len(server.requests), len(naps)) == (3, 2)


@pytest.mark.parametrize("code", [429, 503])
def test_the_wait_that_the_server_asks_for_is_kept(server: OpenAIServer, code: int) -> None:
    server.then(answers.status(code, "busy", Retry_After="2.5"))
    naps = Naps()
    assert client(server, retries=1, sleep=naps).complete(HELLO).text == "Hello there."
    assert naps == [2.5]


def test_the_wait_may_be_a_date(server: OpenAIServer) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.then(answers.status(429, "busy", Retry_After=then))
    naps = Naps()
    client(server, retries=1, sleep=naps).complete(HELLO)
    assert 15 < naps[0] <= 20


def test_an_unreadable_wait_is_ignored(server: OpenAIServer) -> None:
    server.then(answers.status(429, "busy", Retry_After="soon"))
    naps = Naps()
    client(server, retries=1, sleep=naps).complete(HELLO)
    assert naps == [0.5]


def test_nobody_waits_for_an_hour(server: OpenAIServer) -> None:
    server.then(answers.status(429, "busy", Retry_After="3600"))
    naps = Naps()
    error, _ = failure(client(server, retries=2, sleep=naps))
    assert isinstance(error, RateLimitError)
    assert error.retry_after_seconds == 3600
    assert (len(server.requests), naps) == (1, [])


@pytest.mark.parametrize("fault", ["401", "402", "404", "400", "429 quota", "context", "HTML", "empty text"])
def test_a_lasting_failure_is_not_tried_again(server: OpenAIServer, fault: str) -> None:
    server.then(FAILURES[fault][0])
    naps = Naps()
    error, _ = failure(client(server, retries=2, sleep=naps))
    assert not error.retryable
    assert (len(server.requests), naps) == (1, [])


# The key stays hidden


@pytest.fixture
def model_with_secrets(server: OpenAIServer) -> LiteLLMModel:
    address = server.api_base.replace("//", "//user:pass-word@") + "?key=query-word"
    return client(server, api_base=address, extra_headers={"X-Auth": "Bearer header-word"}, temperature=0.5)


SECRETS = (KEY, "pass-word", "query-word", "header-word")


def test_no_secret_shows_in_the_model(model_with_secrets: LiteLLMModel) -> None:
    shown = repr(model_with_secrets) + str(model_with_secrets) + repr(vars(model_with_secrets))
    assert NAME in shown
    assert not any(secret in shown for secret in SECRETS)


def test_no_secret_is_pickled_and_the_rest_is(server: OpenAIServer, model_with_secrets: LiteLLMModel) -> None:
    data = pickle.dumps(model_with_secrets)
    assert not any(secret.encode() in data for secret in SECRETS)
    back = pickle.loads(data)  # noqa: S301 - made here
    assert back.complete(HELLO).text == "Hello there."
    assert server.requests[0].body["temperature"] == 0.5
    assert not any(secret in json.dumps(server.requests[0].headers) for secret in SECRETS)


def test_a_copy_in_the_same_process_still_has_the_key(server: OpenAIServer) -> None:
    for copied in (copy.copy(client(server)), copy.deepcopy(client(server))):
        copied.complete(HELLO)
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("fault", ["401", "400", "500", "closed socket"])
def test_no_secret_is_logged_or_printed(
    server: OpenAIServer, fault: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server.then(FAILURES[fault][0])
    with caplog.at_level(logging.DEBUG):
        failure(client(server))
    printed = capfd.readouterr()
    assert KEY not in caplog.text + printed.out + printed.err


def test_nothing_is_printed(server: OpenAIServer, capfd: pytest.CaptureFixture[str]) -> None:
    server.then(FAILURES["500"][0], FAILURES["error event"][0])
    model = client(server)
    failure(model)
    failure(model)
    assert capfd.readouterr() == ("", "")


def test_a_key_from_the_environment_is_hidden_too(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_API_BASE", server.api_base)
    server.then(answers.status(400, "not for sk-of-the-environment"))
    error, _ = failure(LiteLLMModel(NAME, timeout=TIMEOUT, retries=0))
    assert '("not for ***")' in str(error)
