"""Turns the numbers of all requests of a run into arrays, one for each kind of number.

``run.requests.columns`` is where metrics and charts read them: ``columns.totals`` has the tokens of each request,
``columns.starts`` the first message that each sends. Tokens that no one counted during the replay are derived here,
for all requests at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np

from memviz.core.context import ALL_PARTS
from memviz.core.memory import Memory, MemorySpace
from memviz.engine.joined_requests import JoinedRequests, Numbers, Stretch
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.parts import Parts
from memviz.strategies.base import Strategy

ROW = (
    "turn", "call", "length", "summary_count", "cursor", "summary_start", "summary_stop", "start", "stop",
    "input_start", "reply_tokens",
)  # fmt: skip
"""The numbers of a request besides the tokens of its parts; see :class:`Requests`."""
COLUMNS = (*(f"{name}s" for name in ROW[:-1]), ROW[-1])
"""The names of the arrays of these numbers."""
WIDTH = len(ROW)
PARTS = len(ALL_PARTS)


class Segment(NamedTuple):
    """Requests in a row with one memory space and one strategy, from row ``first`` on."""

    first: int
    space: MemorySpace
    strategy: Strategy | None


class KeptRequests(Protocol):
    """The part of :class:`memviz.engine.requests.Requests` that :class:`Columns` reads, which imports this module."""

    numbers: array[int]
    """:data:`WIDTH` of each request, one request after the other."""
    counted: array[int]
    """Tokens of :data:`PARTS` parts of each request that was counted when it was made."""
    counted_rows: array[int]
    """The numbers (0-based) of the requests that were counted when they were made."""
    segments: list[Segment]
    summary_role: str

    @property
    def others(self) -> Mapping[int, Parts]:
        """The parts of requests that are not one range of the log each."""
        ...

    def memory_at(self, number: int) -> Memory:
        """The memory that request ``number`` (0-based) was made from."""
        ...

    def __len__(self) -> int: ...


class Columns:
    """The numbers of all requests, one array [requests] for each of :data:`ROW`, and ``tokens`` of each part."""

    turns: Numbers
    calls: Numbers
    """The number of each call within its turn, from 1."""
    lengths: Numbers
    """The number of messages that the log had."""
    summary_counts: Numbers
    cursors: Numbers
    summary_starts: Numbers
    summary_stops: Numbers
    """The summary versions (0-based) that are sent end before this one."""
    starts: Numbers
    """The log position of the first message of history and input; -1 where these are not one range: such a request
    stands in ``others`` by its number (0-based)."""
    stops: Numbers
    """The log position behind the last message of history and input, -1 in the same case."""
    input_starts: Numbers
    reply_tokens: Numbers

    def __init__(self, requests: KeptRequests) -> None:
        table = np.array(requests.numbers, np.int64).reshape(-1, WIDTH).T.copy()
        for name, column in zip(COLUMNS, table, strict=True):
            setattr(self, name, column)
        self._counted = np.array(requests.counted, np.int64).reshape(-1, PARTS).T
        self._counted_rows = requests.counted_rows.tolist()
        self.others: Mapping[int, Parts] = requests.others
        self.summary_role = requests.summary_role
        self._requests = requests
        self._derived: Numbers | None = None
        """The result of :func:`derive_tokens`; ``None`` before."""

    def _split_segments(self) -> Iterator[tuple[Segment, slice]]:
        """Yield the segments of the run, each with its rows."""
        segments = self._requests.segments
        stops = [*(segment.first for segment in segments[1:]), len(self.turns)]
        # Without requests there is a stop and no segment.
        for segment, stop in zip(segments, stops, strict=False):
            yield segment, slice(segment.first, stop)

    @cached_property
    def tokens(self) -> dict[str, Numbers]:
        """Tokens of each part of every request: what ``TurnRecord.tokens`` says of one, with zeros where a part is not
        in use."""
        return dict(zip(ALL_PARTS, self._token_table, strict=True))

    @cached_property
    def totals(self) -> Numbers:
        """All tokens sent with each request."""
        total: Numbers = self._token_table.sum(axis=0)
        return total

    @cached_property
    def _token_table(self) -> Numbers:
        """The tokens [parts x requests]: as counted when a request was made, or as they follow from its ranges or
        pieces."""
        rows = self._counted_rows
        if len(rows) == len(self.turns):
            return self._counted
        table = self._derived
        if table is None:
            [table] = derive_tokens([self])
        table[:, rows] = self._counted
        for number in self.others.keys() - set(rows):
            memory = self._requests.memory_at(number)
            tokens = count_tokens_by_part(memory, self.others[number])
            table[:, number] = [tokens.get(part, 0) for part in ALL_PARTS]
        return table

    @property
    def largest(self) -> int:
        """The tokens of the largest request; 0 where there is none."""
        return int(self.totals.max(initial=0))

    @property
    def over_budget(self) -> int:
        """The number of requests that are larger than their strategy's own budget."""
        count = 0
        for segment, rows in self._split_segments():
            strategy = segment.strategy
            if strategy is None or strategy.budget_tokens is None:
                continue
            tokens = {part: counted[rows] for part, counted in self.tokens.items()}
            is_over = strategy.counted_tokens(tokens) > strategy.budget_tokens
            count += int(np.sum(is_over))
        return count


def derive_tokens(runs: Sequence[Columns]) -> list[Numbers]:
    """Return the tokens [parts x requests] of each of several runs, as far as they follow from ranges of the log. All
    are worked out at once, which is sooner where the runs are short, and each run keeps its own."""
    stretches = [
        Stretch(columns, segment.space, rows)
        for columns in runs
        for segment, rows in columns._split_segments()
    ]
    if not stretches:
        return []
    joined = JoinedRequests(stretches).tokens
    stops = accumulate(len(columns.turns) for columns in runs)
    tokens = np.split(joined, list(stops)[:-1], axis=1)
    for columns, run_tokens in zip(runs, tokens, strict=True):
        columns._derived = run_tokens
    return tokens
