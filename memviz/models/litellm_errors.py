"""The failure of a call through litellm, as one of memviz's own errors and one plain sentence.

What the connection did is asked first, the status that litellm makes of it last: see
:mod:`memviz.models.failure_evidence`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ssl import SSLCertVerificationError

from memviz.core.model_errors import (
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
from memviz.models.failure_evidence import (
    MAX_RETRY_AFTER_SECONDS,
    Call,
    Evidence,
    failure_reason,
    retry_after_seconds,
)
from memviz.models.http_guard import RedirectedError
from memviz.models.line import EndlessReplyError
from memviz.models.reply_bodies import NotAReplyError

# "maximum context length is 8192", "prompt is too long", "too many tokens"
_TOO_LONG = re.compile(
    r"context (length|window|size)|(prompt|input|request) (is )?too (long|large)|too many (input )?tokens",
    re.I,
)
# "Missing OpenAI API key", "the api_key client option must be set"
_NO_KEY = re.compile(
    r"missing .{0,40}(api.?key|credentials)|api_key client option must be set",
    re.I | re.S,
)
# "LLM Provider NOT provided", "gpt-9 is not a valid model ID", "The model `x` does not exist"
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
_NO_KEY_GIVEN = noop(
    "Model {model} needs an API key and none was given for {place}: {key_remedy}."
)


def typed_error(error: BaseException, call: Call) -> ModelError:
    """Return the memviz error for whatever ``call`` raised.

    It holds neither ``error`` nor a traceback nor a key.
    """
    evidence = Evidence(error)
    for failure in _FAILURES:
        if failure.applies(evidence, call):
            return failure.error(evidence, call)
    return BadRequestError(
        _(
            "Model {model} could not be called ({kind}): check its name and its options.",
            model=call.model,
            kind=type(error).__name__,
        ),
        model=call.model,
    )


def _sentence_words(evidence: Evidence, call: Call) -> dict[str, str]:
    """Return the words that the sentences of failures are filled with, by their names there."""
    redirected = evidence.first(RedirectedError)
    endless = evidence.first(EndlessReplyError)
    other_kind = evidence.first(NotAReplyError)
    distrust = evidence.first(SSLCertVerificationError)
    other_place = call.conceal(redirected.place) if redirected else ""
    proof = getattr(distrust, "verify_message", "")
    status_words = ""
    if evidence.status:
        status_words = _(" with status {status}", status=evidence.status)
    return {
        "model": call.model,
        "place": call.place,
        "silence": counted(call.timeout_seconds, "second"),
        "status": status_words,
        "reason": failure_reason(evidence, call),
        "when": _when_to_try_again(evidence),
        "other_place": other_place or _("another address"),
        "most": endless.most if endless else "",
        "no_answer": _(other_kind.what) if other_kind else "",
        "distrust": f" ({proof})" if proof else "",
        "module": evidence.missing_module or _("of its provider"),
        **_address_words(call),
    }


def _address_words(call: Call) -> dict[str, str]:
    """Return the words that depend on whether the call has an address of its own."""
    if not call.address:
        return {
            "for_model": "",
            "at_address": "",
            "its_address": "",
            "key_remedy": _("enter one, or set its environment variable"),
            "name_remedy": _("the name, which is provider/model"),
        }
    return {
        "for_model": _(" for model {model}", model=call.model),
        "at_address": _(" at {address}", address=call.address),
        "its_address": f", {call.address},",
        "key_remedy": _("enter the one for this address"),
        "name_remedy": _("the name and the base URL"),
    }


def _when_to_try_again(evidence: Evidence) -> str:
    seconds = retry_after_seconds(evidence.chain[0])
    if seconds is None:
        return _("a little later")
    if seconds == MAX_RETRY_AFTER_SECONDS:
        return _("in a day or later")
    return _("in {time}", time=counted(max(1, round(seconds)), "second"))


Condition = Callable[[Evidence, Call], bool]
"""Says whether a failure is of a kind, by what the call left behind."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which a call fails: what it is known by, and what is said of it."""

    applies: Condition
    kind: type[ModelError]
    sentence: str
    """What was wrong, with which model, and what to do; filled with ``_sentence_words``."""
    ends_all: bool | None = None
    """True if every other call of the model would end so as well; ``None``: as the kind says."""
    retryable: bool | None = None
    """True if the same request may succeed later; ``None``: as the kind says."""

    def error(self, evidence: Evidence, call: Call) -> ModelError:
        """Return the error to raise."""
        sentence = _(self.sentence, **_sentence_words(evidence, call))
        error = self.kind(sentence, model=call.model)
        # A failure that no waiting ends has no time after which to ask again.
        if isinstance(error, RateLimitError) and self.retryable is None:
            error.retry_after_seconds = retry_after_seconds(evidence.chain[0])
        if self.ends_all is not None:
            error.ends_all = self.ends_all
        if self.retryable is not None:
            error.retryable = self.retryable
        return error


def _raised(*kinds: str) -> Condition:
    """Return the condition that an exception of one of these kinds, named as its class is, led to the failure."""
    return lambda evidence, _call: evidence.any_kind(*kinds)


def _has_status_or_code(status: int, code: str) -> Condition:
    """Return the condition that the server answered with this status, or named the failure so in its answer."""
    return lambda evidence, _call: evidence.status == status or code in evidence.codes


