"""LangChain's SummarizationMiddleware."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import ClassVar

from memviz.core.counters import Counter
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.summaries import SummarySource, SummaryVersion
from memviz.strategies.base import Effect, Write
from memviz.strategies.clauses import (
    Above,
    AllOf,
    Headroom,
    MemoryAmounts,
    TriggerClause,
)
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import free_text
from memviz.strategies.prompts import RUNNING_INSTRUCTION
from memviz.strategies.thresholds import Thresholds

HEADING = "Here is a summary of the conversation to date:\n\n"
TOO_LONG = "Previous conversation was too long to summarize."
"""What LangChain writes, without asking its model, where nothing is left for it to read."""


class ThresholdSummary(Thresholds):
    """Before each request, once a threshold is reached, folds all but the newest messages into a summary.

    Gains: nothing changes until the threshold is reached, so a prompt cache lasts long, and afterwards there is room
    for many messages.

    Loses: the summarizer reads only the last ``summarizer_reads_tokens`` of what goes, from a user's message on, and
    the old summary is just the first message of it: in a long conversation it is forgotten without a word. A loop of
    tools longer than that holds no user's message, and then everything is replaced by the fixed text "Previous
    conversation was too long to summarize."

    Hurts when: the threshold is far above ``summarizer_reads_tokens``, so that most of what goes is never read; or a
    standing instruction was given early and has to hold for ever.

    Used by:
    - LangChain SummarizationMiddleware: this rule; without a trigger it never acts (run with langchain 1.4.7)
    - langmem SummarizationNode: past a number of tokens; it reserves 256 for the summary and does not enforce them (run
      with langmem 0.0.30)
    - Google ADK compaction: past a threshold of tokens keeps so many events, only where no call is open, and refuses a
      range that could not save anything (read in google-adk 2.13.0)

    The thresholds are *reached*, not passed, and count the contents of the messages since the last summarization and
    the summary as it is sent. A message kept first that is a tool's result takes the messages back to its call with it;
    where the call is gone, the results in a row go as well. The summary is a user's message. Checked request by request
    against langchain 1.4.7 with a token counter of contents. Differences: the input is always sent, where LangChain may
    send only its summary; an empty answer changes nothing, where LangChain goes on with an empty summary; a summarizer
    that fails is asked again in a later turn, where LangChain tries three times and makes no request. Thresholds that
    LangChain reads off the usage that a provider reported have no counterpart here.
    """

    title: ClassVar[str] = "Threshold summary"
    reference: ClassVar[str] = "LangChain SummarizationMiddleware (langchain 1.4.7)"
    order: ClassVar[int] = 10
    family: ClassVar[str] = SUMMARIES

    summarize_prompt: str | None = free_text(
        "Instruction for the summarizer. Empty uses the default."
    )

    def measure(self, memory: Memory) -> MemoryAmounts:
        """Return the amounts that the thresholds count: the messages since the last summarization, and the summary as
        one message."""
        summary = memory.newest_summary
        tokens = memory.space.summaries.tokens(summary.start, summary.stop)
        return MemoryAmounts(
            tokens=memory.pending_tokens + tokens,
            messages=memory.pending + len(summary),
        )

    def headroom(self, memory: Memory) -> Headroom | None:
        """Return how much may still be said until a threshold is reached and a message can go.

        It is unknown for a conversation that begins with a call, which may have to stay.
        """
        amounts = self.measure(memory)
        begins_with_call = (
            memory.summary is None
            and memory.pending
            and memory.log[memory.cursor].tool_calls
        )
        if begins_with_call or not self.triggers.clauses:
            return None
        room: TriggerClause = Above(self.keep_messages, "messages")
        if self.kept_tokens:
            more_than_one = [Above(1, "messages")] if not amounts.messages else []
            room = AllOf((Above(self.kept_tokens, "tokens"), *more_than_one))
        return AllOf((self.triggers, room)).judge(amounts).headroom

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Once a threshold is reached, summarize everything before the messages that stay, and the summary."""
        verdict = self.triggers.judge(self.measure(memory))
        keep_from = self._keep_from(memory) if verdict.is_over else None
        if keep_from is None:
            return ()
        effect = Write.up_to(memory, keep_from, verdict.reason)
        if not self._read(memory, effect):
            reason = (
                f"{verdict.reason}; no user message in what the summarizer may read"
            )
            effect = replace(effect, text=TOO_LONG, reason=reason)
        return (effect,)

    def _keep_from(self, memory: Memory) -> int | None:
        """Return the position of the first message that stays; ``None`` if nothing can go."""
        amounts = self.measure(memory)
        start = memory.length - self.keep_messages
        if self.kept_tokens:
            if amounts.tokens <= self.kept_tokens or amounts.messages < 2:
                return None
            start = memory.sums.suffix_start(
                memory.length, self.kept_tokens, memory.cursor
            )
            start = min(start, memory.length - 1)
        elif amounts.messages <= self.keep_messages:
            return None
        keep_from = self._whole_group(memory, max(start, memory.cursor))
        if keep_from == memory.cursor and memory.summary is None:
            return None
        return keep_from

    def _whole_group(self, memory: Memory, start: int) -> int:
        """``start``, or for a tool's result the message that called it, or else the position behind the results in a
        row."""
        log = memory.log
        behind = start
        while behind < memory.length and log[behind].role == "tool":
            behind += 1
        ids = {log[position].tool_call_id for position in range(start, behind)}
        ids -= {None, ""}
        callers = log.tools.callers
        first = bisect_left(callers, memory.cursor)
        for caller in reversed(callers[first : bisect_left(callers, start)]):
            if ids.intersection(call.id for call in log[caller].tool_calls):
                return caller
        return behind

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The summary as the user's message, and all messages not yet summarized."""
        return (
            *notes(memory.newest_summary, role="user"),
            Messages(memory.cursor, memory.length),
        )

    @property
    def instruction(self) -> str:
        """``summarize_prompt``, or the default one, with its length."""
        return self.limited(self.summarize_prompt or RUNNING_INSTRUCTION)

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The instruction, and the last of the messages that are to go, with the summary as the first of them."""
        return self.summarizer_request(self._read(memory, effect), None, instruction)

    def source_of(self, memory: Memory, effect: Write) -> SummarySource:
        """The messages, and the summary if all of it is read."""
        read = self._read(memory, effect)
        if effect.replaces is not None and read:
            text = read[0].content.removeprefix(HEADING)
            if text != read[0].content:
                return SummarySource(read[1:], text)
        return SummarySource(read)

    def _read(self, memory: Memory, effect: Write) -> list[Message]:
        """The messages that the summarizer reads: empty where nothing would be left."""
        sums = memory.sums
        log = memory.log
        said = [p for p in effect.summarize if not log[p].is_recall_exchange]
        counted = []
        replaced = effect.replaces
        if replaced is not None:
            version = replaced.version
            tokens = memory.space.summaries.tokens(version - 1, version)
            counted.append((Message("user", self.summary_entry(replaced)), tokens))
        for position in said or effect.summarize:
            counted.append((log[position], sums.between(position, position + 1)))
        return last_messages(counted, self.summarizer_reads_tokens, sums.counter)

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The text under LangChain's heading."""
        return HEADING + summary.text


