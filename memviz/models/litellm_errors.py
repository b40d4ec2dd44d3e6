"""What went wrong in a call through litellm, as one of memviz's own errors and one plain sentence.

litellm names failures by status code and makes up a 500 where none was sent, so the chain of causes
below its error is asked first: it holds what the connection really did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from math import isnan, nan
from ssl import SSLCertVerificationError

from memviz.core.errors import (
    BadKeyError,
    BadRequestError,
    ConnectionRefusedModelError,
    ContextTooLongError,
    MalformedReplyError,
    MissingKeyError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    ServerError,
    UnknownModelError,
)
from memviz.core.text.wording import counted
from memviz.models.destinations import RedirectedError
from memviz.models.line import EndlessReplyError
from memviz.models.whole_replies import NotAReplyError

MAX_REASON_CHARS = 200
_CONCEALED_CHARS = 20 * MAX_REASON_CHARS
"""More than is shown: what is concealed becomes shorter."""
MAX_RETRY_AFTER_SECONDS = 86_400.0
"""A server that asks for more than a day is taken to ask for a day."""

_TOO_LONG = re.compile(
    r"context (length|window|size)|(prompt|input|request) (is )?too (long|large)|too many (input )?tokens",
    re.I,
)
_NO_KEY = re.compile(
    r"missing .{0,40}(api.?key|credentials)|api_key client option must be set",
    re.I | re.S,
)
_NO_MODEL = re.compile(
    r"LLM Provider NOT provided|not a valid model|model.{0,60}(does not exist|not found)",
    re.I | re.S,
)
_NO_END = re.compile("ended before a finish_reason")
"""litellm's words, without the error that it began with, for a stream that ends in the middle (since 1.110)."""
# Only read where tools were offered. A sentence ends at a dot: what is refused after one is something in the tools.
_NO_TOOLS = re.compile(
    r"""((not|n't)([ ]\w+)?[ ]|no\b[^.\n]{0,30}[ ]|un)support(ed)?\b[^.\n]{0,60}\b(tools?\b|tool_choice|function[ ]call)
    | \b(tools?|tool_choice|function[ ]call(s|ing)?)\b[^.\n]{0,40}
      ((not|n't)[ ](\w+[ ])?|un)(support|enabled|permitted|allowed|available|implemented)
    | \btools?[ ](param|choice)[ ]requires
    | unrecogni[sz]ed[^.\n]{0,40}\btools\b""",
    re.I | re.X,
)
_NO_TOOLS_STATUSES = frozenset({400, 404, 405, 422, 500, 501})
_UNREADABLE = (
    "JSONDecodeError", "UnicodeDecodeError", "DecodingError", "ValidationError", "APIResponseValidationError",
)  # fmt: skip
_STUMBLES = (
    "AttributeError",
    "IndexError",
    "KeyError",
    "RecursionError",
    "TypeError",
    "ValueError",
)
_JSON_MESSAGE = re.compile(r'"(?:message|error)":\s*"((?:[^"\\]|\\.)+)"')
_LITELLM_PREFIXES = re.compile(
    r"^(?:(?:litellm\.)?\w*(?:Error|Timeout|Exception)(?::| -)\s*)+"
)


@dataclass(frozen=True, slots=True)
class Call:
    """The call that failed. ``address`` is the base URL given for it, ``has_tools`` whether tools were offered
    to the model, ``reading`` whether the server had taken the request and its reply was being read, ``conceal``
    takes secrets out of a text."""

    model: str
    address: str = ""
    has_key: bool = True
    timeout_seconds: float = 60.0
    has_tools: bool = False
    reading: bool = False
    conceal: Callable[[str], str] = field(default=str, repr=False)

    @property
    def place(self) -> str:
        """Where the model is served, in words."""
        return self.address or f"the provider of model {self.model}"


class Evidence:
    """What an exception and its causes tell about a failure."""

    def __init__(self, error: BaseException) -> None:
        self.chain = tuple(_causes(error))
        self.kinds = {
            kind.__name__ for cause in self.chain for kind in type(cause).__mro__
        }
        self.codes = {str(getattr(cause, "code", None)) for cause in self.chain}

    @cached_property
    def text(self) -> str:
        """Everything the exceptions say. It may hold secrets and is only searched."""
        return "\n".join(str(cause) for cause in self.chain)

    @cached_property
    def status(self) -> int:
        """The HTTP status as litellm reports it; 0 if there is none."""
        statuses = (getattr(cause, "status_code", None) for cause in self.chain)
        return next((status for status in statuses if isinstance(status, int)), 0)

    @cached_property
    def is_stumble(self) -> bool:
        """Whether code that reads replies failed on what a reply holds, so that no server reported a failure:
        a status, then, is made up."""
        reported = any(
            type(cause).__module__.partition(".")[0] in ("openai", "httpx")
            for cause in self.chain
        )
        return not reported and self.any_kind(*_STUMBLES)

    def any_kind(self, *names: str) -> bool:
        """Whether one of the exceptions is of a class of one of these names."""
        return not self.kinds.isdisjoint(names)


