"""The record of each request, as a value.

Records keep ranges over the log, not copies; messages are built when somebody asks for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memviz.core.context import Context
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import request_name
from memviz.engine.assembly import build_context
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
from memviz.strategies.base import Strategy

PARTIAL_REPLY = "partial_reply"


RequestKind = Literal["answer", "recall", "thinking"]


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One request, call number ``call`` (from 1) of its ``turn``, and the reply to it. In ``run.turns`` it is the last
    one of a turn, and ``requests`` has all of that turn.

    ``tokens`` holds the content tokens of each part (``system``, ``summary``, ``recalled``,
    ``history``, ``input``, and ``tools`` for tools and their calls where there are any) and the format's
    ``overhead``. ``compactions`` are those that it is the first request to be changed by. ``facts`` is ``None`` for a
    reply that was in the transcript. ``reply_tokens`` are all that the model wrote, its tool calls included.

    ``kind`` says what a live model used the call for: to recall or to think before it answers. ``thoughts`` are
    messages that were sent behind the input and stand in no log: what it was told and said while it was thinking.
    ``strategy`` is the one that the request was made under.
    """

    turn: int
    memory: Memory = field(repr=False, compare=False)
    parts: Parts
    tokens: dict[str, int]
    reply_tokens: int = 0
    compactions: tuple[Compaction, ...] = ()
    flags: tuple[str, ...] = ()
    recalled: Recalled | None = None
    facts: ReplyFacts | None = None
    call: int = 1
    kind: RequestKind = "answer"
    thoughts: tuple[Message, ...] = field(default=(), repr=False)
    strategy: Strategy | None = field(default=None, repr=False, compare=False)
    _requests: tuple[TurnRecord, ...] = field(default=(), repr=False, compare=False)

    @property
    def requests(self) -> tuple[TurnRecord, ...]:
        """All requests of the turn in order, this one the last of them."""
        return self._requests or (self,)

    @property
    def name(self) -> str:
        """The request as people name it: "turn 3", or "turn 3, call 1" where the turn took several calls."""
        log = self.memory.log
        answered = len(log.requests_of(log.turn(self.turn)))
        # The log knows of no call that recalled or thought: another one follows it.
        return request_name(
            self.turn, self.call, max(answered, self.call + (self.kind != "answer"))
        )

    @property
    def total_tokens(self) -> int:
        """All tokens sent with the request."""
        return sum(self.tokens.values())

    @property
    def sent_tokens(self) -> int:
        """All tokens sent in this turn, with all its ``requests``."""
        return sum(record.total_tokens for record in self.requests)

    @property
    def thinking(self) -> tuple[TurnRecord, ...]:
        """The rounds of reflective thinking of this turn."""
        return tuple(record for record in self.requests if record.kind == "thinking")

    @property
    def thinking_tokens(self) -> int:
        """Tokens that the model wrote while it was thinking in this turn."""
        return sum(record.reply_tokens for record in self.thinking)

    @property
    def thinking_cost_usd(self) -> float | None:
        """US dollars of all rounds of thinking, ``None`` where unknown."""
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
        sent = self.parts.summaries
        return self.memory.space.summaries.versions[sent.stop - 1] if sent else None

    @property
    def reply(self) -> str:
        """Text of the reply, of its last message where there are several; empty where there is none, and for a round
        of thinking."""
        log = self.memory.log
        start = self.log_length
        stop = start if self.kind == "thinking" else log.reply_stop(start)
        return str(log[stop - 1].content) if stop > start else ""

    def to_dict(self, first_compaction: int) -> dict[str, Any]:
        """The record as JSON; its compactions are the run's from number ``first_compaction`` on."""
        parts = self.parts
        stop = first_compaction + len(self.compactions)
        fields = RecordFields(
            turn=self.turn,
            call=self.call,
            kind=self.kind,
            memory=self.memory,
            pieces=parts.pieces,
            input=parts.input,
            tools=parts.tools,
            exchange=parts.exchange,
            tokens=self.tokens,
            reply_tokens=self.reply_tokens,
            compactions=range(first_compaction, stop),
            flags=self.flags,
            recalled=self.recalled,
            facts=self.facts,
            thoughts=self.thoughts,
        )
        return write(fields)

    @classmethod
    def from_dict(cls, value: object, over: Reading, *place: object) -> TurnRecord:
        """The record that :meth:`to_dict` described, which is stored at ``place``."""
        fields = vars(read(RecordFields, value, over, *place))
        made = fields.pop("compactions")
        parts = Parts(*[fields.pop(name) for name in Parts._fields])
        return cls(
            **fields,
            parts=parts,
            compactions=tuple(over.compactions[made.start : made.stop]),
            strategy=over.strategy,
        )


@dataclass
class RecordFields:
    """A request as it is stored. All of its fields are always there."""

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


def of_one_turn(requests: tuple[TurnRecord, ...]) -> TurnRecord:
    """The last of the records of one turn, which knows all of them."""
    return (
        requests[-1]
        if len(requests) == 1
        else replace(requests[-1], _requests=requests)
    )


def memory_at(
    space: MemorySpace, compactions: Sequence[Compaction], length: int
) -> Memory:
    """The memory when the log had ``length`` messages, read off the last compaction before."""
    number = bisect_left(compactions, length, key=lambda c: c.after_message)
    last = compactions[number - 1].after if number else Memory(space, 0)
    return last._replace(space=space, pins=()).appended(length)
