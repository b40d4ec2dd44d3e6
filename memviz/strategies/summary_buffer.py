"""Summary buffer."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.translation import noop
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import summary_length, whole_number


class SummaryBuffer(Strategy):
    """Keeps messages up to a token limit; past it, folds the older half into a running summary.

    Gains: the messages of a request are bounded in tokens, and there is room after each summarization, so it fires
    seldom and the beginning of the request stays the same for a prompt cache meanwhile.

    Loses: details of what was folded; and the summary is not counted in the limit, so without a length
    (``summary_words``) it may grow to several times as much.

    Hurts when: single messages are about as large as the limit: then nearly every one of them sets off a summarization,
    which costs more than it saves.

    Used by:
    - LangChain ConversationSummaryBufferMemory: the same, but cut back only to its limit of 2,000 tokens, so that once
      full it summarizes every turn (run with langchain-classic 1.0.8)
    - Gemini CLI: at half of the model's limit keeps the newest 30 %, measured in characters; a second call checks what
      the summary left out (read in gemini-cli 0.61.0)
    - Letta: at 90 % of the window evicts the oldest messages until less than 70 % is left (read in letta, the last
      version before its archiving)

    A system message later in the conversation counts, and is folded into the summary like any other.
    """

    title: ClassVar[str] = "Summary buffer"
    reference: ClassVar[str] = (
        "Summary-buffer memory that cuts back to half its limit; the summary is uncounted"
    )
    order: ClassVar[int] = 6
    family: ClassVar[str] = SUMMARIES
    main_parameter: ClassVar[str] = "max_token_limit"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    limits: ClassVar[str] = noop("messages not yet summarized")
    """The summary does not count."""

    max_token_limit: int = whole_number(
        500,
        "tokens",
        "Tokens of messages that trigger a summarization, which keeps at most half of them word for word; the summary "
        "does not count. "
        "Larger keeps more word for word, costs more a turn and summarizes less often.",
        (100, 4000),
    )
    summary_words: int = summary_length()

    @property
    def budget_tokens(self) -> int:
        """``max_token_limit``."""
        return self.max_token_limit

    def fill(self, memory: Memory) -> Fill:
        """Tokens of the messages not yet summarized. The summary does not count. The conversation's first message may
        be larger than the limit: it is summarized with the one that follows."""
        return Fill(memory.pending_tokens, self.max_token_limit, "tokens", self.limits)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Past the limit, summarize all but the newest messages that fit into half of it."""
        fill = self.fill(memory)
        if not fill.is_over or memory.pending < 2:
            return ()
        half = self.max_token_limit // 2
        fitting = memory.sums.suffix_start(memory.length, half, memory.cursor)
        keep_from = min(max(fitting, memory.cursor + 1), memory.length - 1)
        return (Write.up_to(memory, keep_from, fill.reason),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The summary, if any, and all messages not yet summarized."""
        return (*notes(memory.newest_summary), Messages(memory.cursor, memory.length))