def typed_error(error: BaseException, call: Call) -> ModelError:
    """The memviz error for whatever ``call`` raised. It holds neither ``error`` nor a traceback nor a key."""
    seen = Evidence(error)
    for applies, describe in _RULES:
        if applies(seen, call):
            return describe(seen, call)
    return BadRequestError(
        f"Model {call.model} could not be called ({type(error).__name__}): check its name and its options.",
        model=call.model,
    )


def retry_after_seconds(error: BaseException) -> float | None:
    """How long the server asked to wait, from its ``Retry-After`` header in seconds or as a date; at most a day."""
    for cause in _causes(error):
        for holder in (cause, getattr(cause, "response", None)):
            headers = (
                getattr(holder, "litellm_response_headers", None)
                or getattr(holder, "headers", None)
                or {}
            )
            value = headers.get("retry-after") if hasattr(headers, "get") else None
            if value is not None and (seconds := _seconds(str(value))) is not None:
                return seconds
    return None


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return None if isnan(seconds) else min(max(0.0, seconds), MAX_RETRY_AFTER_SECONDS)


def _seconds_until(date: str) -> float:
    """Seconds from now to a date as HTTP writes it, or ``nan``."""
    try:
        moment = parsedate_to_datetime(date)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return nan


def _causes(error: BaseException) -> Iterator[BaseException]:
    """``error`` and what is behind it, outermost first."""
    waiting, seen = [error], set[int]()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        behind = (
            getattr(cause, "original_exception", None),
            cause.__cause__,
            cause.__context__,
        )
        waiting.extend(one for one in behind if isinstance(one, BaseException))


def _reason(seen: Evidence, call: Call) -> str:
    """What the provider says, as words in brackets; nothing if it sent a page or litellm a traceback."""
    error = seen.chain[0]
    text = str(getattr(error, "message", "") or error)
    in_json = _JSON_MESSAGE.search(text)
    text = (
        _unescaped(in_json[1]) if in_json else _LITELLM_PREFIXES.sub("", text).strip()
    )
    if text.startswith(("<", "{", "[", "Error code: ")) or "Traceback" in text:
        return ""
    text = text.partition(" To drop ")[
        0
    ]  # what follows is advice to callers of litellm
    # A key may go on in the next line, so that is cut off last.
    line = call.conceal(text[:_CONCEALED_CHARS]).partition("\n")[0].rstrip(". ")
    line = "".join(character if character.isprintable() else " " for character in line)
    return f' ("{line[:MAX_REASON_CHARS]}")' if line else ""


def _unescaped(text: str) -> str:
    """What a text in JSON says."""
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return text.replace("\\", "")


def _for_all_calls(error: ModelError) -> ModelError:
    """``error``, which every other call of the model would end in as well."""
    error.ends_all = True
    return error


# One function a failure: what was wrong, with which model, what to do.


def _redirected(seen: Evidence, call: Call) -> ModelError:
    places = (
        call.conceal(cause.place)
        for cause in seen.chain
        if isinstance(cause, RedirectedError)
    )
    error = BadRequestError(
        f"The server of model {call.model} wanted the request to go to {next(places, '') or 'another address'}. memviz "
        "did not follow, since key and conversation go to no other address than the one that is given: if that one is "
        "right, give it as the base URL.",
        model=call.model,
    )
    return _for_all_calls(error)


def private_address(_: Evidence | None, call: Call) -> ModelError:
    """The base URL leads to this machine or its network, and its operator does not let visitors go there."""
    error = BadRequestError(
        f"The address of model {call.model}{f', {call.address},' if call.address else ''} leads to the machine that "
        "memviz runs on or to its network, which is not open to visitors: give a public base URL, unless who runs "
        "this server says --allow-private-base-urls.",
        model=call.model,
    )
    return _for_all_calls(error)


