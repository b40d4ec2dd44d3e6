"""The engine: asks the strategy, calls the summarizer, applies what came back, records it.

This is the only place where memory changes, and it changes only by replacing one immutable value
with the next: a summarizer that fails leaves the value, and with it everything remembered, as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

from memviz.context import ORPHANED_TOOL_MESSAGE, OVER_BUDGET, Context
from memviz.conversation import Log, Message, Turn, clean_text
from memviz.counters import Counter
from memviz.engine.assembly import Parts, assemble, build_context, count
from memviz.engine.calls import ModelCall, ReplyFacts
from memviz.engine.recall import DEFAULT_MAX_RECALLED_MESSAGES, Recall, Recalled, resolve
from memviz.engine.records import PARTIAL_REPLY, Compaction, TurnRecord, memory_at
from memviz.engine.run import Run
from memviz.engine.tool_pairs import orphaned_results, without_halves
from memviz.errors import MemvizError, RecallError, ScriptExhausted
from memviz.memory import Memory, MemorySpace, SummaryLog, SummaryVersion
from memviz.models.base import Model, Reply
from memviz.strategies.base import CompactionPlan, Moment, Strategy


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


def new_space(log: Log, strategy: Strategy, counter: Counter, system_prompt: str | None) -> MemorySpace:
    """An empty memory's surroundings: the log, its token sums, and no summaries yet."""
    return MemorySpace(
        log=log,
        sums=log.token_sums(counter),
        summaries=SummaryLog(counter, strategy.summary_heading, strategy.summary_entry),
        system_prompt=Message("system", system_prompt) if system_prompt else None,
        system_tokens=counter(system_prompt) if system_prompt else 0,
    )


