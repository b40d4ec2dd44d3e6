"""An imported conversation (:class:`Transcript`): its messages, and what the file says about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, TypedDict, get_args

from memviz.core.conversation import Log
from memviz.core.messages import Message
from memviz.core.translation import noop

RULE: Final = "rule"
"""The category of what the user asks to be heeded from then on."""
CATEGORIES = (
    RULE,
    "constraint",
    "goal",
    "preference",
    "single fact",
    "updated fact",
    "number",
    "name",
    "multi-evidence",
)
"""Categories of memviz's own probes. Those of a benchmark keep the names that the benchmark gives them."""
EDITED_PROMPT = noop(
    "later copies of the system prompt, with an edited memory, were left out"
)
"""The beginning of the warning about a log whose program edited its system prompt."""
MAX_CATEGORY_CHARS = 60
UNTITLED = "Untitled conversation"
Category = str

REASONING = "reasoning"
"""Key in a message's ``meta``: what the model thought before it answered. It is never sent to a model again."""

USAGE = "usage"
"""Key in a message's ``meta``: the tokens that a log recorded for a reply, such as ``input_tokens``."""
USAGE_NAMES = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
)
CACHE_BREAK = "cache_break"
"""Key in a message's ``meta``: why the provider's cache did not hold, in the words of the program that recorded it."""


def recorded_tokens(message: Message) -> tuple[int, int] | None:
    """Return the tokens of the request and of the reply as a log recorded them beside the reply; ``None`` where it
    recorded none.

    Some providers count what their cache read or wrote apart from the input: where that is more, it is added."""
    usage = (message.meta or {}).get(USAGE)
    if not isinstance(usage, Mapping) or not _is_count(usage.get("input_tokens")):
        return None
    sent, *cached, replied = [
        usage[name] if _is_count(usage.get(name)) else 0 for name in USAGE_NAMES
    ]
    cached_tokens = sum(cached)
    return (sent + cached_tokens if cached_tokens > sent else sent), replied


class ProgramUse(TypedDict, total=False):
    """The numbers that a program's own log gives of its last request."""

    context_tokens: int
    """The tokens of the request and its reply."""
    window_tokens: int
    """The limit of the program's context window."""
    model: str
    is_subagent: bool
    """The log is that of a subagent, not of the program's main conversation."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question whose answer the conversation states.

    ``answers`` are accepted spellings, any one of which is right. ``evidence`` holds the log
    positions (0-based) of the messages that together state the answer. ``stale`` are answers that
    were right once and were replaced. ``by_user``: typed in on a page, not part of what was imported.
    """

    question: str
    answers: tuple[str, ...]
    evidence: tuple[int, ...]
    category: Category
    stale: tuple[str, ...] = ()
    by_user: bool = False

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Probe:
        """The probe that :meth:`to_dict` described."""
        return cls(
            question=value["question"],
            answers=tuple(value["answers"]),
            evidence=tuple(value["evidence"]),
            category=value["category"],
            stale=tuple(value.get("stale", ())),
            by_user=value.get("by_user", False) is True,
        )

    def to_dict(self) -> dict[str, Any]:
        """The probe as JSON."""
        fields: dict[str, Any] = {
            "question": self.question,
            "answers": list(self.answers),
            "evidence": list(self.evidence),
            "category": self.category,
            "stale": list(self.stale),
        }
        if self.by_user:
            fields["by_user"] = True
        return fields


EventKind = Literal["compaction", "summary"]


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A change that the program that recorded the conversation made to its own memory, to show beside memviz's."""

    kind: EventKind
    """A ``compaction`` was recorded when it happened; a ``summary`` is one that is in the file."""
    after_message: int
    """The number of messages that the conversation had then."""
    text: str = ""
    """The summary, if the file has it."""
    reason: str = ""
    """The reason in the program's words, such as "auto" or "manual"."""
    tokens_before: int | None = None
    """The program's own count; ``None`` if unknown."""
    tokens_after: int | None = None
    time: str = ""
    """ISO text."""
    part: str = ""
    """The end that the summary stands for, where it does not stand for all messages so far: "from" or "up_to" one of
    them."""
    kept_newest: int | None = None
    """So many of the newest messages then stayed word for word, with those of ``kept_first``, and no other one:
    ``text`` is all that was sent for the others, nothing where it is empty. ``None`` where what stayed is not known."""
    kept_first: int | None = None
    """So many of the first messages stayed in front of ``text``; ``None`` where none did."""

    @property
    def is_window(self) -> bool:
        """True where the messages that did not stay were left out, and nothing was written for them."""
        return self.kept_newest is not None and not self.text

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> RecordedEvent:
        """The event that :meth:`to_dict` described. Raises ValueError for anything else."""
        known = {
            name: value[name] for name in cls.__dataclass_fields__ if name in value
        }
        counts = ("tokens_before", "tokens_after", "kept_newest", "kept_first")
        numbers = [known.get(name) for name in counts]
        texts = [known.get(name, "") for name in ("text", "reason", "time", "part")]
        if (
            known.get("kind") not in get_args(EventKind)
            or not _is_count(known.get("after_message"))
            or not all(number is None or _is_count(number) for number in numbers)
            or not all(isinstance(text, str) for text in texts)
        ):
            raise ValueError("no recorded event")
        return cls(**known)

    def to_dict(self) -> dict[str, Any]:
        """The event as JSON, without what is not known."""
        return {
            name: value
            for name, value in asdict(self).items()
            if value not in ("", None)
        }


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of one conversation, with its title, the format of the file, its probes and the reader's warnings.

    ``held_at`` is when the conversation was held, in UTC, if the file says so. ``events`` is what the program that
    recorded it did to its own memory. ``tools`` are the schemas of the tools that its program offered the model, each
    as JSON text: they were sent with every request.
    """

    messages: tuple[Message, ...]
    title: str = UNTITLED
    format: str = "messages"
    probes: tuple[Probe, ...] = ()
    warnings: tuple[str, ...] = ()
    system_prompt: str | None = None
    description: str = ""
    language: str = "en"
    events: tuple[RecordedEvent, ...] = ()
    held_at: datetime | None = None
    tools: tuple[str, ...] = ()

    def beginning(self) -> Transcript:
        """The same without what is not whole at its end, where its messages are only the first of a longer
        conversation: without the turn that they end in, or, if that is the only one, without its last reply. Questions
        and events that are about later messages are left out."""
        log = Log(self.messages)
        if log.turn_count > 1:
            stop = log.turn_start(log.turn_count)
        else:
            bounds = log.request_bounds()
            stop = bounds[-3] if bounds else len(log)
        probes = tuple(
            probe for probe in self.probes if max(probe.evidence, default=-1) < stop
        )
        events = tuple(event for event in self.events if event.after_message <= stop)
        return replace(
            self, messages=self.messages[:stop], probes=probes, events=events
        )
