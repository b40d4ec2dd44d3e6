"""Any model that litellm can reach. litellm is imported by the first call, not by this module."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from pydantic import Secret

from memviz.conversation import Message
from memviz.errors import BadKeyError, BadRequestError, MissingKeyError, ModelError, ParameterError
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.concealment import conceal, is_secret_option, public_address
from memviz.models.litellm_errors import Call, retry_after_seconds, typed_error
from memviz.models.litellm_loading import call_arguments, load_litellm
from memviz.models.provider_keys import OWN_SIGN_IN, key_variables, missing_keys, provider_of
from memviz.models.streamed_reply import StreamedReply
from memviz.models.tools import Tool

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
"""Nobody waits longer than this for another try; a server that asks for more is not asked again."""
NO_KEY = "no-key"
"""Sent where an address but no key was given: a key from the environment belongs to its provider alone."""


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
    and a :class:`memviz.errors.ModelError` for a key or an address that cannot be one.
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
        other_name = options.pop("base_url", None)  # litellm knows the address under this name too
        api_base = api_base or other_name
        self.name, self.timeout, self.retries = name, float(timeout), retries
        self.address = public_address(api_base) if api_base else ""
        self._settings = Secret({**options, **_access(name, api_key, api_base)})
        self._sleep, self._jitter = sleep, jitter

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self._settings.get_secret_value().items()
        public = {name: value for name, value in settings if not is_secret_option(name)}
        public["api_base"] = self.address
        return partial(LiteLLMModel, self.name, timeout=self.timeout, retries=self.retries, **public), ()

    def __copy__(self) -> LiteLLMModel:
        return self

    def __deepcopy__(self, memo: object) -> LiteLLMModel:
        return self

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Iterator[str | Reply]:
        """Answer ``messages``: pieces of text as they arrive, and last the whole :class:`Reply`.

        Closing the iterator early closes the connection.
        """
        self._check_key()
        request: dict[str, Any] = {"messages": [message.to_request() for message in messages]}
        if tools:
            request |= {"tools": [tool.to_request() for tool in tools], "tool_choice": tool_choice}
        for attempt in count():
            draft = StreamedReply(self.name)
            failure = yield from self._attempt(request, draft)
            if failure is None:
                yield draft.reply()
                return
            wait_seconds = None if draft.text else self._wait_seconds(failure, attempt)
            if wait_seconds is None:
                # Raised outside of any except block: litellm's exception, which knows the key, stays behind.
                failure.error.partial = draft.text
                raise failure.error
            self._sleep(wait_seconds)

    def _attempt(self, request: dict[str, Any], draft: StreamedReply) -> Generator[str, None, _Failure | None]:
        stream = None
        try:
            arguments = call_arguments(self.name, provider_of(self.name), self.timeout)
            settings = self._settings.get_secret_value()
            stream = load_litellm().completion(**{**settings, **arguments, **request})
            for chunk in stream:
                if piece := draft.add(chunk):
                    yield piece
            problem = draft.end(stream)
            return _Failure(problem) if problem else None
        except Exception as error:
            return _Failure(typed_error(error, self._call(request)), retry_after_seconds(error))
        finally:
            _close(stream)

    def _call(self, request: dict[str, Any]) -> Call:
        settings = self._settings.get_secret_value()
        has_key = settings.get("api_key", NO_KEY) != NO_KEY
        has_tools = "tools" in request or "tools" in settings
        return Call(self.name, self.address, has_key, self.timeout, has_tools, partial(conceal, settings=settings))

    def _check_key(self) -> None:
        """Refuse to call without a key: providers answer that in odd ways, some only after retries."""
        if "api_key" in self._settings.get_secret_value():
            return
        missing, provider = missing_keys(self.name), provider_of(self.name)
        if provider not in key_variables() and not provider.startswith(OWN_SIGN_IN):
            missing = tuple(load_litellm().validate_environment(self.name)["missing_keys"])
        if missing:
            raise MissingKeyError(
                f"Model {self.name} needs an API key and none was given: enter one, or set {' and '.join(missing)}.",
                model=self.name,
            )

    def _wait_seconds(self, failure: _Failure, attempt: int) -> float | None:
        """How long to wait before another try; ``None`` for no other try."""
        if attempt >= self.retries or not failure.error.retryable:
            return None
        asked = failure.retry_after_seconds
        if asked is not None:
            return asked if asked <= LONGEST_WAIT_SECONDS else None
        longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2**attempt)
        return float(longest * (1 + self._jitter()) / 2)


def _close(stream: Any) -> None:
    """Close the connection behind a litellm stream, which has no close of its own."""
    source = getattr(stream, "completion_stream", None)
    for holder in (source, getattr(source, "http_response", None), getattr(source, "streaming_response", None)):
        close = getattr(holder, "close", None)
        if callable(close):
            with suppress(Exception):
                close()


def _access(name: str, api_key: str | None, api_base: str | None) -> dict[str, str]:
    """The settings that say where the model is and who asks."""
    key = (api_key or "").strip()
    if not key.isascii() or any(character.isspace() for character in key):
        raise BadKeyError(
            f"The API key for model {name} holds a space or a character that no key has: copy it again.", model=name
        )
    if not api_base:
        return {"api_key": key} if key else {}
    if not public_address(api_base):  # not repeated in the sentence: a key may be in the wrong field
        raise BadRequestError(
            f"The base URL given for model {name} is no web address: it has to start with http:// or https://.",
            model=name,
        )
    return {"api_key": key or NO_KEY, "api_base": api_base}