def _too_long(_: Evidence, call: Call) -> ModelError:
    return ContextTooLongError(
        f"The request is larger than the context window of model {call.model}: send less of the conversation, "
        "or choose a model with a larger window.",
        model=call.model,
    )


def _timeout(_: Evidence, call: Call) -> ModelError:
    silence = counted(call.timeout_seconds, "second")
    return ModelTimeoutError(
        f"Model {call.model} sent nothing for {silence}: try again, or allow it more time.",
        model=call.model,
    )


def _no_connection(_: Evidence, call: Call) -> ModelError:
    whom = f" for model {call.model}" if call.address else ""
    return ConnectionRefusedModelError(
        f"Nothing answers at {call.place}{whom}: check that the server runs and that its base URL is right.",
        model=call.model,
    )


def _endless(seen: Evidence, call: Call) -> ModelError:
    most = next(
        cause.most for cause in seen.chain if isinstance(cause, EndlessReplyError)
    )
    return MalformedReplyError(
        f"Model {call.model} sent more than {most} of one answer without an end, so memviz hung up: check the base "
        "URL, or give the model a limit for its answers.",
        model=call.model,
    )


def _not_a_reply(seen: Evidence, call: Call) -> ModelError:
    what = next(cause.what for cause in seen.chain if isinstance(cause, NotAReplyError))
    return MalformedReplyError(
        f"Model {call.model} sent {what} in place of an answer: check the base URL and the model's prefix.",
        model=call.model,
    )


def _packed(_: Evidence, call: Call) -> ModelError:
    return MalformedReplyError(
        f"Model {call.model} sent an answer that is compressed in a way that memviz does not ask for: check the base "
        "URL, or have the server send its answers uncompressed.",
        model=call.model,
    )


def _untrusted(seen: Evidence, call: Call) -> ModelError:
    """Something answers, and whether it is who it should be cannot be told: nothing was sent."""
    reasons = (
        cause.verify_message
        for cause in seen.chain
        if isinstance(cause, SSLCertVerificationError)
    )
    reason = next(filter(None, reasons), "")
    error = ConnectionRefusedModelError(
        f"The certificate of {call.place} proves nothing to this machine{f' ({reason})' if reason else ''}, so nothing "
        f"was sent to model {call.model}: check the address, or, if the server is yours, start memviz with "
        "SSL_CERT_FILE naming a file that holds its certificate.",
        model=call.model,
    )
    error.retryable = False  # it has the same one next time
    return error


def _no_tls(_: Evidence, call: Call) -> ModelError:
    error = ConnectionRefusedModelError(
        f"What answers at {call.place} for model {call.model} does not speak HTTPS: check the address, which may have "
        "to begin with http://.",
        model=call.model,
    )
    error.retryable = False
    return error


def _broken_off(_: Evidence, call: Call) -> ModelError:
    return ServerError(
        f"The connection to model {call.model} broke off before its answer was complete: try again.",
        model=call.model,
    )


def _malformed(_: Evidence, call: Call) -> ModelError:
    return MalformedReplyError(
        f"Model {call.model} sent something that is not a chat completion: check the base URL and the model's prefix.",
        model=call.model,
    )


def _missing_key(_: Evidence, call: Call) -> ModelError:
    remedy = (
        "enter the one for this address"
        if call.address
        else "enter one, or set its environment variable"
    )
    return MissingKeyError(
        f"Model {call.model} needs an API key and none was given for {call.place}: {remedy}.",
        model=call.model,
    )


def _bad_key(_: Evidence, call: Call) -> ModelError:
    return BadKeyError(
        f"The API key for model {call.model} was refused: check that it is complete, still valid and allowed to use "
        "this model.",
        model=call.model,
    )


def _no_quota(_: Evidence, call: Call) -> ModelError:
    error = RateLimitError(
        f"The account behind model {call.model} has no quota left: check its billing, or choose another model.",
        model=call.model,
    )
    error.retryable = False  # asking again buys no credit
    return _for_all_calls(error)


def _slow_down(seen: Evidence, call: Call) -> ModelError:
    seconds = retry_after_seconds(seen.chain[0])
    when = (
        "a little later"
        if seconds is None
        else f"in {counted(max(1, round(seconds)), 'second')}"
    )
    if seconds == MAX_RETRY_AFTER_SECONDS:
        when = "in a day or later"
    return RateLimitError(
        f"Model {call.model} gets more requests than its provider allows: try again {when}.",
        model=call.model,
        retry_after_seconds=seconds,
    )


