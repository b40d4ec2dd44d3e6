"""One change of what is sent, as a value: why, of what, by whom, with what result and at what cost."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from memviz.core.conversation import Log
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.summaries import SUMMARY
from memviz.engine.assembly import assemble, count
from memviz.engine.calls import ReplyFacts, sum_if_known
from memviz.engine.drafts import Draft
from memviz.engine.stored import (
    Amount,
    Count,
    LastPosition,
    NotStored,
    Positions,
    Reading,
    Stop,
    StoredMemory,
    StoredMessage,
    StoredUsage,
    Text,
    Turn,
    Version,
    WrittenVersion,
    left_out_where,
    read,
    write,
)
from memviz.models.base import Usage
from memviz.strategies.base import Strategy, Write

CompactionKind = Literal[
    "summarized", "cleared", "shortened", "evicted", "skip", "edit", "undo"
]
Policy = Literal["leave", "drop", "raise", "instead"]
"""What is done where a summarizer fails, by its name."""
DECISIONS = ("skip", "edit", "undo")
"""The kinds that are the user's."""
REDUCING = ("cleared", "shortened")
"""The kinds by which messages are sent with less in them from then on."""


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """The request that a real library sent to its summarizer, and the answer that it got."""

    request: tuple[StoredMessage, ...]
    answer: Text


@dataclass(frozen=True, kw_only=True)
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
    (US dollars, ``None`` where unknown), ``seconds`` are those of the call that was used; where it
    was ``recorded``, a recording played it: cost and seconds are those of then, ``None`` where they were not recorded.
    """

    strategy: NotStored[Strategy] = field(repr=False)
    turn: Turn
    after_message: LastPosition
    reason: Text
    keep_from: Stop
    replaces: Version | None = None
    error: Text | None = None
    seconds: Amount | None = 0.0
    cost: Amount | None = None
    model: Text = ""
    by_thinking: bool = False
    kind: CompactionKind = "summarized"
    instruction: Text | None = None
    proposed: Text | None = None
    revises: Version | None = None
    prompt_tokens: Count = 0
    """Tokens of the summarizer's requests, discarded drafts included: as billed where the provider said, else
    counted."""
    summarized: Positions
    before: StoredMemory = field(repr=False, compare=False)
    after: StoredMemory = field(repr=False, compare=False)
    written: Annotated[WrittenVersion, Field(alias="version")] = None
    usage: StoredUsage | None = None
    discarded: tuple[Draft, ...] = ()
    track: Annotated[Text, left_out_where(SUMMARY)] = SUMMARY
    is_fixed: Annotated[bool, left_out_where(False)] = False
    policy: Annotated[Policy, left_out_where("leave")] = "leave"
    answer: Annotated[Text | None, left_out_where(None)] = None
    recorded: Annotated[bool, left_out_where(False)] = False
    asked_by_library: Annotated[LibraryCall | None, left_out_where(None)] = None

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
        """True if a summary was written because the strategy called for one."""
        return self.kind == "summarized" and self.written is not None

    @property
    def is_decision(self) -> bool:
        """True if the user decided it."""
        return self.kind in DECISIONS

    @property
    def is_edited(self) -> bool:
        """True if the new summary is the user's wording."""
        return self.kind == "edit" or self.proposed is not None

    @property
    def puts_off(self) -> bool:
        """True if nothing more is summarized in this turn: it failed, or the user does not want it."""
        return self.error is not None or self.kind in ("skip", "undo")

    @property
    def changes_memory(self) -> bool:
        """True if anything is summarized, dropped or sent again because of it."""
        return self.after.state != self.before.state

    @property
    def dropped(self) -> bool:
        """True if messages went and nothing stands for them."""
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
        """The text of the summarizer, before a strategy, a library or the user made something else of it."""
        if self.asked_by_library is not None:
            return self.asked_by_library.answer
        if self.answer is not None:
            return self.answer
        return self.summary if self.proposed is None else self.proposed

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that a real library got, call by call; nothing where it asked for nothing."""
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
        """The number of calls of a summarizer."""
        return self._used_a_call + len(self.discarded)

    @property
    def failed_calls(self) -> int:
        """The number of these calls that failed."""
        return (self.error is not None) + sum(
            draft.error is not None for draft in self.discarded
        )

    @property
    def asked(self) -> bool:
        """True if a summarizer was called at all."""
        return self.calls > 0

    @property
    def total_cost_usd(self) -> float | None:
        """US dollars of all its summarizer calls, ``None`` if any is unknown."""
        costs = [self.cost] if self._used_a_call else []
        costs += [draft.cost for draft in self.discarded if draft.error is None]
        return sum_if_known(costs)

    @property
    def facts(self) -> ReplyFacts:
        """The facts of the summarizer's call that was used."""
        return ReplyFacts(
            self.model, self.usage, self.cost, self.seconds, self.recorded
        )

    def to_dict(self) -> dict[str, Any]:
        """The compaction as JSON, without what the log and the summaries hold."""
        counted = {name: getattr(self, name) for name in COUNTED}
        return {**_ORDER, **write(self), **counted}

    @classmethod
    def from_dict(cls, value: Any, over: Reading, *place: object) -> Compaction:
        """The compaction that :meth:`to_dict` described, which is stored at ``place``."""
        counted = vars(read(_Counted, value, over, *place))
        fields = {**value, "strategy": over.strategy}
        compaction = read(cls, fields, over, *place)
        compaction.__dict__.update(counted)  # not counted again
        return compaction


@dataclass
class _Counted:
    tokens_before: Count
    tokens_after: Count
    output_tokens: Count


COUNTED = ("tokens_before", "tokens_after", "output_tokens")
"""What a compaction counts when it is first asked for."""
_NAMES = [field.name for field in fields(Compaction)]
_ORDER = dict.fromkeys((*_NAMES[1 : _NAMES.index("prompt_tokens")], *COUNTED))
"""What stands first in the stored form: the numbers that are counted stand among the fields."""


def prompt_tokens_of(drafts: tuple[Draft, ...]) -> int:
    return sum(draft.prompt_tokens for draft in drafts if draft.error is None)


def content_tokens(strategy: Strategy, memory: Memory) -> int:
    """Content tokens that ``strategy`` would send for ``memory``, the system prompt included."""
    tokens = count(memory, assemble(memory, strategy.select(memory)))
    return sum(tokens.values()) - tokens["overhead"]
