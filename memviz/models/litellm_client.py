"""Any model that litellm can reach. litellm is imported by the first call, not by this module."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from pydantic import Secret

from memviz.conversation import Message, ToolCall, clean_text
from memviz.errors import (
    BadKeyError,
    BadRequestError,
    MalformedReplyError,
    MissingKeyError,
    ModelError,
    ParameterError,
    ServerError,
)
from memviz.models.base import Model, Reply, Usage
from memviz.models.litellm_errors import Call, retry_after_seconds, typed_error
from memviz.models.prices import price
from memviz.models.provider_keys import OWN_SIGN_IN, key_variables, missing_keys, provider_of

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
"""Nobody waits longer than this for another try; a server that asks for more is not asked again."""
NO_KEY = "no-key"
"""Sent where an address but no key was given: a key from the environment belongs to its provider alone."""

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # otherwise importing litellm downloads a price list
    "LITELLM_MODE": "PRODUCTION",  # otherwise it reads .env files of the folders above it
    "HF_HUB_OFFLINE": "1",  # otherwise it tries to download tokenizers
}
_SECRET_OPTION = re.compile(r"api_key|access_key|secret|password|credential|headers|(^|_)token$", re.I)
_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")


@cache
def load_litellm() -> Any:
    """The litellm module, silenced and kept off the network. The first call takes some seconds."""
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


class _Failure(NamedTuple):
    error: ModelError
    retry_after_seconds: float | None = None


class LiteLLMModel(Model):
    """A model behind an API, named as litellm does: ``openai/gpt-5-mini``, ``anthropic/...``, ``ollama/...``.

    ``timeout`` is the longest silence allowed, in seconds, before the answer and within it. A failure that
    may pass is tried ``retries`` times more, after growing waits or the wait the server asks for, as long
    as no text has arrived; later failures hold that text as ``partial``. ``options`` such as
    ``temperature`` go to litellm as they are.

    Without ``api_key`` the provider's environment variable is used, but never for an ``api_base`` given
    here. The key is in no repr, error, log or pickle; a pickled model comes back without it.

    Raises :class:`memviz.errors.ParameterError` for a timeout or a number of retries out of range,
    and :class:`memviz.errors.ModelError` for a key or an address that cannot be one.
    """

    def __init__(
        self,
        name: str,
        *,
        api_key: str | None = None,
        api_base: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
        **options: Any,
    ) -> None:
        if not timeout > 0:
            raise ParameterError("timeout", timeout, "a number of seconds above 0")
        if retries < 0:
            raise ParameterError("retries", retries, "0 or more")
        self.name, self.timeout, self.retries = name, float(timeout), retries
        self.address = _address(name, api_base)
        self._secret_settings = Secret({**options, **_access(name, api_key, api_base)})
        self._sleep, self._jitter = sleep, jitter

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self._secret_settings.get_secret_value()
        public = {key: value for key, value in settings.items() if not _SECRET_OPTION.search(key)}
        public["api_base"] = self.address or None
        return partial(LiteLLMModel, self.name, timeout=self.timeout, retries=self.retries, **public), ()

    def __copy__(self) -> LiteLLMModel:
        return self

    def __deepcopy__(self, memo: object) -> LiteLLMModel:
        return self

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        """Answer ``messages``: pieces of text as they arrive, and last the whole :class:`Reply`.

        Closing the iterator early closes the connection.
        """
        request = [message.to_request() for message in messages]
        for attempt in range(self.retries + 1):
            draft = _Draft()
            failure = self._missing_key() or (yield from self._attempt(request, draft))
            if failure is None:
                yield draft.reply(self.name)
                return
            wait_seconds = self._wait_seconds(failure, attempt)
            if draft.text or wait_seconds is None:
                break
            self._sleep(wait_seconds)
        # Raised outside of any except block, so that litellm's exception, which knows the key, is not attached.
        failure.error.partial = draft.text
        raise failure.error

    def _attempt(self, request: list[dict[str, Any]], draft: _Draft) -> Generator[str, None, _Failure | None]:
        stream = None
        try:
            stream = load_litellm().completion(**self._arguments(request))
            for chunk in stream:
                if piece := draft.add(chunk):
                    yield piece
            draft.end(stream)
            problem = draft.problem(self.name)
            return _Failure(problem) if problem else None
        except Exception as error:
            return _Failure(typed_error(error, self._call()), retry_after_seconds(error))
        finally:
            _close(stream)

    def _arguments(self, request: list[dict[str, Any]]) -> dict[str, Any]:
        settings = self._secret_settings.get_secret_value()
        arguments = {
            **settings,
            "model": self.name,
            "messages": request,
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": self.timeout,
            "max_retries": 0,
            "num_retries": None,
        }
        if settings.get("tools"):
            arguments["_skip_mcp_handler"] = True  # litellm would import a package that it does not require
        return arguments

    def _call(self) -> Call:
        settings = self._secret_settings.get_secret_value()
        secrets = {value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)}
        secrets.update(_texts([value for name, value in settings.items() if _SECRET_OPTION.search(name)]))
        has_key = settings.get("api_key", NO_KEY) != NO_KEY
        return Call(self.name, self.address, has_key, self.timeout, partial(_conceal, secrets=secrets))

    def _missing_key(self) -> _Failure | None:
        """Why the call cannot succeed for want of a key; asked first, as providers answer it in odd ways."""
        if "api_key" in self._secret_settings.get_secret_value():
            return None
        missing = missing_keys(self.name)
        provider = provider_of(self.name)
        if provider not in key_variables() and not provider.startswith(OWN_SIGN_IN):
            missing = tuple(load_litellm().validate_environment(self.name)["missing_keys"])
        if not missing:
            return None
        names = " and ".join(missing)
        sentence = f"Model {self.name} needs an API key and none was given: enter one, or set {names}."
        return _Failure(MissingKeyError(sentence, model=self.name))

    def _wait_seconds(self, failure: _Failure, attempt: int) -> float | None:
        """How long to wait before another try; ``None`` for no other try."""
        if attempt >= self.retries or not failure.error.retryable:
            return None
        asked = failure.retry_after_seconds
        if asked is not None:
            return asked if asked <= LONGEST_WAIT_SECONDS else None
        longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2**attempt)
        return longest * (1 + self._jitter()) / 2


class _Draft:
    """What has arrived of a reply."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._finish_reason: str | None = None
        self._last_usage: Any = None
        self._usage: Usage | None = None
        self._cache_write_tokens = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, chunk: Any) -> str:
        """Take one chunk in and return its text."""
        self._last_usage = getattr(chunk, "usage", None) or self._last_usage
        for choice in chunk.choices[:1]:
            self._finish_reason = choice.finish_reason or self._finish_reason
            for call in choice.delta.tool_calls or ():
                self._add_call(call)
            if piece := clean_text(choice.delta.content or ""):
                self._pieces.append(piece)
                return piece
        return ""

    def _add_call(self, piece: Any) -> None:
        """A call comes in pieces: its id and name with the first of them, its arguments bit by bit."""
        call = self._calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
        call["id"] = call["id"] or piece.id or ""
        call["name"] = call["name"] or piece.function.name or ""
        call["arguments"] += piece.function.arguments or ""

    def end(self, stream: Any) -> None:
        """Take in what is known only after the last chunk."""
        marks = (getattr(stream, name, "stop") for name in ("received_finish_reason", "intermittent_finish_reason"))
        if not any(marks):  # litellm makes up a "stop" when the stream ends without one
            self._finish_reason = None
        billed = any(getattr(chunk, "usage", None) for chunk in getattr(stream, "chunks", ()))
        usage = self._last_usage
        if not billed or not usage or not usage.prompt_tokens:  # litellm fills in an estimate of its own
            return
        details = usage.prompt_tokens_details
        cached = getattr(details, "cached_tokens", None) or 0
        self._cache_write_tokens = getattr(details, "cache_creation_tokens", None) or 0
        self._usage = Usage(usage.prompt_tokens, usage.completion_tokens or 0, cached)

    def problem(self, model: str) -> ModelError | None:
        """Why this is no reply, or ``None``."""
        named = all(call["name"] for call in self._calls.values())
        if self._finish_reason and named and (self._calls or self.text.strip()):
            return None
        if self._finish_reason is None and (self._calls or self.text):
            return ServerError(f"Model {model} broke off in the middle of its answer: try again.", model=model)
        if self._finish_reason == "content_filter":
            return BadRequestError(f"The provider of model {model} withheld the answer: rephrase it.", model=model)
        if self._finish_reason == "length":
            return MalformedReplyError(
                f"Model {model} reached its output limit before it wrote any text: allow it more output tokens.",
                model=model,
            )
        return MalformedReplyError(
            f"Model {model} sent an empty answer: try again, and check that its address speaks the protocol of "
            "its prefix.",
            model=model,
        )

    def reply(self, model: str) -> Reply:
        """The whole reply, with its cost at list price."""
        calls = (
            ToolCall(clean_text(call["id"]), clean_text(call["name"]), clean_text(call["arguments"]) or "{}")
            for _, call in sorted(self._calls.items())
        )
        known = price(model)
        cost = known.cost_usd(self._usage, self._cache_write_tokens) if known and self._usage else None
        return Reply(self.text, tuple(calls), self._usage, cost, model, self._finish_reason or "stop")


