"""The strategy Hand-off: a summary of everything, behind the user's newest messages.

:class:`AskedMessages` keeps what the user said in a form that each request slices, as hundreds of messages may stay.
"""

from bisect import bisect_left
from functools import lru_cache
from typing import ClassVar, NamedTuple

from memviz.core.conversation import Log
from memviz.core.forms import Cut
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.shared_growth import SharedGrowth
from memviz.core.summaries import SummaryVersion
from memviz.core.token_sums import TokenSums
from memviz.core.translation import noop
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill, Headroom
from memviz.strategies.families import SUMMARIES
from memviz.strategies.parameters import summary_length, whole_number

CHARS_PER_TOKEN = 4
"""What Codex takes a token for, where it cuts a message."""


class HandOff(Strategy):
    """Once too much is sent, keeps the user's newest messages and hands everything else over in a summary behind them.

    Gains: what the user asked for stays in the user's own words, and all work since then starts with much room.

    Loses: every word of the assistant and of tools at one blow: what was tried, decided and found stands in the summary
    or nowhere. Where the provider writes it (``opaque_tokens``), nobody can look what stands there.

    Hurts when: the assistant's answers hold what matters, such as a plan that the user only said yes to; or the user
    pastes long files, which then take the room of everything else.

    Used by:
    - Codex: at 0.9 of the window keeps the newest 20,000 tokens of the user's messages, the oldest of them cut, and the
      summary behind them (read in an older copy of codex)
    - OpenAI server compaction: past compact_threshold one encrypted block stands for everything but the user's messages
      (read in openai 3.54.0)
    - Anthropic server compaction: past 150,000 tokens of input one block stands for everything (read in anthropic
      2.12.0)

    It looks before each request, and counts the contents of all that would be sent. The newest messages of the user are
    kept that have at most ``keep_user_tokens`` together; of the one before them both ends, as far as there is room. The
    summarizer reads the summary before and what was said since. A block of ``opaque_tokens`` is written by the
    provider: memviz simulates when, and what stays beside it; its size is an assumption, its text is not simulated, and
    whether a fact stands in it is *unknown*. The call that makes it reads what the request would have sent.
    """

    title: ClassVar[str] = "Hand-off"
    reference: ClassVar[str] = (
        "Codex compact.rs; server compaction of OpenAI and Anthropic"
    )
    order: ClassVar[int] = 13
    family: ClassVar[str] = SUMMARIES
    main_parameter: ClassVar[str] = "trigger_tokens"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    limits: ClassVar[str] = noop("everything that is sent, the summary among it")
    """Everything counts."""

    trigger_tokens: int = whole_number(
        4000,
        "tokens",
        "Hands off when more than so many tokens would be sent. Larger does so later and costs more a turn.",
        (500, 100_000),
    )
    keep_user_tokens: int = whole_number(
        1000,
        "tokens",
        "Newest messages of the user that stay, word for word. Larger keeps more of what was asked for. 0: none stays.",
        (250, 20_000),
        minimum=0,
    )
    opaque_tokens: int = whole_number(
        0,
        "tokens",
        "Size of the block that the provider writes and nobody else can read. Larger costs more a turn. 0: the "
        "summarizer writes a summary instead.",
        (500, 8000),
        minimum=0,
        replay_only=True,
        zero_is_off=True,
    )
    summary_words: int = summary_length()

    @property
    def writes_notes(self) -> bool:
        """False if the provider writes the block: no summarizer is asked then."""
        return not self.opaque_tokens

    def fill(self, memory: Memory) -> Fill:
        """The content tokens of everything that would be sent, against the trigger."""
        versions = memory.newest_summary
        sent = memory.space.system_tokens + memory.pending_tokens
        sent += memory.space.summaries.tokens(versions.start, versions.stop)
        sent += self._find_kept(memory).tokens
        return Fill(sent, self.trigger_tokens, "tokens", self.limits)

    def headroom(self, memory: Memory) -> Headroom | None:
        """Unknown as long as there is nothing but the input, which stays however large it is."""
        if memory.before_input <= memory.cursor:
            return None
        return self.fill(memory).headroom

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Past the limit, everything before the input goes into the summary."""
        fill = self.fill(memory)
        stop = memory.before_input
        if not fill.is_over or stop <= memory.cursor:
            return ()
        opaque_tokens = self.opaque_tokens
        return (Write.up_to(memory, stop, fill.reason, opaque_tokens=opaque_tokens),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """The user's newest messages of what was handed over, the summary, and all messages since then."""
        return (
            *self._find_kept(memory).pieces,
            *notes(memory.newest_summary, role="user"),
            Messages(memory.cursor, memory.length),
        )

    def _find_kept(self, memory: Memory) -> "KeptMessages":
        """Return the user's newest messages before the cursor, and both ends of the one that did not fit."""
        first = memory.history_start
        return _find_kept_messages(
            memory.log, memory.sums, first, memory.cursor, self.keep_user_tokens
        )

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The text alone, as Codex sends it behind a line of its own."""
        return summary.text


class KeptMessages(NamedTuple):
    """The user's messages that are sent word for word beside the summary, and their content tokens."""

    pieces: tuple[Messages, ...]
    tokens: int