def _is_too_long(evidence: Evidence, _call: Call) -> bool:
    if evidence.any_kind("ContextWindowExceededError") or evidence.status == 413:
        return True
    if "context_length_exceeded" in evidence.codes:
        return True
    return evidence.status in (400, 422) and bool(_TOO_LONG.search(evidence.text))


def _is_unreadable(evidence: Evidence, call: Call) -> bool:
    if evidence.any_kind(*_UNREADABLE) and not evidence.any_kind("HTTPStatusError"):
        return True
    return call.reading and evidence.is_stumble


def _lacks_key(evidence: Evidence, call: Call) -> bool:
    if _NO_KEY.search(evidence.text):
        return True
    return evidence.status == 401 and bool(call.address) and not call.has_key


def _takes_no_tools(evidence: Evidence, call: Call) -> bool:
    if not call.has_tools or evidence.status not in _NO_TOOLS_STATUSES:
        return False
    return bool(_NO_TOOLS.search(evidence.text))


def _is_unknown(evidence: Evidence, _call: Call) -> bool:
    if evidence.status == 404 or "model_not_found" in evidence.codes:
        return True
    return evidence.status == 400 and bool(_NO_MODEL.search(evidence.text))


# In this order: what the connection did says more than the status that litellm makes of it.
_FAILURES = (
    Failure(
        _raised("RedirectedError"),
        BadRequestError,
        noop(
            "The server of model {model} wanted the request to go to {other_place}. memviz "
            "did not follow, since key and conversation go to no other address than the one that is given: if that "
            "one is right, give it as the base URL."
        ),
        ends_all=True,
    ),
    Failure(
        _raised("PrivateAddressError"),
        BadRequestError,
        noop(
            "The address of model {model}{its_address} leads to the machine that "
            "memviz runs on or to its network, which is not open to visitors: give a public base URL, unless who runs "
            "this server says --allow-private-base-urls."
        ),
        ends_all=True,
    ),
    Failure(
        _raised("OtherKeyError"),
        MissingKeyError,
        _NO_KEY_GIVEN,
    ),
    Failure(
        _raised("EndlessReplyError"),
        MalformedReplyError,
        noop(
            "Model {model} sent more than {most} of one answer without an end, so memviz hung up: check the base "
            "URL, or give the model a limit for its answers."
        ),
    ),
    Failure(
        _raised("PackedReplyError"),
        MalformedReplyError,
        noop(
            "Model {model} sent an answer that is compressed in a way that memviz does not ask for: check the base "
            "URL, or have the server send its answers uncompressed."
        ),
    ),
    Failure(
        _raised("NotAReplyError"),
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
        _raised("Timeout", "APITimeoutError", "TimeoutException", "TimeoutError"),
        ModelTimeoutError,
        noop(
            "Model {model} sent nothing for {silence}: try again, or allow it more time."
        ),
    ),
    Failure(
        _raised("SSLCertVerificationError"),
        ConnectionRefusedModelError,
        noop(
            "The certificate of {place} proves nothing to this machine{distrust}, so nothing "
            "was sent to model {model}: check the address, or, if the server is yours, start memviz with "
            "SSL_CERT_FILE naming a file that holds its certificate."
        ),
        retryable=False,  # it has the same one next time
    ),
    Failure(
        lambda evidence, _call: (
            evidence.any_kind("ConnectError") and evidence.any_kind("SSLError")
        ),
        ConnectionRefusedModelError,
        noop(
            "What answers at {place} for model {model} does not speak HTTPS: check the address, which may have "
            "to begin with http://."
        ),
        retryable=False,
    ),
    Failure(
        _raised("ConnectError", "ConnectionRefusedError", "gaierror", "InvalidURL"),
        ConnectionRefusedModelError,
        noop(
            "Nothing answers at {place}{for_model}: check that the server runs and that its base URL is right."
        ),
    ),
    Failure(
        lambda evidence, _call: (
            evidence.any_kind("TransportError", "StreamError", "ConnectionError")
            or bool(_NO_END.search(evidence.text))
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
        lambda evidence, _call: evidence.status in (401, 403),
        BadKeyError,
        noop(
            "The API key for model {model} was refused: check that it is complete, still valid and allowed to use "
            "this model."
        ),
    ),
    Failure(
        _has_status_or_code(402, "insufficient_quota"),
        RateLimitError,
        noop(
            "The account behind model {model} has no quota left: check its billing, or choose another model."
        ),
        ends_all=True,
        retryable=False,  # asking again buys no credit
    ),
    Failure(
        _has_status_or_code(429, "rate_limit_exceeded"),
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
        _raised("ImportError"),
        BadRequestError,
        noop(
            "Model {model} needs the Python module {module}, which is not installed: install it, or choose "
            "another model."
        ),
        ends_all=True,
    ),
    Failure(
        lambda evidence, _call: evidence.status >= 500,
        ServerError,
        noop("The server of model {model} failed{status}{reason}: try again later."),
    ),
    Failure(
        lambda evidence, _call: evidence.status >= 400,
        BadRequestError,
        noop(
            "The provider of model {model} refused the request{reason}: change what it names."
        ),
    ),
)
