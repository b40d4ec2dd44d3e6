"""LlamaIndex ChatSummaryMemoryBuffer."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from memviz.core.errors import SystemPromptTooLargeError
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.summaries import SummarySource, SummaryVersion
from memviz.core.translation import Said, noop
from memviz.strategies.base import Count, Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill, Headroom
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import free_text, summary_length, switch, whole_number
from memviz.strategies.prompts import transcript_line

DEFAULT_PROMPT = (
    "What follows is a conversation between a user and an assistant. Write a concise summary of what "
    "was said, with the names, numbers, dates and decisions in it."
)

ANSWERING = ("assistant", "tool")
"""Roles of messages that are never sent first: what they answer would be missing."""
UNSUMMARIZED = "messages not yet summarized"


class ChatSummaryBuffer(Strategy):
    """Before each request, folds what no longer fits the token limit into a summary that counts too.

    Gains: summary and messages together keep to the limit, but for one case: where only the summary no longer fits,
    nothing is summarized, and the request is larger than the limit by the summary.

    Loses: once full it summarizes nearly every turn, because it cuts back only to the limit itself.

    Hurts when: the conversation goes on after the limit is reached: from then on each turn waits and pays for a
    summarizer, the summary is written over again and again, and no prompt cache outlives a turn.

    Used by:
    - LlamaIndex ChatSummaryMemoryBuffer: this rule, with 2,000 tokens or three quarters of the model's window (run with
      llama-index-core 0.14.25)
    - LangChain ConversationSummaryBufferMemory: cuts back to the limit as well, but does not count the summary (run
      with langchain-classic 1.0.8)

    A system message later in the conversation counts, and LlamaIndex folds it into the summary like any other; unlike
    a reply or a tool's result it may be the first message that is kept.
    """

    title: ClassVar[str] = "Chat summary buffer"
    reference: ClassVar[str] = (
        "LlamaIndex ChatSummaryMemoryBuffer (llama-index-core 0.14.25)"
    )
    order: ClassVar[int] = 7
    family: ClassVar[str] = SUMMARIES
    main_parameter: ClassVar[str] = "token_limit"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    drops_without_summarizer: ClassVar[bool] = True

    token_limit: int = whole_number(
        64000,
        "tokens",
        "Limit for the summary and the messages together; a summary alone sets nothing off, so a request may be larger "
        "by the summary. Larger keeps more word for word and costs more a turn.",
        (250, 64000),
    )
    summarize_prompt: str | None = free_text(
        "Instruction for the summarizer. Empty uses the default."
    )
    count_initial_tokens: bool = switch(
        False, "Count the system prompt against the limit as well."
    )
    summary_words: int = summary_length()

    @property
    def limits(self) -> str:  # type: ignore[override]  # no other strategy's depends on a parameter
        """Everything that is sent, with ``count_initial_tokens`` the system prompt too."""
        if self.count_initial_tokens:
            return noop("system prompt, summary and messages")
        return noop("summary and messages")

    @property
    def budget_tokens(self) -> int:
        """``token_limit``."""
        return self.token_limit

    def counted_tokens(self, tokens: Mapping[str, Count]) -> Count:
        """The summary counts, and the system prompt with ``count_initial_tokens``."""
        counted = tokens["history"] + tokens["input"] + tokens["summary"]
        if self.count_initial_tokens:
            counted += tokens["system"]
        return counted

    def fill(self, memory: Memory) -> Fill | None:
        """The fill that has to be within the limit for nothing to be summarized.

        It depends on the oldest message that is not summarized yet:

        - a question, or no message at all (the next one is taken to be a question): those
          messages count. A summary that no longer fits beside them sets nothing off.
        - a reply or a tool's result, and there is a summary: both count.
        - a reply or a tool's result, and there is no summary: it has to go whatever its
          size, because nothing else may come before it.

        ``count_initial_tokens`` adds the system prompt in each case. Returns ``None`` where
        the system prompt alone is over the limit, which is an error.
        """
        initial_tokens = self._initial_tokens(memory)
        if initial_tokens > self.token_limit:
            return None
        begins_with_reply = (
            memory.pending > 0 and memory.log[memory.cursor].role in ANSWERING
        )
        held_tokens = initial_tokens + memory.pending_tokens
        counted_first = ["system prompt"] if self.count_initial_tokens else []
        if begins_with_reply and memory.summary is not None:
            held_tokens += memory.summary.tokens
            counted_first.append("summary")
        counts = UNSUMMARIZED
        if counted_first:
            counts = f"{', '.join(counted_first)} and {UNSUMMARIZED}"
        return Fill(
            held=held_tokens,
            limit=self.token_limit,
            unit="tokens",
            counts=counts,
            regardless=begins_with_reply and memory.summary is None,
        )

    def headroom(self, memory: Memory) -> Headroom | None:
        """The tokens up to the limit; ``None`` in an open turn that is summarized in full.

        Then a reply that comes next has to go whatever its size, and a question has not, so
        no number is true of both.
        """
        if memory.is_turn_open and not memory.pending:
            return None
        return super().headroom(memory)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Summarize what does not fit the limit, counted from the newest message back."""
        fill = self.fill(memory)
        if fill is None:
            raise SystemPromptTooLargeError(
                Said(
                    "The system prompt has {tokens:,} tokens, more than the token_limit of {limit:,}. Shorten it, "
                    "raise token_limit or turn count_initial_tokens off.",
                    tokens=memory.space.system_tokens,
                    limit=self.token_limit,
                )
            )
        if not memory.pending or not fill.is_over:
            return ()
        keep_from = self._keep_from(memory)
        # The reason counts everything that the reference counts, the summary too, even
        # where the summary did not decide.
        counted_tokens = self._initial_tokens(memory) + memory.pending_tokens
        if memory.summary is not None:
            counted_tokens += memory.summary.tokens
        if counted_tokens > self.token_limit:
            reason = f"{counted_tokens:,} tokens > {self.token_limit:,}"
        else:
            # Everything fits, so only the rule on the first kept message moved something.
            moved = keep_from - memory.cursor
            reason = f"{moved} messages before the first one kept, which has to be the user's"
        return (Write.up_to(memory, keep_from, reason),)

    def _keep_from(self, memory: Memory) -> int:
        """Return the first message kept: the oldest within the limit that is no reply and
        no tool's result."""
        room = self.token_limit - self._initial_tokens(memory)
        keep_from = memory.sums.suffix_start(memory.length, room, memory.cursor)
        while keep_from < memory.length and memory.log[keep_from].role in ANSWERING:
            keep_from += 1
        return keep_from

    def _initial_tokens(self, memory: Memory) -> int:
        return memory.space.system_tokens if self.count_initial_tokens else 0

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The summary, if any, and all messages not yet summarized."""
        return (*notes(memory.newest_summary), Messages(memory.cursor, memory.length))

    @property
    def instruction(self) -> str:
        """``summarize_prompt``, or the default one, with its length."""
        return self.limited(self.summarize_prompt or DEFAULT_PROMPT)

    def summarizer_request(
        self,
        messages: Sequence[Message],
        replaces: SummaryVersion | None,
        instruction: str | None = None,
    ) -> tuple[Message, ...]:
        """A system message with the prompt and a user message with the transcript so far."""
        entries = [transcript_line(message) for message in messages]
        if replaces is not None:
            entries.insert(0, f"system: {replaces.text}")
        transcript = "Transcript so far:\n\n" + "\n\n".join(entries)
        return (
            Message("system", instruction or self.instruction),
            Message("user", transcript),
        )

    def summary_source(
        self, messages: Sequence[Message], replaces: SummaryVersion | None
    ) -> SummarySource:
        """The messages and the summary that begins the transcript."""
        return SummarySource(messages, replaces.text if replaces else None)

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The bare text."""
        return summary.text
