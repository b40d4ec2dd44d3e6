"""The family of all errors that a user of memviz can cause, and those that more than one room raises.

One family, so that a page or a terminal can show any of them in one place. The message says what
was wrong, where, and what to do; the values stand beside it as attributes. Those of models are in
``memviz/core/model_errors.py``, those of the database in ``memviz/core/storage_errors.py``.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from memviz.core import page_titles
from memviz.core.bounds import quoted
from memviz.core.file_places import place_words
from memviz.core.translation import Said, _, noop, template_of


class MemvizError(Exception):
    """Base of all errors that a user can cause or has to know of.

    Its first argument is the sentence. One that remembers its template (``Said``) is shown in the language of now.
    """

    def __str__(self) -> str:  # KeyError would show the repr of the sentence
        sentence = self.args[0] if self.args else ""
        return _(sentence) if isinstance(sentence, Said) else str(sentence)

    @property
    def template(self) -> str:
        """The kind of the error: the English text that all errors of this kind are made of, with the fields of their
        values, such as ``"there is no conversation {conversation}."``. Empty where its text has no template."""
        return template_of(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        # An error of a worker process is pickled, and its __init__ takes other arguments than ``args``.
        return _restore, (type(self), self.args, vars(self))


def _restore(
    kind: type[MemvizError], args: tuple[Any, ...], attributes: dict[str, Any]
) -> MemvizError:
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(attributes)
    return error


def _place_in_file(file: str, line: int) -> str:
    """Return the place of an error: "memory.yaml, line 3"; with line 0 the file alone."""
    return _("{file}, line {line}", file=file, line=line) if line else file


class BusyError(MemvizError):
    """As much is at work as a server does at once. What was asked for can be asked for again."""


_PARAMETER = noop("Parameter '{name}' is {value}; allowed is {allowed}.")
_STRATEGYS_PARAMETER = noop(
    "Parameter '{name}' of strategy '{strategy}' is {value}; allowed is {allowed}."
)


class ParameterError(MemvizError, ValueError):
    """A strategy parameter is unknown, of the wrong type or out of range.

    Attributes: the ``name`` of the parameter, its wrong ``value``, what is ``allowed``, in words, and the id of the
    ``strategy``, which may be empty.
    """

    def __init__(
        self, name: str, value: object, allowed: str, strategy: str = ""
    ) -> None:
        self.name = name
        self.value = value
        self.allowed = allowed
        self.strategy = strategy
        sentence = _STRATEGYS_PARAMETER if strategy else _PARAMETER
        super().__init__(
            _(
                sentence,
                allowed=_(allowed),
                name=name,
                strategy=strategy,
                value=quoted(value),
            )
        )


class UnknownParameterError(ParameterError):
    """A strategy has no parameter of this name. ``allowed`` names those that it has."""

    def __init__(
        self, name: str, value: object, known: Iterable[str], strategy: str
    ) -> None:
        names = tuple(known)
        allowed = _(", ").join(names) or _("none at all")
        super().__init__(name, value, allowed, strategy)
        sentence = _(
            "Strategy '{strategy}' has no parameter {name}; it has {names}.",
            strategy=strategy,
            name=quoted(name),
            names=allowed,
        )
        close_names = get_close_matches(name, names, n=1)
        if close_names:
            nearest = _("The nearest is {name}.", name=close_names[0])
            sentence = _("{problem} {remedy}", problem=sentence, remedy=nearest)
        self.args = (sentence,)


class UnknownNameError(MemvizError, KeyError):
    """A name that is not among the known ones. Attributes: ``name`` and ``known``.

    A misspelt name is answered with the nearest known ones, any other with all of them: nobody looks for ``window``
    in a list of fifty names.
    """

    kind = noop("name")

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        sentence = noop("There is no {kind} named {name}. Choose one of: {known}.")
        advised = _(", ").join(self.known)
        close_names = get_close_matches(name, self.known)
        if close_names:
            sentence = noop("There is no {kind} named {name}. The nearest: {known}.")
            advised = _(" or ").join(close_names)
        super().__init__(
            _(sentence, kind=_(self.kind), name=quoted(name), known=advised)
        )


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
    """A configuration file is wrong.

    Attributes: ``path``, ``key`` ("file" for the file as a whole), and ``line`` (1-based; 0: no line is at fault).
    """

    def __init__(self, path: str, key: str, line: int, problem: str) -> None:
        self.path = path
        self.key = key
        self.line = line
        place = _place_in_file(path, line)
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
        parts = (_place_in_file(file, line), place, problem)
        super().__init__(": ".join(filter(None, parts)))


SAY_WHO = noop(
    "Say who the user is: choose the name in {library}, or give --user NAME or "
    "load_transcript(..., user=NAME)."
)


class TranscriptError(MemvizError, ValueError):
    """A file cannot be read as a conversation. Attributes: ``format`` tried, ``place``, ``remedy`` and ``reason``,
    which is to be translated where it is shown."""

    def __init__(
        self, reason: str, *, format: str = "", place: str = "", remedy: str = ""
    ) -> None:
        self.reason = reason
        reason = _(reason)
        remedy = _(remedy)
        self.format = format
        self.place = place
        self.remedy = remedy
        where = _(place_words(place))
        head = _(", ").join(filter(None, (format, where)))
        if head:
            reason = _("{place}: {problem}", place=head, problem=reason)
        if remedy:
            reason = _("{problem} {remedy}", problem=reason, remedy=remedy)
        super().__init__(reason)

    @property
    def template(self) -> str:
        """The kind of the error: the English text that its reason is made of, without place and remedy."""
        return template_of(self.reason)


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
        expression = f"run.{name}({_as_slice(requests)}, {_as_slice(messages)})"
        cells = len(requests) * len(messages)
        fewer_requests = requests[: max(1, most // max(1, len(messages)))]
        fewer_messages = messages[:most]
        smaller = (
            f"run.{name}({_as_slice(fewer_requests)}, {_as_slice(fewer_messages)})"
        )
        super().__init__(
            f"{expression} would be {len(requests):,} requests x {len(messages):,} messages = {cells:,} cells; "
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


class AccessError(MemvizError, ValueError):
    """The dashboard cannot be opened to others in this way: nothing would ask who they are, or the password is none."""


class MissingLibraryError(MemvizError):
    """A strategy runs a library that is not installed here."""
