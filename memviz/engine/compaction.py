"""One change of what is sent, as a value: why, of what, by whom, with what result and at what cost."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from memviz.core.conversation import Log
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.engine.assembly import assemble
from memviz.engine.calls import ReplyFacts
from memviz.engine.drafts import Draft
from memviz.engine.part_tokens import count_tokens_by_part
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
from memviz.models.base import Usage, sum_if_known
from memviz.strategies.base import Strategy, Write
from memviz.strategies.prompts import checking_request

CompactionKind = Literal[
    "summarized", "cleared", "shortened", "evicted", "skip", "edit", "undo"
]
Policy = Literal["leave", "drop", "raise", "instead"]
"""The name of a strategy's rule for a summarizer that fails."""
DECISIONS = ("skip", "edit", "undo")
"""The kinds that the user decides on."""
REDUCING = ("cleared", "shortened")
"""The kinds that leave something out of messages."""


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """The request that a real library sent to its summarizer, and the answer that it got."""

    request: tuple[StoredMessage, ...]
    answer: Text


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """One change of what is sent: done, failed, or decided by the user.

    Its ``kind`` is one of:

    - *summarized*: a summarization was due. If it failed, ``error`` says why, ``summary``
      is ``None`` and nothing changed.
    - *cleared*, *shortened*: messages are sent in a reduced form from here on.
    - *evicted*: messages are sent no more and nothing stands for them, because that is the
      strategy's rule, or there was no summarizer, or it failed.
    - *skip*: a summarization was due and the user declined it; nothing changed.
    - *edit*: the user rewrote version ``revises`` of the summary.
    - *undo*: the user took back the summarization that gave version ``revises``; its
      messages are sent word for word again.

    Only *summarized* may have asked a summarizer, unless ``is_fixed`` or ``by_thinking``.
    """

    strategy: NotStored[Strategy] = field(repr=False)
    turn: Turn
    """The turn of the message that it came after. Pages name it by :meth:`memviz.Run.request_turn`."""
    after_message: LastPosition
    """The log position (from 0) of the message that it came after."""
    reason: Text
    keep_from: Stop
    """The first log position that stays word for word."""
    replaces: Version | None = None
    """The version of the summary that the new one took in."""
    error: Text | None = None
    seconds: Amount | None = 0.0
    """Duration of the call that was used; if ``recorded``, then that of the recorded call,
    ``None`` where it was not recorded."""
    cost: Amount | None = None
    """US dollars of the call that was used, ``None`` where unknown; if ``recorded``, then
    those of the recorded call."""
    model: Text = ""
    by_thinking: bool = False
    """True if the chat model gave the summary when it stopped thinking: no summarizer was
    asked, and its tokens are counted with the thinking."""
    kind: CompactionKind = "summarized"
    instruction: Text | None = None
    """The user's instruction to the summarizer, in place of the strategy's own."""
    proposed: Text | None = None
    """The text that the user's wording took the place of."""
    revises: Version | None = None
    """The version of the summary that the user rewrote or took back."""
    prompt_tokens: Count = 0
    """Tokens of the summarizer's requests, discarded drafts included: as billed where the
    provider said, else counted."""
    summarized: Positions
    """The log positions that went into the new summary."""
    before: StoredMemory = field(repr=False, compare=False)
    """The memory without this change."""
    after: StoredMemory = field(repr=False, compare=False)
    """The memory with it."""
    written: Annotated[WrittenVersion, Field(alias="version")] = None
    """The new version of the summary."""
    usage: StoredUsage | None = None
    discarded: tuple[Draft, ...] = ()
    """Drafts that were not used. Of one that failed, tokens and cost are unknown."""
    track: Annotated[Text, left_out_where(SUMMARY)] = SUMMARY
    """The kind of notes that it is about."""
    is_fixed: Annotated[bool, left_out_where(False)] = False
    """True if the text is the strategy's own, and no summarizer was asked."""
    policy: Annotated[Policy, left_out_where("leave")] = "leave"
    """The strategy's rule for a summarizer that fails."""
    answer: Annotated[Text | None, left_out_where(None)] = None
    """The summarizer's text, where the strategy read another text out of it."""
    recorded: Annotated[bool, left_out_where(False)] = False
    """True if a recording played the call."""
    is_checked: Annotated[bool, left_out_where(False)] = False
    """True if its call was a second one, about what the last of the ``discarded`` drafts leaves out."""
    asked_by_library: Annotated[LibraryCall | None, left_out_where(None)] = None
    """The summarizer's call, where a real library made it."""

    def request_turn_in(self, log: Log) -> int | None:
        """Return the turn of the first request of ``log`` after ``after_message``; ``None`` as long as there is none.

        In a chat whose setting was changed use :meth:`memviz.Run.request_turn`, which knows the setting of each
        request.
        """
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
    def replaced_version(self) -> SummaryVersion | None:
        """The version of the summary that the new one took in."""
        versions = self.before.space.summaries.versions
        return versions[self.replaces - 1] if self.replaces else None

    @property
    def base(self) -> int | None:
        """The number of the version that the new one took the place of: the one that was
        edited, else the one that was taken in."""
        return self.replaces if self.revises is None else self.revises

    @property
    def is_summarization(self) -> bool:
        """True if a summary was written because the strategy called for one."""
        return self.kind == "summarized" and self.written is not None

    @property
    def is_opaque(self) -> bool:
        """True if the provider wrote the summary, and nobody else can read it."""
        return self.written is not None and self.written.is_opaque

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
        """True if nothing more is summarized in this turn: it failed, or the user declined."""
        return self.error is not None or self.kind in ("skip", "undo")

    @property
    def changes_memory(self) -> bool:
        """True if messages are summarized, dropped or sent again because of it."""
        return self.after.state != self.before.state

    @property
    def dropped(self) -> bool:
        """True if messages are sent no more and nothing stands for them."""
        return self.kind == "evicted"

    @cached_property
    def tokens_before(self) -> int:
        """Content tokens that the strategy would have sent without this change."""
        return content_tokens(self.strategy, self.before)

    @cached_property
    def tokens_after(self) -> int:
        """Content tokens that the strategy would have sent with this change."""
        return content_tokens(self.strategy, self.after)

    @cached_property
    def request(self) -> tuple[Message, ...]:
        """The messages sent to the summarizer; empty where none was asked."""
        if not self._used_a_call or self.is_opaque:
            return ()
        if self.asked_by_library is not None:
            return self.asked_by_library.request
        effect = Write(
            summarize=self.summarized,
            keep_from=self.keep_from,
            reason=self.reason,
            replaces=self.replaced_version,
            track=self.track,
        )
        request = self.strategy.requests_of(self.before, effect, self.instruction)
        if self.is_checked:
            # The call that was used asks what the draft before it leaves out.
            return checking_request(request, self.discarded[-1].text)
        return request

    @property
    def answered(self) -> str | None:
        """The summarizer's text, before a strategy, a library or the user changed it."""
        if self.asked_by_library is not None:
            return self.asked_by_library.answer
        if self.answer is not None:
            return self.answer
        if self.proposed is not None:
            return self.proposed
        return self.summary

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that a real library got, call by call."""
        if self.asked_by_library is None:
            return ()
        earlier = [draft.text for draft in self.discarded if draft.error is None]
        return (*earlier, self.asked_by_library.answer)

    @property
    def prompt(self) -> str:
        """The text of what was sent to the summarizer."""
        return "\n\n".join(message.content for message in self.request)

    @cached_property
    def output_tokens(self) -> int:
        """Tokens that the summarizer wrote, discarded drafts included: as billed where the
        provider said, else counted."""
        tokens = 0
        if self._used_a_call:
            tokens += self._count_output(self.usage, self.answered)
        for draft in self.discarded:
            tokens += self._count_output(draft.usage, draft.answer or draft.text)
        return tokens

    def _count_output(self, usage: Usage | None, text: str | None) -> int:
        """Return the tokens of one call's answer, of which ``text`` is what is known."""
        if usage is not None:
            return usage.output_tokens
        if not text:
            return 0
        # Counted already; of a block that nobody can read the size is all that is known.
        if text == self.summary:
            return self.summary_tokens
        return self.before.sums.counter(text)

    @property
    def _used_a_call(self) -> bool:
        """True unless the strategy, the user or a thinking model wrote what was used."""
        return self.kind == "summarized" and not self.by_thinking and not self.is_fixed

    @property
    def calls(self) -> int:
        """The number of calls of a summarizer."""
        discarded_calls = len(self.discarded)
        return discarded_calls + 1 if self._used_a_call else discarded_calls

    @property
    def failed_calls(self) -> int:
        """The number of calls of a summarizer that failed."""
        errors = [self.error, *(draft.error for draft in self.discarded)]
        return len(errors) - errors.count(None)

    @property
    def asked(self) -> bool:
        """True if a summarizer was called at all."""
        return self.calls > 0

    @property
    def total_cost_usd(self) -> float | None:
        """US dollars of all its summarizer calls, ``None`` if any is unknown."""
        costs = [draft.cost for draft in self.discarded if draft.error is None]
        if self._used_a_call:
            costs.append(self.cost)
        return sum_if_known(costs)

    @property
    def facts(self) -> ReplyFacts:
        """The facts of the summarizer's call that was used."""
        return ReplyFacts(
            model=self.model,
            usage=self.usage,
            cost_usd=self.cost,
            seconds=self.seconds,
            recorded=self.recorded,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the compaction as JSON, without what the log and the summaries hold."""
        counts = {name: getattr(self, name) for name in COUNTED}
        return {**_ORDER, **write(self), **counts}

    @classmethod
    def from_dict(cls, value: Any, over: Reading, *place: object) -> Compaction:
        """Return the compaction that :meth:`to_dict` described and that is stored at
        ``place``."""
        counts = read(_Counts, value, over, *place)
        fields = {**value, "strategy": over.strategy}
        compaction = read(cls, fields, over, *place)
        # Fills the cached properties, so that nothing is counted again.
        vars(compaction).update(vars(counts))
        return compaction


@dataclass
class _Counts:
    """The cached properties, which are counted when they are first asked for."""

    tokens_before: Count
    tokens_after: Count
    output_tokens: Count


COUNTED = [field.name for field in fields(_Counts)]
_STORED = [field.name for field in fields(Compaction)]
_STORED.remove("strategy")
_BEFORE_COUNTS = _STORED[: _STORED.index("prompt_tokens")]
_ORDER = dict.fromkeys([*_BEFORE_COUNTS, *COUNTED])
"""The first keys of the stored form, in order: the counted numbers stand before
``prompt_tokens``."""


def prompt_tokens_of(drafts: tuple[Draft, ...]) -> int:
    """Return the tokens that the summarizer was sent for ``drafts``, failed ones aside."""
    return sum(draft.prompt_tokens for draft in drafts if draft.error is None)


def content_tokens(strategy: Strategy, memory: Memory) -> int:
    """Return the content tokens that ``strategy`` would send for ``memory``, the system
    prompt included."""
    tokens = count_tokens_by_part(memory, assemble(memory, strategy.select(memory)))
    return sum(tokens.values()) - tokens["overhead"]
