"""A call through litellm that failed, and all that its exceptions tell about the failure.

litellm names failures by status code and makes up a 500 where none was sent, so the chain of causes
below its error is asked as well: it holds what the connection really did.
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
from typing import TypeVar

from memviz.core.translation import _

Cause = TypeVar("Cause", bound=BaseException)
MAX_REASON_CHARS = 200
_CONCEALED_CHARS = 20 * MAX_REASON_CHARS
"""More than is shown: what is concealed becomes shorter."""
MAX_RETRY_AFTER_SECONDS = 86_400.0
"""A server that asks for more than a day is taken to ask for a day."""
_STUMBLES = (
    "AttributeError",
    "IndexError",
    "KeyError",
    "RecursionError",
    "TypeError",
    "ValueError",
)
# '"message": "The key is invalid."', '"error": "model not found"'
_JSON_MESSAGE = re.compile(r'"(?:message|error)":\s*"((?:[^"\\]|\\.)+)"')
# "litellm.BadRequestError: OpenAIException - "
_LITELLM_PREFIXES = re.compile(
    r"^(?:(?:litellm\.)?\w*(?:Error|Timeout|Exception)(?::| -)\s*)+"
)


@dataclass(frozen=True, slots=True)
class Call:
    """The call that failed."""

    model: str
    address: str = ""
    """The base URL that was given for it; empty: that of the provider."""
    has_key: bool = True
    timeout_seconds: float = 60.0
    has_tools: bool = False
    """Tools were offered to the model."""
    reading: bool = False
    """The server had taken the request, and its reply was being read."""
    conceal: Callable[[str], str] = field(default=str, repr=False)
    """Takes secrets out of a text."""

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


def retry_after_seconds(error: BaseException) -> float | None:
    """Return the seconds that the server asked to wait, from its ``Retry-After`` header in
    seconds or as a date; at most a day."""
    for cause in _causes(error):
        # Libraries keep the headers of the answer at the exception itself or at its response.
        for holder in (cause, getattr(cause, "response", None)):
            headers = getattr(holder, "litellm_response_headers", None)
            headers = headers or getattr(holder, "headers", None)
            if not headers or not hasattr(headers, "get"):
                continue
            value = headers.get("retry-after")
            seconds = None if value is None else _seconds(str(value))
            if seconds is not None:
                return seconds
    return None


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return None if isnan(seconds) else min(max(0.0, seconds), MAX_RETRY_AFTER_SECONDS)


def _seconds_until(date: str) -> float:
    """Return the seconds from now to a date as HTTP writes it, or ``nan``."""
    try:
        moment = parsedate_to_datetime(date)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return nan


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield ``error`` and what is behind it, outermost first."""
    # Exceptions may lead to each other in a circle.
    waiting = [error]
    seen_ids = set[int]()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen_ids:
            continue
        seen_ids.add(id(cause))
        yield cause
        behind = (
            getattr(cause, "original_exception", None),
            cause.__cause__,
            cause.__context__,
        )
        waiting += [error for error in behind if isinstance(error, BaseException)]


def failure_reason(evidence: Evidence, call: Call) -> str:
    """Return the provider's reason, as words in brackets; nothing if it sent a page or
    litellm a traceback.

    'litellm.BadRequestError: OpenAIException - No such tier' -> ' ("No such tier")'
    """
    error = evidence.chain[0]
    text = str(getattr(error, "message", "") or error)
    in_json = _JSON_MESSAGE.search(text)
    if in_json:
        text = _unescape(in_json[1])
    else:
        text = _LITELLM_PREFIXES.sub("", text).strip()
    if text.startswith(("<", "{", "[", "Error code: ")) or "Traceback" in text:
        return ""
    # What follows these words is advice to callers of litellm.
    text = text.partition(" To drop ")[0]
    # A key may go on in the next line, so that is cut off last.
    line = call.conceal(text[:_CONCEALED_CHARS]).partition("\n")[0].rstrip(". ")
    line = "".join(character if character.isprintable() else " " for character in line)
    return f' ("{line[:MAX_REASON_CHARS]}")' if line else ""


def _unescape(text: str) -> str:
    """Return the text that a JSON string stands for."""
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return text.replace("\\", "")
