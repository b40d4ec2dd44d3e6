"""Errors of asking models: of the call itself, of the budget that it is paid out of, and of recordings that are played
in its place."""

from memviz.core import page_titles
from memviz.core.errors import MemvizError
from memviz.core.translation import _, ngettext, noop

_NEXT_CALL = noop(
    "The budget of {limit} allows no further call: {spent} is spent, and the next call may cost {needed}. {remedy}"
)
_MODELS_CALL = noop(
    "The budget of {limit} allows no further call: {spent} is spent, and the next call of model {model} may cost "
    "{needed}. {remedy}"
)


class BudgetSpentError(MemvizError):
    """A call might have cost more than is left of a budget, so it was not made. Ends a replay: no
    :class:`ModelError`, for those are recorded as failed summarizations, and the replay goes on.

    Attributes, in US dollars: ``limit_usd``, ``spent_usd`` and what the call may cost, ``needed_usd``. ``remedy`` says
    how to go on.
    """

    def __init__(
        self,
        limit_usd: float,
        spent_usd: float,
        needed_usd: float,
        model: str = "",
        remedy: str = noop("Raise the limit to go on."),
    ) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = spent_usd
        self.needed_usd = needed_usd
        self.model = model
        sentence = _MODELS_CALL if model else _NEXT_CALL
        super().__init__(
            _(
                sentence,
                limit=_exact_dollars(limit_usd),
                spent=_exact_dollars(spent_usd),
                needed=_exact_dollars(needed_usd),
                model=model,
                remedy=_(remedy),
            )
        )


def _exact_dollars(usd: float) -> str:
    """Return an amount to a millionth of a dollar, without zeros at its end: $0.05."""
    return f"${usd:.6f}".rstrip("0").rstrip(".")


class UnusableSummarizerError(MemvizError):
    """A summarizer failed in a way that every other call would fail in, so none was made. Ends a replay: no
    :class:`ModelError`, for those are recorded as failed summarizations, and the replay goes on."""


class MissingVectorsError(MemvizError):
    """Vectors of an embedding model are needed that nobody has asked it for. Attributes: ``model`` and the number of
    ``texts`` that the first of them are of."""

    def __init__(self, model: str, texts: int) -> None:
        self.model = model
        self.texts = texts
        super().__init__(
            ngettext(
                "{model} was not asked for the vector of {number:,} text yet: it is asked on {compare}, {tune} and "
                "{chat}, by memviz replay and memviz sweep, and in Python within memviz.embedder(...).",
                "{model} was not asked for the vectors of {number:,} texts yet: it is asked on {compare}, {tune} and "
                "{chat}, by memviz replay and memviz sweep, and in Python within memviz.embedder(...).",
                texts,
                model=model,
                number=texts,
                compare=_(page_titles.COMPARE),
                tune=_(page_titles.TUNE),
                chat=_(page_titles.CHAT),
            )
        )


class UnreadableAnswerError(MemvizError):
    """The answer of a summarizer is none that its strategy asked for, such as a list of facts. The summarization is
    recorded as failed, and memory stays as it was."""


class ModelError(MemvizError):
    """A model gave no usable answer. ``partial`` is the text that had arrived before it failed.

    ``retryable`` says whether the very same request may succeed later, ``ends_all`` whether every other request to
    this model would fail in the same way, because of its key, its address or its name.
    """

    retryable = False
    ends_all = False

    def __init__(self, message: str, *, model: str = "", partial: str = "") -> None:
        self.model = model
        self.partial = partial
        super().__init__(message)


class MissingKeyError(ModelError):
    """No API key was given for a model that needs one."""

    ends_all = True


class BadKeyError(ModelError):
    """The provider refused the API key."""

    ends_all = True


class UnknownModelError(ModelError):
    """No provider knows this model name."""

    ends_all = True


class RateLimitError(ModelError):
    """The provider asks to slow down. ``retry_after_seconds`` when it said for how long."""

    retryable = True

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        partial: str = "",
        retry_after_seconds: float | None = None,
    ) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__(message, model=model, partial=partial)


class ModelTimeoutError(ModelError):
    """No answer, or no further piece of it, within the time allowed."""

    retryable = True


class ContextTooLongError(ModelError):
    """The request is larger than the model's context window."""


class ServerError(ModelError):
    """The provider failed on its side."""

    retryable = True


class MalformedReplyError(ModelError):
    """The reply is no chat completion, or an empty one. ``at_output_limit``: the model was cut off before it said
    anything that can be used."""

    at_output_limit = False


class ConnectionRefusedModelError(ModelError):
    """Nothing answers at the model's address."""

    retryable = True
    ends_all = True


class BadRequestError(ModelError):
    """The provider refused the request for another reason than its length."""


class NotRecordedError(ModelError):
    """A recording holds no reply to this request. Nothing is made up in its place."""


class RecordingError(MemvizError):
    """A file is no recording, or cannot be written as one. ``line`` counts from 1; 0 where no line is at fault."""

    def __init__(self, message: str, *, line: int = 0) -> None:
        self.line = line
        super().__init__(message)


class ScriptExhausted(ModelError):  # noqa: N818 - the public name of the scripted model's end
    """A scripted model was asked more often than its script has items."""
