"""Errors of any size that real HTTP servers send, and what is read of them."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from memviz.core.model_errors import ModelError, ServerError
from memviz.models import reply_bodies
from memviz.models.base import Usage
from memviz.models.connection_check import check_connection
from tests.models import openai_server as answers
from tests.models.litellm_calls import NAME, check_sentence, client, failure
from tests.models.openai_server import Answer, OpenAIServer, chunk, events
from tests.tables import for_each

pytestmark = pytest.mark.usefixtures("no_provider_keys")

PROVIDERS = (
    NAME, "azure/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.0-flash", "mistral/mistral-small",
    "ollama_chat/llama3", "openrouter/some/model",
)  # fmt: skip
LONG = "word " * 400_000
LONG_ERROR = json.dumps(
    {"error": {"message": LONG, "type": "server_error", "code": None}}
)


def page(body: str, **headers: str) -> Answer:
    content = (
        gzip.compress(body.encode()) if "Content_Encoding" in headers else body.encode()
    )
    return lambda handler: handler.send(500, content, "text/html", **headers)


@contextmanager
def longest_pause() -> Iterator[Callable[[], float]]:
    """How long another thread was held up at most, in seconds."""
    pauses, done = [0.0], Event()

    def tick() -> None:
        last = time.perf_counter()
        while not done.wait(0.005):
            last, pause = time.perf_counter(), time.perf_counter() - last
            pauses.append(pause)

    thread = Thread(target=tick)
    thread.start()
    try:
        yield lambda: max(pauses)
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(
    "name",
    [NAME, *(pytest.param(name, marks=pytest.mark.slow) for name in PROVIDERS[1:])],
)
@pytest.mark.parametrize(
    "answer",
    [
        page("<html>" + LONG),
        page("<html>" + LONG, Content_Encoding="gzip"),
        lambda handler: handler.send(500, LONG_ERROR.encode()),
        events(LONG_ERROR),
    ],
    ids=["page", "compressed page", "JSON", "event"],
)
def test_an_error_of_two_megabytes_holds_nobody_up(
    server: OpenAIServer, name: str, answer: Answer
) -> None:
    server.otherwise = answer
    with longest_pause() as pause_seconds:
        error, _ = failure(client(server, name))
    check_sentence(error, name)
    assert pause_seconds() < 2.5  # without the bound 5 to 10 seconds for all


def test_an_error_that_never_ends_is_left(server: OpenAIServer) -> None:
    def endless(handler: answers._Handler) -> None:
        handler.send_response(500)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while not handler.server.closing.is_set():
            handler.wfile.write(b"5\r\nword \r\n")

    server.then(endless)
    error, _ = failure(client(server, timeout=5))
    assert isinstance(error, ServerError)
    assert server.client_gone.wait(5)


def test_an_error_that_comes_byte_by_byte_is_left(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip(handler: answers._Handler) -> None:
        handler.send_response(500)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while not handler.server.closing.wait(0.05):
            handler.wfile.write(b"1\r\nx\r\n")

    monkeypatch.setattr(reply_bodies, "MAX_ERROR_SECONDS", 0.2)
    server.then(drip)
    begun = time.perf_counter()
    error, _ = failure(client(server))
    assert isinstance(error, ServerError)
    assert time.perf_counter() - begun < 5


def test_what_a_short_error_says_is_still_told(server: OpenAIServer) -> None:
    server.then(answers.status(503, "The stars are wrong"))
    error, _ = failure(client(server))
    assert "The stars are wrong" in str(error)


def test_an_event_is_no_longer_than_the_longest_reply(server: OpenAIServer) -> None:
    """litellm quotes some events that it cannot read, and searches them as it does errors."""
    server.then(events(json.dumps({"foo": "word " * 4_000_000})))
    begun = time.process_time()
    error, _ = failure(client(server, "ollama_chat/llama3"))
    check_sentence(error, "ollama_chat/llama3")
    assert time.process_time() - begun < 5  # without the bound minutes


def test_a_reply_may_be_as_long_as_it_likes(server: OpenAIServer) -> None:
    text = 'he said "error" and ' * 50_000
    server.then(answers.text(text))
    assert client(server).complete([]).text == text


MALFORMED = {
    "a list": "[1, 2]",
    "a number": "17",
    "a text": '"hello"',
    "choices are a number": json.dumps({"choices": 5}),
    "choices are texts": json.dumps({"choices": ["a"]}),
    "delta is a list": chunk({}).replace('"delta": {}', '"delta": []'),
    "5,000 levels": '{"a":' * 5000 + "1" + "}" * 5000,
    "5,000 digits": '{"choices": [], "usage": {"prompt_tokens": ' + "9" * 5000 + "}}",
}


@for_each("name", [NAME, "mistral/mistral-small", "openrouter/some/model"])
@for_each("event", MALFORMED)
def test_a_malformed_event_is_no_failure_of_the_server(
    server: OpenAIServer, name: str, event: str
) -> None:
    server.then(events(MALFORMED[event]))
    error, _ = failure(client(server, name))
    check_sentence(error, name)
    assert "sent something that is not a chat completion" in str(error)
    assert "status" not in str(error)


@pytest.mark.parametrize(
    "wait", ["1e308", "inf", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "99999999"]
)
def test_a_wait_of_more_than_a_day_is_no_number(
    server: OpenAIServer, wait: str
) -> None:
    server.then(answers.status(429, "busy", Retry_After=wait))
    error, _ = failure(client(server))
    assert str(error).endswith("try again in a day or later.")


@pytest.mark.parametrize("wait", ["nan", "Fri, 31 Dec 99999 23:59:59 GMT", "-" * 400])
def test_a_wait_that_is_no_time_is_passed_over(server: OpenAIServer, wait: str) -> None:
    server.then(answers.status(429, "busy", Retry_After=wait))
    error, _ = failure(client(server))
    assert str(error).endswith("try again a little later.")


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 10**26, "completion_tokens": 1, "total_tokens": 1},
        {"prompt_tokens": 10, "completion_tokens": -5, "total_tokens": 5},
    ],
    ids=["too large", "negative"],
)
def test_a_bill_that_cannot_be_is_no_bill(
    server: OpenAIServer, usage: dict[str, int]
) -> None:
    server.then(answers.text("Hello", usage=usage))
    reply = client(server).complete([])
    assert (reply.text, reply.usage, reply.cost_usd) == ("Hello", None, None)


@pytest.mark.parametrize(
    "claim",
    [{"cached_tokens": 1001}, {"cached_tokens": 600, "cache_creation_tokens": 500}],
)
def test_more_cached_tokens_than_the_prompt_has_are_not_believed(
    server: OpenAIServer, claim: dict[str, int]
) -> None:
    claiming = {**answers.USAGE, "prompt_tokens_details": claim}
    server.then(
        answers.text("Hello", usage=answers.USAGE),
        answers.text("Hello", usage=claiming),
    )
    honest, other = client(server).complete([]), client(server).complete([])
    assert other.usage == honest.usage == Usage(1000, 100, 0)
    assert other.cost_usd == honest.cost_usd
    assert (honest.disbelieved_cached_tokens, other.disbelieved_cached_tokens) == (
        0,
        sum(claim.values()),
    )
    server.otherwise = answers.text("12345", usage=claiming)
    said = [finding.words for finding in check_connection(client(server)).findings]
    assert any(f"says that {sum(claim.values()):,} tokens" in words for words in said)


def test_all_of_the_prompt_may_be_cached(server: OpenAIServer) -> None:
    server.then(
        answers.text(
            "Hello",
            usage={**answers.USAGE, "prompt_tokens_details": {"cached_tokens": 1000}},
        )
    )
    assert client(server).complete([]).usage == Usage(1000, 100, 1000)


@pytest.mark.parametrize(
    ("wait", "words"),
    [("1", "in 1 second."), ("0.2", "in 1 second."), ("7", "in 7 seconds.")],
)
def test_a_number_has_the_word_that_belongs_to_it(
    server: OpenAIServer, wait: str, words: str
) -> None:
    server.then(answers.status(429, "busy", Retry_After=wait))
    assert str(failure(client(server))[0]).endswith(words)


def test_a_failure_that_the_server_reports_in_the_stream_is_its_own(
    server: OpenAIServer,
) -> None:
    server.then(
        events(
            json.dumps(
                {
                    "error": {
                        "message": "overloaded",
                        "type": "server_error",
                        "code": "x",
                    }
                }
            )
        )
    )
    error, _ = failure(client(server))
    assert isinstance(error, ModelError)
    assert "overloaded" in str(error)