def _no_tools(seen: Evidence, call: Call) -> ModelError:
    return BadRequestError(
        f"Model {call.model} takes no tools{_reason(seen, call)}: turn the recall tool off, or choose another model.",
        model=call.model,
    )


def _unknown_model(_: Evidence, call: Call) -> ModelError:
    where = f" at {call.address}" if call.address else ""
    remedy = (
        "the name and the base URL"
        if call.address
        else "the name, which is provider/model"
    )
    return UnknownModelError(
        f"There is no model {call.model}{where}: check {remedy}.", model=call.model
    )


def _needs_package(seen: Evidence, call: Call) -> ModelError:
    modules = [
        cause.name
        for cause in seen.chain
        if isinstance(cause, ImportError) and cause.name
    ]
    module = modules[0] if modules else "of its provider"
    error = BadRequestError(
        f"Model {call.model} needs the Python module {module}, which is not installed: install it, or choose "
        "another model.",
        model=call.model,
    )
    return _for_all_calls(error)


def _server_failed(seen: Evidence, call: Call) -> ModelError:
    status = f" with status {seen.status}" if seen.status else ""
    return ServerError(
        f"The server of model {call.model} failed{status}{_reason(seen, call)}: try again later.",
        model=call.model,
    )


def _refused(seen: Evidence, call: Call) -> ModelError:
    return BadRequestError(
        f"The provider of model {call.model} refused the request{_reason(seen, call)}: change what it names.",
        model=call.model,
    )


_Rule = tuple[Callable[[Evidence, Call], bool], Callable[[Evidence, Call], ModelError]]

_RULES: tuple[_Rule, ...] = (
    (lambda seen, _: seen.any_kind("RedirectedError"), _redirected),
    (lambda seen, _: seen.any_kind("PrivateAddressError"), private_address),
    (lambda seen, _: seen.any_kind("OtherKeyError"), _missing_key),
    (lambda seen, _: seen.any_kind("EndlessReplyError"), _endless),
    (lambda seen, _: seen.any_kind("PackedReplyError"), _packed),
    (lambda seen, _: seen.any_kind("NotAReplyError"), _not_a_reply),
    (
        lambda seen, _: (
            seen.any_kind("ContextWindowExceededError")
            or "context_length_exceeded" in seen.codes
            or seen.status == 413
            or (seen.status in (400, 422) and bool(_TOO_LONG.search(seen.text)))
        ),
        _too_long,
    ),
    (
        lambda seen, _: seen.any_kind(
            "Timeout", "APITimeoutError", "TimeoutException", "TimeoutError"
        ),
        _timeout,
    ),
    (lambda seen, _: seen.any_kind("SSLCertVerificationError"), _untrusted),
    (
        lambda seen, _: seen.any_kind("ConnectError") and seen.any_kind("SSLError"),
        _no_tls,
    ),
    (
        lambda seen, _: seen.any_kind(
            "ConnectError", "ConnectionRefusedError", "gaierror", "InvalidURL"
        ),
        _no_connection,
    ),
    (
        lambda seen, _: (
            seen.any_kind("TransportError", "StreamError", "ConnectionError")
            or bool(_NO_END.search(seen.text))
        ),
        _broken_off,
    ),
    (
        lambda seen, call: (
            (seen.any_kind(*_UNREADABLE) and not seen.any_kind("HTTPStatusError"))
            or (call.reading and seen.is_stumble)
        ),
        _malformed,
    ),
    (
        lambda seen, call: (
            bool(_NO_KEY.search(seen.text))
            or (seen.status == 401 and bool(call.address) and not call.has_key)
        ),
        _missing_key,
    ),
    (lambda seen, _: seen.status in (401, 403), _bad_key),
    (
        lambda seen, _: seen.status == 402 or "insufficient_quota" in seen.codes,
        _no_quota,
    ),
    (
        lambda seen, _: seen.status == 429 or "rate_limit_exceeded" in seen.codes,
        _slow_down,
    ),
    (
        lambda seen, call: (
            call.has_tools
            and seen.status in _NO_TOOLS_STATUSES
            and bool(_NO_TOOLS.search(seen.text))
        ),
        _no_tools,
    ),
    (
        lambda seen, _: (
            seen.status == 404
            or "model_not_found" in seen.codes
            or (seen.status == 400 and bool(_NO_MODEL.search(seen.text)))
        ),
        _unknown_model,
    ),
    (lambda seen, _: seen.any_kind("ImportError"), _needs_package),
    (lambda seen, _: seen.status >= 500, _server_failed),
    (lambda seen, _: seen.status >= 400, _refused),
)
