"""FIFO with facts: first in, first out."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar

from memviz.core.facts import FACTS, facts_in, listed_facts, write_facts
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Piece, notes
from memviz.core.summaries import SummaryVersion
from memviz.core.text.wording import plural
from memviz.core.translation import _, noop
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill
from memviz.strategies.fact_lists import (
    EXTRACT,
    FORMAT,
    build_facts_request,
    is_condensed,
    is_condensing,
)
from memviz.strategies.families import LISTED_FACTS
from memviz.strategies.parameters import free_text, whole_number

CONDENSE = (
    "Condense the known facts to fewer than {max_facts}. Join facts that belong together, and leave one out only where "
    "another that you keep says the same. Your list replaces the known facts, so it has to be complete."
)


class FifoFacts(Strategy):
    """Past a share of its token limit, takes the oldest turns out (first in, first out) and lists the facts in them.

    Gains: each fact stands in a line of its own and stays as it was written, where a running summary is written over
    and over; a turn in progress is never cut, so a call always goes with its results.

    Loses: whatever is no fact, such as who said it, when and why; what the summarizer did not list is gone.

    Hurts when: what matters is a story, a reason or an order of events; or the flush is small, so that once full the
    summarizer is called in nearly every turn.

    Used by:
    - LlamaIndex Memory with FactExtractionMemoryBlock: this rule, with 30,000 tokens, at most 50 facts, and a flush of
      10 % (run with llama-index-core 0.14.25)
    - mem0: adds facts only, from the last 10 messages and the 10 nearest memories; repeated ones are dropped (read in
      mem0 2.2.1)

    Looks after each message at those that were not yet taken out: their tokens alone count towards the share, those of
    calls, facts and static text do not. Past it, the oldest messages go, at least ``flush_percent`` of the limit and on
    to the next user message, and again until the rest is within its share. The newest turn stays, even where it is
    larger. More facts than ``max_facts`` are condensed by a second call, whose list is taken as it is. From messages in
    which no facts are found nothing is kept.

    Static text and facts are sent as one system message behind the system prompt. A system message later in the
    conversation counts, and is taken out like any other. Without a summarizer messages go and no facts are kept.

    Checked request by request against llama-index-core 0.14.25: Memory with a StaticMemoryBlock and a
    FactExtractionMemoryBlock of priority 0, whose messages are put one by one. Different here: where the history holds
    a system message, LlamaIndex puts the facts before its words, and here they stay in front. A summarizer that fails,
    or answers with no text at all, takes no messages out, where LlamaIndex loses them. The input is always sent, where
    LlamaIndex takes out the first of several user messages in a row. LlamaIndex also counts the ids of tool results,
    and its FunctionAgent puts the calls and results of a turn only once the turn is over.
    """

    title: ClassVar[str] = "FIFO with facts"
    reference: ClassVar[str] = (
        "LlamaIndex Memory with FactExtractionMemoryBlock (llama-index-core 0.14.25)"
    )
    order: ClassVar[int] = 7
    family: ClassVar[str] = LISTED_FACTS
    main_parameter: ClassVar[str] = "token_limit"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    drops_without_summarizer: ClassVar[bool] = True
    # Once full, it calls the summarizer in nearly every turn.
    tried_at_first: ClassVar[bool] = False
    limits: ClassVar[str] = noop("messages word for word")
    """Facts and static text do not count."""

    token_limit: int = whole_number(
        30000,
        "tokens",
        "Limit that the shares below are taken of. Larger keeps more word for word and costs more a turn. Facts may "
        "take a request over it.",
        (500, 30000),
    )
    history_percent: int = whole_number(
        70,
        "%",
        "Share of the limit that messages may take word for word; the rest is left for facts and static text. Larger "
        "keeps more word for word and leaves less for those.",
        (30, 100),
        maximum=100,
    )
    flush_percent: int = whole_number(
        10,
        "%",
        "Share of the limit that is taken out at least each time. Larger asks the summarizer less often, with more to "
        "read, and leaves less word for word.",
        (5, 50),
        maximum=100,
    )
    max_facts: int = whole_number(
        50,
        "facts",
        "More facts than this are condensed into fewer by a second call of the summarizer. Larger condenses less often "
        "and sends a longer list.",
        (5, 100),
    )
    static_text: str | None = free_text(
        "Text that stands before the facts in every request. Empty sends none."
    )

    @property
    def budget_tokens(self) -> int:
        """The share of ``token_limit`` that messages may take: past it they are taken out."""
        return self.history_limit

    @property
    def budget_share(self) -> str:
        """``70% of 6,000``: the strategy is named by the limit that the share is taken of."""
        if self.history_percent >= 100:
            return ""
        return _(
            "{percent}% of {limit:,}",
            percent=self.history_percent,
            limit=self.token_limit,
        )

    @property
    def history_limit(self) -> int:
        """Most tokens of messages that are sent word for word."""
        return int(self.token_limit * (self.history_percent / 100))

    @property
    def flush_tokens(self) -> int:
        """Fewest tokens that are taken out at a time."""
        return max(1, int(self.token_limit * (self.flush_percent / 100)))

    def fill(self, memory: Memory) -> Fill:
        """The tokens of the messages that were not taken out yet. A first message over the limit goes once another user
        message follows.
        """
        return Fill(memory.pending_tokens, self.history_limit, "tokens", self.limits)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Extract facts from the oldest messages once there are too many tokens; condense a list of too many facts
        first."""
        facts = memory.head(FACTS)
        if facts is not None:
            count = len(listed_facts(facts.text))
            if count > self.max_facts and not is_condensed(facts, memory):
                reason = f"{count:,} {plural('fact', count)} > {self.max_facts:,}"
                return (Write(facts.added, memory.cursor, reason, facts, FACTS),)
        fill = self.fill(memory)
        if not fill.is_over or memory.pending <= 1:
            return ()
        keep_from = self._find_keep_from(memory)
        if keep_from == memory.cursor:
            return ()
        removed = range(memory.cursor, keep_from)
        return (Write(removed, keep_from, fill.reason, facts, FACTS),)

    def _find_keep_from(self, memory: Memory) -> int:
        """Return the position of the first message that stays.

        It is the first user message behind the tokens that have to go. If none follows, it is the newest user message,
        so that the turn in progress stays. Without any user message everything goes.
        """
        log = memory.log
        totals = memory.sums.totals
        tokens_before = totals[memory.cursor] + self.flush_tokens
        enough = bisect_left(totals, tokens_before, memory.cursor + 1, memory.length)
        first = min(enough, memory.length - 1)
        # A system message does not begin a turn, so the user's question may continue behind it.
        while log[first].role == "system" and first + 1 < memory.length:
            first += 1
        if log[first].role == "user":
            return first
        turn = log.turn_number(first)
        if turn < log.turn_number(memory.length - 1):
            return log.turn_start(turn + 1)
        newest = log.turn_start(turn) if turn else -1
        for position in range(newest + 1, memory.length):
            if log[position].role not in ("user", "system"):
                break
            if log[position].role == "user":
                newest = position
        return newest if newest >= memory.cursor else memory.length

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Return static text and facts, then all messages that were not taken out."""
        return (*self._memory_pieces(memory), Messages(memory.cursor, memory.length))

    def _memory_pieces(self, memory: Memory) -> tuple[Piece, ...]:
        facts = memory.head(FACTS)
        if facts is not None and facts.text:
            return notes(memory.notes_of(FACTS))
        if not self.static_text:
            return ()
        return (Line(Message("system", self._memory_text(""))),)

    @property
    def instruction(self) -> str:
        """The instruction to extract facts."""
        return EXTRACT

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """One user message: what to do, the known facts, the form of the answer, and the messages. Where facts are
        condensed, the messages are those that were taken out last, as in LlamaIndex."""
        if is_condensing(effect):
            instruction = CONDENSE.format(max_facts=self.max_facts)
        return super().requests_of(memory, effect, instruction)

    def summarizer_request(
        self,
        messages: Sequence[Message],
        replaces: SummaryVersion | None,
        instruction: str | None = None,
    ) -> tuple[Message, ...]:
        """The instruction, by default to extract facts, with the messages."""
        return build_facts_request(
            instruction or self.instruction,
            replaces.text if replaces else "",
            FORMAT,
            messages,
        )

    def read_answer(self, effect: Write, answer: str) -> str:
        """Return the facts, one a line: the known ones and the new ones of the answer, or a condensed list unless it is
        empty."""
        answered_facts = facts_in(answer)
        before = effect.replaces
        if before is None:
            return write_facts(list(dict.fromkeys(answered_facts)))
        if is_condensing(effect):
            return write_facts(answered_facts) or before.text
        known_facts = listed_facts(before.text)
        new_facts = [
            fact for fact in dict.fromkeys(answered_facts) if fact not in known_facts
        ]
        return write_facts([*known_facts, *new_facts])

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The text in the tags that LlamaIndex has."""
        return self._memory_text(summary.text)

    def _memory_text(self, facts: str) -> str:
        lines = ["<memory>"]
        if self.static_text:
            lines += ["<StaticContent>", self.static_text, "</StaticContent>"]
        if facts:
            lines += ["<ExtractedFacts>", facts, "</ExtractedFacts>"]
        lines.append("</memory>")
        return "\n".join(lines)
