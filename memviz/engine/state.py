"""The state of a conversation under a strategy; only here is its memory replaced.

A memory is an immutable value. It changes only when :meth:`State.replace_memory` puts
another value in its place, so a summarizer that fails costs nothing that is remembered.

Three modules drive this state: ``engine/effects.py`` carries out the plans of a
strategy, ``engine/library.py`` runs a real library, and ``engine/session.py`` takes in
the messages of a log.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from memviz.core.context import Context
from memviz.core.conversation import Log
from memviz.core.errors import RecallError
from memviz.core.memory import Memory
from memviz.core.summaries import SUMMARY, SummaryVersion
from memviz.core.tool_schemas import count_schema_tokens
from memviz.core.translation import _
from memviz.engine.assembly import assemble
from memviz.engine.backoff import NOTHING_WAITS, Backoff
from memviz.engine.blocks import build_context
from memviz.engine.compaction import (
    Compaction,
    CompactionKind,
    LibraryCall,
    Policy,
    prompt_tokens_of,
)
from memviz.engine.drafts import Draft
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.parts import Parts
from memviz.engine.recall import Recall, Recalled, resolve_recalls
from memviz.engine.records import find_flags
from memviz.engine.requests import Requests
from memviz.engine.setting import Setting, new_space
from memviz.engine.timeline import EarlierSetting, Timeline
from memviz.engine.tool_pairs import complete_tool_pairs
from memviz.models.base import Model, Reply
from memviz.strategies import as_strategy
from memviz.strategies.base import Effect, Move, Trigger, Write


class Prepared(NamedTuple):
    """A request that is ready to be sent."""

    memory: Memory
    parts: Parts
    tokens: dict[str, int]
    flags: tuple[str, ...]
    recalled: Recalled | None

    @property
    def context(self) -> Context:
        """The exact request."""
        return build_context(self.memory, self.parts, self.tokens)


class PendingSummarization(NamedTuple):
    """A summarization that is due and waits for the user's decision."""

    plan: Write
    drafts: tuple[Draft, ...] = ()
    """The drafts that were written for it so far, oldest first."""
    rest: tuple[Effect, ...] = ()
    """The effects that the strategy planned to follow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDetails:
    """The fields of a :class:`Compaction` that neither the plan nor the draft knows."""

    kind: CompactionKind = "summarized"
    discarded: tuple[Draft, ...] = ()
    """Drafts that the summarizer wrote and that were not used."""
    proposed: str | None = None
    """The text that the user's wording took the place of."""
    revises: int | None = None
    """The version of the summary that the user rewrote or took back."""
    asked_by_library: LibraryCall | None = None
    """The summarizer's call, where a real library made it."""


OF_DRAFT = (
    "instruction",
    "answer",
    "error",
    "seconds",
    "cost",
    "usage",
    "by_thinking",
    "recorded",
)
"""The fields of a :class:`Compaction` that are those of the draft that was used."""
OF_DETAILS = tuple(field.name for field in fields(ChangeDetails))
SUMMARIZED_PLAINLY = ChangeDetails()
"""A summarization by the strategy's rule, with nothing else to say about it."""


