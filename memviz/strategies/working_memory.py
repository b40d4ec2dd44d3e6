"""Working memory: a document that is kept up to date."""

from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import noop
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill
from memviz.strategies.families import LISTED_FACTS
from memviz.strategies.lookup import find_due_messages, find_newest_start
from memviz.strategies.parameters import free_text, summary_length, whole_number

DOCUMENT = "working memory"
"""The track of the document."""
TEMPLATE = "# User\n- Name:\n- Wishes:\n- Rules:\n# Work\n- Goal:\n- Decisions:\n- Facts:\n- Open questions:"
REWRITE = (
    "Rewrite the whole document so that it holds what a later answer may need: change what changed, take out what no "
    "longer holds, and leave empty what is not known. Answer with the document alone."
)


class WorkingMemory(Strategy):
    """Sends the newest messages, and a document in a fixed form that the summarizer keeps up to date.

    Gains: what matters about the user and the work has a place of its own, is corrected when it changes, and does not
    grow with the conversation.

    Loses: whatever has no place in the form; and the whole document is written anew each time, so that a line can fade
    or go without a trace.

    Hurts when: much is told that belongs to no heading; or the document is long, and is paid for at every rewriting
    and in every request.

    Used by:
    - Mastra working memory: a Markdown template or a schema, which the model of the chat rewrites with a tool, beside
      the newest messages (documentation of mastra 1.31.0)
    - Letta core memory: blocks of limited size inside the system prompt, which the model edits with tools (read in
      letta, the last code before its archiving)

    After each message looks at those that the document did not take in yet: with more than ``every_messages`` all
    completed turns among them are taken in at once. The newest messages are sent whatever was taken in, and all that
    was not, so nothing is lost while the summarizer fails. Different from Mastra: a summarizer writes, at fixed
    moments, where there the model of the chat does, when it thinks that it should. The built-in model lists what it
    finds, without headings. Held against a slow reference.
    """

    title: ClassVar[str] = "Working memory"
    reference: ClassVar[str] = "Mastra working memory (documentation of mastra 1.31.0)"
    order: ClassVar[int] = 7
    family: ClassVar[str] = LISTED_FACTS
    main_parameter: ClassVar[str] = "newest_messages"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    tried_at_first: ClassVar[bool] = (
        False  # a call of the summarizer every few messages: dear to try
    )
    limits: ClassVar[str] = noop("messages not yet summarized")
    """The document does not count."""

    newest_messages: int = whole_number(
        10,
        "messages",
        "Newest messages, the input included, that are sent word for word. Larger keeps more word for word and costs "
        "more a turn.",
        (2, 30),
    )
    every_messages: int = whole_number(
        4,
        "messages",
        "The document is rewritten with more new messages than this. Larger asks the summarizer less often, with more "
        "to read.",
        (1, 20),
    )
    template: str | None = free_text(
        "The form of the document: its headings and fields. Empty uses the default."
    )
    summary_words: int = summary_length()

    def fill(self, memory: Memory) -> Fill:
        """The messages that the document did not take in yet."""
        return Fill(memory.pending, self.every_messages, "messages", self.limits)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """With too many new messages, take in those of all completed turns; where none is complete, all that a user
        said in a row."""
        fill = self.fill(memory)
        due = find_due_messages(memory, fill)
        if not due:
            return ()
        document = memory.head(DOCUMENT)
        return (Write(due, due.stop, fill.reason, document, DOCUMENT),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The document, and the newest messages with all that it did not take in."""
        start = find_newest_start(memory, self.newest_messages)
        newest = Messages(min(start, memory.cursor), memory.length)
        return (*notes(memory.notes_of(DOCUMENT)), newest)

    @property
    def instruction(self) -> str:
        """The form of the document, and what to do with it."""
        form = self.template or TEMPLATE
        return self.limited(f"Keep a document in this form:\n{form}\n\n{REWRITE}")

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The document between tags."""
        return f"<working_memory>\n{summary.text}\n</working_memory>"
