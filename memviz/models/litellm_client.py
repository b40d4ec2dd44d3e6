"""Any model that litellm can reach. litellm is imported by the first call, not by this module."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from pydantic import Secret

from memviz.conversation import Message
from memviz.errors import BadKeyError, BadRequestError, MissingKeyError, ModelError, ParameterError, RateLimitError
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.litellm_errors import Call, retry_after_seconds, typed_error
from memviz.models.litellm_loading import call_arguments, load_litellm
from memviz.models.metering import Meter, unmetered
from memviz.models.provider_keys import OWN_SIGN_IN, address_variables, key_variables, missing_keys, provider_of
from memviz.models.rate_limiter import RateLimiter, gate_of
from memviz.models.redaction import conceal, is_secret_option, public_address
from memviz.models.streamed_reply import StreamedReply
from memviz.models.tools import Tool

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
"""In a chat nobody waits longer than this for another try; a server that asks for more is not asked again."""
NO_KEY = "no-key"
"""Sent where an address but no key was given: a key from the environment belongs to its provider alone."""
_OUTPUT_LIMITS = ("max_tokens", "max_completion_tokens")


class _Failure(NamedTuple):
    error: ModelError
    retry_after_seconds: float | None = None


class LiteLLMModel(Model):
    """A model behind an API, named as litellm does: ``openai/gpt-5-mini``, ``anthropic/...``, ``ollama/...``.

    ``timeout`` is the longest silence allowed, in seconds, before the answer and within it. A failure that
    may pass is tried ``retries`` times more, after growing waits or the wait the server asks for, up to
    ``longest_wait`` seconds, as long as no text has arrived; later failures hold that text as ``partial``. While a
    provider asks to slow down, all calls of the process with the same key hold back (``models/rate_gate.py``).
    ``options`` such as ``temperature`` go to litellm as they are.

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
        longest_wait: float = LONGEST_WAIT_SECONDS,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
        **options: Any,
    ) -> None:
        if not timeout > 0:
            raise ParameterError("timeout", timeout, "a number of seconds above 0")
        if retries < 0:
            raise ParameterError("retries", retries, "0 or more")
        if not longest_wait >= 0:
            raise ParameterError("longest_wait", longest_wait, "a number of seconds, 0 or more")
        other_name = options.pop("base_url", None)  # litellm knows the address under this name too
        api_base = api_base or other_name
        self.name, self.timeout, self.retries, self.longest_wait = name, float(timeout), retries, float(longest_wait)
        self.address = public_address(api_base) if api_base else ""
        self._settings = Secret({**options, **_access(name, api_key, api_base)})
        self._sleep, self._jitter = sleep, jitter

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self._settings.get_secret_value().items()
        public = {name: value for name, value in settings if not is_secret_option(name)}
        public["api_base"] = self.address
        return partial(LiteLLMModel, self.name, **self._patience, **public), ()

    def __copy__(self) -> LiteLLMModel:
        return self

    def __deepcopy__(self, memo: object) -> LiteLLMModel:
        return self

    @property
    def _patience(self) -> dict[str, Any]:
        return {"timeout": self.timeout, "retries": self.retries, "longest_wait": self.longest_wait}

    @property
    def identity(self) -> Mapping[str, Any]:
        """Name, address and options, without any secret. An address from the environment counts as one given here."""
        settings = self._settings.get_secret_value().items()
        options = {name: value for name, value in settings if not is_secret_option(name) and name != "api_base"}
        found = {} if self.address else address_variables(provider_of(self.name))
        address = self.address or {name: public_address(value) for name, value in found.items()}
        return {"model": self.name, "address": address, "options": options}

    def limited(self, max_output_tokens: int) -> LiteLLMModel:
        """The same model with the same key, told to write at most so many tokens an answer."""
        settings = dict(self._settings.get_secret_value())
        for name in [name for name in _OUTPUT_LIMITS if name in settings] or ["max_tokens"]:
            settings[name] = min(max_output_tokens, settings.get(name) or max_output_tokens)
        return LiteLLMModel(self.name, **self._patience, sleep=self._sleep, jitter=self._jitter, **settings)

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Iterator[str | Reply]:
        """Answer ``messages``: pieces of text as they arrive (empty ones while the model thinks, if its server shows
        that), and last the whole :class:`Reply`.

        Closing the iterator early closes the connection.
        """
        return self.stream_metered(unmetered, messages, tools, tool_choice)

    def stream_metered(
        self, meter: Meter, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Iterator[str | Reply]:
        """As :meth:`stream`; ``meter`` is asked before each try, for a try that fails may cost something too."""
        self._check_key()
        request: dict[str, Any] = {"messages": [message.to_request() for message in messages]}
        if tools:
            request |= {"tools": [tool.to_request() for tool in tools], "tool_choice": tool_choice}
        gate, wait_seconds = self._gate(), 0.0
        for attempt in count():
            draft = StreamedReply(self.name)
            with meter(messages, tools) as bill:
                gate.wait(self._sleep, wait_seconds, self.longest_wait)
                begun = gate.now()
                failure = yield from self._attempt(request, draft)
                if failure is None:
                    reply = bill.answered(draft.reply())
                    break
                failure.error.partial = draft.text
                bill.failed(failure.error)
            wait_seconds = self._next_try(failure, attempt, gate, begun)
        gate.answered()
        yield reply

    def _attempt(self, request: dict[str, Any], draft: StreamedReply) -> Generator[str, None, _Failure | None]:
        stream = None
        try:
            arguments = call_arguments(self.name, provider_of(self.name), self.timeout)
            settings = self._settings.get_secret_value()
            stream = load_litellm().completion(**{**settings, **arguments, **request})
            for chunk in stream:
                if (piece := draft.add(chunk)) is not None:
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

    def _gate(self) -> RateLimiter:
        key = self._settings.get_secret_value().get("api_key", "")
        return gate_of(hash((provider_of(self.name), self.address, key)))

    def _next_try(self, failure: _Failure, attempt: int, gate: RateLimiter, begun: float) -> float:
        """How long to wait before another try. Raises the error if there is to be none."""
        wait_seconds, limited = self._wait_seconds(failure, attempt), isinstance(failure.error, RateLimitError)
        if limited and wait_seconds is not None:
            gate.refused(begun, wait_seconds)
        if wait_seconds is None or attempt >= self.retries or failure.error.partial:
            # Raised outside of any except block: litellm's exception, which knows the key, stays behind.
            raise failure.error
        if limited:
            return wait_seconds  # waited for at the gate, with all others
        self._sleep(wait_seconds)
        return 0.0

    def _wait_seconds(self, failure: _Failure, attempt: int) -> float | None:
        """How long the provider is to be left alone; ``None`` if the same request cannot succeed in time."""
        if not failure.error.retryable:
            return None
        asked = failure.retry_after_seconds
        if asked is not None:
            return asked if asked <= self.longest_wait else None
        longest = min(self.longest_wait, FIRST_WAIT_SECONDS * 2**attempt)
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
