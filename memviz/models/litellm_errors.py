"""The failure of a call through litellm, as one of memviz's own errors and one plain sentence.

litellm names failures by status code and makes up a 500 where none was sent, so the chain of causes
below its error is asked first: it holds what the connection really did.
"""

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
from typing import TypeVar

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
from memviz.core.translation import _, noop
from memviz.models.http_guard import RedirectedError
from memviz.models.line import EndlessReplyError
from memviz.models.reply_bodies import NotAReplyError

Cause = TypeVar("Cause", bound=BaseException)
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
_NO_KEY_GIVEN = noop(
    "Model {model} needs an API key and none was given for {place}: {key_remedy}."
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
        """The place where the model is served, in words."""
        return self.address or _("the provider of model {model}", model=self.model)


class Evidence:
    """All that an exception and its causes tell about a failure."""

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
    def missing_module(self) -> str:
        """The Python module that could not be imported; empty if there is none."""
        for cause in self.chain:
            if isinstance(cause, ImportError) and cause.name:
                return cause.name
        return ""

    @cached_property
    def is_stumble(self) -> bool:
        """True if code that reads replies failed on what a reply holds, so that no server reported a failure:
        a status, then, is made up."""
        reported = any(
            type(cause).__module__.partition(".")[0] in ("openai", "httpx")
            for cause in self.chain
        )
        return not reported and self.any_kind(*_STUMBLES)

    def first(self, kind: type[Cause]) -> Cause | None:
        """Return the outermost of the exceptions that is of this kind."""
        for cause in self.chain:
            if isinstance(cause, kind):
                return cause
        return None

    def any_kind(self, *names: str) -> bool:
        """Return whether one of the exceptions is of a class of one of these names."""
        return not self.kinds.isdisjoint(names)


def typed_error(error: BaseException, call: Call) -> ModelError:
    """Return the memviz error for whatever ``call`` raised.

    It holds neither ``error`` nor a traceback nor a key.
    """
    seen = Evidence(error)
    for failure in _FAILURES:
        if failure.applies(seen, call):
            return failure.error(seen, call)
    return BadRequestError(
        _(
            "Model {model} could not be called ({kind}): check its name and its options.",
            model=call.model,
            kind=type(error).__name__,
        ),
        model=call.model,
    )


def retry_after_seconds(error: BaseException) -> float | None:
    """The seconds that the server asked to wait, from its ``Retry-After`` header in
    seconds or as a date; at most a day."""
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
    waiting = [error]
    seen = set[int]()
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
    """The provider's reason, as words in brackets; nothing if it sent a page or litellm a traceback."""
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
    """The text that a JSON string stands for."""
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return text.replace("\\", "")


def _words(seen: Evidence, call: Call) -> dict[str, str]:
    """Words that the sentences of failures are filled with, by their names there."""
    redirected = seen.first(RedirectedError)
    endless = seen.first(EndlessReplyError)
    other_kind = seen.first(NotAReplyError)
    distrust = seen.first(SSLCertVerificationError)
    other_place = call.conceal(redirected.place) if redirected else ""
    proof = getattr(distrust, "verify_message", "")
    has_address = bool(call.address)
    return {
        "model": call.model,
        "place": call.place,
        "for_model": _(" for model {model}", model=call.model) if has_address else "",
        "at_address": _(" at {address}", address=call.address) if has_address else "",
        "its_address": f", {call.address}," if has_address else "",
        "silence": counted(call.timeout_seconds, "second"),
        "status": _(" with status {status}", status=seen.status) if seen.status else "",
        "reason": _reason(seen, call),
        "when": _when_to_try_again(seen),
        "other_place": other_place or _("another address"),
        "most": endless.most if endless else "",
        "no_answer": _(other_kind.what) if other_kind else "",
        "distrust": f" ({proof})" if proof else "",
        "module": seen.missing_module or _("of its provider"),
        "key_remedy": (
            _("enter the one for this address")
            if has_address
            else _("enter one, or set its environment variable")
        ),
        "name_remedy": (
            _("the name and the base URL")
            if has_address
            else _("the name, which is provider/model")
        ),
    }


def _when_to_try_again(seen: Evidence) -> str:
    seconds = retry_after_seconds(seen.chain[0])
    if seconds is None:
        return _("a little later")
    if seconds == MAX_RETRY_AFTER_SECONDS:
        return _("in a day or later")
    return _("in {time}", time=counted(max(1, round(seconds)), "second"))


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which a call fails: what it is known by, and what is said of it."""

    applies: Callable[[Evidence, Call], bool]
    kind: type[ModelError]
    sentence: str
    """What was wrong, with which model, and what to do; filled with ``_words``."""
    ends_all: bool | None = None
    """Whether every other call of the model would end so as well; ``None``: as the kind says."""
    retryable: bool | None = None
    """Whether the same request may succeed later; ``None``: as the kind says."""

    def error(self, seen: Evidence, call: Call) -> ModelError:
        """Return the error to raise."""
        sentence = _(self.sentence, **_words(seen, call))
        if issubclass(self.kind, RateLimitError):
            seconds = (
                retry_after_seconds(seen.chain[0]) if self.retryable is None else None
            )
            error: ModelError = self.kind(
                sentence, model=call.model, retry_after_seconds=seconds
            )
        else:
            error = self.kind(sentence, model=call.model)
        if self.ends_all is not None:
            error.ends_all = self.ends_all
        if self.retryable is not None:
            error.retryable = self.retryable
        return error


def _is_too_long(seen: Evidence, _call: Call) -> bool:
    if seen.any_kind("ContextWindowExceededError") or seen.status == 413:
        return True
    if "context_length_exceeded" in seen.codes:
        return True
    return seen.status in (400, 422) and bool(_TOO_LONG.search(seen.text))


def _is_unreadable(seen: Evidence, call: Call) -> bool:
    if seen.any_kind(*_UNREADABLE) and not seen.any_kind("HTTPStatusError"):
        return True
    return call.reading and seen.is_stumble


def _lacks_key(seen: Evidence, call: Call) -> bool:
    if _NO_KEY.search(seen.text):
        return True
    return seen.status == 401 and bool(call.address) and not call.has_key


def _takes_no_tools(seen: Evidence, call: Call) -> bool:
    if not call.has_tools or seen.status not in _NO_TOOLS_STATUSES:
        return False
    return bool(_NO_TOOLS.search(seen.text))


def _is_unknown(seen: Evidence, _call: Call) -> bool:
    if seen.status == 404 or "model_not_found" in seen.codes:
        return True
    return seen.status == 400 and bool(_NO_MODEL.search(seen.text))


# In this order: what the connection did says more than the status that litellm makes of it.
_FAILURES = (
    Failure(
        lambda seen, _call: seen.any_kind("RedirectedError"),
        BadRequestError,
        noop(
            "The server of model {model} wanted the request to go to {other_place}. memviz "
            "did not follow, since key and conversation go to no other address than the one that is given: if that "
            "one is right, give it as the base URL."
        ),
        ends_all=True,
    ),
    Failure(
        lambda seen, _call: seen.any_kind("PrivateAddressError"),
        BadRequestError,
        noop(
            "The address of model {model}{its_address} leads to the machine that "
            "memviz runs on or to its network, which is not open to visitors: give a public base URL, unless who runs "
            "this server says --allow-private-base-urls."
        ),
        ends_all=True,
    ),
    Failure(
        lambda seen, _call: seen.any_kind("OtherKeyError"),
        MissingKeyError,
        _NO_KEY_GIVEN,
    ),
    Failure(
        lambda seen, _call: seen.any_kind("EndlessReplyError"),
        MalformedReplyError,
        noop(
            "Model {model} sent more than {most} of one answer without an end, so memviz hung up: check the base "
            "URL, or give the model a limit for its answers."
        ),
    ),
    Failure(
        lambda seen, _call: seen.any_kind("PackedReplyError"),
        MalformedReplyError,
        noop(
            "Model {model} sent an answer that is compressed in a way that memviz does not ask for: check the base "
            "URL, or have the server send its answers uncompressed."
        ),
    ),
    Failure(
        lambda seen, _call: seen.any_kind("NotAReplyError"),
        MalformedReplyError,
        noop(
            "Model {model} sent {no_answer} in place of an answer: check the base URL and the model's prefix."
        ),
    ),
    Failure(
        _is_too_long,
        ContextTooLongError,
        noop(
            "The request is larger than the context window of model {model}: send less of the conversation, "
            "or choose a model with a larger window."
        ),
    ),
    Failure(
        lambda seen, _call: seen.any_kind(
            "Timeout", "APITimeoutError", "TimeoutException", "TimeoutError"
        ),
        ModelTimeoutError,
        noop(
            "Model {model} sent nothing for {silence}: try again, or allow it more time."
        ),
    ),
    Failure(
        lambda seen, _call: seen.any_kind("SSLCertVerificationError"),
        ConnectionRefusedModelError,
        noop(
            "The certificate of {place} proves nothing to this machine{distrust}, so nothing "
            "was sent to model {model}: check the address, or, if the server is yours, start memviz with "
            "SSL_CERT_FILE naming a file that holds its certificate."
        ),
        retryable=False,  # it has the same one next time
    ),
    Failure(
        lambda seen, _call: seen.any_kind("ConnectError") and seen.any_kind("SSLError"),
        ConnectionRefusedModelError,
        noop(
            "What answers at {place} for model {model} does not speak HTTPS: check the address, which may have "
            "to begin with http://."
        ),
        retryable=False,
    ),
    Failure(
        lambda seen, _call: seen.any_kind(
            "ConnectError", "ConnectionRefusedError", "gaierror", "InvalidURL"
        ),
        ConnectionRefusedModelError,
        noop(
            "Nothing answers at {place}{for_model}: check that the server runs and that its base URL is right."
        ),
    ),
    Failure(
        lambda seen, _call: (
            seen.any_kind("TransportError", "StreamError", "ConnectionError")
            or bool(_NO_END.search(seen.text))
        ),
        ServerError,
        noop(
            "The connection to model {model} broke off before its answer was complete: try again."
        ),
    ),
    Failure(
        _is_unreadable,
        MalformedReplyError,
        noop(
            "Model {model} sent something that is not a chat completion: check the base URL and the model's prefix."
        ),
    ),
    Failure(_lacks_key, MissingKeyError, _NO_KEY_GIVEN),
    Failure(
        lambda seen, _call: seen.status in (401, 403),
        BadKeyError,
        noop(
            "The API key for model {model} was refused: check that it is complete, still valid and allowed to use "
            "this model."
        ),
    ),
    Failure(
        lambda seen, _call: seen.status == 402 or "insufficient_quota" in seen.codes,
        RateLimitError,
        noop(
            "The account behind model {model} has no quota left: check its billing, or choose another model."
        ),
        ends_all=True,
        retryable=False,  # asking again buys no credit
    ),
    Failure(
        lambda seen, _call: seen.status == 429 or "rate_limit_exceeded" in seen.codes,
        RateLimitError,
        noop(
            "Model {model} gets more requests than its provider allows: try again {when}."
        ),
    ),
    Failure(
        _takes_no_tools,
        BadRequestError,
        noop(
            "Model {model} takes no tools{reason}: turn the recall tool off, or choose another model."
        ),
    ),
    Failure(
        _is_unknown,
        UnknownModelError,
        noop("There is no model {model}{at_address}: check {name_remedy}."),
    ),
    Failure(
        lambda seen, _call: seen.any_kind("ImportError"),
        BadRequestError,
        noop(
            "Model {model} needs the Python module {module}, which is not installed: install it, or choose "
            "another model."
        ),
        ends_all=True,
    ),
    Failure(
        lambda seen, _call: seen.status >= 500,
        ServerError,
        noop("The server of model {model} failed{status}{reason}: try again later."),
    ),
    Failure(
        lambda seen, _call: seen.status >= 400,
        BadRequestError,
        noop(
            "The provider of model {model} refused the request{reason}: change what it names."
        ),
    ),
)