def last_messages(
    counted: Sequence[tuple[Message, int]], max_tokens: int, counter: Counter
) -> list[Message]:
    """The newest messages, given with their tokens, that have at most ``max_tokens``, from a user's message on; 0: all.

    Of the message before them the last lines are taken that still fit, as LangChain's ``trim_messages`` does with
    ``strategy="last", allow_partial=True, start_on="human"``.
    """
    if not max_tokens:
        return [message for message, _ in counted]
    room = max_tokens
    start = len(counted)
    while start and counted[start - 1][1] <= room:
        start -= 1
        room -= counted[start][1]
    kept = [message for message, _ in counted[start:]]
    if start:
        cut = counted[start - 1][0]
        text = _last_lines(cut.content, room, counter)
        kept = kept if text is None else [replace(cut, content=text), *kept]
    return [*dropwhile(lambda message: message.role != "user", kept)]


def _last_lines(text: str, max_tokens: int, counter: Counter) -> str | None:
    """The last lines of ``text`` that fit; ``None`` where not one does."""
    lines = text.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    # LangChain counts the lines from the last to the first, joined without a break where the last one ends.
    fits = 0
    low = 0
    high = len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if counter("".join(reversed(lines[-middle:]))) <= max_tokens:
            fits = low = middle
        else:
            high = middle - 1
    return "".join(lines[-fits:]) if fits else None
