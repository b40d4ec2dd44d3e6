"""The record of each request, as a value.

Records keep ranges over the log, not copies; messages are built when somebody asks for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memviz.core.context import ORPHANED_TOOL_MESSAGE, OVER_BUDGET, Context
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import request_name
from memviz.engine.blocks import build_context
from memviz.engine.calls import ReplyFacts, total_cost_usd
from memviz.engine.compaction import Compaction
from memviz.engine.parts import Parts
from memviz.engine.recall import Recalled, StoredRecalled
from memviz.engine.stored import (
    CompactionNumbers,
    Count,
    Positions,
    Reading,
    StoredMemory,
    StoredMessage,
    StoredPiece,
    Text,
    Turn,
    read,
    write,
)
from memviz.engine.tool_pairs import find_orphaned_results
from memviz.strategies.base import Strategy

PARTIAL_REPLY = "partial_reply"
"""The flag of a request whose reply was stopped before its end."""


RequestKind = Literal["answer", "recall", "thinking"]
"""The use that a live model made of a call: to answer, or before that to recall or think."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One request and the reply to it.

    ``run.requests`` has all of them. In ``run.turns`` a record is the last of its turn, and
    its ``requests`` are all of that turn.
    """

    turn: int
    """From 1."""
    memory: Memory = field(repr=False, compare=False)
    """The memory when the request was made."""
    parts: Parts
    tokens: dict[str, int]
    """Content tokens of each part: ``system``, ``summary``, ``recalled``, ``history``,
    ``input``, where there are any ``tools``, and the ``overhead`` of the chat format."""
    reply_tokens: int = 0
    """Tokens of everything that the model wrote, its tool calls included."""
    compactions: tuple[Compaction, ...] = ()
    """The compactions since the request before: this is the first one they changed."""
    flags: tuple[str, ...] = ()
    recalled: Recalled | None = None
    facts: ReplyFacts | None = None
    """Who replied, and at what cost; ``None`` for a reply from the transcript."""
    call: int = 1
    """The number of the call within its turn, from 1."""
    kind: RequestKind = "answer"
    thoughts: tuple[Message, ...] = field(default=(), repr=False)
    """Messages sent after the input that are in no log: instructions and replies of
    reflective thinking."""
    strategy: Strategy | None = field(default=None, repr=False, compare=False)
    """The strategy that made the request."""
    _requests: tuple[TurnRecord, ...] = field(default=(), repr=False, compare=False)

    @property
    def requests(self) -> tuple[TurnRecord, ...]:
        """All requests of the turn in order, this one the last of them."""
        return self._requests or (self,)

    @property
    def name(self) -> str:
        """The request as people name it: "turn 3", or "turn 3, call 1" where the turn took several calls."""
        log = self.memory.log
        calls_in_log = len(log.requests_of(log.turn(self.turn)))
        calls_so_far = self.call
        # The log knows no call that recalled or thought, and such a call is never the last.
        if self.kind != "answer":
            calls_so_far += 1
        return request_name(self.turn, self.call, max(calls_in_log, calls_so_far))

    @property
    def total_tokens(self) -> int:
        """All tokens sent with the request."""
        return sum(self.tokens.values())

    @property
    def sent_tokens(self) -> int:
        """Tokens sent with all ``requests`` of the turn."""
        return sum(record.total_tokens for record in self.requests)

    @property
    def thinking(self) -> tuple[TurnRecord, ...]:
        """The rounds of reflective thinking of this turn."""
        return tuple(record for record in self.requests if record.kind == "thinking")

    @property
    def thinking_tokens(self) -> int:
        """Tokens that the model wrote in the rounds of thinking."""
        return sum(record.reply_tokens for record in self.thinking)

    @property
    def thinking_cost_usd(self) -> float | None:
        """Cost of all rounds of thinking, ``None`` where unknown."""
        return total_cost_usd([record.facts for record in self.thinking])

    @property
    def context(self) -> Context:
        """The exact request, built from the log."""
        return build_context(self.memory, self.parts, self.tokens, self.thoughts)

    @property
    def log_length(self) -> int:
        """Number of messages that the log had when the request was made."""
        exchange = self.parts.exchange
        return max(self.memory.length, exchange.stop if exchange else 0)

    @property
    def summary(self) -> SummaryVersion | None:
        """The newest summary that was sent."""
        versions = self.parts.summaries
        if not versions:
            return None
        return self.memory.space.summaries.versions[versions.stop - 1]

    @property
    def reply(self) -> str:
        """Text of the reply's last message; empty where there is no reply, and for a round
        of thinking."""
        if self.kind == "thinking":
            return ""
        log = self.memory.log
        start = self.log_length
        stop = log.reply_stop(start)
        return str(log[stop - 1].content) if stop > start else ""

    def to_dict(self, first_compaction: int) -> dict[str, Any]:
        """Return the record as JSON.

        Compactions are stored with the run. The record names its own by their numbers
        there, which begin at ``first_compaction``.
        """
        stop = first_compaction + len(self.compactions)
        values = self.parts._asdict()
        values["compactions"] = range(first_compaction, stop)
        for name in RecordFields.__dataclass_fields__.keys() - values:
            values[name] = getattr(self, name)
        return write(RecordFields(**values))

    @classmethod
    def from_dict(cls, value: object, over: Reading, *place: object) -> TurnRecord:
        """Return the record that :meth:`to_dict` described and that is stored at ``place``."""
        fields = vars(read(RecordFields, value, over, *place))
        numbers = fields.pop("compactions")
        parts = Parts(*[fields.pop(name) for name in Parts._fields])
        return cls(
            **fields,
            parts=parts,
            compactions=tuple(over.compactions[numbers.start : numbers.stop]),
            strategy=over.strategy,
        )


@dataclass
class RecordFields:
    """A request as it is stored: a :class:`TurnRecord` with the fields of its ``parts`` in
    their place, compactions as numbers, and without what the run knows. No field may be
    missing."""

    turn: Turn
    call: Count
    kind: RequestKind
    memory: StoredMemory
    pieces: tuple[StoredPiece, ...]
    input: Positions
    tools: tuple[Text, ...]
    exchange: Positions
    tokens: dict[Text, Count]
    reply_tokens: Count
    compactions: CompactionNumbers
    flags: tuple[Text, ...]
    recalled: StoredRecalled | None
    facts: ReplyFacts | None
    thoughts: tuple[StoredMessage, ...]


def find_flags(
    strategy: Strategy | None, tokens: dict[str, int], memory: Memory, parts: Parts
) -> tuple[str, ...]:
    """Return the flags of a request: it is larger than the strategy's own budget, or has a tool result without its
    call."""
    flags: list[str] = []
    if strategy is not None and strategy.budget_tokens is not None:
        if strategy.counted_tokens(tokens) > strategy.budget_tokens:
            flags.append(OVER_BUDGET)
    if memory.log.tools.results:
        if find_orphaned_results(memory.log, parts, memory.space.summaries):
            flags.append(ORPHANED_TOOL_MESSAGE)
    return tuple(flags)


def of_one_turn(requests: tuple[TurnRecord, ...]) -> TurnRecord:
    """Return the last record of a turn whose records are ``requests``, with all of them."""
    last = requests[-1]
    if len(requests) == 1:
        return last
    return replace(last, _requests=requests)


def memory_at(
    space: MemorySpace, compactions: Sequence[Compaction], length: int
) -> Memory:
    """Return the memory when the log had ``length`` messages.

    It is the memory after the last of ``compactions`` that came before, grown since by the
    messages that were appended.
    """
    earlier_count = bisect_left(compactions, length, key=lambda c: c.after_message)
    memory = Memory(space, 0)
    if earlier_count:
        memory = compactions[earlier_count - 1].after
    return memory._replace(space=space, pins=()).appended(length)
