"""Memory blocks: what the model knows of the user and of itself, beside an archive that is searched."""

import re
from typing import ClassVar

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Picked, Piece, notes
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import _, noop
from memviz.core.word_index import is_text
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill
from memviz.strategies.families import LOOKED_UP
from memviz.strategies.lookup import (
    Hit,
    find_best,
    find_due_messages,
    find_newest_start,
    why_found_by_words,
    words_of,
)
from memviz.strategies.parameters import whole_number

BLOCKS = "memory blocks"
"""The track of the blocks."""
NAMES = ("human", "persona")
"""The blocks that Letta's agents begin with."""
REWRITE = (
    "An assistant has two blocks of memory, which it sees with every request: <human> holds what it knows of the "
    "person whom it talks to, <persona> who it is itself and how it is to behave. Rewrite both so that they hold what "
    "the conversation below adds and changes, take out what no longer holds, and keep each in at most {characters} "
    "characters. Answer with both blocks alone, in this form:\n"
    "<human>\n...\n</human>\n<persona>\n...\n</persona>"
)
_BLOCK = re.compile(r"<(human|persona)>\n?(.*?)\n?</\1>", re.DOTALL)


class MemoryBlocks(Strategy):
    """Sends two blocks that are kept up to date, the newest messages, and earlier ones that hold the question's words.

    Gains: who the user is and how to behave is in every request, in a size that is known; and what no block holds can
    still be found, in its own words.

    Loses: what neither block holds and the question does not name. What stands in a block is written anew each time,
    so that it can fade.

    Hurts when: much is told that is about neither the user nor the assistant; or the blocks are small, and push out
    what is old for what is new.

    Used by:
    - Letta: blocks of at most 20,000 characters, human and persona, inside the system prompt, which the model
      rewrites with tools; it searches messages and an archive itself, 5 and 10 hits a call (read in letta 0.16.8, the
      last code before its archiving)
    - MemGPT: before messages leave the window it tells the model to store what matters (documentation of its authors,
      2023)

    After each message counts those that the blocks did not take in yet: with more than ``newest_tokens`` tokens, all
    completed turns among them are taken in, as the first of them would leave the window. A block that is longer than
    ``block_characters`` is cut there; one that the answer lacks stays as it is, and an answer without blocks is that of
    the user. The archive is all that was said before the newest messages: searched are the words of the input, by BM25
    as in retrieval, and what is found stands right before the input. While the summarizer fails, all that it has not
    read is sent. Different from Letta: a summarizer writes, at fixed moments, where there the model does when it thinks
    that it should; the search is made for each question, and by words; and the blocks are a system message of their
    own. The built-in model puts standing rules into *persona* and all else into *human*. Held against a slow reference.
    """

    title: ClassVar[str] = "Memory blocks"
    reference: ClassVar[str] = "Letta core memory with archival search (letta 0.16.8)"
    order: ClassVar[int] = 8
    family: ClassVar[str] = LOOKED_UP
    main_parameter: ClassVar[str] = "newest_tokens"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    looks_up: ClassVar[bool] = True
    limits: ClassVar[str] = noop("messages")
    """Neither the blocks count nor what is brought back."""

    newest_tokens: int = whole_number(
        2000,
        "tokens",
        "Newest messages, the input included, that are sent word for word. Larger keeps more word for word, costs more "
        "a turn and rewrites the blocks less often.",
        (250, 8000),
    )
    block_characters: int = whole_number(
        2000,
        "characters",
        "Most characters of each block. Larger keeps more, and costs more with every request.",
        (500, 5000),
        maximum=20_000,
    )
    top_k: int = whole_number(
        5,
        "messages",
        "Earlier messages that are brought back for a question. Larger finds more and costs more a turn. 0: the "
        "archive is not searched.",
        (1, 20),
        minimum=0,
        zero_is_off=True,
    )

    @property
    def budget_tokens(self) -> int:
        """``newest_tokens``."""
        return self.newest_tokens

    def fill(self, memory: Memory) -> Fill:
        """Tokens of the messages that the blocks did not take in yet."""
        counts = noop("messages not yet summarized")
        return Fill(memory.pending_tokens, self.newest_tokens, "tokens", counts)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """With too many new tokens, take in the messages of all completed turns; where none is complete, all that a
        user said in a row."""
        fill = self.fill(memory)
        due = find_due_messages(memory, fill)
        if not due:
            return ()
        return (Write(due, due.stop, fill.reason, memory.head(BLOCKS), BLOCKS),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The blocks, the newest messages with all that was not taken in, and what is found in the archive."""
        start = self._newest_start(memory)
        picked: tuple[int, ...] = ()
        if self.top_k:
            found = find_by_words(memory, start, self.top_k)
            picked = tuple(sorted(hit.position for hit in found))
        return (
            *notes(memory.notes_of(BLOCKS)),
            Messages(start, memory.length),
            *([Picked(picked)] if picked else []),
        )

    def _newest_start(self, memory: Memory) -> int:
        """Position of the first message that is sent whatever it says."""
        start = memory.sums.suffix_start(
            memory.length, self.newest_tokens, memory.history_start
        )
        return min(memory.cursor, find_newest_start(memory, memory.length - start))

    def why_sent(self, memory: Memory, position: int) -> str:
        """The words of the question that an archived message holds, and its place among those that hold any."""
        return _why_found(memory, self._newest_start(memory), position)

    @property
    def instruction(self) -> str:
        """The blocks, what to do with them, and their size."""
        return REWRITE.format(characters=self.block_characters)

    def read_answer(self, effect: Write, answer: str) -> str:
        """Both blocks, each cut where it is too long; one that the answer lacks as it was before."""
        before = blocks_in(effect.replaces.text) if effect.replaces else {}
        told = blocks_in(answer) or {NAMES[0]: answer.strip()}
        blocks = {
            name: told.get(name, before.get(name, ""))[: self.block_characters]
            for name in NAMES
        }
        return "\n".join(
            f"<{name}>\n{text}\n</{name}>" for name, text in blocks.items()
        )

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The blocks between tags."""
        return f"<memory_blocks>\n{summary.text}\n</memory_blocks>"


def blocks_in(text: str) -> dict[str, str]:
    """Return the blocks of a text by their names."""
    return {name: block.strip() for name, block in _BLOCK.findall(text)}


def find_by_words(memory: Memory, stop: int, most: int | None = None) -> list[Hit]:
    """Return the messages before ``stop`` that hold any word of the input, the best first and of equals the newer one;
    at ``most`` so many. None where the input are results of tools: what is brought back would part them from their
    call."""
    start = memory.history_start
    words = words_of(memory, memory.input)
    if not words or stop <= start:
        return []
    scores = memory.log.word_index().scores(words, start, stop)
    return find_best(scores, start, most)


def _why_found(memory: Memory, stop: int, position: int) -> str:
    """Return why a message before ``stop`` is found or not; empty for one that is not searched."""
    if not memory.history_start <= position < stop:
        return ""
    if not is_text(memory.log[position]):
        return _("calls of tools and their results are not looked up")
    found = find_by_words(memory, stop)
    words = words_of(memory, memory.input)
    for rank, hit in enumerate(found, 1):
        if hit.position == position:
            return why_found_by_words(memory, words, hit, rank, len(found))
    return _("holds no word of the question")
