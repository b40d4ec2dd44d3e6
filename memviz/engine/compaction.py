"""One change of what is sent, as a value: why, of what, by whom, with what result and at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from memviz.core.conversation import Log
from memviz.core.memory import SUMMARY, Memory, MemorySpace, SummaryVersion
from memviz.core.messages import Message
from memviz.engine.assembly import assemble, count
from memviz.engine.calls import ReplyFacts, sum_if_known
from memviz.engine.drafts import Draft
from memviz.models.base import Usage
from memviz.strategies.base import Strategy, Write

CompactionKind = Literal[
    "summarized", "cleared", "shortened", "evicted", "skip", "edit", "undo"
]
DECISIONS = ("skip", "edit", "undo")
"""The kinds that are the user's."""
REDUCING = ("cleared", "shortened")
"""The kinds by which messages are sent with less in them from then on."""


class LibraryCall(NamedTuple):
    """What a real library sent to its summarizer, and the answer that it got."""

    request: tuple[Message, ...]
    answer: str

    def to_dict(self) -> dict[str, Any]:
        """The call as JSON."""
        return {
            "request": [message.to_dict() for message in self.request],
            "answer": self.answer,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> LibraryCall:
        """The call that :meth:`to_dict` described."""
        return cls(
            tuple(Message.of(message) for message in value["request"]), value["answer"]
        )


@dataclass(frozen=True)
class Compaction:
    """One change of what is sent: done, failed, or decided by the user.

    ``after_message`` is the log position (0-based) after which it came, ``turn`` the turn of that message;
    pages name it by :attr:`request_turn`, the first request that it changed. ``summarized`` are the log
    positions put into the new summary, ``before`` and ``after`` the memory without and with it.

    - ``kind`` *summarized*: a summarization was due. On failure ``error`` says why, ``summary`` is ``None`` and
      nothing changed; ``policy`` is what the strategy's rule says of failures. ``is_fixed``: the text is the
      strategy's own, and no summarizer was asked. ``by_thinking``: the chat model gave the
      summary when it stopped thinking, so no summarizer was asked, and its tokens are counted with the
      thinking. ``instruction`` is what the summarizer was told in place of the strategy's own instruction,
      ``proposed`` what it had written where the user changed that before it was used.
    - *cleared*, *shortened*: messages are sent in a reduced form from here on; no summarizer was asked.
    - *evicted*: messages are sent no more and nothing stands for them, for that is the strategy's rule, or there was no
      summarizer, or it failed.
    - *skip*: it was due, the user saw it and left it; nothing changed.
    - *edit*: the user rewrote version ``revises``, which is ``proposed``; no summarizer was asked.
    - *undo*: the user took back the summarization that gave version ``revises``; its messages are sent
      word for word again.

    ``answer`` is what the summarizer wrote, where the strategy read another text out of it.

    ``discarded`` are drafts that were not used; of one that failed no tokens and no cost are known. ``cost``
    (US dollars, ``None`` where unknown), ``seconds`` and ``sent_tokens`` are those of the call that was used; where it
    was ``recorded``, a recording played it: cost and seconds are those of then, ``None`` where they were not recorded.
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
    seconds: float | None = 0.0
    cost: float | None = None
    usage: Usage | None = None
    model: str = ""
    by_thinking: bool = False
    kind: CompactionKind = "summarized"
    instruction: str | None = None
    proposed: str | None = None
    revises: int | None = None
    discarded: tuple[Draft, ...] = ()
    sent_tokens: int = 0
    track: str = SUMMARY
    policy: str = "leave"
    is_fixed: bool = False
    asked_by_library: LibraryCall | None = None
    answer: str | None = None
    recorded: bool = False

    @property
    def request_turn(self) -> int | None:
        """The turn of the first request that it changed: the one that has not been asked yet after ``after_message``;
        ``None`` as long as no such turn was begun. In a chat that was given other settings ask
        :meth:`memviz.Run.request_turn`, which knows under which one each request was made."""
        return self.request_turn_in(self.before.log)

    def request_turn_in(self, log: Log) -> int | None:
        """The same in a log that has grown since."""
        request = log.request_from(self.after_message + 1)
        return None if request is None else request.turn

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

    @property
    def is_summarization(self) -> bool:
        """Whether a summary was written because the strategy called for one."""
        return self.kind == "summarized" and self.written is not None

    @property
    def is_decision(self) -> bool:
        """Whether it is something that the user decided."""
        return self.kind in DECISIONS

    @property
    def is_edited(self) -> bool:
        """Whether the new summary is the user's wording."""
        return self.kind == "edit" or self.proposed is not None

    @property
    def puts_off(self) -> bool:
        """Whether nothing more is summarized in this turn: it failed, or the user does not want it."""
        return self.error is not None or self.kind in ("skip", "undo")

    @property
    def changes_memory(self) -> bool:
        """Whether anything is summarized, dropped or sent again because of it."""
        return self.after.state != self.before.state

    @property
    def dropped(self) -> bool:
        """Whether messages went and nothing stands for them."""
        return self.kind == "evicted"

    @cached_property
    def tokens_before(self) -> int:
        """Content tokens that the strategy would have sent without this change."""
        return content_tokens(self.strategy, self.before)

    @cached_property
    def tokens_after(self) -> int:
        """Content tokens that the strategy would have sent with it."""
        return content_tokens(self.strategy, self.after)

    @cached_property
    def request(self) -> tuple[Message, ...]:
        """The messages sent to the summarizer; none where the summary is not its work."""
        if not self._used_a_call:
            return ()
        if self.asked_by_library is not None:
            return self.asked_by_library.request
        replaced = (
            self.before.space.summaries.versions[self.replaces - 1]
            if self.replaces
            else None
        )
        effect = Write(
            self.summarized, self.keep_from, self.reason, replaced, self.track
        )
        return self.strategy.requests_of(self.before, effect, self.instruction)

    @property
    def answered(self) -> str | None:
        """What the summarizer wrote, before a strategy, a library or the user made something else of it."""
        if self.asked_by_library is not None:
            return self.asked_by_library.answer
        if self.answer is not None:
            return self.answer
        return self.summary if self.proposed is None else self.proposed

    @property
    def answers(self) -> tuple[str, ...]:
        """What a real library was answered, call by call; nothing where it asked for nothing."""
        if self.asked_by_library is None:
            return ()
        return (
            *(draft.text for draft in self.discarded if draft.error is None),
            self.asked_by_library.answer,
        )

    @property
    def prompt(self) -> str:
        """The text of what was sent to the summarizer."""
        return "\n\n".join(message.content for message in self.request)

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the summarizer's requests, discarded drafts included: as billed where the provider
        said, else counted."""
        return self.sent_tokens + _prompt_tokens(self.discarded)

    @cached_property
    def output_tokens(self) -> int:
        """Tokens that the summarizer wrote, discarded drafts included: as billed where the provider said,
        else counted."""
        written = 0
        if self._used_a_call:
            written = self._output_tokens(self.usage, self.answered)
        return written + sum(
            self._output_tokens(draft.usage, draft.answer or draft.text)
            for draft in self.discarded
        )

    def _output_tokens(self, usage: Usage | None, text: str | None) -> int:
        if usage is not None:
            return usage.output_tokens
        if text and text == self.summary:
            return self.summary_tokens  # counted already
        return self.before.sums.counter(text) if text else 0

    @property
    def _used_a_call(self) -> bool:
        return self.kind == "summarized" and not self.by_thinking and not self.is_fixed

    @property
    def calls(self) -> int:
        """How often a summarizer was called."""
        return self._used_a_call + len(self.discarded)

    @property
    def failed_calls(self) -> int:
        """How many of these calls failed."""
        return (self.error is not None) + sum(
            draft.error is not None for draft in self.discarded
        )

    @property
    def asked(self) -> bool:
        """Whether a summarizer was called at all."""
        return self.calls > 0

    @property
    def total_cost_usd(self) -> float | None:
        """US dollars of all its summarizer calls, ``None`` if any is unknown."""
        costs = [self.cost] if self._used_a_call else []
        costs += [draft.cost for draft in self.discarded if draft.error is None]
        return sum_if_known(costs)

    @property
    def facts(self) -> ReplyFacts:
        """What is known of the summarizer's call that was used."""
        return ReplyFacts(
            self.model, self.usage, self.cost, self.seconds, self.recorded
        )

    def to_dict(self) -> dict[str, Any]:
        """The compaction as JSON, without what the log and the summaries hold."""
        plain = (
            "turn",
            "after_message",
            "reason",
            "keep_from",
            "replaces",
            "error",
            "seconds",
            "cost",
            "model",
            "by_thinking",
            "kind",
            "instruction",
            "proposed",
            "revises",
        )
        return {
            **{name: getattr(self, name) for name in plain},
            **{name: getattr(self, name) for name in COUNTED},
            "prompt_tokens": self.prompt_tokens,
            "summarized": [self.summarized.start, self.summarized.stop],
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "version": self.version,
            "usage": asdict(self.usage) if self.usage else None,
            "discarded": [draft.to_dict() for draft in self.discarded],
            **({"track": self.track} if self.track != SUMMARY else {}),
            **({"is_fixed": True} if self.is_fixed else {}),
            **({"policy": self.policy} if self.policy != "leave" else {}),
            **({} if self.answer is None else {"answer": self.answer}),
            **({"recorded": True} if self.recorded else {}),
            **(
                {"asked_by_library": self.asked_by_library.to_dict()}
                if self.asked_by_library
                else {}
            ),
        }

    @classmethod
    def from_dict(
        cls, value: Mapping[str, Any], strategy: Strategy, space: MemorySpace
    ) -> Compaction:
        """The compaction that :meth:`to_dict` described, over the log and summaries of ``space``."""
        apart = (
            "summarized",
            "usage",
            "before",
            "after",
            "version",
            "discarded",
            "prompt_tokens",
            "asked_by_library",
            *COUNTED,
        )
        call = value.get("asked_by_library")
        discarded = tuple(Draft.from_dict(draft) for draft in value["discarded"])
        written = (
            space.summaries.versions[value["version"] - 1] if value["version"] else None
        )
        compaction = cls(
            **{key: item for key, item in value.items() if key not in apart},
            strategy=strategy,
            summarized=range(*value["summarized"]),
            before=Memory.from_json(space, value["before"]),
            after=Memory.from_json(space, value["after"]),
            asked_by_library=LibraryCall.from_dict(call) if call else None,
            usage=Usage(**value["usage"]) if value["usage"] else None,
            written=written,
            discarded=discarded,
            sent_tokens=value["prompt_tokens"] - _prompt_tokens(discarded),
        )
        # What was counted is not counted again.
        compaction.__dict__.update({name: value[name] for name in COUNTED})
        return compaction


COUNTED = ("tokens_before", "tokens_after", "output_tokens")
"""What a compaction counts when it is first asked for."""


def _prompt_tokens(drafts: tuple[Draft, ...]) -> int:
    return sum(draft.prompt_tokens for draft in drafts if draft.error is None)


def content_tokens(strategy: Strategy, memory: Memory) -> int:
    """Content tokens that ``strategy`` would send for ``memory``, the system prompt included."""
    tokens = count(memory, assemble(memory, strategy.select(memory)))
    return sum(tokens.values()) - tokens["overhead"]
