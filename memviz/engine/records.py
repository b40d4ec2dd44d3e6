"""What happened at each request, as values.

Records keep ranges over the log, not copies; messages are built when somebody asks for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memviz.context import Context
from memviz.engine.assembly import Parts, build_context
from memviz.engine.calls import ModelCall, ReplyFacts, thoughts, total_cost_usd
from memviz.engine.compaction import Compaction
from memviz.engine.recall import Recalled
from memviz.engine.settings_before import EarlierSetting, segments
from memviz.memory import Memory, MemorySpace, SummaryVersion
from memviz.strategies.base import Strategy

PARTIAL_REPLY = "partial_reply"


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One request and the reply to it.

    ``tokens`` holds the content tokens of each part (``system``, ``summary``, ``recalled``,
    ``history``, ``input``, and ``tools`` for tools and their calls where there are any) and the format's
    ``overhead``. ``compactions`` are those that it is the first request to be changed by. ``facts`` is ``None`` for a
    reply that was in the transcript. ``calls`` are those that the model needed before it answered.
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
    calls: tuple[ModelCall, ...] = ()

    @property
    def total_tokens(self) -> int:
        """All tokens sent with the request."""
        return sum(self.tokens.values())

    @property
    def sent_tokens(self) -> int:
        """All tokens sent in this turn: with the request, and with the calls before it."""
        return self.total_tokens + sum(call.sent_tokens for call in self.calls)

    @property
    def thinking(self) -> tuple[ModelCall, ...]:
        """The rounds of reflective thinking."""
        return tuple(call for call in self.calls if call.kind == "thinking")

    @property
    def thinking_tokens(self) -> int:
        """Tokens that the model wrote while it was thinking."""
        return sum(call.reply_tokens for call in self.thinking)

    @property
    def thinking_cost_usd(self) -> float | None:
        """US dollars of all rounds of thinking, ``None`` where unknown."""
        return total_cost_usd(self.thinking)

    @property
    def context(self) -> Context:
        """The exact request, built from the log."""
        return build_context(self.memory, self.parts, self.tokens, thoughts(self.calls))

    @property
    def summary(self) -> SummaryVersion | None:
        """The newest summary that was sent."""
        sent = self.parts.summaries
        return self.memory.space.summaries.versions[sent.stop - 1] if sent else None

    @property
    def reply(self) -> str:
        """Text of the last assistant message of the turn; empty when there was none."""
        turn = self.memory.log.turn(self.turn)
        answers = (self.memory.log[p].content for p in range(turn.stop - 1, turn.asked - 1, -1)
                   if self.memory.log[p].role == "assistant")  # fmt: skip
        return next(answers, "")

    def to_dict(self, first_compaction: int) -> dict[str, Any]:
        """The record as JSON; its compactions are the run's from number ``first_compaction`` on."""
        parts = self.parts
        return {
            "turn": self.turn,
            "memory": [self.memory.length, self.memory.summary_count, self.memory.cursor],
            "summaries": [parts.summaries.start, parts.summaries.stop],
            "history": [[part.start, part.stop] for part in parts.history],
            "recalled_positions": list(parts.recalled),
            "input": [parts.input.start, parts.input.stop],
            "tools": list(parts.tools),
            "exchange": [parts.exchange.start, parts.exchange.stop],
            "tokens": dict(self.tokens),
            "reply_tokens": self.reply_tokens,
            "compactions": [first_compaction, first_compaction + len(self.compactions)],
            "flags": list(self.flags),
            "recalled": self.recalled.to_dict() if self.recalled is not None else None,
            "facts": self.facts.to_dict() if self.facts else None,
            "calls": [call.to_dict() for call in self.calls],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], space: MemorySpace, compactions: tuple[Compaction, ...]) -> TurnRecord:
        """The record that :meth:`to_dict` described, over ``space`` and all compactions of the run."""
        recalled, facts = value["recalled"], value["facts"]
        return cls(
            turn=value["turn"],
            memory=Memory(space, *value["memory"]),
            parts=Parts(
                summaries=range(*value["summaries"]),
                history=tuple(range(*part) for part in value["history"]),
                recalled=tuple(value["recalled_positions"]),
                input=_input(value["input"]),
                tools=tuple(value.get("tools", ())),  # records kept by earlier versions have none of these
                exchange=range(*value.get("exchange", (0, 0))),
            ),
            tokens=dict(value["tokens"]),
            reply_tokens=value["reply_tokens"],
            compactions=compactions[slice(*value["compactions"])],
            flags=tuple(value["flags"]),
            recalled=Recalled.from_dict(recalled, space.log) if recalled else None,
            facts=ReplyFacts.from_dict(facts) if facts else None,
            calls=tuple(ModelCall.from_dict(call) for call in value.get("calls", ())),
        )


def _input(value: int | Sequence[int] | None) -> range:
    """The input; records kept by earlier versions have the position of one message, or none."""
    if isinstance(value, Sequence):
        return range(*value)
    return range(0) if value is None else range(value, value + 1)


def memory_at(space: MemorySpace, compactions: Sequence[Compaction], length: int) -> Memory:
    """The memory when the log had ``length`` messages, read off the last compaction before."""
    number = bisect_left(compactions, length, key=lambda c: c.after_message)
    last = compactions[number - 1].after if number else Memory(space, 0)
    return Memory(space, last.length, last.summary_count, last.cursor).appended(length)


def with_their_compactions(
    turns: Sequence[TurnRecord],
    compactions: Sequence[Compaction],
    strategy: Strategy,
    counter: str,
    earlier: Sequence[EarlierSetting],
) -> tuple[list[TurnRecord], list[Compaction]]:
    """The records, each with the compactions that changed its request first, and those of the setting in force that
    changed none yet.

    What a setting summarized after its last turn changed no request of the setting that followed: it waits until the
    chat is given its own setting again.
    """
    if not earlier:
        return [*turns], [*compactions[sum(len(record.compactions) for record in turns) :]]
    found: list[TurnRecord] = []
    waiting: list[Compaction] = []
    left: list[tuple[EarlierSetting, list[Compaction]]] = []
    for setting, made in segments(strategy, counter, compactions, earlier):
        before = [one for one in left if one[0].is_setting(setting.strategy, setting.counter)]
        left = [one for one in left if one not in before]
        waiting = [*(compaction for _, those in before for compaction in those), *made]
        while len(found) < len(turns) and turns[len(found)].turn <= setting.last_turn:
            record = turns[len(found)]
            mine = [compaction for compaction in waiting if compaction.after_message < record.memory.length]
            waiting = waiting[len(mine) :]
            found.append(replace(record, compactions=tuple(mine)))
        left.append((setting, waiting))
    return found, waiting
