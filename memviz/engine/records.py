"""What happened, as values: one record a request and one a summarization.

Records keep ranges over the log, not copies; messages are built when somebody asks for them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from memviz.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST, Context
from memviz.conversation import Message
from memviz.engine.assembly import Parts, assemble, build_context, count
from memviz.engine.calls import ModelCall, ReplyFacts, thoughts, total_cost_usd
from memviz.engine.recall import Recalled
from memviz.memory import Memory, MemorySpace, SummaryVersion
from memviz.models.base import Usage
from memviz.strategies.base import Strategy

PARTIAL_REPLY = "partial_reply"


@dataclass(frozen=True)
class Compaction:
    """One summarization, done or failed.

    ``after_message`` is the log position (0-based) after which it fired, ``summarized`` the log
    positions put into the new summary, ``before`` and ``after`` the memory without and with it.
    ``cost`` is in US dollars, ``None`` where unknown. On failure ``error`` says why, ``summary`` is
    ``None`` and nothing changed.
    ``summary`` is also ``None``, without an error, where there was no summarizer to ask and the
    strategy's reference then drops what does not fit. ``by_thinking``: the chat model gave the summary
    when it stopped thinking, so no summarizer was asked, and its tokens are counted with the thinking.
    """

    strategy: Strategy = field(repr=False)
    turn: int
    after_message: int
    reason: str
    summarized: range
    keep_from: int
    before: Memory = field(repr=False, compare=False)
    after: Memory = field(repr=False, compare=False)
    written: SummaryVersion | None = None
    replaces: int | None = None
    error: str | None = None
    seconds: float = 0.0
    cost: float | None = None
    usage: Usage | None = None
    model: str = ""
    by_thinking: bool = False

    @property
    def summary(self) -> str | None:
        """The text of the new summary."""
        return self.written.text if self.written else None

    @property
    def summary_tokens(self) -> int:
        """Tokens of the new summary's text."""
        return self.written.tokens if self.written else 0

    @property
    def version(self) -> int | None:
        """The number of the new summary."""
        return self.written.version if self.written else None

    @cached_property
    def tokens_before(self) -> int:
        """Content tokens that the strategy would have sent without this summarization."""
        return content_tokens(self.strategy, self.before)

    @cached_property
    def tokens_after(self) -> int:
        """Content tokens that the strategy would have sent with it."""
        return content_tokens(self.strategy, self.after)

    @cached_property
    def request(self) -> tuple[Message, ...]:
        """The messages sent to the summarizer; none where none was asked."""
        if self.by_thinking:
            return ()
        replaced = self.before.space.summaries.versions[self.replaces - 1] if self.replaces else None
        return self.strategy.summarizer_request(self.before.worth_summarizing(self.summarized), replaced)

    @property
    def prompt(self) -> str:
        """The text of what was sent to the summarizer."""
        return "\n\n".join(message.content for message in self.request)

    @cached_property
    def prompt_tokens(self) -> int:
        """Tokens of the summarizer's request: as billed where the provider said, else counted."""
        if self.usage is not None:
            return self.usage.input_tokens
        if not self.asked:
            return 0
        count = self.before.sums.counter
        return sum(count(message.content) + TOKENS_PER_MESSAGE for message in self.request) + TOKENS_PER_REQUEST

    @property
    def output_tokens(self) -> int:
        """Tokens that the summarizer wrote: as billed where the provider said, else counted."""
        if not self.asked:
            return 0
        return self.usage.output_tokens if self.usage is not None else self.summary_tokens

    @property
    def asked(self) -> bool:
        """Whether a summarizer was called at all."""
        return not self.by_thinking and (self.summary is not None or self.error is not None)

    def to_dict(self) -> dict[str, Any]:
        """The compaction as JSON, without what the log and the summaries hold."""
        return {
            "turn": self.turn,
            "after_message": self.after_message,
            "reason": self.reason,
            "summarized": [self.summarized.start, self.summarized.stop],
            "keep_from": self.keep_from,
            "before": list(self.before[1:]),
            "after": list(self.after[1:]),
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "version": self.version,
            "replaces": self.replaces,
            "error": self.error,
            "seconds": self.seconds,
            "cost": self.cost,
            "usage": asdict(self.usage) if self.usage else None,
            "model": self.model,
            "by_thinking": self.by_thinking,
            "prompt_tokens": self.prompt_tokens,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], strategy: Strategy, space: MemorySpace) -> Compaction:
        """The compaction that :meth:`to_dict` described, over the log and summaries of ``space``."""
        counted = ("tokens_before", "tokens_after", "prompt_tokens")
        apart = ("summarized", "usage", "before", "after", "version", *counted)
        written = space.summaries.versions[value["version"] - 1] if value["version"] else None
        compaction = cls(
            **{key: item for key, item in value.items() if key not in apart},
            strategy=strategy,
            summarized=range(*value["summarized"]),
            before=Memory(space, *value["before"]),
            after=Memory(space, *value["after"]),
            usage=Usage(**value["usage"]) if value["usage"] else None,
            written=written,
        )
        compaction.__dict__.update({name: value[name] for name in counted})  # what was counted is not counted again
        return compaction


def content_tokens(strategy: Strategy, memory: Memory) -> int:
    """Content tokens that ``strategy`` would send for ``memory``, the system prompt included."""
    tokens = count(memory, assemble(memory, strategy.select(memory)))
    return sum(tokens.values()) - tokens["overhead"]


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One request and the reply to it.

    ``tokens`` holds the content tokens of each part (``system``, ``summary``, ``recalled``,
    ``history``, ``input``, and ``tools`` for tools and their calls where there are any) and the format's
    ``overhead``. ``compactions`` are those since the request before. ``facts`` is ``None`` for a
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
            "input": parts.input,
            "tools": list(parts.tools),
            "exchange": [parts.exchange.start, parts.exchange.stop],
            "tokens": dict(self.tokens),
            "reply_tokens": self.reply_tokens,
            "compactions": [first_compaction, first_compaction + len(self.compactions)],
            "flags": list(self.flags),
            "recalled": self.recalled.to_dict() if self.recalled else None,
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
                input=value["input"],
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


def memory_at(space: MemorySpace, compactions: Sequence[Compaction], length: int) -> Memory:
    """The memory when the log had ``length`` messages, read off the compactions in order."""
    done = [c for c in compactions[: bisect_left(compactions, length, key=lambda c: c.after_message)] if not c.error]
    written = [c.version for c in done if c.version is not None]
    return Memory(space, length, written[-1] if written else 0, done[-1].keep_from if done else 0)
