"""A session: the way of a log, message by message, under one strategy. It asks the strategy what is due, has it done,
makes requests ready and keeps what came of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy

from memviz.core.context import OVER_BUDGET, SUMMARY_NOT_ASKED
from memviz.core.messages import Message
from memviz.core.turns import Request
from memviz.core.vectors import NO_VECTORS
from memviz.engine.backoff import backoff_after
from memviz.engine.calls import ReplyFacts
from memviz.engine.effects import compact
from memviz.engine.library import LibraryAtWork, remember_requests
from memviz.engine.recall import Recall
from memviz.engine.records import (
    PARTIAL_REPLY,
    RequestKind,
    TurnRecord,
    memory_at,
    of_one_turn,
)
from memviz.engine.requests import Requests
from memviz.engine.run import Run
from memviz.engine.setting import Setting, new_space
from memviz.engine.state import Prepared, State
from memviz.engine.timeline import renumber_summaries
from memviz.models.base import Model, Reply
from memviz.strategies.base import Trigger, Write
from memviz.strategies.clauses import Headroom
from memviz.strategies.library import LibraryStrategy


class Session(State):
    """One strategy at work over one log, from the first message on or from where a run ended."""

    _library: LibraryAtWork | None = None
    """The library's object, once it was asked."""
    _looked_before: int | None = None
    """The length of the log at the last request that the strategy was asked about."""
    _open: TurnRecord | None = None
    """The request that was prepared last."""

    @classmethod
    def resume(
        cls, run: Run, summarizer: Model | None, *, repair_tool_pairs: bool = False
    ) -> Session:
        """Go on where ``run`` ended, with its summaries and records. Asks nobody."""
        setting = Setting(
            run.strategy, run.counter, summarizer, run.system_prompt, repair_tool_pairs
        )
        session = cls(run.log, setting)
        session.space = run.space
        session.earlier_settings = run.earlier_settings
        session.compactions = list(run.compactions)
        session.requests = run.requests.snapshot()
        session.rewind(len(run.log))
        session._open = run.pending
        if session.reply_was_stopped:
            # A stopped reply is only taken in with what follows it: summarizing would have delayed the stop. A setting
            # that the chat was given since may have taken it in already.
            own_compactions = session.own_compactions
            length = session.requests[-1].memory.length
            if not own_compactions or own_compactions[-1].after_message < length:
                session.memory = memory_at(session.space, own_compactions, length)
        return session

    @property
    def reply_was_stopped(self) -> bool:
        """True if the reply of the last turn was stopped."""
        if not self.requests:
            return False
        last = self.requests[-1]
        return PARTIAL_REPLY in last.flags and last.turn == self.log.turn_count

    def recheck_last_turn(self) -> None:
        """Go back to before the last turn's question, if no request was made for it and nothing was summarized
        since: the next :meth:`advance` asks the strategy once more whether a summarization is due."""
        if not len(self.log) or self.log[-1].role != "user":
            return
        last_turn = self.log.turn_count
        start = self.log.turn_start(last_turn)
        is_requested = bool(self.requests) and self.requests[-1].turn == last_turn
        is_changed = any(
            compaction.after_message >= start for compaction in self.compactions
        )
        if not is_requested and not is_changed:
            self.memory = memory_at(self.space, self.own_compactions, start)

    def try_at_once(self) -> None:
        """Let a summarization that failed not wait for its turn: somebody asks for it, or made it possible."""
        self.tries_at_once = self.backoff.failures > 0
        if self.tries_at_once:
            self._looked_before = None

    def run(self) -> Run:
        """Everything so far."""
        return Run(
            self.strategy,
            self.space,
            self.requests.snapshot(),
            tuple(self.compactions),
            earlier_settings=self.earlier_settings,
            pending=self._open_request(),
        )

    def _open_request(self) -> TurnRecord | None:
        """The request that the end of the log calls for and that nobody has answered yet, as it was prepared last."""
        if self.log.pending is None or self.memory.length < len(self.log):
            return None
        if self._open is None or self._open.memory.length < len(self.log):
            try:
                self._open = self.record_of(self.request())
            except NO_VECTORS:
                # What was said can be kept, and told under another setting.
                return None
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
            # What is left after a compaction may still be too much.
            while due <= self.memory.length and compact(self):
                pass

    @property
    def due_at(self) -> int:
        """The length of the log at which something may next be summarized: not before it."""
        if self.strategy.acts_unasked:
            return self._due_by_strategy
        return max(self._due_by_strategy, self._waits_until)

    @property
    def may_summarize(self) -> bool:
        """True if a plan that is due with the next message is carried out: not while a failure waits."""
        next_turn = self.log.turn_count
        if len(self.log) and self.log.begins_turn_next:
            next_turn += 1
        return self.has_writer and self.first_turn <= next_turn

    def headroom(self, *, last_turn_is_complete: bool) -> Headroom | None:
        """The distance to the next compaction, also of messages that were said and not taken in yet, with a
        summarizer that is left alone after a failure, or where the user declined; ``None`` where none will come."""
        asks = self.strategy.writes_notes
        if asks and not self.has_writer:
            return None
        self.log.token_sums(self.counter)
        headroom = self.strategy.headroom(self.memory.appended(len(self.log)))
        if headroom is None or not asks:
            return headroom
        if self.pending is not None:
            return headroom._replace(amount=0)
        if self.strategy.trigger is Trigger.TURN:
            next_turn = max(1, self.log.turn_count + last_turn_is_complete)
            wait_turns = max(0, self.first_turn - next_turn)
            return headroom._replace(amount=headroom.amount + wait_turns)
        is_due = headroom.amount <= (1 if headroom.unit == "messages" else 0)
        wait_turns = self.first_turn - self.log.turn_count
        # What the user says next begins the turn that is waited for.
        is_over_by_then = wait_turns == 1 and self.log.begins_turn_next and not is_due
        if wait_turns <= 0 or is_over_by_then:
            return headroom
        # Where there is room again (the user declined in this turn, or edited a summary after a failure), both have to
        # come about, which no single number says.
        return Headroom(wait_turns, "turns") if is_due else None

    @property
    def _waits_until(self) -> int:
        """The length of the log at which :attr:`first_turn` has begun."""
        turn = self.first_turn
        if turn <= self.memory.turn:
            return 0
        if turn > self.log.turn_count:
            return sys.maxsize
        return self.log.turn_start(turn) + 1

    @property
    def _due_by_strategy(self) -> int:
        trigger = self.strategy.trigger
        if trigger is Trigger.NEVER:
            return sys.maxsize
        if trigger is Trigger.MESSAGE:
            return self.strategy.due_at(self.memory)
        return self.memory.length + 1

    def complete_turn(self, summary: Reply | None = None) -> None:
        """The last message taken in ended its turn. Turns whose summarization failed are summarized first.
        ``summary`` is what the chat model gave for this turn when it stopped thinking, if it did."""
        if self.strategy.trigger is not Trigger.TURN:
            return
        thinking_summary = summary or self.thinking_summary
        # One plan is about one turn, the oldest without a summary: after failures there may be several to make.
        while self.memory.pending and compact(self, thinking_summary):
            pass
        # With review on, an older turn's summarization may wait for a decision; this turn's summary is kept until
        # its own turn to be used comes. Otherwise it was used or is of no use, and must not leak into a later turn.
        self.thinking_summary = thinking_summary if self.pending is not None else None

    def catch_up(self, length: int, summary: Reply | None = None) -> None:
        """Take in the first ``length`` messages. Unless the user spoke last among them, the turn is complete."""
        self.advance(length)
        if length and not self.log.asks_at(length):
            self.complete_turn(summary)

    def prepare(self, recalls: Sequence[Recall] = ()) -> Prepared:
        """Make the request ready that the log, as far as taken in, calls for."""
        self.look_before_request()
        prepared = self.request(recalls)
        self._open = self.record_of(prepared)
        return prepared

    def foresee(
        self,
        recalls: Sequence[Recall] = (),
        bounds: Sequence[int] | None = None,
        *,
        may_pay: bool = False,
    ) -> None:
        """Make the request ready that the log's end calls for, as it would be sent. What is summarized only for it is
        shown with it and is on no record here: nobody has asked for the reply. Unless ``may_pay``, a summarizer that
        may cost is not asked for that either: the request is shown with the summary that there is, and flagged."""
        ahead = copy(self)
        ahead.space = self.space.apart()
        ahead.memory = self.memory._replace(space=ahead.space)
        ahead.compactions = [*self.compactions]
        ahead.unsent = [*self.unsent]
        # There is one object of the library's, and it goes on.
        self._library = None
        if ahead._library is not None:
            ahead._library.serve(ahead)
        flags: tuple[str, ...] = ()
        if not may_pay and self._would_pay():
            ahead._looked_before = ahead.memory.length
            flags = (SUMMARY_NOT_ASKED,)
        ahead.look_before_request()
        prepared = ahead.request(recalls, bounds)
        if flags:
            # With the summary that is missing it would be smaller.
            others = tuple(flag for flag in prepared.flags if flag != OVER_BUDGET)
            prepared = prepared._replace(flags=others)
        self._open = ahead.record_of(prepared, extra_flags=flags)

    def _would_pay(self) -> bool:
        """Return whether a summary is due before the next request that a model would write that may cost."""
        if self.summarizer is None or not self.summarizer.may_cost:
            return False
        if self.strategy.trigger is not Trigger.REQUEST:
            return False
        if isinstance(self.strategy, LibraryStrategy):
            return False
        for effect in self.strategy.plan(self.memory):
            if isinstance(effect, Write) and effect.text is None:
                return True
        return False

    def look_before_request(self) -> None:
        """Summarize if the strategy does so before a request: once for each, however often it is prepared. Also what
        failed after a message and is to be tried at once: this is the first moment."""
        # A request is prepared again after a reply that failed. A second look at the same messages could find one more
        # summarization due, as where the summary counts too and is long: then the second try would send less.
        trigger = self.strategy.trigger
        length = self.memory.length
        if trigger is Trigger.REQUEST and self._looked_before != length:
            self._looked_before = length
            if isinstance(self.strategy, LibraryStrategy):
                self._library = self._library or LibraryAtWork(self, self.strategy)
                self._library.update_request()
            else:
                compact(self)
        elif trigger is Trigger.MESSAGE and self.tries_at_once:
            compact(self)

    def record(self, record: TurnRecord) -> None:
        """Keep the record of the next request, which :meth:`record_of` made."""
        self.unsent = []
        self.requests.append(record)

    def record_of(
        self,
        prepared: Prepared,
        reply_tokens: int = 0,
        facts: ReplyFacts | None = None,
        extra_flags: tuple[str, ...] = (),
        kind: RequestKind = "answer",
        thoughts: tuple[Message, ...] = (),
    ) -> TurnRecord:
        """The record of a request, as the next one."""
        turn = prepared.memory.turn
        call = 1
        if self.requests and self.requests[-1].turn == turn:
            call = self.requests[-1].call + 1
        return TurnRecord(
            turn=turn,
            memory=prepared.memory,
            parts=prepared.parts,
            tokens=prepared.tokens,
            reply_tokens=reply_tokens,
            compactions=tuple(self.unsent),
            flags=prepared.flags + extra_flags,
            recalled=prepared.recalled,
            facts=facts,
            call=call,
            kind=kind,
            thoughts=thoughts,
            strategy=self.strategy,
        )

    def record_replayed(self, request: Request) -> None:
        """Keep a request of a replay, without recalls and with tool pairs as they are: what it sends follows from the
        memory."""
        compactions = tuple(self.unsent)
        if compactions:
            self.unsent = []
        self.requests.append_selected(
            request, self.memory, self.strategy, self.reply_tokens(request), compactions
        )

    def reply_tokens(self, request: Request) -> int:
        """The tokens of all that the assistant wrote in answer to a request, tool calls included."""
        totals = self.space.sums.reply_totals
        return totals[request.reply_stop] - totals[request.stop]

    @property
    def last_turn(self) -> TurnRecord:
        """The last turn's last record, which knows all requests of the turn."""
        last = len(self.requests) - 1
        first = last - self.requests[last].call + 1
        return of_one_turn(self.requests[first:])

    def rewind(self, length: int) -> None:
        """Go back to when the log had ``length`` messages. Asks nobody; what is cut off is gone."""
        # Records and runs that were handed out keep pointing at the old log and the old summaries, so neither is
        # cut short: both are replaced by shorter ones, over which the memory is read off the last compaction left.
        self.log = self.log.prefix(length)
        records = [record for record in self.requests if record.memory.length < length]
        last_turn = records[-1].turn if records else 0
        compactions, timeline = self.timeline.cut_log(
            self.compactions, length, last_turn
        )
        self.earlier_settings = timeline.earlier
        self.space = new_space(self.log, self.setting, self.space.tool_tokens)
        self.compactions = renumber_summaries(compactions, self.space)
        records, self.unsent = timeline.assign_compactions(records, self.compactions)
        self.requests = Requests.of(records)
        remember_requests(self.space, self.requests)
        own_compactions = self.own_compactions
        self.backoff = backoff_after(own_compactions)
        self.tries_at_once = False
        self.pending = None
        self.thinking_summary = None
        self.memory = memory_at(self.space, own_compactions, length)
        self._library = None
        self._open = None
        # A request that was not answered is prepared again, without a second look. A library does that by itself.
        self._looked_before = None
        if own_compactions and not isinstance(self.strategy, LibraryStrategy):
            last = own_compactions[-1]
            if last.after_message == length - 1 and last.error is None:
                self._looked_before = length
