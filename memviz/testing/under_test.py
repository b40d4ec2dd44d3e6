"""An object under test as a strategy: it is fed a conversation, and what it would send becomes a run like any other.

``memviz.testing.replay`` makes a :class:`Maker` of the memory that a test hands over, and replays :class:`UnderTest`.
``memviz/testing/objects.py`` knows how to talk to each kind of object.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from typing import Any, ClassVar, NamedTuple

from memviz.core.counters import Counter
from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.strategies.library import Ask, FromLibrary, Library, LibraryStrategy
from memviz.strategies.parameters import whole_number
from memviz.testing.objects import (
    PUTS,
    MemoryObject,
    UnknownMemoryError,
    await_answer,
    memory_object,
    messages_of,
    unwrap_callable,
)

PLACEHOLDER_WORDS = 12
"""Words of its own that are no more than this are a note such as "[40 messages omitted]", and no summary."""
STARTS_OVER = ("reset", "clear")
"""Methods by which a memory forgets everything."""


@dataclass(eq=False, repr=False)
class Maker:
    """Makes the object under test, once for each conversation.

    A class, and a function that needs no more than the ``settings``, is called with them. A function that needs the
    messages too gets the settings with them. An object is used as it is, and told to forget everything before its next
    conversation; a function of the messages has nothing to forget.

    Raises :class:`memviz.ParameterError` for settings of an object, or of a strategy of memviz: it has its own.
    """

    memory: Any
    settings: dict[str, Any]
    limit_name: str = ""
    """The setting that a remedy makes larger: the first whole number above 0."""
    _is_new: bool = True

    def __post_init__(self) -> None:
        if self.settings and not callable(self.memory):
            name, value = next(iter(self.settings.items()))
            allowed = "a setting of a class or of a function; an object is replayed with those that it has"
            raise ParameterError(name, value, allowed)
        is_class = isinstance(self.memory, type)
        self._is_made = is_class or _is_callable_with(self.memory, self.settings)
        for name, value in self.settings.items():
            if type(value) is int and value > 0:
                self.limit_name = name
                break

    @property
    def limit(self) -> int:
        """The value of that setting; 0 where there is none."""
        return self.settings[self.limit_name] if self.limit_name else 0

    def name(self, limit: int) -> str:
        """Return what is under test as it is written in code: ``LastMessages(keep=6)``."""
        inner = unwrap_callable(self.memory)
        name = getattr(inner, "__qualname__", type(inner).__name__)
        name = name.rpartition("<locals>.")[2]
        settings = self._settings_with(limit)
        if not settings:
            return name
        values = ", ".join(f"{key}={value!r:.40}" for key, value in settings.items())
        return f"{name}({values})"

    def make(self, limit: int) -> Any:
        """Return an object that knows nothing of any conversation. Raises :class:`UnknownMemoryError` for one that
        cannot forget."""
        settings = self._settings_with(limit)
        if self._is_made:
            return self.memory(**settings)
        if not self._is_new:
            _forget(self.memory)
        self._is_new = False
        return partial(self.memory, **settings) if settings else self.memory

    def _settings_with(self, limit: int) -> dict[str, Any]:
        if not self.limit_name:
            return self.settings
        return {**self.settings, self.limit_name: limit}


def _is_callable_with(memory: Any, settings: Mapping[str, Any]) -> bool:
    """Return whether it can be called with these settings alone, as ``LastMessages`` with ``keep``, and not a function
    such as ``trim(messages, keep)``."""
    try:
        signature(memory).bind(**settings)
    except (TypeError, ValueError):
        return False
    return True


def _forget(memory: Any) -> None:
    """Let an object forget its conversation. A middleware or a function that cannot has no state of its own."""
    methods = [getattr(memory, name, None) for name in STARTS_OVER]
    forget = next(filter(callable, methods), None)
    if forget is not None:
        await_answer(forget())
    elif any(hasattr(memory, name) for name in (*PUTS, "save_context")):
        raise UnknownMemoryError(
            memory,
            "it has neither reset nor clear, so a second conversation would follow the first. "
            "Give its class, or a function that makes it.",
        )


class Answer(NamedTuple):
    """One request as the object would send it."""

    sent: tuple[FromLibrary, ...]
    lacks_prompt: bool
    """True if the object got the system prompt and left it out."""
    lacks_input: bool
    """True if it left out what the user said last."""
    summary: str = ""
    """New words of its own that stand for messages; empty where there are none."""
    replaced: tuple[Message, ...] = ()
    """These messages, behind the summary before."""


@dataclass(eq=False, repr=False)
class Conversation:
    """The requests that an object under test sends in one conversation, so that nobody has to run it again."""

    maker: Maker
    prompt: tuple[Message, ...]
    answers: defaultdict[int, dict[int, Answer]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """The requests of the object, by its limit and by the length of the log."""
    failure: Exception | None = None
    """The first exception that the object raised."""

    @property
    def request_count(self) -> int:
        """Requests of the conversation: those of the limit that is tested, which is run to the end before any other."""
        return len(self.answers[self.maker.limit])


class UnderTest(LibraryStrategy):
    """Sends what an object of another program would send."""

    title: ClassVar[str] = "Under test"
    main_parameter: ClassVar[str] = "limit"

    conversation: Any
    """A :class:`Conversation`."""
    limit: int = whole_number(
        0,
        "tokens",
        "The object's own first whole number. Larger keeps more.",
        (1, 1000),
        minimum=0,
    )

    @property
    def name(self) -> str:
        """The object as it is written in code."""
        name: str = self.conversation.maker.name(self.limit)
        return name

    @property
    def label(self) -> str:
        """The object as it is written in code."""
        return self.name

    @property
    def answers(self) -> Mapping[int, Answer]:
        """Each request of the object, by the length that the log had."""
        answers: Mapping[int, Answer] = self.conversation.answers[self.limit]
        return answers

    def open(self, ask: Ask, counter: Counter) -> Library:
        """The object at work, or its answers, where it was asked before."""
        # A replay may have broken off on its way, and an object made anew does not stand where that one stood.
        if len(self.answers) < self.conversation.request_count:
            self.conversation.answers[self.limit].clear()
        return ObjectAtWork(self.conversation, self.limit, ask)


@dataclass(eq=False, repr=False)
class ObjectAtWork:
    """The object at one conversation. It is made when a request is due that nobody has seen yet."""

    conversation: Conversation
    limit: int
    ask: Ask
    _object: MemoryObject | None = None
    _log: dict[int, Message] = field(default_factory=dict)
    _length: int = 0
    """Of the log so far."""
    _waiting: list[tuple[int, Message]] = field(default_factory=list)
    """Messages that the object was not given yet."""
    _given: list[Any] = field(default_factory=list)
    """Messages as it was given them. They are held here, so that their identities stay theirs."""
    _positions: dict[int, int] = field(default_factory=dict)
    """The position of each, by its identity, but for the system prompt."""
    _own_words: set[str] = field(default_factory=set)
    _summary: str = ""
    _summarized: int = 0
    """The first message that no summary stands for."""

    def take(self, position: int, message: Message) -> None:
        """Hand over the next message with the next request."""
        self._log[position] = message
        self._length = position + 1
        self._waiting.append((position, message))

    def request(self) -> Sequence[FromLibrary]:
        """Everything that the object would send."""
        answers = self.conversation.answers[self.limit]
        if self._length not in answers:
            try:
                answers[self._length] = self._answer()
            except Exception as failure:
                self.conversation.failure = self.conversation.failure or failure
                raise
        answer = answers[self._length]
        if answer.summary:
            self.ask(answer.replaced, answer.summary)
        return answer.sent

    def _answer(self) -> Answer:
        prompt = self.conversation.prompt
        if self._object is None:
            memory = self.conversation.maker.make(self.limit)
            self._object = memory_object(memory)
            if self._object.takes_prompt:
                numbered = enumerate(prompt, start=-len(prompt))
                self._waiting = [*numbered, *self._waiting]
        pairs = messages_of(self._object.ask(self._hand_over(), self._given))
        texts = [message.content for message, _ in pairs]
        prompts = [message.content for message in prompt]
        # memviz itself sends the prompt.
        others = []
        for message, theirs in pairs:
            content = _text_behind_prompt(message, prompts)
            if content or not message.content:
                others.append((replace(message, content=content), theirs))
        placed_messages = self._with_positions(others)
        whole = "\n".join(texts)
        is_missing = any(text not in whole for text in prompts)
        answer = Answer(
            tuple(placed_messages),
            lacks_prompt=self._object.takes_prompt and is_missing,
            lacks_input=self._lacks_newest(placed_messages),
        )
        return self._with_summary(answer)

    def _lacks_newest(self, sent: Sequence[FromLibrary]) -> bool:
        """Return whether the user said something last that is not sent: neither itself, nor in a longer text of the
        object's own, such as ``Context: ... Question: And the tram?``."""
        position = self._length - 1
        newest = self._log.get(position)
        if newest is None or newest.role != "user":
            return False
        own_texts = [entry.message.content for entry in sent if entry.position is None]
        is_sent = any(entry.position == position for entry in sent)
        return not is_sent and all(newest.content not in text for text in own_texts)

    def _hand_over(self) -> list[Any]:
        assert self._object is not None  # noqa: S101 - it was made
        new = []
        for position, message in self._waiting:
            theirs = self._object.shape(message, position)
            if position >= 0:
                self._positions[id(theirs)] = position
            new.append(theirs)
        self._waiting.clear()
        self._given += new
        return new

    def _with_positions(
        self, pairs: Sequence[tuple[Message, Any]]
    ) -> list[FromLibrary]:
        """Return the messages with their positions: by identity, else the newest that reads the same before the one
        that follows, for a memory that forgets keeps the end."""
        stop = self._length
        placed = []
        for message, theirs in reversed(pairs):
            position = self._positions.get(id(theirs))
            if position is None:
                position = self._find_alike(message, stop)
            if position is not None:
                stop = position
                # The log's own message has all that the object may have dropped, such as calls of tools.
                log_message = self._log[position]
                if log_message.content == message.content:
                    message = log_message
            placed.append(FromLibrary(message, position))
        return placed[::-1]

    def _find_alike(self, message: Message, stop: int) -> int | None:
        for position in range(stop - 1, -1, -1):
            candidate = self._log.get(position)
            if candidate is None:
                continue
            if candidate.role == message.role and candidate.content == message.content:
                return position
        return None

    def _is_transcript(self, text: str) -> bool:
        """Return whether a text tells the conversation as it was said: ``Human: Hi`` and the reply behind it."""
        newest_reply = ""
        for message in self._log.values():
            if message.role == "assistant":
                newest_reply = message.content
        return bool(newest_reply) and newest_reply in text

    def _with_summary(self, answer: Answer) -> Answer:
        """Return the request with its new words, if there are enough of them, as a summary of what it leaves out."""
        own_texts = []
        positions = []
        for entry in answer.sent:
            if entry.position is None:
                own_texts.append(entry.message.content)
            else:
                positions.append(entry.position)
        new = [text for text in own_texts if text not in self._own_words]
        self._own_words.update(own_texts)
        text = max(new, key=len, default="")
        if len(text.split()) <= PLACEHOLDER_WORDS or self._is_transcript(text):
            return answer
        # The summary stands for what is said before the first message that is still sent, and not yet summarized.
        first = min(positions, default=self._length)
        replaced = [Message("system", self._summary)] if self._summary else []
        for position, message in self._log.items():
            if self._summarized <= position < first:
                replaced.append(message)
        self._summary = text
        self._summarized = max(self._summarized, first)
        entries = []
        for entry in answer.sent:
            entries.append(entry._replace(is_notes=entry.message.content == text))
        return answer._replace(
            sent=tuple(entries), summary=text, replaced=tuple(replaced)
        )


def _text_behind_prompt(message: Message, prompts: Sequence[str]) -> str:
    """Return the text of a message without the system prompt, if it is a system message: ``Be kind. Summary: Ann is
    40.`` -> ``Summary: Ann is 40.``, and an empty text where it is the prompt alone."""
    if message.role != "system":
        return message.content
    if message.content in prompts:
        return ""
    text = message.content
    for prompt in prompts:
        text = text.replace(prompt, "", 1)
    return text if text == message.content else text.strip()
