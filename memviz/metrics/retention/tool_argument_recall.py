"""Arguments of tool calls that the conversation had given before, and whether the call's request still held them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.text.containment import normal_tokens
from memviz.core.text.terms import IS_UNSPACED
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import list_argument_values
from memviz.metrics.requests.other_words import OtherWords
from memviz.metrics.requests.request_table import (
    list_sent_versions,
    list_verbatim_ranges,
    list_whole_recalled_ranges,
)
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.probe_texts import Bools, Counts, ProbeTexts, mark_in_any
from memviz.transcripts.base import Probe

LEAST_CHARS = 3
"""The fewest letters and digits of a value that is not trivial."""
LEAST_UNSPACED_CHARS = 2
"""The fewest characters of a value in a script without spaces, such as Chinese."""


class _UsedArgument(NamedTuple):
    """One argument value of one call, wherever it came from."""

    position: int
    """The log position of the calling message."""
    turn: int
    tool: str
    name: str
    """The path of the argument: ``order.id``."""
    value: str


class NeededArgument(NamedTuple):
    """One argument value of one call that an earlier message contains."""

    position: int
    """The log position of the calling message."""
    turn: int
    tool: str
    name: str
    """The path of the argument: ``order.id``."""
    value: str
    last_seen: int
    """The log position of the last message before the call that contains the value."""
    source: Knowledge
    """Where the request of the call held the value; LOST if nowhere.

    VERBATIM as well if the same reply said it before the call.
    """
    request: int
    """The number (0-based) of the request that the call answers."""

    @property
    def in_context(self) -> bool:
        """True where the model was sent the value."""
        return self.source != Knowledge.LOST


@dataclass(frozen=True, slots=True)
class ToolArgumentRecall:
    """The needed arguments of a run, in order."""

    arguments: tuple[NeededArgument, ...] = field(default=(), repr=False)

    @property
    def share(self) -> float | None:
        """Share of the arguments that were in the context (0 to 1); ``None`` without any."""
        if not self.arguments:
            return None
        sent_count = sum(argument.in_context for argument in self.arguments)
        return sent_count / len(self.arguments)


def measure_tool_argument_recall(run: Run) -> ToolArgumentRecall:
    """Return the arguments of tool calls of ``run`` whose values an earlier message has.

    The context of a call is the request that it answers, and what its reply said before
    the call. Left out are trivial values (see :data:`LEAST_CHARS`), calls of memviz's
    own recall tool, and calls before the first request.
    """
    used_arguments = list(_list_used_arguments(run.log))
    values = list(dict.fromkeys(argument.value for argument in used_arguments))
    probes = [Probe(value, (value,), (), "single fact") for value in values]
    texts = ProbeTexts(run.log, probes, any_mention=True)
    sources = _Sources(run, texts)
    column_of = {value: column for column, value in enumerate(values)}
    lengths = [record.log_length for record in run.requests]
    needed = []
    for argument in used_arguments:
        column = column_of[argument.value]
        position = argument.position
        # For each position, the number of messages before it that have the value.
        counts = texts.counts.answers[:, column]
        # The last request that was sent before the call.
        request = bisect_right(lengths, position) - 1
        if request < 0 or not counts[position]:
            continue
        # Behind the request stands what its reply said before the call.
        is_in_own_reply = counts[position] > counts[lengths[request]]
        source = Knowledge.VERBATIM
        if not is_in_own_reply:
            source = sources.of(run.requests[request], column)
        # The count rises behind the last message that has the value.
        last_seen = int(np.searchsorted(counts, counts[position])) - 1
        needed.append(
            NeededArgument(
                **argument._asdict(),
                last_seen=last_seen,
                source=source,
                request=request,
            )
        )
    return ToolArgumentRecall(tuple(needed))


class _Sources:
    """The places in which requests hold values, asked for one request and value at a time.

    :func:`memviz.metrics.retention.retention.retention` gives the whole matrix
    [requests x values], which is large, and of which a call needs one entry.
    """

    def __init__(self, run: Run, texts: ProbeTexts) -> None:
        self._texts = texts
        self._summaries = run.space.summaries
        prompts = texts.find_in_messages(run.space.system_messages)
        self._in_system = mark_in_any(prompts.answers)
        self._in_version = texts.find_in_versions(self._summaries).answers
        self._words = OtherWords(run.space)
        self._in_words = np.zeros((0, len(texts.probes)), bool)

    def of(self, record: TurnRecord, column: int) -> Knowledge:
        """Return where the request holds the value of ``column``, the best place first.

        VERBATIM in a message, RECALLED in one that was brought back, SUMMARY in a
        summary, SYSTEM in the system prompt or a line of the strategy's own, else LOST.
        """
        # Asking for the words of a request may add lines, so they are read after it.
        other_words = self._words.of(record.parts)
        self._read_words()
        versions = list_sent_versions(record.parts, self._summaries)
        in_messages = self._texts.counts.answers[:, column]
        in_words = self._in_words[:, column]
        if _is_in(in_messages, list_verbatim_ranges(record)):
            return Knowledge.VERBATIM
        if _has_any(in_words, other_words.in_messages):
            return Knowledge.VERBATIM
        log = record.memory.log
        if _is_in(in_messages, list_whole_recalled_ranges(log, record.parts)):
            return Knowledge.RECALLED
        if _has_any(in_words, other_words.in_recalled):
            return Knowledge.RECALLED
        if self._in_version[versions, column].any():
            return Knowledge.SUMMARY
        if _has_any(in_words, other_words.in_notes):
            return Knowledge.SUMMARY
        if self._in_system[column]:
            return Knowledge.SYSTEM
        if _has_any(in_words, other_words.in_system):
            return Knowledge.SYSTEM
        return Knowledge.LOST

    def _read_words(self) -> None:
        """Look the values up in the lines and cut messages that were added since."""
        fresh = self._words.messages[len(self._in_words) :]
        if fresh:
            is_held = self._texts.find_in_messages(fresh).answers
            self._in_words = np.concatenate((self._in_words, is_held))


def _is_in(counts: Counts, ranges: Iterable[range]) -> bool:
    """Return whether a message in ``ranges`` has the value.

    ``counts`` has for each position the number of messages before it that have it.
    """
    for positions in ranges:
        if counts[positions.stop] > counts[positions.start]:
            return True
    return False


def _has_any(is_held: Bools, ranges: Iterable[range]) -> bool:
    return any(is_held[part.start : part.stop].any() for part in ranges)


def _list_used_arguments(log: Log) -> Iterator[_UsedArgument]:
    """Yield the values that calls use, each once for a call and argument."""
    for position in log.tools.callers:
        message = log[position]
        if message.is_recall_exchange:
            continue
        turn = log.turn_number(position)
        for call in message.tool_calls:
            for name, value in list_argument_values(call):
                if not _is_trivial(value):
                    yield _UsedArgument(position, turn, call.name, name, str(value))


def _is_trivial(value: str | int | float | bool | None) -> bool:
    """Return whether a value is too short to be remembered: "ok", 12, true, null."""
    if value is None or isinstance(value, bool):
        return True
    tokens = normal_tokens(str(value))
    if tokens and all(map(IS_UNSPACED.match, tokens)):
        return len(tokens) < LEAST_UNSPACED_CHARS
    return sum(map(str.isalnum, str(value))) < LEAST_CHARS