class Session:
    """One strategy at work over one log. ``summarizer=None`` means there is none to ask."""

    def __init__(
        self,
        log: Log,
        strategy: Strategy,
        summarizer: Model | None,
        counter: Counter,
        system_prompt: str | None = None,
        *,
        repair_tool_pairs: bool = False,
    ) -> None:
        self.log, self.strategy, self.summarizer, self.counter = log, strategy, summarizer, counter
        self.system_prompt, self.repair_tool_pairs = system_prompt, repair_tool_pairs
        self.space = new_space(log, strategy, counter, system_prompt)
        self.memory = Memory(self.space, 0)
        self.compactions: list[Compaction] = []
        self.turns: list[TurnRecord] = []
        self._recorded_compactions = 0
        self._failed_turn: int | None = None

    @classmethod
    def resume(cls, run: Run, summarizer: Model | None, *, repair_tool_pairs: bool = False) -> Session:
        """Go on where ``run`` ended, with its summaries and records. Asks nobody."""
        session = cls(
            run.log, run.strategy, summarizer, run.counter, run.system_prompt, repair_tool_pairs=repair_tool_pairs
        )
        session.space = run.space
        session.compactions, session.turns = list(run.compactions), list(run.turns)
        session.rewind(len(run.log))
        last = session.turns[-1] if session.turns else None
        if last is not None and PARTIAL_REPLY in last.flags and last.turn == run.log.turn_count:
            # A stopped reply is only taken in with what follows it: summarizing would have delayed the stop.
            session.memory = memory_at(session.space, session.compactions, last.memory.length)
        return session

    def run(self) -> Run:
        """Everything so far."""
        return Run(self.strategy, self.space, tuple(self.turns), tuple(self.compactions))

    def advance(self, length: int) -> None:
        """Take in the log's messages up to ``length``, one after the other, as they were appended."""
        if len(self.space.sums.totals) <= length:
            self.log.token_sums(self.counter)
        if self.strategy.moment is not Moment.MESSAGE:
            self.memory = self.memory.appended(length)
            return
        for so_far in range(self.memory.length + 1, length + 1):
            self.memory = self.memory.appended(so_far)
            self._compact()

    def complete_turn(self, summary: Reply | None = None) -> None:
        """The last message taken in ended its turn. A turn that failed before is made up for first.
        ``summary`` is what the chat model gave for this turn when it stopped thinking, if it did."""
        if self.strategy.moment is Moment.TURN:
            while self.memory.pending and self._compact(summary):
                pass

    def settle(self, length: int, summary: Reply | None = None) -> None:
        """Take in the first ``length`` messages. If the last of them is no question, its turn is complete."""
        self.advance(length)
        if length and self.log[length - 1].role != "user":
            self.complete_turn(summary)

    def prepare(self, recalls: Sequence[Recall] = ()) -> Prepared:
        """Make the request ready that the log, as far as taken in, calls for."""
        if self.strategy.moment is Moment.REQUEST:
            self._compact()
        return self.request(recalls)

    def request(self, recalls: Sequence[Recall] = ()) -> Prepared:
        """The request for the memory as it stands. Asks nobody."""
        memory = self.memory
        recalled = self.resolve(recalls, memory.before_input) if recalls else None
        parts = assemble(memory, self.strategy.select(memory), recalled.indices if recalled else ())
        orphaned = orphaned_results(self.log, parts.history, parts.recalled) if self.log.tools.results else []
        if self.repair_tool_pairs and (self.log.tools.callers or self.log.tools.results):
            history, kept = without_halves(self.log, parts.history, parts.recalled)
            parts, orphaned = parts._replace(history=history, recalled=kept), []
        tokens = count(memory, parts)
        return Prepared(memory, parts, tokens, self._flags(tokens, bool(orphaned)), recalled)

    def _flags(self, tokens: dict[str, int], orphaned: bool) -> tuple[str, ...]:
        budget = self.strategy.budget_tokens
        flags: tuple[str, ...] = ()
        if budget is not None and self.strategy.counted_tokens(tokens) > budget:
            flags = (OVER_BUDGET,)
        return (*flags, ORPHANED_TOOL_MESSAGE) if orphaned else flags

    def resolve(self, recalls: Sequence[Recall], length: int) -> Recalled:
        """What ``recalls`` bring back from the first ``length`` messages, within the strategy's bound."""
        if recalls and not self.strategy.allows_recall:
            raise RecallError(f"{self.strategy.title} has recall switched off: turn enable_recall on.")
        bound = getattr(self.strategy, "max_recalled_messages", DEFAULT_MAX_RECALLED_MESSAGES)
        return resolve(self.log, length, recalls, bound)

    def record(
        self,
        prepared: Prepared,
        reply_tokens: int,
        facts: ReplyFacts | None = None,
        extra_flags: tuple[str, ...] = (),
        calls: tuple[ModelCall, ...] = (),
    ) -> TurnRecord:
        """Keep the request and what came of it."""
        record = TurnRecord(
            turn=prepared.memory.turn,
            memory=prepared.memory,
            parts=prepared.parts,
            tokens=prepared.tokens,
            reply_tokens=reply_tokens,
            compactions=tuple(self.compactions[self._recorded_compactions :]),
            flags=prepared.flags + extra_flags,
            recalled=prepared.recalled,
            facts=facts,
            calls=calls,
        )
        self._recorded_compactions = len(self.compactions)
        self.turns.append(record)
        return record

    def _compact(self, given: Reply | None = None) -> bool:
        """Summarize if it is time to; whether a summary was written. A summary of the last turn that was
        ``given`` needs no summarizer."""
        plan = self.strategy.plan_compaction(self.memory)
        if plan is None:
            return False
        if given is not None and self.log.turn_number(plan.summarize.start) == self.memory.turn:
            self._apply(plan, given, 0.0, by_thinking=True)
            return True
        if self._failed_turn is not None and self._failed_turn == self.memory.turn:
            return False  # not twice in the same turn
        if self.summarizer is None:
            return self._drop(plan) if self.strategy.drops_without_summarizer else False
        started = perf_counter()
        reply, error = Reply(""), None
        try:
            request = self.strategy.summarizer_request(self.memory.worth_summarizing(plan.summarize), plan.replaces)
            reply = self.summarizer.summarize(request)
            if not reply.text.strip():
                error = "the summarizer returned an empty text"
        except ScriptExhausted:
            raise
        except Exception as failure:  # whatever a model raises, the conversation has to survive it
            error = str(failure) if isinstance(failure, MemvizError) else f"{type(failure).__name__}: {failure}"
        except BaseException:
            self._fail(plan, "interrupted", perf_counter() - started)
            raise
        if error is not None:
            self._fail(plan, error, perf_counter() - started)
            return False
        self._apply(plan, reply, perf_counter() - started)
        return True

    def _fail(self, plan: CompactionPlan, error: str, seconds: float) -> None:
        self._failed_turn = self.memory.turn
        self._keep(plan, self.memory, error=error, seconds=seconds)

    def _drop(self, plan: CompactionPlan) -> bool:
        self._keep(plan, self.memory._replace(cursor=plan.keep_from))
        return True

    def _apply(self, plan: CompactionPlan, reply: Reply, seconds: float, *, by_thinking: bool = False) -> None:
        memory, text = self.memory, clean_text(reply.text).strip()
        turn = memory.turn
        if self.strategy.moment is Moment.TURN:  # a turn's summary is that turn's, even when made up for later
            turn = self.log.turn_number(plan.summarize.start)
        version = SummaryVersion(
            version=memory.summary_count + 1,
            turn=turn,
            text=text,
            counter=self.counter,
            covers=plan.covers,
            added=plan.summarize,
            replaces=plan.replaces.version if plan.replaces else None,
        )
        self.space.summaries.append(version)
        after = Memory(self.space, memory.length, version.version, plan.keep_from)
        self._keep(plan, after, version=version, reply=reply, seconds=seconds, by_thinking=by_thinking)

    def _keep(
        self,
        plan: CompactionPlan,
        after: Memory,
        *,
        version: SummaryVersion | None = None,
        reply: Reply | None = None,
        error: str | None = None,
        seconds: float = 0.0,
        by_thinking: bool = False,
    ) -> None:
        before, self.memory = self.memory, after
        model = "" if self.summarizer is None else self.summarizer.name
        self.compactions.append(
            Compaction(
                strategy=self.strategy,
                turn=before.turn,
                after_message=before.length - 1,
                reason=plan.reason,
                summarized=plan.summarize,
                keep_from=plan.keep_from,
                before=before,
                after=after,
                written=version,
                replaces=plan.replaces.version if plan.replaces else None,
                error=error,
                seconds=seconds,
                cost=reply.cost_usd if reply else None,
                usage=reply.usage if reply else None,
                model=(reply.model if reply else "") or model,
                by_thinking=by_thinking,
            )
        )

    def rewind(self, length: int) -> None:
        """Go back to when the log had ``length`` messages. Asks nobody; what is cut off is gone."""
        self.log = self.log.prefix(length)
        self.turns = [record for record in self.turns if record.memory.length < length]
        self.compactions = [c for c in self.compactions if c.after_message < length]
        self._recorded_compactions = sum(len(record.compactions) for record in self.turns)
        last = self.compactions[-1] if self.compactions else None
        self._failed_turn = last.turn if last is not None and last.error else None
        versions = self.space.summaries.versions
        self.space = new_space(self.log, self.strategy, self.counter, self.system_prompt)
        for version in versions[: sum(c.version is not None for c in self.compactions)]:
            self.space.summaries.append(version)
        self.memory = memory_at(self.space, self.compactions, length)


def reply_tokens(session: Session, turn: Turn) -> int:
    """Content tokens of the assistant's messages of a turn."""
    totals, log = session.space.sums.totals, session.log
    return sum(totals[p + 1] - totals[p] for p in range(turn.asked, turn.stop) if log[p].role == "assistant")
