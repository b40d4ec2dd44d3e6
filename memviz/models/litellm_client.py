"""Any model that litellm can reach. litellm is imported by the first call, not by this module."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextvars import Context
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from pydantic import Secret

from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.core.model_errors import ModelError, RateLimitError
from memviz.models.access import ModelAccess
from memviz.models.base import Meter, Model, ModelRequest, Reply, ToolChoice, unmetered
from memviz.models.credentials import (
    NO_KEY,
    OPERATOR,
    check_credentials,
    make_call_limits,
    settings_of,
)
from memviz.models.failure_evidence import Call, retry_after_seconds
from memviz.models.http_guard import call_arguments, load_litellm
from memviz.models.line import close_responses
from memviz.models.litellm_errors import typed_error
from memviz.models.provider_keys import address_variables, provider_of, usual_address
from memviz.models.rate_limiter import RateLimiter, gate_of
from memviz.models.redaction import (
    conceal,
    echoed_secrets,
    is_secret_option,
    public_address,
)
from memviz.models.streamed_reply import StreamedReply
from memviz.models.tools import Tool

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
"""In a chat nobody waits longer than this for another try; a server that asks for more is not asked again."""
HOPELESS_RETRIES = 2
"""How often an address where nothing answers is tried again at most: it is more likely wrong than slow."""
MOST_PIECES = 1000
"""Of a stream, held at the same time."""
_OUTPUT_LIMITS = ("max_tokens", "max_completion_tokens")


class TryFailure(NamedTuple):
    """The failure of a try, and after how long its server asks to be asked again."""

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
    here. A model of a server of one's own (``llamafile/...``, ``lm_studio/...``, ``hosted_vllm/...``) is asked on this
    machine, at that program's usual port, unless an address is given or an environment variable names one. The key is
    in no repr, error, log or pickle; a pickled model comes back without it. ``access`` says what of this machine the
    model may use, if it was not its owner who asked for it. No redirect is followed.

    Raises :class:`memviz.core.errors.ParameterError` for a timeout or a number of retries out of range,
    and a :class:`memviz.core.model_errors.ModelError` for a key or an address that cannot be one.
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
        access: ModelAccess = OPERATOR,
        sleep: Callable[[float], object] = time.sleep,
        jitter: Callable[[], float] = random.random,
        **options: Any,
    ) -> None:
        if not timeout > 0:
            raise ParameterError("timeout", timeout, "a number of seconds above 0")
        if retries < 0:
            raise ParameterError("retries", retries, "0 or more")
        if not longest_wait >= 0:
            raise ParameterError(
                "longest_wait", longest_wait, "a number of seconds, 0 or more"
            )
        # litellm knows the address under this name too.
        base_url = options.pop("base_url", None)
        api_base = api_base or base_url or usual_address(name)
        self.name = name
        self.timeout = float(timeout)
        self.retries = retries
        self.longest_wait = float(longest_wait)
        self.address = public_address(api_base) if api_base else ""
        self.access = access
        self._settings = Secret(
            {**options, **settings_of(name, api_key, api_base, access)}
        )
        self._sleep = sleep
        self._jitter = jitter

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self._settings.get_secret_value().items()
        public = {name: value for name, value in settings if not is_secret_option(name)}
        public["api_base"] = self.address
        return partial(type(self), self.name, **self._manner, **public), ()

    def __copy__(self) -> LiteLLMModel:
        return self

    def __deepcopy__(self, memo: object) -> LiteLLMModel:
        return self

    @property
    def may_cost(self) -> bool:
        """True: the prices of a provider, and of a server of one's own, are the provider's to say."""
        return True

    @property
    def _manner(self) -> dict[str, Any]:
        patience = {
            "timeout": self.timeout,
            "retries": self.retries,
            "longest_wait": self.longest_wait,
        }
        return {**patience, "access": self.access}

    @property
    def identity(self) -> Mapping[str, Any]:
        """Name, address and options, without any secret. An address from the environment counts as one given here."""
        settings = self._settings.get_secret_value().items()
        options = {
            name: value
            for name, value in settings
            if not is_secret_option(name) and name != "api_base"
        }
        address: str | dict[str, str] = self.address
        if not address:
            variables = address_variables(provider_of(self.name))
            address = {name: public_address(url) for name, url in variables.items()}
        return {"model": self.name, "address": address, "options": options}

    def asks_like(self, other: Model) -> bool:
        """Return whether ``other`` makes the same calls, with the same key and the same patience."""
        if not isinstance(other, LiteLLMModel):
            return False
        if (self.name, self._manner) != (other.name, other._manner):
            return False
        own_settings = self._settings.get_secret_value()
        return own_settings == other._settings.get_secret_value()

    def limited(self, max_output_tokens: int) -> LiteLLMModel | None:
        """This model with the same key, told to write at most so many tokens an answer."""
        settings = dict(self._settings.get_secret_value())
        # The option for it has several names; one that the user gave is kept, and only made smaller.
        names = [name for name in _OUTPUT_LIMITS if name in settings]
        for name in names or ["max_tokens"]:
            own_limit = settings.get(name) or max_output_tokens
            settings[name] = min(max_output_tokens, own_limit)
        return LiteLLMModel(
            self.name,
            **self._manner,
            sleep=self._sleep,
            jitter=self._jitter,
            **settings,
        )

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """Answer ``messages``: pieces of text as they arrive (empty ones while the model thinks, if its server shows
        that), and last the whole :class:`Reply`.

        Closing the iterator early closes the connection.
        """
        return self.answer(ModelRequest(tuple(messages), tuple(tools), tool_choice))

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """Answer a request as :meth:`stream` does. ``meter`` is asked before each try, for a try that fails may cost
        something too."""
        check_credentials(self.name, self._settings.get_secret_value(), self.access)
        messages, tools = request.as_json
        arguments: dict[str, Any] = {"messages": messages}
        if tools:
            arguments["tools"] = tools
            arguments["tool_choice"] = request.tool_choice
        # All calls with one key wait at one gate, so that a provider that asks for patience is left alone by all of
        # them.
        gate = self._gate()
        wait_seconds = 0.0
        # Tries go on until one succeeds, or ``_next_try`` raises.
        for attempt in count():
            draft = self._draft()
            with meter(request) as bill:
                gate.wait(self._sleep, wait_seconds, self.longest_wait)
                began_at = gate.now()
                failure = yield from self._attempt(arguments, draft)
                if failure is None:
                    reply = bill.answered(draft.reply())
                    break
                failure.error.partial = draft.text
                bill.failed(failure.error)
            wait_seconds = self._next_try(failure, attempt, gate, began_at)
        gate.note_answer()
        yield reply

    def _draft(self) -> StreamedReply:
        """The reply of one try, as long as it has no word."""
        secrets = echoed_secrets(self._settings.get_secret_value())
        return StreamedReply(self.name, secrets)

    def _attempt(
        self, request: dict[str, Any], draft: StreamedReply
    ) -> Generator[str, None, TryFailure | None]:
        stream = None
        try:
            arguments = call_arguments(self.name, provider_of(self.name), self.timeout)
            settings = self._settings.get_secret_value()
            within = self._context()
            with close_responses(within):
                # In this order: nothing that a user sets may undo what memviz asks for.
                options = {**settings, **arguments, **request}
                stream = within.run(partial(load_litellm().completion, **options))
                # Each piece is asked for within the context, by whose limits the connection is held.
                for chunk in iter(partial(within.run, next, stream, None), None):
                    _forget_pieces(stream)
                    if (piece := draft.add(chunk)) is not None:
                        yield piece
                if text := draft.rest():
                    yield text
                problem = draft.end(stream)
            return TryFailure(problem) if problem else None
        except Exception as error:
            # What arrived before the failure is shown, and kept with the error.
            if text := draft.rest():
                yield text
            call = self._call(request, reading=stream is not None)
            return TryFailure(typed_error(error, call), retry_after_seconds(error))

    def _context(self) -> Context:
        """The context of a call, which says where its requests may go."""
        return make_call_limits(
            self._settings.get_secret_value(), self.access
        ).context()

    def _call(self, request: dict[str, Any], *, reading: bool) -> Call:
        settings = self._settings.get_secret_value()
        has_key = settings.get("api_key", NO_KEY) != NO_KEY
        has_tools = "tools" in request or "tools" in settings
        concealed = partial(conceal, settings=settings)
        return Call(
            self.name,
            self.address,
            has_key,
            self.timeout,
            has_tools,
            reading,
            concealed,
        )

    def _gate(self) -> RateLimiter:
        key = self._settings.get_secret_value().get("api_key", "")
        return gate_of(hash((provider_of(self.name), self.address, key)))

    def _next_try(
        self, failure: TryFailure, attempt: int, gate: RateLimiter, began_at: float
    ) -> float:
        """The seconds to wait before another try. Raises the error if there is to be none."""
        wait_seconds = self._wait_seconds(failure, attempt)
        limited = isinstance(failure.error, RateLimitError)
        if limited and wait_seconds is not None:
            gate.note_refusal(began_at, wait_seconds)
        retries = self.retries
        if failure.error.ends_all:
            retries = min(retries, HOPELESS_RETRIES)
        if wait_seconds is None or attempt >= retries or failure.error.partial:
            # Raised outside of any except block: litellm's exception, which knows the key, stays behind.
            raise failure.error
        if limited:
            # It is waited for at the gate, with all others.
            return wait_seconds
        self._sleep(wait_seconds)
        return 0.0

    def _wait_seconds(self, failure: TryFailure, attempt: int) -> float | None:
        """The seconds for which the provider is to be left alone; ``None`` if the same
        request cannot succeed in time."""
        if not failure.error.retryable:
            return None
        asked_seconds = failure.retry_after_seconds
        if asked_seconds is not None:
            return asked_seconds if asked_seconds <= self.longest_wait else None
        longest = min(self.longest_wait, FIRST_WAIT_SECONDS * 2.0 ** min(attempt, 60))
        return float(longest * (1 + self._jitter()) / 2)


def _forget_pieces(stream: Any) -> None:
    """litellm keeps every piece of a stream, 3 KB for each word, to put the reply together once more for its logs. Only
    those that tell of usage are needed."""
    pieces = getattr(stream, "chunks", [])
    if len(pieces) > MOST_PIECES:
        billed = [piece for piece in pieces if getattr(piece, "usage", None)]
        pieces[:-2] = billed[: MOST_PIECES // 2]