def _close(stream: Any) -> None:
    """Close the connection behind a litellm stream, which has no close of its own."""
    source = getattr(stream, "completion_stream", None)
    for holder in (source, getattr(source, "http_response", None), getattr(source, "streaming_response", None)):
        close = getattr(holder, "close", None)
        if callable(close):
            with suppress(Exception):
                close()


def _address(name: str, api_base: str | None) -> str:
    """``api_base`` as it may be shown: without a user, a password or a query."""
    if not api_base:
        return ""
    with suppress(ValueError):
        parts = urlsplit(api_base)
        if parts.scheme in ("http", "https") and parts.hostname:
            return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    # The address is not repeated: a key may have been put into the wrong field.
    raise BadRequestError(
        f"The base URL given for model {name} is no web address: it has to start with http:// or https://.", model=name
    )


def _access(name: str, api_key: str | None, api_base: str | None) -> dict[str, str]:
    """The settings that say where the model is and who asks."""
    key = (api_key or "").strip()
    if not key.isascii() or any(character.isspace() for character in key):
        raise BadKeyError(
            f"The API key for model {name} holds a space or a character that no key has: copy it again.", model=name
        )
    if not api_base:
        return {"api_key": key} if key else {}
    return {"api_key": key or NO_KEY, "api_base": api_base}


def _texts(value: object) -> Iterator[str]:
    """Every text within nested lists and dictionaries."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _conceal(text: str, secrets: set[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= 4:  # shorter values are words such as "no"
            text = text.replace(secret, "***")
    return text
