"""What a memory strategy is: a frozen set of parameters with two pure questions.

``plan_compaction`` asks *is it time to summarize, and if so what?*; ``select`` asks *what is sent
with the next request?* Neither calls a model, so both can be asked at any time, for any memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memviz.conversation import Message
from memviz.deprecated import warn_renamed
from memviz.errors import ParameterError
from memviz.memory import Memory, SummarySource, SummaryVersion, SummaryWording
from memviz.strategies.parameters import Parameter, parameters_of, range_in_words
from memviz.text.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Count = TypeVar("Count", int, "NDArray[np.int64]")


class Trigger(Enum):
    """When a strategy looks whether to summarize."""

    NEVER = "never"
    MESSAGE = "after each message"
    TURN = "after each completed turn"
    REQUEST = "before each request"


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """One summarization that is due.

    ``summarize`` are the log positions to put into the new summary, ``keep_from`` the first message
    that stays verbatim, ``reason`` the arithmetic of why, ``replaces`` the summary taken in.
    """

    summarize: range
    keep_from: int
    reason: str
    replaces: SummaryVersion | None = None

    @property
    def covers(self) -> range:
        """All log positions that the new summary will stand for."""
        return range(self.replaces.covers.start if self.replaces else self.summarize.start, self.keep_from)


class Selection(NamedTuple):
    """What a request sends: a range of summary versions (0-based) and ranges of log positions.

    Whether the user's input is among the positions does not matter: it is always sent.
    """

    summaries: range
    history: tuple[range, ...]


class Headroom(NamedTuple):
    """How far the next compaction is: none comes before ``amount`` of ``unit`` more, and a plain user message with that
    many makes it come; 0: the next user message does, whatever its size. Where nothing is left unsummarized, what
    comes next is taken to begin with the user's message.

    A *token* is one of the content of what is said, a *message* one of any role. A *turn* is one that begins, with a
    user message that follows no other; where each turn is summarized, it is one that is complete.
    """

    amount: int
    unit: str

    def __str__(self) -> str:
        if not self.amount:
            return "the next message"
        return counted(self.amount, f"more {self.unit.removesuffix('s')}")


class Fill(NamedTuple):
    """How full a memory is: so many ``unit`` of what ``counts`` (in words) are ``held``, and more than ``limit`` is
    too much. ``regardless``: something has to go, however little is held.

    Both the summarization that is due and the forecast of the next one are read off it, so they cannot disagree.
    """

    held: int
    limit: int
    unit: str
    counts: str
    regardless: bool = False

    @property
    def is_over(self) -> bool:
        """Whether something has to be summarized."""
        return self.regardless or self.held > self.limit

    @property
    def headroom(self) -> Headroom:
        """How much more makes it too much. A message is one message more, also where there are too many already."""
        least = 1 if self.unit == "messages" else 0
        return Headroom(least if self.is_over else max(least, self.limit + 1 - self.held), self.unit)


class ToolUse(NamedTuple):
    """What the model may do by itself in one turn: calls of the recall tool, rounds of reflective thinking
    and tokens of it. 0 calls or rounds: not at all."""

    recalls: int = 0
    thinking_rounds: int = 0
    thinking_tokens: int = 0


class Strategy(BaseModel, ABC):
    """Base of all strategies. The id is the name of the file that defines the class.

    The first line of a subclass's docstring is its summary line; parameters are pydantic fields
    whose default, range, unit and help become controls, validation, sweep axes and documentation.

    Raises :class:`ParameterError` for an unknown parameter, a wrong type or a value out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: ClassVar[str] = ""
    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    order: ClassVar[int] = 100  # where it stands in a list: from simple to elaborate
    trigger: ClassVar[Trigger] = Trigger.NEVER
    moment: ClassVar[Trigger | None] = None  # the old name of trigger, read from strategies that still have it
    main_parameter: ClassVar[str] = ""  # always part of the label
    summary_heading: ClassVar[str] = ""
    drops_without_summarizer: ClassVar[bool] = False
    sends_history: ClassVar[bool] = True  # whether requests hold past messages that nobody recalled
    tried_at_first: ClassVar[bool] = True  # whether a sweep begins with it

    def __init__(self, **parameters: Any) -> None:
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            raise self._parameter_error(error) from None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.id = cls.__module__.rpartition(".")[2]
        if cls.__dict__.get("moment") is not None:
            warn_renamed("Strategy.moment", "Strategy.trigger")
            cls.trigger = cls.__dict__["moment"]

    @classmethod
    def _parameter_error(cls, error: ValidationError) -> ParameterError:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        known = {parameter.name: parameter for parameter in cls.parameters()}
        if name in known:
            allowed = range_in_words(known[name], is_too_large=first["type"] == "less_than_equal")
            return ParameterError(name, first["input"], allowed, cls.id)
        return ParameterError(name, first["input"], "one of: " + (", ".join(known) or "no parameter at all"), cls.id)

    @classmethod
    def summary_line(cls) -> str:
        """One sentence on what the strategy does."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The declared parameters, in order."""
        return parameters_of(cls)

    @classmethod
    def has_parameter(cls, name: str) -> bool:
        """Whether a parameter of this name is declared, so that advice may name it."""
        return name in cls.model_fields

    @property
    def label(self) -> str:
        """Short name with the main parameter and those that differ from their default."""
        return " · ".join([self.title, *(one.shown(getattr(self, one.name)) for one in self._named_parameters)])

    @property
    def code_label(self) -> str:
        """The same with each parameter as it is typed into code: ``Running summary · buffer_size=4``."""
        return " · ".join([self.title, *(one.in_code(getattr(self, one.name)) for one in self._named_parameters)])

    @property
    def _named_parameters(self) -> list[Parameter]:
        return [
            parameter
            for parameter in self.parameters()
            if parameter.name == self.main_parameter or getattr(self, parameter.name) != parameter.default
        ]

    @property
    def allows_recall(self) -> bool:
        """Whether earlier messages may be recalled into a request."""
        return True

    @property
    def recall_limit_messages(self) -> int:
        """Most messages that one recall brings back."""
        return 20

    @property
    def tool_use(self) -> ToolUse:
        """What the model may do by itself, if it can call tools."""
        return ToolUse()

    @property
    def limits(self) -> str:
        """What the strategy's limit counts, in words, such as "messages not yet summarized"; empty if it has none."""
        return ""

    @property
    def budget_tokens(self) -> int | None:
        """The token budget that the strategy keeps to, if it has one."""
        return None

    def counted_tokens(self, tokens: Mapping[str, Count]) -> Count:
        """Which of a request's tokens count against the budget: by default messages, not the summary. They are added
        up from the parts, each a number, or an array with one entry a request."""
        return tokens["history"] + tokens["input"]

    def plan_compaction(self, memory: Memory) -> CompactionPlan | None:
        """The summarization that is due for this memory, or ``None``."""
        return None

    @abstractmethod
    def select(self, memory: Memory) -> Selection:
        """What the next request sends for this memory."""

    def fill(self, memory: Memory) -> Fill | None:
        """How full the memory is, for a strategy that summarizes when it is too full; :meth:`plan_compaction` asks the
        same. ``None`` for one that never summarizes, or not for that reason."""
        return None

    def headroom(self, memory: Memory) -> Headroom | None:
        """How far the next summarization is, if nothing stands in its way; ``None`` for a strategy that never
        summarizes, or cannot know. :meth:`memviz.Chat.headroom` also knows of a summarizer that failed or is missing.

        A strategy that looks after each message is not asked for a plan before that much was said.
        """
        fill = self.fill(memory)
        return None if fill is None else fill.headroom

    @property
    def instruction(self) -> str:
        """What the summarizer is told to do."""
        return RUNNING_INSTRUCTION

    def summarizer_request(
        self, messages: Sequence[Message], replaces: SummaryVersion | None, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The messages sent to the summarizer for ``messages`` and the summary they join. ``instruction`` takes
        the place of the strategy's own."""
        lines = [transcript_line(message) for message in messages]
        if replaces is not None:
            lines.insert(0, f"system: Previous summary: {replaces.text}")
        return (Message("user", (instruction or self.instruction) + "\n\n" + "\n".join(lines)),)

    def summary_source(self, messages: Sequence[Message], replaces: SummaryVersion | None) -> SummarySource | None:
        """What :meth:`summarizer_request` put into the prompt, for a summarizer that need not read it out of there
        again; ``None`` where a strategy that writes a prompt of its own does not say."""
        if type(self).summarizer_request is not Strategy.summarizer_request:
            return None
        return SummarySource(messages, replaces.text if replaces else None)

    def summary_entry(self, summary: SummaryVersion) -> str:
        """How a summary reads inside a request."""
        return f"Summary of earlier conversation: {summary.text}"

    @property
    def summary_wording(self) -> SummaryWording:
        """How its summaries read inside a request."""
        return SummaryWording(self.summary_heading, self.summary_entry)


RUNNING_INSTRUCTION = (
    "Write one concise summary of the conversation below. Keep names, numbers, dates, decisions and "
    "open questions; where something changed, keep what holds now. Answer with the summary alone."
)


def transcript_line(message: Message) -> str:
    """A message as the summarizer reads it: ``role: content``, and the tools it called."""
    return f"{message.role}: {transcript_text(message)}"


def transcript_text(message: Message) -> str:
    """The same without the role."""
    if not message.tool_calls:
        return message.content
    return message.content + "".join(f" [calls {call.name} {call.arguments}]" for call in message.tool_calls)


def __getattr__(name: str) -> Any:
    if name != "Moment":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed("memviz.strategies.base.Moment", "Trigger")
    return Trigger