class State:
    """One strategy at work over one log: its memory now, and how that came about."""

    def __init__(self, log: Log, setting: Setting) -> None:
        self.log = log
        self.setting = setting
        self.strategy = as_strategy(setting.strategy)
        self.counter = setting.counter
        has_system_prompt = bool(setting.system_prompt) or log.system_stop > 0
        tool_tokens = count_schema_tokens(
            self.counter, setting.tools, has_system_prompt
        )
        self.space = new_space(log, setting, tool_tokens)
        self.memory = Memory(self.space, 0)
        self.compactions: list[Compaction] = []
        self.requests = Requests()
        self.earlier_settings: tuple[EarlierSetting, ...] = ()
        self.review = False
        """True if the user decides on every summarization (``engine/review.py``): one that
        is due becomes ``pending``, and until the decision no message is taken in."""
        self.pending: PendingSummarization | None = None
        self.thinking_summary: Reply | None = None
        """The chat model's own summary of the last turn, kept while an older one is
        pending."""
        self.pins: tuple[int, ...] = ()
        """Log positions of the messages that the user pinned."""
        self.unsent: list[Compaction] = []
        """Compactions since the last request on record."""
        self.backoff = Backoff()
        self.tries_at_once = False
        """True if the summarizer is asked at the next occasion, whatever the backoff says."""

    @property
    def summarizer(self) -> Model | None:
        """The model that writes the summaries, if there is one."""
        return self.setting.summarizer

    @property
    def timeline(self) -> Timeline:
        """The setting in force and the settings before it."""
        return Timeline(self.strategy, self.counter.name, self.earlier_settings)

    @property
    def own_compactions(self) -> list[Compaction]:
        """The compactions under the setting in force, in order."""
        return self.timeline.select_own(self.compactions)

    @property
    def first_turn(self) -> int:
        """The first turn in which the summarizer may be asked, 0 where nothing waits.

        It lies ahead after a failure, and after the user declined a summarization."""
        # Nearly always so, and looked up at every message.
        if self.backoff == NOTHING_WAITS:
            return 0
        if self.tries_at_once or self.summarizer is None:
            return self.backoff.first_turn_after_decline
        return self.backoff.first_turn(self.summarizer.name)

    @property
    def may_ask(self) -> bool:
        """True if the summarizer may be asked in the turn of the last message."""
        return self.memory.turn >= self.first_turn

    @property
    def has_writer(self) -> bool:
        """True if a due summarization can be carried out: there is a summarizer, or the
        strategy drops messages without one."""
        return self.summarizer is not None or self.strategy.drops_without_summarizer

    def request(
        self, recalls: Sequence[Recall] = (), bounds: Sequence[int] | None = None
    ) -> Prepared:
        """Return the request for the memory as it stands. Asks nobody.

        Recall number n finds messages among the first ``bounds[n]`` of the log; without
        ``bounds`` all recalls search everything before the open turn.
        """
        memory = self.memory
        recalled = None
        if self.pins:
            pins = tuple(pin for pin in self.pins if pin < memory.length)
            memory = memory._replace(pins=pins)
        if recalls:
            if bounds is None:
                bounds = [memory.before_open_turn] * len(recalls)
            recalled = self._resolve_each(recalls, bounds)
        asked_for = recalled.indices if recalled else ()
        parts = assemble(memory, self.strategy.select(memory), asked_for)
        # A window may cut between a tool's call and its result. Providers refuse such a
        # request, so it is flagged; with repair_tool_pairs the half that is left goes as
        # well. Most logs have no tools at all and skip the search.
        links = self.log.tools
        if self.setting.repair_tool_pairs and (links.callers or links.results):
            parts = complete_tool_pairs(self.log, parts, asked_for)
        tokens = count_tokens_by_part(memory, parts)
        flags = find_flags(self.strategy, tokens, memory, parts)
        return Prepared(memory, parts, tokens, flags, recalled)

    def resolve(self, recalls: Sequence[Recall], length: int) -> Recalled:
        """Return the messages that ``recalls`` find among the first ``length`` of the log,
        as many as the strategy allows."""
        return self._resolve_each(recalls, [length] * len(recalls))

    def _resolve_each(
        self, recalls: Sequence[Recall], bounds: Sequence[int]
    ) -> Recalled:
        if recalls and not self.strategy.allows_recall:
            title = _(self.strategy.title)
            off = _("{title} has recall switched off.", title=title)
            if self.strategy.has_parameter("enable_recall"):
                off = _(
                    "{title} has recall switched off: turn enable_recall on.",
                    title=title,
                )
            raise RecallError(off)
        return resolve_recalls(
            self.log, recalls, bounds, self.strategy.recall_limit_messages
        )

    def record_unchanged(
        self, plan: Write, draft: Draft, details: ChangeDetails = SUMMARIZED_PLAINLY
    ) -> None:
        """Record that ``plan`` was due and that nothing was summarized."""
        self.replace_memory(plan, self.memory, draft, details)

    def apply(
        self,
        plan: Write,
        draft: Draft,
        details: ChangeDetails = SUMMARIZED_PLAINLY,
        *,
        wording: str | None = None,
    ) -> None:
        """Make the draft's text the summary, or the user's ``wording`` in its place."""
        text = draft.text
        if wording is not None:
            details = replace(details, proposed=text)
            text = wording
        turn = self.memory.turn
        if self.strategy.trigger is Trigger.TURN:
            # The summary belongs to the turn that it is about, even if it is written later.
            turn = self.log.turn_number(plan.summarize.start)
        self.write(plan, draft, details, turn=turn, text=text)

    def write(
        self,
        plan: Write,
        draft: Draft,
        details: ChangeDetails = SUMMARIZED_PLAINLY,
        *,
        turn: int,
        text: str,
    ) -> None:
        """Make ``text`` the next version of the summary, as planned."""
        version = self.new_version(
            turn=turn,
            text=text,
            covers=plan.covers,
            added=plan.summarize,
            replaces=plan.replaces.version if plan.replaces else None,
            track=plan.track,
            opaque_tokens=plan.opaque_tokens,
        )
        after = self.memory._replace(
            summary_count=version.version, cursor=plan.keep_from
        )
        self.replace_memory(plan, after, draft, details, written=version)

    def new_version(
        self,
        *,
        turn: int,
        text: str,
        covers: range,
        added: range,
        replaces: int | None,
        track: str,
        opaque_tokens: int = 0,
    ) -> SummaryVersion:
        """Append the next version to the summaries and return it."""
        version = SummaryVersion(
            version=len(self.space.summaries) + 1,
            turn=turn,
            text=text,
            counter=self.counter,
            covers=covers,
            added=added,
            replaces=replaces,
            follows=self.memory.summary_count,
            track=track,
            opaque_tokens=opaque_tokens,
        )
        self.space.summaries.append(version)
        return version

    def replace_memory(
        self,
        plan: Effect,
        after: Memory,
        draft: Draft,
        details: ChangeDetails,
        *,
        written: SummaryVersion | None = None,
    ) -> None:
        """Make ``after`` the memory, and record why as a :class:`Compaction`.

        ``written`` is the summary version that came into being.
        """
        # Only here does a summarization take effect: whatever failed before left the
        # memory as it was.
        before = self.memory
        self.memory = after
        compaction = self._compaction(plan, before, draft, details, written)
        self.compactions.append(compaction)
        self.unsent.append(compaction)
        self.backoff = self.backoff.after(compaction)

    def _compaction(
        self,
        plan: Effect,
        before: Memory,
        draft: Draft,
        details: ChangeDetails,
        summary_version: SummaryVersion | None,
    ) -> Compaction:
        """Return the record of the change from ``before`` to the memory in force."""
        track = SUMMARY
        policy: Policy = "leave"
        is_checked = False
        if isinstance(plan, Write):
            track = plan.track
            asked_before = details.discarded and details.discarded[-1].error is None
            is_checked = plan.is_checked and bool(asked_before)
            failed = plan.on_failure
            policy = failed if isinstance(failed, str) else "instead"
        return Compaction(
            strategy=self.strategy,
            turn=before.turn,
            after_message=before.length - 1,
            reason=plan.reason,
            summarized=plan.summarize,
            keep_from=plan.keep_from,
            replaces=plan.replaces.version if plan.replaces else None,
            track=track,
            policy=policy,
            is_fixed=_has_fixed_text(plan),
            before=before,
            after=self.memory,
            written=summary_version,
            model=self._name_of_writer(plan, draft),
            prompt_tokens=draft.prompt_tokens + prompt_tokens_of(details.discarded),
            is_checked=is_checked,
            **{name: getattr(draft, name) for name in OF_DRAFT},
            **{name: getattr(details, name) for name in OF_DETAILS},
        )

    def _name_of_writer(self, plan: Effect, draft: Draft) -> str:
        """Return the name of the model that wrote the draft, or that would have been asked;
        empty for a fixed text and for an effect without a model."""
        if draft.model:
            return draft.model
        if isinstance(plan, Move) or not plan.asks_summarizer:
            return ""
        if self.summarizer is None:
            return ""
        return self.summarizer.name


def _has_fixed_text(plan: Effect) -> bool:
    return isinstance(plan, Write) and plan.text is not None
