"""The state of a conversation under a strategy, and the one way in which its memory is replaced.

Memory changes only by replacing one immutable value with the next: a summarizer that fails leaves the value, and with
it everything remembered, as it was. What moves things on stands in files of its own, over this state: what a strategy
plans (``engine/effects.py``), a library at work (``engine/library.py``), and the way of a log (``engine/session.py``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memviz.core.context import Context
from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.errors import RecallError
from memviz.core.memory import Memory, MemorySpace
from memviz.core.messages import Message
from memviz.core.summaries import SummaryLog, SummaryVersion
from memviz.core.tool_schemas import schema_tokens
from memviz.engine.assembly import assemble, build_context, count
from memviz.engine.backoff import NOTHING_WAITS, Backoff
from memviz.engine.compaction import Compaction, prompt_tokens_of
from memviz.engine.drafts import Draft
from memviz.engine.parts import Parts
from memviz.engine.recall import Recall, Recalled, resolve
from memviz.engine.requests import Requests, flags_of
from memviz.engine.timeline import EarlierSetting, Timeline
from memviz.engine.tool_pairs import in_pairs
from memviz.models.base import Model, Reply
from memviz.strategies import as_strategy
from memviz.strategies.base import Effect, Strategy, Trigger, Write, policy_name


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
    """A summarization that is due and waits for a decision, with the drafts written for it so far. ``rest`` is what
    was planned to be done after it."""

    plan: Write
    drafts: tuple[Draft, ...] = ()
    rest: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting that a conversation is held under: a strategy, and all that it works with."""

    strategy: Strategy
    counter: Counter
    summarizer: Model | None = None
    """Without one there is nobody to ask for summaries."""
    system_prompt: str | None = None
    repair_tool_pairs: bool = False
    """Leave out of requests a tool's call without its result, and a result without its call."""
    edits: Mapping[int, str] = field(default_factory=dict)
    """Texts that take the place of the summary versions of these numbers as they are written."""
    tools: tuple[str, ...] = ()
    """The schemas of tools, each as JSON text, that go with every request."""


def new_space(log: Log, setting: Setting, tool_tokens: int = 0) -> MemorySpace:
    """An empty memory's surroundings: the log, its token sums, and no summaries yet."""
    counter = setting.counter
    system_prompt = setting.system_prompt
    return MemorySpace(
        log=log,
        sums=log.token_sums(counter),
        summaries=SummaryLog(counter, setting.strategy.summary_wording),
        system_prompt=Message("system", system_prompt) if system_prompt else None,
        prompt_tokens=counter(system_prompt) if system_prompt else 0,
        tool_tokens=tool_tokens,
    )


