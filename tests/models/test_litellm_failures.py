"""Failures of real HTTP calls through litellm: what they become, and which of them are tried again."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from memviz.core.errors import ParameterError
from memviz.core.model_errors import (
    BadKeyError,
    BadRequestError,
    ConnectionRefusedModelError,
    MalformedReplyError,
    MissingKeyError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    ServerError,
    UnknownModelError,
)
from memviz.models.litellm_client import LiteLLMModel
from tests.models import openai_server as answers
from tests.models.litellm_calls import (
    ERROR_EVENT,
    FAILURES,
    HELLO,
    KEY,
    NAME,
    SHORT_TIMEOUT,
    TIMEOUT,
    Naps,
    check_sentence,
    client,
    failure,
)
from tests.models.openai_server import Answer, OpenAIServer, chunk
from tests.tables import for_each

pytestmark = pytest.mark.usefixtures("no_provider_keys")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAILURES)
def test_every_failure_is_one_typed_error_in_one_sentence(
    server: OpenAIServer, fault: str
) -> None:
    answer, kind, words = FAILURES[fault]
    server.then(answer)
    error, streamed = failure(
        client(server, timeout=SHORT_TIMEOUT if kind is ModelTimeoutError else TIMEOUT)
    )
    assert type(error) is kind
    assert words in str(error)
    assert (streamed.strip(), error.partial.strip()) == ("", "")
    check_sentence(error)
    assert len(server.requests) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", ["401", "429", "context", "slow", "HTML", "empty choices", "closed socket"]
)
def test_complete_fails_in_the_same_way(server: OpenAIServer, fault: str) -> None:
    answer, kind, words = FAILURES[fault]
    server.then(answer)
    model = client(
        server, timeout=SHORT_TIMEOUT if kind is ModelTimeoutError else TIMEOUT
    )
    with pytest.raises(kind) as caught:
        model.complete(HELLO)
    assert words in str(caught.value)
    check_sentence(caught.value)


PIECES = ("Hello", " the")
INTERRUPTIONS: dict[str, tuple[Answer, type[ModelError]]] = {
    "cut": (answers.cut(*PIECES), ServerError),
    "error event": (
        answers.events(*(chunk({"content": piece}) for piece in PIECES), ERROR_EVENT),
        ServerError,
    ),
    "malformed event": (
        answers.events(*(chunk({"content": p}) for p in PIECES), "{nope"),
        MalformedReplyError,
    ),
    "stall": (answers.stall(3, *PIECES), ModelTimeoutError),
    "end without a finish": (
        answers.events(*(chunk({"content": p}) for p in PIECES), done=False),
        ServerError,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", INTERRUPTIONS)
def test_after_text_arrived_the_error_holds_it_and_nothing_is_asked_again(
    server: OpenAIServer, fault: str
) -> None:
    answer, kind = INTERRUPTIONS[fault]
    server.then(answer)
    naps = Naps()
    timeout = SHORT_TIMEOUT if kind is ModelTimeoutError else TIMEOUT
    error, streamed = failure(client(server, timeout=timeout, retries=2, sleep=naps))
    assert type(error) is kind
    assert streamed == error.partial == "Hello the"
    assert (len(server.requests), naps) == (1, [])
    check_sentence(error)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "gemini/gemini-2.5-pro",
        "deepinfra/some/model",
        "anthropic/claude-opus-5",
        "ollama_chat/llama3",
    ],
)
def test_other_providers_are_asked_once_and_keep_the_timeout_too(
    server: OpenAIServer, name: str
) -> None:
    server.then(answers.slow(3))
    error, _ = failure(client(server, name, timeout=SHORT_TIMEOUT))
    assert type(error) is ModelTimeoutError
    assert len(server.requests) == 1
    check_sentence(error, name)


@pytest.mark.parametrize(
    "name", ["deepinfra/some/model", "anthropic/claude-opus-5", "ollama_chat/llama3"]
)
def test_the_reason_of_other_providers_is_told_in_their_words(
    server: OpenAIServer, name: str
) -> None:
    server.then(answers.status(400, "temperature is out of range"))
    error, _ = failure(client(server, name))
    assert type(error) is BadRequestError
    assert '("temperature is out of range")' in str(error)
    check_sentence(error, name)


def test_a_model_that_needs_a_package_which_is_not_there(server: OpenAIServer) -> None:
    error, _ = failure(
        client(
            server, "vertex_ai/gemini-2.5-pro", vertex_project="p", vertex_location="l"
        )
    )
    assert type(error) is BadRequestError
    assert "google.auth" in str(error)
    check_sentence(error, "vertex_ai/gemini-2.5-pro")


def unused_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@for_each("address", [unused_address, lambda: "http://no.such.host.invalid/v1"])
def test_nobody_at_the_address(address: Callable[[], str]) -> None:
    where, naps = address(), Naps()
    model = LiteLLMModel(
        NAME, api_key=KEY, api_base=where, timeout=TIMEOUT, retries=1, sleep=naps
    )
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


@for_each("name", ["nonsense", "nonsense/model"])
def test_a_name_that_no_provider_knows(server: OpenAIServer, name: str) -> None:
    error, _ = failure(client(server, name))
    assert type(error) is UnknownModelError
    check_sentence(error, name)


@for_each("key", ["sk-with space-0123", "sk-wïth-umlaut-0123"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(BadKeyError) as caught:
        LiteLLMModel(NAME, api_key=key)
    assert "0123" not in str(caught.value)


def test_an_address_that_cannot_be_one_is_refused_without_showing_it() -> None:
    with pytest.raises(BadRequestError) as caught:
        LiteLLMModel(NAME, api_base=KEY)
    check_sentence(caught.value)


@for_each("settings", [{"timeout": 0}, {"timeout": float("nan")}, {"retries": -1}])
def test_settings_out_of_range(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        LiteLLMModel(NAME, **settings)


# Trying again


def test_a_passing_failure_is_tried_again_after_growing_waits(
    server: OpenAIServer,
) -> None:
    server.then(
        answers.status(500, "boom"), answers.closed_socket, answers.text("Hello")
    )
    naps = Naps()
    assert client(server, retries=2, sleep=naps).complete(HELLO).text == "Hello"
    assert naps == [0.5, 1.0]


def test_waits_are_spread_at_random(server: OpenAIServer) -> None:
    server.then(answers.status(500, "boom"))
    naps = Naps()
    client(server, retries=1, sleep=naps, jitter=lambda: 0.0).complete(HELLO)
    assert naps == [0.25]


def test_the_last_failure_is_raised_when_all_tries_are_used_up(
    server: OpenAIServer,
) -> None:
    server.then(*[answers.status(500, "boom")] * 2, answers.status(503, "busy"))
    naps = Naps()
    error, _ = failure(client(server, retries=2, sleep=naps))
    assert "503" in str(error)
    assert (len(server.requests), len(naps)) == (3, 2)


@pytest.mark.parametrize("code", [429, 503])
def test_the_wait_that_the_server_asks_for_is_kept(
    server: OpenAIServer, code: int
) -> None:
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


@pytest.mark.parametrize(
    "fault", ["401", "402", "404", "400", "429 quota", "context", "HTML", "empty text"]
)
def test_a_lasting_failure_is_not_tried_again(server: OpenAIServer, fault: str) -> None:
    server.then(FAILURES[fault][0])
    naps = Naps()
    error, _ = failure(client(server, retries=2, sleep=naps))
    assert not error.retryable
    assert (len(server.requests), naps) == (1, [])
