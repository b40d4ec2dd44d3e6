"""The engine: asks the strategy, calls the summarizer, applies what came back, records it.

This is the only place where memory changes, and it changes only by replacing one immutable value
with the next: a summarizer that fails leaves the value, and with it everything remembered, as it was.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

from memviz.core.context import Context
from memviz.core.conversation import Log, Message, Request
from memviz.core.counters import Counter
from memviz.core.errors import RecallError
from memviz.core.memory import SUMMARY, Memory, MemorySpace, SummaryLog, SummaryVersion
from memviz.core.tool_schemas import schema_tokens
from memviz.engine.assembly import Parts, assemble, build_context, count
from memviz.engine.backoff import NOTHING_WAITS, Backoff, backoff_after
from memviz.engine.calls import ReplyFacts
from memviz.engine.compaction import Compaction
from memviz.engine.drafts import Draft
from memviz.engine.effects import PendingSummarization, compact
from memviz.engine.library import LibraryAtWork, remember_requests
from memviz.engine.recall import Recall, Recalled, resolve
from memviz.engine.records import (
    PARTIAL_REPLY,
    RequestKind,
    TurnRecord,
    memory_at,
    of_one_turn,
    with_their_compactions,
)
from memviz.engine.requests import Requests, flags_of
from memviz.engine.run import Run
from memviz.engine.settings_before import (
    EarlierSetting,
    cut_off,
    made_under,
    renumbered,
)
from memviz.engine.tool_pairs import in_pairs
from memviz.models.base import Model, Reply
from memviz.strategies import as_strategy
from memviz.strategies.base import Effect, Move, Strategy, Trigger, Write, policy_name
from memviz.strategies.clauses import Headroom
from memviz.strategies.library import LibraryStrategy


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


def new_space(
    log: Log,
    strategy: Strategy,
    counter: Counter,
    system_prompt: str | None,
    tool_tokens: int = 0,
) -> MemorySpace:
    """An empty memory's surroundings: the log, its token sums, and no summaries yet."""
    return MemorySpace(
        log=log,
        sums=log.token_sums(counter),
        summaries=SummaryLog(counter, strategy.summary_wording),
        system_prompt=Message("system", system_prompt) if system_prompt else None,
        prompt_tokens=counter(system_prompt) if system_prompt else 0,
        tool_tokens=tool_tokens,
    )


