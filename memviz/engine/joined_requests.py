"""The requests of one or several runs side by side, and the tokens that follow from their ranges.

A call of numpy takes as long for the five requests of a short conversation as for a thousand. So the requests of many
short runs are joined, one run behind the other, and all of them are worked out at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import (
    ALL_PARTS,
    TOKENS_PER_MESSAGE,
    TOKENS_PER_REQUEST,
)
from memviz.core.memory import MemorySpace
from memviz.core.token_sums import SumArrays
from memviz.engine.schema_counts import count_saved_tokens_in_ranges

Numbers = NDArray[np.int64]


class RequestColumns(Protocol):
    """The numbers of :class:`memviz.engine.columns.Columns` that are read here by name; it is made of this."""

    turns: Numbers
    starts: Numbers
    stops: Numbers
    summary_role: str


class Stretch(NamedTuple):
    """Requests of a run, one after the other, that were made in one space."""

    columns: RequestColumns
    space: MemorySpace
    rows: slice

    @property
    def request_count(self) -> int:
        """The number of these requests."""
        return len(self.columns.turns[self.rows])


class JoinedRequests:
    """The numbers of the requests of several stretches, one stretch behind the other.

    Log positions are those in ``sums``, which joins the sums of all logs: where the first log has ten messages, and so
    eleven sums, the first message of the second log is at 11.
    """

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self.stretches = stretches
        self.counts = [stretch.request_count for stretch in stretches]
        self.bounds = [0, *accumulate(self.counts)]
        """The number of the first request of each stretch, and that of all requests."""
        arrays = [stretch.space.sums.arrays for stretch in stretches]
        self.sums = SumArrays(*map(_join, zip(*arrays, strict=True)))
        lengths = [len(sums.totals) for sums in arrays]
        self.log_bounds = [0, *accumulate(lengths)]
        """The position of each log in ``sums``, and behind the last one."""
        offsets = self.for_each_request(self.log_bounds[:-1])
        self.starts = self.column("starts") + offsets
        self.stops = self.column("stops") + offsets
        self.input_starts = self.column("input_starts") + offsets
        self.lengths = self.column("lengths") + offsets
        self.summary_starts = self.column("summary_starts")
        self.summary_stops = self.column("summary_stops")
        self.has_summary = self.summary_stops > self.summary_starts

    def __len__(self) -> int:
        return self.bounds[-1]

    def column(self, name: str) -> Numbers:
        """Return a column of :class:`memviz.engine.columns.Columns`, such as ``"turns"``, of all requests."""
        parts = [getattr(columns, name)[rows] for columns, _, rows in self.stretches]
        return _join(parts)

    def for_each_request(self, values: Sequence[Any]) -> NDArray[Any]:
        """Return the value of its stretch for each request: of two stretches with two requests and one request the
        values 7 and 8 are 7, 7, 8."""
        return np.repeat(np.array(values), self.counts)

    def each(self) -> Iterator[tuple[Stretch, slice]]:
        """Yield each stretch with the numbers of its requests here."""
        for number, stretch in enumerate(self.stretches):
            yield stretch, slice(self.bounds[number], self.bounds[number + 1])

    @cached_property
    def system_tokens(self) -> Numbers:
        """Content tokens of the system prompt that each request begins with."""
        tokens = [stretch.space.system_tokens for stretch in self.stretches]
        return self.for_each_request(tokens)

    @cached_property
    def system_counts(self) -> Numbers:
        """The number of messages of the system prompt that each request begins with."""
        counts = [stretch.space.system_count for stretch in self.stretches]
        return self.for_each_request(counts)

    @cached_property
    def tool_tokens(self) -> Numbers:
        """Tokens of the schemas that the conversation's own program sends with each request."""
        tokens = [stretch.space.tool_tokens for stretch in self.stretches]
        return self.for_each_request(tokens)

    @cached_property
    def system_name_tokens(self) -> Numbers:
        """Tokens of the names of those who speak in the system prompt of each request."""
        spaces = [stretch.space for stretch in self.stretches]
        tokens = [space.sums.name_totals[space.system_stop] for space in spaces]
        return self.for_each_request(tokens)

    @cached_property
    def saved_tokens(self) -> Numbers:
        """Tokens that the schemas of each request cost less because a system message takes them in; see
        :func:`memviz.engine.schema_counts.count_saved_tokens`."""
        saved = np.zeros(len(self), np.int64)
        for (columns, space, own_rows), rows in self.each():
            if space.tool_tokens and not space.system_count:
                starts = columns.starts[own_rows]
                stops = columns.stops[own_rows]
                has_system_message = self.has_summary[rows] & (
                    columns.summary_role == "system"
                )
                saved[rows] = count_saved_tokens_in_ranges(
                    space, starts, stops, has_system_message
                )
        return saved

    @cached_property
    def tokens(self) -> Numbers:
        """Tokens [parts x requests] of requests of one range each. What stands for another request means nothing."""
        sums = self.sums
        starts = self.starts
        stops = self.stops
        inputs = self.input_starts
        messages = stops - starts + self.has_summary + self.system_counts
        calls = sums.call_totals[stops] - sums.call_totals[starts]
        names = sums.name_totals[stops] - sums.name_totals[starts]
        tokens = {
            "system": self.system_tokens,
            "summary": self._summary_tokens(),
            "recalled": np.zeros_like(starts),
            "history": sums.totals[inputs] - sums.totals[starts],
            "input": sums.totals[self.lengths] - sums.totals[inputs],
            "overhead": TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST,
            "tools": calls + self.tool_tokens - self.saved_tokens,
            "names": names + self.system_name_tokens,
        }
        return np.array([tokens[part] for part in ALL_PARTS])

    def _summary_tokens(self) -> Numbers:
        """Return the tokens of the summary message of each request; each block of versions is counted once."""
        tokens = np.zeros(len(self), np.int64)
        for stretch, rows in self.each():
            summaries = stretch.space.summaries
            if not len(summaries):
                continue
            tokens_of: dict[tuple[int, int], int] = {}
            starts = self.summary_starts[rows].tolist()
            stops = self.summary_stops[rows].tolist()
            for number, block in enumerate(zip(starts, stops, strict=True), rows.start):
                if block not in tokens_of:
                    tokens_of[block] = summaries.tokens(*block)
                tokens[number] = tokens_of[block]
        return tokens


def _join(arrays: Sequence[Numbers]) -> Numbers:
    """Return arrays, one behind the other. One alone, which may be that of a very long log, is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
