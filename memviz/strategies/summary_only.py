"""Summary only."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.strategies.base import ToolUse
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import switch, whole_number
from memviz.strategies.per_turn import PerTurnSummaries


class SummaryOnly(PerTurnSummaries):
    """Sends one short summary of every past turn and no message of it, except what is recalled.

    Gains: the smallest requests of all in the middle of a conversation; details come back by recall.

    Loses: every detail that no summary kept, until somebody recalls it; and the list keeps growing.

    Hurts when: the next question is about the exact words of the answer before, as in work on a text or on code; or
    nobody is there to recall: neither the user nor a model that takes tools.

    Used by:
    - Codex: at its limit only the newest messages of the user stay, up to 20,000 tokens, and the summary behind them;
      all replies and results go (read in an older copy of codex)
    - inspect_ai CompactionSummary: at 90 % of the window the whole conversation becomes one message; system prompt and
      input stay (run with inspect_ai 0.3.285)
    - Mastra observational memory: an observer turns 30,000 tokens of messages into dated observations, a second model
      condenses them at 40,000 (documentation of mastra 1.31.0)

    A system message later in the conversation belongs to the turn that it stands in, and is summarized with it.
    """

    title: ClassVar[str] = "Summary only"
    reference: ClassVar[str] = "Summary-only memory with recall"
    order: ClassVar[int] = 8
    family: ClassVar[str] = SUMMARIES
    sends_history: ClassVar[bool] = False

    enable_recall: bool = switch(True, "Let turns be recalled into the next request.")
    max_recalled_messages: int = whole_number(
        20,
        "messages",
        "Most messages that one recall brings back: those named by number first, then the newest.",
        (1, 50),
    )
    max_recall_contexts: int = whole_number(
        3,
        "calls",
        "Most recalls that the model may ask for in one turn.",
        (1, 10),
        live_only=True,
    )
    enable_reflective_thinking: bool = switch(
        False, "Let the model think before it answers.", live_only=True
    )
    max_thinking_rounds: int = whole_number(
        3, "rounds", "Most rounds of thinking in one turn.", (1, 10), live_only=True
    )
    thinking_token_budget: int = whole_number(
        10000,
        "tokens",
        "Most tokens of thinking in one turn.",
        (1000, 20000),
        live_only=True,
    )

    @property
    def allows_recall(self) -> bool:
        """Switched by ``enable_recall``."""
        return self.enable_recall

    @property
    def recall_limit_messages(self) -> int:
        """``max_recalled_messages``."""
        return self.max_recalled_messages

    @property
    def tool_use(self) -> ToolUse:
        """The bounds of recalling and thinking, 0 for what is switched off."""
        return ToolUse(
            self.max_recall_contexts if self.enable_recall else 0,
            self.max_thinking_rounds if self.enable_reflective_thinking else 0,
            self.thinking_token_budget,
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """All summaries, and of the history only the turn that is open so far: its question, tool calls and results.

        A turn whose summary failed is sent word for word until it has one.
        """
        start = memory.before_open_turn
        pieces: tuple[Piece, ...] = ()
        if self.enable_summarization:
            start = min(start, self.unsummarized_start(memory))
            pieces = notes(memory.all_summaries)
        if start == memory.length:
            return pieces
        return (*pieces, Messages(start, memory.length))