# What stays is the same for all requests up to the next hand-off.
@lru_cache(maxsize=8)
def _find_kept_messages(
    log: Log, sums: TokenSums, first: int, cursor: int, room: int
) -> KeptMessages:
    asked = _asked_messages_of(log, sums)
    asked.extend(cursor)
    positions = asked.positions
    totals = asked.totals
    oldest = bisect_left(positions, first)
    stop = bisect_left(positions, cursor)

    # The newest messages that fit together.
    start = bisect_left(totals, totals[stop] - room, oldest, stop)
    tokens = totals[stop] - totals[start]

    # Of the one before them both ends fill the rest of the room.
    cut: tuple[Messages, ...] = ()
    if start > oldest:
        cut = _cut_to_ends(positions[start - 1], room - tokens)
    for piece in cut:
        tokens += sums.counter(log.sent(piece.start, piece.form).content)
    return KeptMessages((*cut, *asked.pieces(start, stop)), tokens)


class AskedMessages(SharedGrowth):
    """The messages of the user in a log, append-only: their positions, the running sums of their content tokens, and
    the pieces that they are sent as."""

    # A hand-off that keeps nearly all messages comes every few turns. Without this it would read hundreds of unchanged
    # messages each time.
    def __init__(self, log: Log, sums: TokenSums) -> None:
        super().__init__()
        self._log = log
        self._sums = sums
        self._length = 0
        self.positions: list[int] = []
        self.totals = [0]
        self._runs: list[Messages] = []
        self._run_of: list[int] = []
        """The number, by message, of the run that it is in: messages that follow on each other."""

    def extend(self, length: int) -> None:
        """Read the messages before ``length`` that were not read yet."""
        with self._extending:
            for position in range(self._length, length):
                if self._log[position].role == "user":
                    self._append(position)
            self._length = max(self._length, length)

    def _append(self, position: int) -> None:
        if self.positions and self.positions[-1] == position - 1:
            self._runs[-1] = self._runs[-1]._replace(stop=position + 1)
        else:
            self._runs.append(Messages(position, position + 1))
        self._run_of.append(len(self._runs) - 1)
        size = self._sums.between(position, position + 1)
        self.totals.append(self.totals[-1] + size)
        self.positions.append(position)

    def pieces(self, start: int, stop: int) -> list[Messages]:
        """Return the pieces of the messages ``[start, stop)`` of the user."""
        if start == stop:
            return []
        runs = self._runs[self._run_of[start] : self._run_of[stop - 1] + 1]
        # The first run and the last may be there in part.
        first_position = self.positions[start]
        if runs[0].start != first_position:
            runs[0] = runs[0]._replace(start=first_position)
        last_position = self.positions[stop - 1]
        if runs[-1].stop != last_position + 1:
            runs[-1] = runs[-1]._replace(stop=last_position + 1)
        return runs


@lru_cache(maxsize=8)
def _asked_messages_of(log: Log, sums: TokenSums) -> AskedMessages:
    return AskedMessages(log, sums)


def _cut_to_ends(position: int, room: int) -> tuple[Messages, ...]:
    """Return the message with as much of both ends as fits in ``room`` tokens; nothing if there is no room."""
    half = room * CHARS_PER_TOKEN // 2
    if not half:
        return ()
    return (Messages(position, position + 1, Cut(half, half)),)
