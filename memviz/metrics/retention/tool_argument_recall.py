"""Arguments of tool calls that the conversation had given before: were they still in the context at the call?

No labels are needed: a value that a call uses, and that was said before, is one the model had to know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from memviz.core.conversation import Log
from memviz.core.text.containment import normal_tokens
from memviz.core.text.terms import IS_UNSPACED
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.other_words import OtherWords
from memviz.metrics.requests.request_table import (
    recalled_ranges,
    verbatim_ranges,
    versions_of,
)
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.message_text import argument_values, readable
from memviz.metrics.retention.probe_texts import Bools, ProbeTexts
from memviz.transcripts.base import Probe

LEAST_CHARS = 3
"""Shorter values are trivial, and so are true, false and null. Two characters of an unspaced script are enough."""


class NeededArgument(NamedTuple):
    """One argument value of one call. ``position`` is that of the calling message and ``last_seen`` that of the last
    message before it that contains the value (log positions); ``name`` is the argument's path. ``request`` is the
    number (0-based) of the request that the call answers, and ``source`` where the value stood in it, LOST if nowhere;
    what the same reply said before the call is VERBATIM."""

    position: int
    turn: int
    tool: str
    name: str
    value: str
    last_seen: int
    source: Knowledge
    request: int = -1

    @property
    def in_context(self) -> bool:
        """Whether the model was sent the value."""
        return self.source != Knowledge.LOST


@dataclass(frozen=True, slots=True)
class ToolArgumentRecall:
    """All needed arguments of a run, in order."""

    arguments: tuple[NeededArgument, ...] = field(default=(), repr=False)

    @property
    def share(self) -> float | None:
        """Share of them that were in the context (0 to 1); ``None`` where none was needed."""
        return _share(self.arguments)

    def share_by_turn(self) -> dict[int, float]:
        """That share for each turn that needed any."""
        by_turn: dict[int, list[NeededArgument]] = {}
        for argument in self.arguments:
            by_turn.setdefault(argument.turn, []).append(argument)
        return {
            turn: share
            for turn, found in by_turn.items()
            if (share := _share(found)) is not None
        }


def tool_argument_recall(run: Run) -> ToolArgumentRecall:
    """The arguments of all tool calls of ``run`` whose values an earlier message contains: its content, the
    arguments of its own calls, or its result.

    Left out: trivial values (see :data:`LEAST_CHARS`), the calls of memviz's own recall tool, and calls before the
    first request. In the context of a call is what the request that it answers held, and what the reply said since.
    """
    used = list(_used(run.log))
    values = list(dict.fromkeys(argument.value for argument in used))
    probes = [Probe(value, (value,), (), "single fact") for value in values]
    texts = ProbeTexts(run.log, probes, any_mention=True)
    sources = _Sources(run, texts)
    column_of = {value: column for column, value in enumerate(values)}
    lengths = np.array([record.log_length for record in run.requests], np.int64)
    found = []
    for argument in used:
        column, position = column_of[argument.value], argument.position
        counts = texts.answer_counts[:, column]
        request = int(np.searchsorted(lengths, position, side="right")) - 1
        if request < 0 or not counts[position]:
            continue
        is_own = counts[position] > counts[lengths[request]]
        source = (
            Knowledge.VERBATIM if is_own else sources.of(run.requests[request], column)
        )
        last_seen = int(np.searchsorted(counts, counts[position])) - 1
        found.append(
            argument._replace(last_seen=last_seen, source=source, request=request)
        )
    return ToolArgumentRecall(tuple(found))


class _Sources:
    """Where a value stands in a request. Asked for one request and value at a time: most of the matrix [requests x
    values], which :func:`memviz.metrics.retention.retention.retention` gives, would be of no use, and it is large."""

    def __init__(self, run: Run, texts: ProbeTexts) -> None:
        self._summaries, self._counts = run.space.summaries, texts.answer_counts
        prompts = texts.holding(
            [prompt.content for prompt in run.space.system_messages]
        )
        self._in_system: Bools = np.logical_or.reduce(prompts.answers, axis=0)
        self._in_version = texts.holding(
            [version.text for version in self._summaries.versions]
        ).answers
        self._words, self._texts = OtherWords(run.space), texts
        self._in_words: Bools = np.zeros((0, len(texts.probes)), dtype=bool)

    def of(self, record: TurnRecord, column: int) -> Knowledge:
        """The highest place of the value number ``column``; LOST where it is nowhere."""
        counts, parts = self._counts[:, column], record.parts
        besides = self._words.of(parts)
        if any(
            counts[part.stop] > counts[part.start] for part in verbatim_ranges(record)
        ):
            return Knowledge.VERBATIM
        if self._says(besides.in_messages, column):
            return Knowledge.VERBATIM
        if any(
            counts[part.stop] > counts[part.start] for part in recalled_ranges(record)
        ):
            return Knowledge.RECALLED
        if any(
            self._in_version[number, column]
            for number in versions_of(parts, self._summaries)
        ):
            return Knowledge.SUMMARY
        is_in_system = self._in_system[column] or self._says(besides.in_system, column)
        return Knowledge.SYSTEM if is_in_system else Knowledge.LOST

    def _says(self, ranges: Sequence[range], column: int) -> bool:
        """Whether a line, or what is left of a message, holds the value."""
        fresh = self._words.messages[len(self._in_words) :]
        if fresh:
            held = self._texts.holding([readable(message) for message in fresh]).answers
            self._in_words = np.concatenate((self._in_words, held))
        return any(
            self._in_words[part.start : part.stop, column].any() for part in ranges
        )


def _used(log: Log) -> Iterator[NeededArgument]:
    """All values that calls use, whether they were said before or not; each once for a call and argument."""
    for position in log.tools.callers:
        message = log[position]
        if message.is_recall_exchange:
            continue
        for call in message.tool_calls:
            for name, value in argument_values(call):
                if not _is_trivial(value):
                    turn = log.turn_number(position)
                    yield NeededArgument(
                        position, turn, call.name, name, str(value), -1, Knowledge.LOST
                    )


def _is_trivial(value: str | int | float | bool | None) -> bool:
    if value is None or isinstance(value, bool):
        return True
    tokens = normal_tokens(str(value))
    if tokens and all(map(IS_UNSPACED.match, tokens)):
        return len(tokens) < LEAST_CHARS - 1
    return sum(map(str.isalnum, str(value))) < LEAST_CHARS


def _share(
    arguments: tuple[NeededArgument, ...] | list[NeededArgument],
) -> float | None:
    return (
        sum(argument.in_context for argument in arguments) / len(arguments)
        if arguments
        else None
    )