class Session:
    """One strategy at work over one log. ``summarizer=None`` means there is none to ask.

    While ``review`` is on, a summarization that is due is not made but ``pending``, and nothing more of the log
    is taken in, until somebody has decided on it (``engine/review.py``). ``edits`` are texts that take the
    place of the summary versions of these numbers as they are written. ``tools`` are schemas, as JSON texts, that are
    sent with every request.
    """

    pending: PendingSummarization | None

    def __init__(
        self,
        log: Log,
        strategy: Strategy,
        summarizer: Model | None,
        counter: Counter,
        system_prompt: str | None = None,
        *,
        repair_tool_pairs: bool = False,
        edits: Mapping[int, str] | None = None,
        tools: Sequence[str] = (),
    ) -> None:
        self.log, self.strategy, self.summarizer, self.counter = (
            log,
            as_strategy(strategy),
            summarizer,
            counter,
        )
        self.system_prompt, self.repair_tool_pairs = system_prompt, repair_tool_pairs
        has_system_prompt = bool(system_prompt) or log.system_stop > 0
        tool_tokens = schema_tokens(counter, tuple(tools), has_system_prompt)
        self.space = new_space(log, strategy, counter, system_prompt, tool_tokens)
        self.memory = Memory(self.space, 0)
        self.compactions: list[Compaction] = []
        self.requests = Requests()
        self.earlier_settings: tuple[EarlierSetting, ...] = ()
        self.review, self.pending = False, None
        self.edits = dict(edits or {})
        self.thinking_summary: Reply | None = None
        self.pins: tuple[int, ...] = ()
        self._unsent: list[Compaction] = []
        self._library: LibraryAtWork | None = None
        self._backoff, self._at_once = Backoff(), False
        self._looked_before: int | None = None
        self._open: TurnRecord | None = None  # the request that was prepared last

    @classmethod
    def resume(
        cls, run: Run, summarizer: Model | None, *, repair_tool_pairs: bool = False
    ) -> Session:
        """Go on where ``run`` ended, with its summaries and records. Asks nobody."""
        session = cls(
            run.log,
            run.strategy,
            summarizer,
            run.counter,
            run.system_prompt,
            repair_tool_pairs=repair_tool_pairs,
        )
        session.space, session.earlier_settings = run.space, run.earlier_settings
        session.compactions, session.requests = (
            list(run.compactions),
            run.requests.snapshot(),
        )
        session.rewind(len(run.log))
        session._open = run.pending
        last = session.requests[-1] if session.requests else None
        if (
            last is not None
            and PARTIAL_REPLY in last.flags
            and last.turn == run.log.turn_count
        ):
            # A stopped reply is only taken in with what follows it: summarizing would have delayed the stop. A setting
            # that the chat was given since may have taken it in already.
            own, length = session.own_compactions, last.memory.length
            if not own or own[-1].after_message < length:
                session.memory = memory_at(session.space, own, length)
        return session

    @property
    def own_compactions(self) -> list[Compaction]:
        """Those made under the setting in force, in order: what its memory is read off."""
        return made_under(
            self.strategy, self.counter.name, self.compactions, self.earlier_settings
        )

    def recheck_last_turn(self) -> None:
        """Go back to before the last turn's question, if no request was made for it and nothing was summarized
        since: the next :meth:`advance` asks the strategy once more whether a summarization is due."""
        if not len(self.log) or self.log[-1].role != "user":
            return
        start = self.log.turn_start(self.log.turn_count)
        requested = (
            bool(self.requests) and self.requests[-1].turn == self.log.turn_count
        )
        if not requested and all(
            compaction.after_message < start for compaction in self.compactions
        ):
            self.memory = memory_at(self.space, self.own_compactions, start)

    def try_at_once(self) -> None:
        """Let a summarization that failed not wait for its turn: somebody asks for it, or made it possible."""
        self._at_once = self._backoff.failures > 0
        if self._at_once:
            self._looked_before = None

    def run(self) -> Run:
        """Everything so far."""
        done = self.requests.snapshot(), tuple(self.compactions)
        return Run(
            self.strategy,
            self.space,
            *done,
            earlier_settings=self.earlier_settings,
            pending=self._open_request,
        )

    @property
    def _open_request(self) -> TurnRecord | None:
        """The request that the end of the log calls for and that nobody has answered yet, as it was prepared last."""
        if self.log.pending is None or self.memory.length < len(self.log):
            return None
        if self._open is None or self._open.memory.length < len(self.log):
            self._open = self._record_of(self.request())
        return self._open

    def advance(self, length: int) -> None:
        """Take in the log's messages up to ``length``, one after the other, as they were appended."""
        # A live chat appends to the log, so its newest messages may not be counted yet.
        if len(self.space.sums.totals) <= length:
            self.log.token_sums(self.counter)
        if self.pending is not None:
            return
        if self.strategy.trigger is not Trigger.MESSAGE:
            self.memory = self.memory.appended(length)
            return
        # A strategy that looks after each message would have to be asked for a plan at every one of thousands of
        # messages. Its headroom says how far the next summarization is, so the messages up to there are taken in at
        # once, and it is asked at the first one where a plan may be due.
        while self.memory.length < length and self.pending is None:
            due = self.due_at
            self.memory = self.memory.appended(min(due, length))
            while due <= self.memory.length and compact(self):
                pass  # what is left after a compaction may still be too much

    @property
    def due_at(self) -> int:
        """The length of the log at which something may next be summarized: not before it."""
        return max(self._due_by_strategy, self._waits_until)

    @property
    def _first_turn(self) -> int:
        """The first turn in which the summarizer may be asked: later after failures, or where the user declined."""
        if self._backoff == NOTHING_WAITS:
            return 0  # nearly always, and asked for at every message
        if self._at_once or self.summarizer is None:
            return self._backoff.first_turn_after_decline
        return self._backoff.first_turn(self.summarizer.name)

    @property
    def may_ask_now(self) -> bool:
        """Whether nothing keeps the summarizer from being asked in the turn of the last message: no failure that is
        waited after."""
        if self.memory.turn < self._first_turn:
            return False
        self._at_once = False
        return True

    @property
    def may_summarize(self) -> bool:
        """Whether what is due with the next message is summarized, or dropped: not while a failure waits."""
        next_turn = self.log.turn_count + (
            len(self.log) > 0 and self.log.begins_turn_next
        )
        return self._first_turn <= next_turn and (
            self.summarizer is not None or self.strategy.drops_without_summarizer
        )

    def headroom(self, *, last_turn_is_complete: bool) -> Headroom | None:
        """How far the next compaction is, also of messages that were said and not taken in yet, with a summarizer that
        is left alone after a failure, or where the user declined; ``None`` where none will come."""
        asks = self.strategy.writes_notes
        if (
            asks
            and self.summarizer is None
            and not self.strategy.drops_without_summarizer
        ):
            return None
        self.log.token_sums(self.counter)
        left = self.strategy.headroom(self.memory.appended(len(self.log)))
        if left is None or not asks:
            return left
        if self.pending is not None:
            return left._replace(amount=0)
        if self.strategy.trigger is Trigger.TURN:
            next_turn = max(1, self.log.turn_count + last_turn_is_complete)
            return left._replace(
                amount=left.amount + max(0, self._first_turn - next_turn)
            )
        is_due = left.amount <= (1 if left.unit == "messages" else 0)
        return self._after_waiting(left, is_due)

    def _after_waiting(self, left: Headroom, is_due: bool) -> Headroom | None:
        """``left``, or the turns that have to begin first; ``None`` where both have to come about, which no single
        number says: the user declined in this turn, or edited a summary after a failure, and there is room again."""
        wait_turns = self._first_turn - self.log.turn_count
        begins_turn = self.log.begins_turn_next
        if wait_turns <= 0 or (wait_turns == 1 and begins_turn and not is_due):
            return left  # what the user says next begins the turn that is waited for
        return Headroom(wait_turns, "turns") if is_due else None

    @property
    def _waits_until(self) -> int:
        """The length of the log at which :attr:`_first_turn` has begun."""
        turn = self._first_turn
        if turn <= self.memory.turn:
            return 0
        return (
            self.log.turn_start(turn) + 1
            if turn <= self.log.turn_count
            else sys.maxsize
        )

    @property
    def _due_by_strategy(self) -> int:
        memory, trigger = self.memory, self.strategy.trigger
        if trigger is Trigger.NEVER:
            return sys.maxsize
        headroom = (
            self.strategy.headroom(memory) if trigger is Trigger.MESSAGE else None
        )
        # "Nothing before it" is all that has to be true: without a headroom in messages or tokens, and for strategies
        # that look after a turn or before a request, the very next message is a safe answer, only a slower one.
        if headroom is not None and headroom.unit == "messages":
            return memory.length + headroom.amount
        if headroom is not None and headroom.unit == "tokens":
            totals = memory.sums.totals
            return bisect_left(
                totals, totals[memory.length] + headroom.amount, memory.length + 1
            )
        return memory.length + 1

    def complete_turn(self, summary: Reply | None = None) -> None:
        """The last message taken in ended its turn. Turns whose summarization failed are summarized first.
        ``summary`` is what the chat model gave for this turn when it stopped thinking, if it did."""
        if self.strategy.trigger is Trigger.TURN:
            thinking_summary = summary or self.thinking_summary
            # One plan is about one turn, the oldest without a summary: after failures there may be several to make.
            while self.memory.pending and compact(self, thinking_summary):
                pass
            # With review on, an older turn's summarization may wait for a decision; this turn's summary is kept until
            # its own turn to be used comes. Otherwise it was used or is of no use, and must not leak into a later turn.
            self.thinking_summary = (
                thinking_summary if self.pending is not None else None
            )

    def catch_up(self, length: int, summary: Reply | None = None) -> None:
        """Take in the first ``length`` messages. Unless the user spoke last among them, the turn is complete."""
        self.advance(length)
        if length and not self.log.asks_at(length):
            self.complete_turn(summary)

    def prepare(
        self, recalls: Sequence[Recall] = (), bounds: Sequence[int] | None = None
    ) -> Prepared:
        """Make the request ready that the log, as far as taken in, calls for."""
        self.look_before_request()
        return self._opened(self.request(recalls, bounds))

    def foresee(
        self, recalls: Sequence[Recall] = (), bounds: Sequence[int] | None = None
    ) -> None:
        """Make the request ready that the log's end calls for, as it would be sent. What is summarized only for it is
        shown with it and is on no record here: nobody has asked for the reply."""
        ahead = copy(self)
        ahead.space = self.space.apart()
        ahead.memory = self.memory._replace(space=ahead.space)
        ahead.compactions, ahead._unsent = [*self.compactions], [*self._unsent]
        if (
            self._library is not None
        ):  # there is one object of the library's, and it goes on
            ahead._library, self._library = self._library, None
            ahead._library.serve(ahead)
        ahead.prepare(recalls, bounds)
        self._open = ahead._open

    def _opened(self, prepared: Prepared) -> Prepared:
        self._open = self._record_of(prepared)
        return prepared

    def look_before_request(self) -> None:
        """Summarize if the strategy does so before a request: once for each, however often it is prepared. Also what
        failed after a message and is to be tried at once: this is the first moment."""
        # A request is prepared again after a reply that failed. A second look at the same messages could find one more
        # summarization due, as where the summary counts too and is long: then the second try would send less.
        if (
            self.strategy.trigger is Trigger.REQUEST
            and self._looked_before != self.memory.length
        ):
            self._looked_before = self.memory.length
            if isinstance(self.strategy, LibraryStrategy):
                self._library = self._library or LibraryAtWork(self, self.strategy)
                self._library.look()
            else:
                compact(self)
        elif self.strategy.trigger is Trigger.MESSAGE and self._at_once:
            compact(self)

    def request(
        self, recalls: Sequence[Recall] = (), bounds: Sequence[int] | None = None
    ) -> Prepared:
        """The request for the memory as it stands. Asks nobody. Each recall finds what was said before the turn that is
        open, or among the first messages up to its entry in ``bounds``."""
        memory = self.memory
        if self.pins:
            memory = memory._replace(
                pins=tuple(pin for pin in self.pins if pin < memory.length)
            )
        recalled = (
            self.resolve(recalls, memory.before_open_turn if bounds is None else bounds)
            if recalls
            else None
        )
        asked_for = recalled.indices if recalled else ()
        parts = assemble(memory, self.strategy.select(memory), asked_for)
        # A window may cut between a tool's call and its result. Providers refuse such a request, so it is flagged, or
        # with repair_tool_pairs sent without the half. Most logs have no tools at all, and skip the search.
        if self.repair_tool_pairs and (
            self.log.tools.callers or self.log.tools.results
        ):
            parts = in_pairs(self.log, parts, asked_for)
        tokens = count(memory, parts)
        return Prepared(
            memory,
            parts,
            tokens,
            flags_of(self.strategy, tokens, memory, parts),
            recalled,
        )

    def resolve(
        self, recalls: Sequence[Recall], length: int | Sequence[int]
    ) -> Recalled:
        """What ``recalls`` bring back from the first ``length`` messages, within the strategy's bound; with a list of
        lengths each from its own."""
        if recalls and not self.strategy.allows_recall:
            remedy = (
                ": turn enable_recall on"
                if self.strategy.has_parameter("enable_recall")
                else ""
            )
            raise RecallError(f"{self.strategy.title} has recall switched off{remedy}.")
        return resolve(self.log, length, recalls, self.strategy.recall_limit_messages)

    def record(
        self,
        prepared: Prepared,
        reply_tokens: int,
        facts: ReplyFacts | None = None,
        extra_flags: tuple[str, ...] = (),
        kind: RequestKind = "answer",
        thoughts: tuple[Message, ...] = (),
    ) -> TurnRecord:
        """Keep the request and what came of it."""
        record = self._record_of(
            prepared, reply_tokens, facts, extra_flags, kind, thoughts
        )
        self._unsent = []
        self.requests.append(record)
        return record

    def _record_of(
        self,
        prepared: Prepared,
        reply_tokens: int = 0,
        facts: ReplyFacts | None = None,
        extra_flags: tuple[str, ...] = (),
        kind: RequestKind = "answer",
        thoughts: tuple[Message, ...] = (),
    ) -> TurnRecord:
        turn = prepared.memory.turn
        before = self.requests[-1] if self.requests else None
        return TurnRecord(
            turn=turn,
            memory=prepared.memory,
            parts=prepared.parts,
            tokens=prepared.tokens,
            reply_tokens=reply_tokens,
            compactions=tuple(self._unsent),
            flags=prepared.flags + extra_flags,
            recalled=prepared.recalled,
            facts=facts,
            call=before.call + 1 if before is not None and before.turn == turn else 1,
            kind=kind,
            thoughts=thoughts,
            strategy=self.strategy,
        )

    def record_replayed(
        self, asked: Request, input_start: int, reply_tokens: int
    ) -> None:
        """Keep a request of a replay, without recalls and with tool pairs as they are: what it sends follows from the
        memory."""
        compactions: tuple[Compaction, ...] = ()
        if self._unsent:
            compactions, self._unsent = tuple(self._unsent), []
        turn, call, _, _ = asked
        self.requests.append_selected(
            turn,
            call,
            self.memory,
            self.strategy,
            input_start,
            reply_tokens,
            compactions,
        )

    @property
    def last_turn(self) -> TurnRecord:
        """The last turn's last record, which knows all requests of the turn."""
        number, first = self.requests[-1].turn, len(self.requests) - 1
        while first and self.requests[first - 1].turn == number:
            first -= 1
        return of_one_turn(self.requests[first:])

    def record_unchanged(self, plan: Write, draft: Draft, **facts: Any) -> None:
        """Record that nothing was summarized."""
        self.replace_memory(plan, self.memory, draft, **facts)

    def apply(
        self, plan: Write, draft: Draft, *, wording: str | None = None, **facts: Any
    ) -> None:
        """The draft's text becomes the summary, or the user's ``wording`` in its place."""
        if wording is not None:
            facts["proposed"] = draft.text
        turn = self.memory.turn
        if (
            self.strategy.trigger is Trigger.TURN
        ):  # a turn's summary is that turn's, even when made up for later
            turn = self.log.turn_number(plan.summarize.start)
        version = self.new_version(
            turn=turn,
            text=draft.text if wording is None else wording,
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
        before, self.memory = self.memory, after
        self._record_compaction(
            Compaction(
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
                model=draft.model or self._asked_for(plan),
                by_thinking=draft.by_thinking,
                instruction=draft.instruction,
                sent_tokens=draft.prompt_tokens,
                answer=draft.answer,
                recorded=draft.recorded,
                track=plan.track if isinstance(plan, Write) else SUMMARY,
                is_fixed=isinstance(plan, Write) and plan.text is not None,
                policy=policy_name(plan.on_failure)
                if isinstance(plan, Write)
                else "leave",
                **facts,
            )
        )

    def _asked_for(self, plan: Effect) -> str:
        """The name of the summarizer; empty where it has no part in ``plan``."""
        if self.summarizer is None or isinstance(plan, Move) or plan.text is not None:
            return ""
        return self.summarizer.name

    def _record_compaction(self, compaction: Compaction) -> None:
        self.compactions.append(compaction)
        self._unsent.append(compaction)
        self._backoff = self._backoff.after(compaction)

    def rewind(self, length: int) -> None:
        """Go back to when the log had ``length`` messages. Asks nobody; what is cut off is gone."""
        # Records and runs that were handed out keep pointing at the old log and the old summaries, so neither is
        # cut short: both are replaced by shorter ones, over which the memory is read off the last compaction left.
        self.log = self.log.prefix(length)
        left = [record for record in self.requests if record.memory.length < length]
        last_turn = left[-1].turn if left else 0
        kept, self.earlier_settings = cut_off(
            self.strategy,
            self.counter.name,
            self.compactions,
            self.earlier_settings,
            length,
            last_turn,
        )
        tool_tokens = self.space.tool_tokens
        self.space = new_space(
            self.log, self.strategy, self.counter, self.system_prompt, tool_tokens
        )
        self.compactions = renumbered(kept, self.space)
        records, self._unsent = with_their_compactions(
            left,
            self.compactions,
            self.strategy,
            self.counter.name,
            self.earlier_settings,
        )
        self.requests = Requests.of(records)
        remember_requests(self.space, self.requests)
        self._backoff, self._at_once = backoff_after(self.own_compactions), False
        self.pending = self.thinking_summary = self._library = self._open = None
        self.memory = memory_at(self.space, self.own_compactions, length)
        # A request that was not answered is prepared again, without a second look. A library does that by itself.
        last = self.own_compactions[-1:]
        is_done = (
            last != [] and last[0].after_message == length - 1 and last[0].error is None
        )
        self._looked_before = (
            length
            if is_done and not isinstance(self.strategy, LibraryStrategy)
            else None
        )


def reply_tokens(session: Session, request: Request) -> int:
    """Tokens of all that the assistant wrote in answer to a request, tool calls included."""
    totals = session.space.sums.reply_totals
    return totals[request.reply_stop] - totals[request.stop]
