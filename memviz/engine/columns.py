"""The numbers of all requests of a run as arrays, one for each kind of number."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import (
    ALL_PARTS,
    TOKENS_PER_MESSAGE,
    TOKENS_PER_REQUEST,
)
from memviz.core.memory import Memory, MemorySpace
from memviz.engine.part_tokens import tokens_by_part
from memviz.engine.parts import Parts
from memviz.engine.schema_counts import saved_in_ranges
from memviz.strategies.base import Strategy

Numbers = NDArray[np.int64]
ROW = (
    "turn", "call", "length", "summary_count", "cursor", "summary_start", "summary_stop", "start", "stop",
    "input_start", "reply_tokens",
)  # fmt: skip
"""The numbers of a request besides the tokens of its parts; see :class:`Requests`."""
COLUMNS = (*(f"{name}s" for name in ROW[:-1]), ROW[-1])
"""The names of the arrays of these numbers."""
WIDTH = len(ROW)
PARTS = len(ALL_PARTS)


class Made(NamedTuple):
    """The surroundings of requests in a row, from row ``first`` on."""

    first: int
    space: MemorySpace
    strategy: Strategy | None


class KeptRequests(Protocol):
    """The numbers of requests as they are kept while they are made; see
    :class:`memviz.engine.requests.Requests`."""

    numbers: array[int]
    """:data:`WIDTH` of each request, one request after the other."""
    counted: array[int]
    """Tokens of :data:`PARTS` parts of each request that was counted when it was made."""
    counted_rows: array[int]
    """The numbers (0-based) of the requests that were counted when they were made."""
    made: list[Made]
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
        self._counted = np.full((PARTS, len(requests)), -1, np.int64)
        if requests.counted_rows:
            counted = np.array(requests.counted, np.int64).reshape(-1, PARTS)
            self._counted[:, np.array(requests.counted_rows, np.int64)] = counted.T
        self.others: Mapping[int, Parts] = requests.others
        self.summary_role = requests.summary_role
        self._requests = requests

    def _by_making(self) -> Iterator[tuple[Made, slice]]:
        """The surroundings of requests, with their rows."""
        makings = self._requests.made
        stops = [*(making.first for making in makings[1:]), len(self.turns)]
        # Without requests there is a stop and no making.
        for making, stop in zip(makings, stops, strict=False):
            yield making, slice(making.first, stop)

    @cached_property
    def tokens(self) -> dict[str, Numbers]:
        """Tokens of each part of every request: what ``TurnRecord.tokens`` says of one, with zeros where a part is not
        in use."""
        counted = self._counted
        not_counted = counted[0] < 0
        for one, rows in self._by_making():
            missing = not_counted[rows]
            if missing.all():
                counted[:, rows] = self._derived(one.space, rows)
            elif missing.any():
                derived = self._derived(one.space, rows)
                counted[:, rows] = np.where(missing, derived, counted[:, rows])
        for number, parts in self.others.items():
            if not_counted[number]:
                tokens = tokens_by_part(self._requests.memory_at(number), parts)
                counted[:, number] = [tokens.get(part, 0) for part in ALL_PARTS]
        return dict(zip(ALL_PARTS, counted, strict=True))

    @cached_property
    def totals(self) -> Numbers:
        """All tokens sent with each request."""
        total: Numbers = np.sum([*self.tokens.values()], axis=0, dtype=np.int64)
        return total

    @property
    def largest(self) -> int:
        """The tokens of the largest request; 0 where there is none."""
        return int(self.totals.max(initial=0))

    def _derived(self, space: MemorySpace, rows: slice) -> Numbers:
        """The tokens [parts x requests] of requests of one range each, all at once."""
        sums = space.sums.arrays
        starts = self.starts[rows]
        stops = self.stops[rows]
        inputs = self.input_starts[rows]
        has_summary = self.summary_stops[rows] > self.summary_starts[rows]
        messages = stops - starts + has_summary + space.system_count
        calls = sums.call_totals[stops] - sums.call_totals[starts]
        names = sums.name_totals[stops] - sums.name_totals[starts]
        has_system_summary = has_summary & (self.summary_role == "system")
        saved = saved_in_ranges(space, starts, stops, has_system_summary)
        nothing = np.zeros_like(starts)
        tokens = {
            "system": nothing + space.system_tokens,
            "summary": self._summary_tokens(space, rows),
            "recalled": nothing,
            "history": sums.totals[inputs] - sums.totals[starts],
            "input": sums.totals[self.lengths[rows]] - sums.totals[inputs],
            "overhead": TOKENS_PER_MESSAGE * messages + TOKENS_PER_REQUEST,
            "tools": calls + space.tool_tokens - saved,
            "names": names + sums.name_totals[space.system_stop],
        }
        return np.array([tokens[part] for part in ALL_PARTS])

    def _summary_tokens(self, space: MemorySpace, rows: slice) -> Numbers:
        starts = self.summary_starts[rows].tolist()
        stops = self.summary_stops[rows].tolist()
        tokens_of: dict[tuple[int, int], int] = {}
        tokens = []
        for bounds in zip(starts, stops, strict=True):
            if bounds not in tokens_of:
                tokens_of[bounds] = space.summaries.tokens(*bounds)
            tokens.append(tokens_of[bounds])
        return np.array(tokens, np.int64)

    @property
    def over_budget(self) -> int:
        """The number of requests that are larger than their strategy's own budget."""
        count = 0
        for making, rows in self._by_making():
            strategy = making.strategy
            if strategy is None or strategy.budget_tokens is None:
                continue
            tokens = {part: counted[rows] for part, counted in self.tokens.items()}
            is_over = strategy.counted_tokens(tokens) > strategy.budget_tokens
            count += int(np.sum(is_over))
        return count