class State:
    """One strategy at work over one log."""

    def __init__(self, log: Log, setting: Setting) -> None:
        self.log = log
        self.setting = setting
        self.strategy = as_strategy(setting.strategy)
        self.counter = setting.counter
        has_system_prompt = bool(setting.system_prompt) or log.system_stop > 0
        tool_tokens = schema_tokens(self.counter, setting.tools, has_system_prompt)
        self.space = new_space(log, setting, tool_tokens)
        self.memory = Memory(self.space, 0)
        self.compactions: list[Compaction] = []
        self.requests = Requests()
        self.earlier_settings: tuple[EarlierSetting, ...] = ()
        self.review = False
        """While it is on, a summarization that is due is not made but ``pending``, and nothing more of the log is taken
        in, until somebody has decided on it (``engine/review.py``)."""
        self.pending: PendingSummarization | None = None
        self.thinking_summary: Reply | None = None
        self.pins: tuple[int, ...] = ()
        self.unsent: list[Compaction] = []
        """Compactions that no request on record was changed by yet."""
        self.backoff = Backoff()
        self.tries_at_once = False

    @property
    def summarizer(self) -> Model | None:
        """The model that writes the summaries, if there is one."""
        return self.setting.summarizer

    @property
    def timeline(self) -> Timeline:
        """The setting in force and those before."""
        return Timeline(self.strategy, self.counter.name, self.earlier_settings)

    @property
    def own_compactions(self) -> list[Compaction]:
        """Those made under the setting in force, in order: what its memory is read off."""
        return self.timeline.own(self.compactions)

    @property
    def first_turn(self) -> int:
        """The first turn in which the summarizer may be asked: later after failures, or where the user declined."""
        if self.backoff == NOTHING_WAITS:
            return 0  # nearly always, and asked for at every message
        if self.tries_at_once or self.summarizer is None:
            return self.backoff.first_turn_after_decline
        return self.backoff.first_turn(self.summarizer.name)

    def begin_asking(self) -> bool:
        """Return whether the summarizer may be asked in the turn of the last message: no failure is waited after. What
        was to be tried at once is tried by that."""
        if self.memory.turn < self.first_turn:
            return False
        self.tries_at_once = False
        return True

    @property
    def has_writer(self) -> bool:
        """True if a plan that is due can be carried out: somebody writes it, or it is dropped."""
        return self.summarizer is not None or self.strategy.drops_without_summarizer

    def request(
        self, recalls: Sequence[Recall] = (), bounds: Sequence[int] | None = None
    ) -> Prepared:
        """The request for the memory as it stands. Asks nobody. Each recall finds what was said before the turn that is
        open, or among the first messages up to its entry in ``bounds``."""
        memory = self.memory
        recalled = None
        if self.pins:
            pins = tuple(pin for pin in self.pins if pin < memory.length)
            memory = memory._replace(pins=pins)
        if recalls:
            among = memory.before_open_turn if bounds is None else bounds
            recalled = self.resolve(recalls, among)
        asked_for = recalled.indices if recalled else ()
        parts = assemble(memory, self.strategy.select(memory), asked_for)
        # A window may cut between a tool's call and its result. Providers refuse such a request, so it is flagged, or
        # with repair_tool_pairs sent without the half. Most logs have no tools at all, and skip the search.
        links = self.log.tools
        if self.setting.repair_tool_pairs and (links.callers or links.results):
            parts = in_pairs(self.log, parts, asked_for)
        tokens = count(memory, parts)
        flags = flags_of(self.strategy, tokens, memory, parts)
        return Prepared(memory, parts, tokens, flags, recalled)

    def resolve(
        self, recalls: Sequence[Recall], length: int | Sequence[int]
    ) -> Recalled:
        """The messages that ``recalls`` bring back from the first ``length`` messages, within the strategy's bound;
        with a list of lengths each from its own."""
        if recalls and not self.strategy.allows_recall:
            remedy = ""
            if self.strategy.has_parameter("enable_recall"):
                remedy = ": turn enable_recall on"
            raise RecallError(f"{self.strategy.title} has recall switched off{remedy}.")
        return resolve(self.log, length, recalls, self.strategy.recall_limit_messages)

    def record_unchanged(self, plan: Write, draft: Draft, **facts: Any) -> None:
        """Record that nothing was summarized."""
        self.replace_memory(plan, self.memory, draft, **facts)

    def apply(
        self, plan: Write, draft: Draft, *, wording: str | None = None, **facts: Any
    ) -> None:
        """The draft's text becomes the summary, or the user's ``wording`` in its place."""
        text = draft.text
        if wording is not None:
            facts["proposed"] = text
            text = wording
        turn = self.memory.turn
        if self.strategy.trigger is Trigger.TURN:
            # A turn's summary is that turn's, even when made up for later.
            turn = self.log.turn_number(plan.summarize.start)
        self.write(plan, draft, turn=turn, text=text, **facts)

    def write(
        self, plan: Write, draft: Draft, *, turn: int, text: str, **facts: Any
    ) -> None:
        """``text`` becomes the next version of the notes, as planned."""
        version = self.new_version(
            turn=turn,
            text=text,
            covers=plan.covers,
            added=plan.summarize,
            replaces=plan.replaces.version if plan.replaces else None,
            track=plan.track,
        )
        after = self.memory._replace(
            summary_count=version.version, cursor=plan.keep_from
        )
        self.replace_memory(plan, after, draft, written=version, **facts)

    def new_version(self, **what: Any) -> SummaryVersion:
        """Write the next version down."""
        version = SummaryVersion(
            version=len(self.space.summaries) + 1,
            counter=self.counter,
            follows=self.memory.summary_count,
            **what,
        )
        self.space.summaries.append(version)
        return version

    def replace_memory(
        self, plan: Effect, after: Memory, draft: Draft, **facts: Any
    ) -> None:
        """Replace the memory, and record why. ``facts`` are further fields of the :class:`Compaction`."""
        # Only here does a summarization take effect: whatever failed before left the memory as it was.
        before = self.memory
        self.memory = after
        model = draft.model
        discarded_tokens = prompt_tokens_of(facts.get("discarded", ()))
        if isinstance(plan, Write):
            facts["track"] = plan.track
            facts["policy"] = policy_name(plan.on_failure)
            facts["is_fixed"] = plan.text is not None
            if not model and plan.text is None and self.summarizer is not None:
                model = self.summarizer.name
        compaction = Compaction(
            strategy=self.strategy,
            turn=before.turn,
            after_message=before.length - 1,
            reason=plan.reason,
            summarized=plan.summarize,
            keep_from=plan.keep_from,
            before=before,
            after=after,
            replaces=plan.replaces.version if plan.replaces else None,
            error=draft.error,
            seconds=draft.seconds,
            cost=draft.cost,
            usage=draft.usage,
            model=model,
            by_thinking=draft.by_thinking,
            instruction=draft.instruction,
            prompt_tokens=draft.prompt_tokens + discarded_tokens,
            answer=draft.answer,
            recorded=draft.recorded,
            **facts,
        )
        self.compactions.append(compaction)
        self.unsent.append(compaction)
        self.backoff = self.backoff.after(compaction)
