"""Calls through litellm for tests, and every way in which a server can fail them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memviz.core.messages import Message
from memviz.core.model_errors import (
    BadKeyError,
    BadRequestError,
    ContextTooLongError,
    MalformedReplyError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    ServerError,
    UnknownModelError,
)
from memviz.models.litellm_client import LiteLLMModel
from tests.models import openai_server as answers
from tests.models.openai_server import Answer, OpenAIServer

KEY = "sk-top-secret-0123456789"
NAME = "openai/gpt-4o-mini"
HELLO = (Message("user", "Hello"),)
TIMEOUT = 60.0
SHORT_TIMEOUT = 0.4


class Naps(list[float]):
    """Stands in for ``time.sleep`` and remembers how long it was asked to sleep."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def client(server: OpenAIServer, name: str = NAME, **settings: Any) -> LiteLLMModel:
    defaults = {
        "api_key": KEY,
        "api_base": server.api_base,
        "timeout": TIMEOUT,
        "retries": 0,
        "jitter": lambda: 1.0,
    }
    return LiteLLMModel(name, **{**defaults, **settings})


def failure(model: LiteLLMModel) -> tuple[ModelError, str]:
    """The error that asking ``model`` ends in, and the text streamed before it."""
    pieces: list[str] = []
    with pytest.raises(ModelError) as caught:
        pieces.extend(map(str, model.stream(HELLO)))
    return caught.value, "".join(pieces)


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


LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
QUOTA = "You exceeded your current quota"
NO_CHOICES = json.dumps(
    {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [],
    }
)
ERROR_EVENT = json.dumps(
    {"error": {"message": "overloaded", "type": "server_error", "code": "overloaded"}}
)
LIMIT_EVENT = json.dumps(
    {"error": {"message": "slow down", "type": "error", "code": "rate_limit_exceeded"}}
)
NAMELESS = {"index": 0, "id": "1", "type": "function", "function": {"arguments": "{}"}}

FAILURES: dict[str, tuple[Answer, type[ModelError], str]] = {
    "401": (
        answers.status(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"),
        BadKeyError,
        "refused",
    ),
    "403": (answers.status(403, f"No access with {KEY}"), BadKeyError, "refused"),
    "402": (answers.status(402, "Payment required"), RateLimitError, "no quota left"),
    "404": (
        answers.status(404, "The model does not exist", "model_not_found"),
        UnknownModelError,
        "check the name",
    ),
    "404 page": (
        lambda to: to.send(404, b"<html>no</html>", "text/html"),
        UnknownModelError,
        "check the name",
    ),
    "400 no such model": (
        answers.status(400, "foo is not a valid model ID"),
        UnknownModelError,
        "check the name",
    ),
    "429": (
        answers.status(429, "Slow down", Retry_After="7"),
        RateLimitError,
        "try again in 7 seconds",
    ),
    "429 bare": (
        answers.status(429, "Slow down"),
        RateLimitError,
        "try again a little later",
    ),
    "429 quota": (
        answers.status(429, QUOTA, "insufficient_quota"),
        RateLimitError,
        "no quota left",
    ),
    "context": (
        answers.status(400, LONG, "context_length_exceeded"),
        ContextTooLongError,
        "context window",
    ),
    "context, local server": (
        answers.status(400, "Prompt is too long: 9 > 8"),
        ContextTooLongError,
        "context window",
    ),
    "413": (answers.status(413, "Too large"), ContextTooLongError, "context window"),
    "400": (
        answers.status(400, f"temperature is out of range for {KEY}"),
        BadRequestError,
        "temperature is out of",
    ),
    "422": (answers.status(422, "Unprocessable"), BadRequestError, "Unprocessable"),
    "content policy": (
        answers.status(400, "Rejected by our safety system"),
        BadRequestError,
        "safety system",
    ),
    "500": (
        answers.status(500, f"boom {KEY}"),
        ServerError,
        'with status 500 ("boom ***")',
    ),
    "502 page": (
        lambda to: to.send(502, b"<html>bad</html>", "text/html"),
        ServerError,
        "status 502: try",
    ),
    "503": (answers.status(503, "Busy"), ServerError, "status 503"),
    "closed socket": (answers.closed_socket, ServerError, "broke off"),
    "slow": (answers.slow(3), ModelTimeoutError, "for 0.4 seconds"),
    "stall before any text": (answers.stall(3), ModelTimeoutError, "for 0.4 seconds"),
    "cut before any text": (answers.cut(), ServerError, "broke off"),
    "error event": (answers.events(ERROR_EVENT), ServerError, "overloaded"),
    "rate limit event": (answers.events(LIMIT_EVENT), RateLimitError, "more requests"),
    "malformed JSON": (
        answers.raw("{nope"),
        MalformedReplyError,
        "is called JSON and is none",
    ),
    "malformed event": (
        answers.events("{nope"),
        MalformedReplyError,
        "not a chat completion",
    ),
    "HTML": (
        answers.raw("<html>hi</html>", "text/html"),
        MalformedReplyError,
        "sent a web page in place of",
    ),
    "no bytes": (answers.raw(""), MalformedReplyError, "empty answer"),
    "empty stream": (answers.events(), MalformedReplyError, "empty answer"),
    "empty choices": (answers.events(NO_CHOICES), ServerError, "broke off"),
    "empty text": (answers.text(""), MalformedReplyError, "empty answer"),
    "nameless tool call": (
        answers.text(tools=[[NAMELESS]], finish_reason="tool_calls"),
        MalformedReplyError,
        "empty",
    ),
    "output limit": (
        answers.text("", finish_reason="length"),
        MalformedReplyError,
        "more output tokens",
    ),
    "content filter": (
        answers.text("", finish_reason="content_filter"),
        BadRequestError,
        "withheld",
    ),
}
