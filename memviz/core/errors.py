"""Every error a user of memviz can cause.

One family, so that a page or a terminal can show any of them in one place. The message says what
was wrong, where, and what to do; the values stand beside it as attributes.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from memviz.core import page_titles
from memviz.core.bounds import quoted
from memviz.core.file_places import place_words
from memviz.core.translation import _, ngettext, noop


class MemvizError(Exception):
    """Base of all errors that a user can cause or has to know of. They survive pickling, so a worker
    process can raise them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (type(self), self.args, self.__dict__)


def _revived(
    kind: type[MemvizError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> MemvizError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


_PARAMETER = noop("Parameter '{name}' is {value}; allowed is {allowed}.")
_STRATEGYS_PARAMETER = noop(
    "Parameter '{name}' of strategy '{strategy}' is {value}; allowed is {allowed}."
)


class ParameterError(MemvizError, ValueError):
    """A strategy parameter is unknown, of the wrong type or out of range.

    Attributes: ``name`` of the parameter, the offending ``value``, and ``allowed`` as words.
    """

    def __init__(
        self, name: str, value: object, allowed: str, strategy: str = ""
    ) -> None:
        self.name = name
        self.value = value
        self.allowed = allowed
        self.strategy = strategy
        sentence = _STRATEGYS_PARAMETER if strategy else _PARAMETER
        given = {"name": name, "strategy": strategy, "value": quoted(value)}
        super().__init__(_(sentence, allowed=_(allowed), **given))


class UnknownParameterError(ParameterError):
    """A strategy has no parameter of this name. ``allowed`` names those that it has."""

    def __init__(
        self, name: str, value: object, known: Iterable[str], strategy: str
    ) -> None:
        names = tuple(known)
        super().__init__(name, value, _(", ").join(names) or _("none at all"), strategy)
        near = get_close_matches(name, names, n=1)
        sentence = _(
            "Strategy '{strategy}' has no parameter {name}; it has {names}.",
            strategy=strategy,
            name=quoted(name),
            names=self.allowed,
        )
        if near:
            nearest = _("The nearest is {name}.", name=near[0])
            sentence = _("{problem} {remedy}", problem=sentence, remedy=nearest)
        self.args = (sentence,)


class UnknownNameError(MemvizError, KeyError):
    """A name that is not among the known ones. Attributes: ``name`` and ``known``."""

    kind = noop("name")

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(
            _(
                "There is no {kind} named {name}. Choose one of: {known}.",
                kind=_(self.kind),
                name=quoted(name),
                known=_(", ").join(self.known),
            )
        )

    def __str__(self) -> str:  # KeyError would show the repr of the message
        return str(self.args[0])


class UnknownStrategyError(UnknownNameError):
    """No strategy has this id."""

    kind = noop("strategy")


class UnknownCounterError(UnknownNameError):
    """No token counter has this name."""

    kind = noop("token counter")


class CounterUnavailableError(MemvizError):
    """The encoding file of a token counter is not on this machine."""


class MessageError(MemvizError, ValueError):
    """A message has no valid role or content."""


class LostMessageError(MessageError):
    """A message of a file that somebody said, but memviz cannot tell who (``name`` is then who) or what. Leaving it
    out would change the conversation."""

    def __init__(self, reason: str, name: str = "") -> None:
        self.name = name
        super().__init__(reason)


class EmptyConversationError(MemvizError, ValueError):
    """A conversation has nothing that could be sent: no user message."""


class SystemPromptTooLargeError(MemvizError, ValueError):
    """The system prompt alone is over the token limit that it counts against."""


class RecallError(MemvizError, ValueError):
    """A recall names nothing, or something that cannot be recalled."""


class ReviewError(MemvizError, ValueError):
    """A decision on a summary that does not fit: nothing waits for one, or there is no such summary."""


class ConfigError(MemvizError, ValueError):
    """A configuration file is wrong. Attributes: ``path``, ``key``, ``line`` (1-based; 0: the file as a whole)."""

    def __init__(self, path: str, key: str, line: int, problem: str) -> None:
        self.path = path
        self.key = key
        self.line = line
        place = _("{file}, line {line}", file=path, line=line) if line else path
        if key != "file" or line:
            place = _("{place}: {problem}", place=place, problem=key)
        super().__init__(_("{place}: {problem}", place=place, problem=problem))


class LessonError(MemvizError, ValueError):
    """A lesson cannot be read, or not be played here. Attributes: the ``file`` or id, ``line`` (1-based; 0: none is at
    fault), ``place`` such as "step 2, view: turn" (empty: the lesson as a whole), and ``problem``."""

    def __init__(
        self, file: str, problem: str, *, line: int = 0, place: str = ""
    ) -> None:
        self.file = file
        self.line = line
        self.place = place
        self.problem = problem
        head = _("{file}, line {line}", file=file, line=line) if line else file
        super().__init__(": ".join(part for part in (head, place, problem) if part))


SAY_WHO = noop(
    "Say who the user is: choose the name in {library}, or give --user NAME or "
    "load_transcript(..., user=NAME)."
)


class TranscriptError(MemvizError, ValueError):
    """A file cannot be read as a conversation. Attributes: ``format`` tried, ``place``, ``reason``."""

    def __init__(
        self, reason: str, *, format: str = "", place: str = "", remedy: str = ""
    ) -> None:
        reason = _(reason)
        remedy = _(remedy)
        self.reason = reason
        self.format = format
        self.place = place
        self.remedy = remedy
        where = _(place_words(place))
        head = _(", ").join(part for part in (format, where) if part)
        if head:
            reason = _("{place}: {problem}", place=head, problem=reason)
        if remedy:
            reason = _("{problem} {remedy}", problem=reason, remedy=remedy)
        super().__init__(reason)


class UnclearUserError(TranscriptError):
    """It is not clear who in a file is the user. Attribute ``names``: who speaks in it, to choose from."""

    def __init__(
        self,
        reason: str,
        *,
        format: str = "",
        place: str = "",
        remedy: str = "",
        names: Iterable[str] = (),
    ) -> None:
        self.names = tuple(names)
        who = _(SAY_WHO, library=_(page_titles.LIBRARY))
        super().__init__(reason, format=format, place=place, remedy=remedy or who)


class MatrixTooLargeError(MemvizError, ValueError):
    """More cells were asked for than fit. Attributes: ``requests`` and ``messages``, the ranges asked for."""

    def __init__(self, name: str, requests: range, messages: range, most: int) -> None:
        self.requests = requests
        self.messages = messages
        asked = f"run.{name}({_as_slice(requests)}, {_as_slice(messages)})"
        cells = len(requests) * len(messages)
        fewer_requests = requests[: max(1, most // max(1, len(messages)))]
        fewer_messages = messages[:most]
        smaller = (
            f"run.{name}({_as_slice(fewer_requests)}, {_as_slice(fewer_messages)})"
        )
        super().__init__(
            f"{asked} would be {len(requests):,} requests x {len(messages):,} messages = {cells:,} cells; "
            f"at most {most:,} are made at once. Ask for slices, such as {smaller}."
        )


def _as_slice(part: range) -> str:
    step = f", {part.step}" if part.step != 1 else ""
    return f"slice({part.start}, {part.stop}{step})"


class SweepError(MemvizError):
    """A sweep cannot begin or go on: there is no conversation, or those who do its work are lost."""


class DesignError(MemvizError):
    """A design cannot begin: too few conversations, none that states what is to be kept, or a price is unknown."""


class SessionExistsError(MemvizError, ValueError):
    """A memory store has a session of this name already, under other settings than those asked for.

    Attributes: ``session``, the ``setting`` that it is under, and the name of its ``summarizer``.
    """

    def __init__(self, session: str, setting: str, summarizer: str) -> None:
        self.session = session
        self.setting = setting
        self.summarizer = summarizer
        by = f"summarized by {summarizer}" if summarizer else "without a summarizer"
        super().__init__(
            f"The store has a session {session!r} already, under {setting} and {by}: take it with "
            f"store.memory({session!r}), or choose another name for one under other settings."
        )


class StorageError(MemvizError):
    """The database cannot be opened, read or written."""


class ConversationChangedError(StorageError):
    """A stored conversation is no longer as it was when it was read: another program or tab wrote."""


class DatabaseMovedError(StorageError):
    """The database file was removed or replaced while it was open. ``problem`` says which, as a sentence."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(
            _(
                "{problem} Nothing was saved. The pages of the dashboard offer to write everything to a new file; "
                "a command can be given again.",
                problem=problem,
            )
        )


class UnreadableConversationError(StorageError):
    """A value that is stored of a conversation cannot be read. ``title`` and ``problem`` say of which and what."""

    def __init__(self, title: str, conversation_id: str, problem: str) -> None:
        self.title = title
        self.conversation_id = conversation_id
        self.problem = problem
        self.sentence = _(
            "Conversation '{title}' (id {conversation_id}) cannot be read: {problem}.",
            title=title,
            conversation_id=conversation_id,
            problem=problem,
        )
        super().__init__(
            _(
                "{sentence} It is left aside, and all others work. "
                "The {library} offers its stored rows as a file, and to delete it.",
                sentence=self.sentence,
                library=_(page_titles.LIBRARY),
            )
        )


class DamagedRunError(StorageError):
    """The stored records of a run cannot be read; its conversation can. ``what`` and ``problem`` say which and why."""

    def __init__(self, what: str, problem: str) -> None:
        self.what = what
        self.problem = problem
        super().__init__(
            _(
                "{what} is damaged ({problem}). Run it again.",
                what=what,
                problem=problem,
            )
        )


class AccessError(MemvizError, ValueError):
    """The dashboard cannot be opened to others in this way: nothing would ask who they are, or the password is none."""


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
        limit, spent, needed = (
            f"${usd:.6f}".rstrip("0").rstrip(".")
            for usd in (limit_usd, spent_usd, needed_usd)
        )
        sentence = _MODELS_CALL if model else _NEXT_CALL
        told = {"limit": limit, "spent": spent, "needed": needed, "model": model}
        super().__init__(_(sentence, remedy=_(remedy), **told))


class UnusableSummarizerError(MemvizError):
    """A summarizer failed in a way that every other call would fail in, so none was made. Ends a replay: no
    :class:`ModelError`, for those are recorded as failed summarizations, and the replay goes on."""


class MissingLibraryError(MemvizError):
    """A strategy runs a library that is not installed here."""


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
