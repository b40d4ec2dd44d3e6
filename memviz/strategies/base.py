"""A memory strategy: a frozen set of parameters with two pure methods.

``plan`` returns what to summarize or to clear now, if anything; ``select`` returns what the
next request sends. Neither calls a model, so the engine, charts and forecasts can call both
at any time, for any memory. Each strategy implements both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memviz.core.errors import ParameterError, UnknownParameterError
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Piece
from memviz.core.summaries import SUMMARY, SummarySource, SummaryVersion, SummaryWording
from memviz.core.text.words import ask_for_length
from memviz.core.translation import _
from memviz.strategies.clauses import Fill, Headroom
from memviz.strategies.families import OTHERS
from memviz.strategies.parameters import Parameter, parameters_of, range_in_words
from memviz.strategies.prompts import RUNNING_INSTRUCTION, transcript_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Count = TypeVar("Count", int, "NDArray[np.int64]")


class Trigger(Enum):
    """The moment at which a strategy looks whether to summarize."""

    NEVER = "never"
    MESSAGE = "after each message"
    TURN = "after each completed turn"
    REQUEST = "before each request"


FailurePolicy = Literal["leave", "drop", "raise"]
"""The fate of messages that a failed summarizer should have summarized.

- *leave*: they stay as they are, and the strategy tries again in a later turn.
- *drop*: they are left out all the same.
- *raise*: the request fails.
"""


@dataclass(frozen=True, slots=True)
class Write:
    """An effect: the summarizer is to write a new version of the notes. If it fails, no error becomes a note."""

    summarize: range
    """The log positions to put into the new version."""
    keep_from: int
    """The first log position that stays word for word."""
    reason: str
    """The numbers of why, such as ``512 tokens > 500``."""
    replaces: SummaryVersion | None = None
    """The version that the new one takes in."""
    track: str = SUMMARY
    """The kind of notes."""
    on_failure: FailurePolicy | Move | Write = "leave"
    """What to do if the summarizer fails; an effect is carried out in place of this one."""
    text: str | None = None
    """A fixed text of the strategy. It is written without asking a summarizer."""
    opaque_tokens: int = 0
    """Where not 0: a block of this size that the provider writes and nobody else can read."""
    is_checked: bool = False
    """True if the summarizer is asked once more, about what its text leaves out."""

    @classmethod
    def up_to(cls, memory: Memory, stop: int, reason: str, **others: Any) -> Write:
        """Return the effect that takes all messages before ``stop`` into the newest summary, but for those in it."""
        messages = range(memory.cursor, stop)
        return cls(messages, stop, reason, memory.summary, **others)

    @property
    def asks_summarizer(self) -> bool:
        """True if a summarizer has to write it."""
        return self.text is None and not self.opaque_tokens

    @property
    def covers(self) -> range:
        """All log positions that the new version will stand for."""
        start = self.summarize.start
        if self.replaces is not None:
            start = self.replaces.covers.start
        return range(start, self.keep_from)


@dataclass(frozen=True, slots=True)
class Move:
    """An effect without a model: a mark moves on, and messages before it are sent in less words or not at all."""

    mark: str
    """The name of the mark."""
    to: int
    """The log position that it moves to."""
    kind: MoveKind
    """What happens to the messages before it."""
    reason: str
    changed: range
    """A range around the log positions that are sent otherwise because of it."""

    @property
    def summarize(self) -> range:
        """The log positions that are changed, under the name that :class:`Write` has."""
        return self.changed

    @property
    def keep_from(self) -> int:
        """The first message behind the mark."""
        return self.to

    @property
    def replaces(self) -> SummaryVersion | None:
        """No notes."""
        return None


MoveKind = Literal["cleared", "shortened", "evicted"]
Effect = Write | Move


class ToolUse(NamedTuple):
    """Everything that the model may do by itself in one turn."""

    recalls: int = 0
    """Calls of the recall tool at most; 0: it has none."""
    thinking_rounds: int = 0
    """Rounds of reflective thinking at most; 0: it does not think."""
    thinking_tokens: int = 0
    """Tokens of reflective thinking at most."""


class Strategy(BaseModel, ABC):
    """Base of all strategies. The id is the name of the file that defines the class.

    The first line of a subclass's docstring is its summary line, and its paragraphs ``Gains``, ``Loses``, ``Hurts
    when`` and ``Used by`` are its page of the field guide (:mod:`memviz.dashboard.guide.strategies`); parameters are
    pydantic fields whose default, range, unit and help become controls, validation, sweep axes and documentation.

    Raises :class:`ParameterError` for an unknown parameter, a wrong type or a value out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    order: ClassVar[int] = 100
    """The place in a list of strategies, from simple to elaborate."""
    family: ClassVar[str] = OTHERS
    trigger: ClassVar[Trigger] = Trigger.NEVER
    main_parameter: ClassVar[str] = ""
    """The parameter that is always part of the label."""
    limits: ClassVar[str] = ""
    """The words for what the strategy's limit counts, such as "messages not yet summarized"; empty if it has none."""
    summary_heading: ClassVar[str] = ""
    drops_without_summarizer: ClassVar[bool] = False
    sends_history: ClassVar[bool] = True
    """True if requests hold past messages that nobody recalled."""
    acts_unasked: ClassVar[bool] = False
    """True if what it plans may also be done while its summarizer is left alone."""
    looks_up: ClassVar[bool] = False
    """True if it brings messages back at nearly every request, which is no event then."""
    tried_at_first: ClassVar[bool] = True
    """True if a sweep begins with it."""

    def __init__(self, **parameters: Any) -> None:
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            raise self._parameter_error(error) from None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.id = cls.__module__.rpartition(".")[2]

    @classmethod
    def _parameter_error(cls, error: ValidationError) -> ParameterError:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        declared = {parameter.name: parameter for parameter in cls.parameters()}
        if name not in declared:
            return UnknownParameterError(name, first["input"], declared, cls.id)
        is_too_large = first["type"] == "less_than_equal"
        allowed = range_in_words(declared[name], is_too_large=is_too_large)
        return ParameterError(name, first["input"], allowed, cls.id)

    @classmethod
    def summary_line(cls) -> str:
        """One sentence on what the strategy does."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The declared parameters, in order."""
        return parameters_of(cls)

    def expect_live(self) -> None:
        """Raise :class:`ParameterError` where a parameter asks for what can only be simulated."""
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            if parameter.replay_only and value != parameter.default:
                allowed = (
                    f"{parameter.default} in a conversation that is going on: another value can only be "
                    "replayed"
                )
                raise ParameterError(parameter.name, value, allowed, self.id)

    @classmethod
    def has_parameter(cls, name: str) -> bool:
        """True if a parameter of this name is declared, so that advice may name it."""
        return name in cls.model_fields

    @property
    def name(self) -> str:
        """The title, or the name of the product whose rule it is."""
        return _(self.title)

    @property
    def label(self) -> str:
        """Short name with the main parameter and those that differ from their default; a second number of the same unit
        is named."""
        parts = [self.name]
        units = set[str]()
        for parameter in self._named_parameters:
            value = getattr(self, parameter.name)
            if parameter.unit in units:
                parts.append(parameter.named(value))
            else:
                parts.append(parameter.shown(value))
            if parameter.is_number:
                units.add(parameter.unit)
        return " · ".join(parts)

    @property
    def code_label(self) -> str:
        """Short name with the parameters of :attr:`label` as they are typed into code: ``Running summary ·
        buffer_size=4``."""
        parts = [self.name]
        for parameter in self._named_parameters:
            parts.append(parameter.in_code(getattr(self, parameter.name)))
        return " · ".join(parts)

    @property
    def _named_parameters(self) -> list[Parameter]:
        return [
            parameter
            for parameter in self.parameters()
            if parameter.name == self.main_parameter
            or getattr(self, parameter.name) != parameter.default
        ]

    @property
    def allows_recall(self) -> bool:
        """True if earlier messages may be recalled into a request."""
        return True

    @property
    def recall_limit_messages(self) -> int:
        """Most messages that one recall brings back."""
        return 20

    @property
    def tool_use(self) -> ToolUse:
        """All that the model may do by itself, if it can call tools."""
        return ToolUse()

    @property
    def budget_tokens(self) -> int | None:
        """The token budget that the strategy keeps to, if it has one."""
        return None

    @property
    def budget_share(self) -> str:
        """The share of a parameter that the token budget is: ``70% of 6,000``; empty of one itself."""
        return ""

    def counted_tokens(self, tokens: Mapping[str, Count]) -> Count:
        """The tokens of a request that count against the budget: by default those of messages, not the summary.
        They are added up from the parts, each a number, or an array with one entry a request."""
        return tokens["history"] + tokens["input"]

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """The effects that are due for this memory, in the order in which they are to be done; none where none is."""
        return ()

    @abstractmethod
    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The pieces that the next request sends for this memory behind the system prompt, in order. Whether the
        user's input is among it does not matter: it is always sent, last, and in the form that a piece gives it."""

    def fill(self, memory: Memory) -> Fill | None:
        """The fill of the memory, for a strategy that summarizes when it is too full; :meth:`plan` asks the
        same. ``None`` for one that never summarizes, or not for that reason."""
        return None

    def headroom(self, memory: Memory) -> Headroom | None:
        """The distance to the next summarization, if nothing stands in its way; ``None`` for a strategy that never
        summarizes, or cannot know. :meth:`memviz.Chat.headroom` also knows of a summarizer that failed or is missing.
        """
        fill = self.fill(memory)
        return None if fill is None else fill.headroom

    def due_at(self, memory: Memory) -> int:
        """The length of the log at which something may next be due: a plan is asked for then, and not before."""
        headroom = self.headroom(memory)
        return headroom.due_at(memory) if headroom else memory.length + 1

    def why_sent(self, memory: Memory, position: int) -> str:
        """The words for why the message at ``position`` is brought back or not, for a strategy
        that looks messages up. Empty where it does not."""
        return ""

    def idle_because(self, memory: Memory) -> str:
        """The words for what the conversation has lacked so far, so that a rule without a summarizer changed
        nothing, such as "no tool was called". Empty where it lacks nothing."""
        return ""

    @property
    def writes_notes(self) -> bool:
        """True if a summarizer writes anything for it."""
        return self.trigger is not Trigger.NEVER

    @property
    def instruction(self) -> str:
        """The instruction for the summarizer."""
        return self.limited(RUNNING_INSTRUCTION)

    def limited(self, instruction: str) -> str:
        """Return ``instruction`` with the length that ``summary_words`` asks for as its last sentence."""
        return ask_for_length(instruction, getattr(self, "summary_words", 0))

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The messages sent to the summarizer for an ``effect`` that was planned for ``memory``. A strategy of several
        tracks of notes asks for each in its own words; one that cuts what the summarizer reads does so here."""
        return self.summarizer_request(
            memory.worth_summarizing(effect.summarize), effect.replaces, instruction
        )

    def source_of(self, memory: Memory, effect: Write) -> SummarySource | None:
        """The source that :meth:`requests_of` put into the prompt, as values (:meth:`summary_source`)."""
        if type(self).requests_of is not Strategy.requests_of:
            return None
        return self.summary_source(
            memory.worth_summarizing(effect.summarize), effect.replaces
        )

    def read_answer(self, effect: Write, answer: str) -> str:
        """The text that the summarizer's ``answer`` becomes. Raises :class:`UnusableSummarizerError` with what is wrong
        with one that cannot be read."""
        return answer

    def summarizer_request(
        self,
        messages: Sequence[Message],
        replaces: SummaryVersion | None,
        instruction: str | None = None,
    ) -> tuple[Message, ...]:
        """The messages sent to the summarizer for ``messages`` and the summary they join. ``instruction`` takes
        the place of the strategy's own."""
        lines = [transcript_line(message) for message in messages]
        if replaces is not None:
            lines.insert(0, f"system: Previous summary: {replaces.text}")
        text = "\n\n".join([instruction or self.instruction, "\n".join(lines)])
        return (Message("user", text),)

    def summary_source(
        self, messages: Sequence[Message], replaces: SummaryVersion | None
    ) -> SummarySource | None:
        """The source that :meth:`summarizer_request` put into the prompt, for a summarizer that need not read it
        out of there again; ``None`` where a strategy that writes a prompt of its own does not say."""
        if type(self).summarizer_request is not Strategy.summarizer_request:
            return None
        return SummarySource(messages, replaces.text if replaces else None)

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The text of a summary inside a request."""
        return f"Summary of earlier conversation: {summary.text}"

    def reason_not_to_run(self) -> str:
        """The reason why it cannot be run here, in a sentence that says what to do; empty where it can. A strategy
        that runs a real library says so where that is not installed."""
        return ""

    @property
    def summary_wording(self) -> SummaryWording:
        """The wording of its summaries inside a request."""
        return SummaryWording(self.summary_heading, self.summary_entry)
