"""A part of a fate map as a grid of cells, small enough for a chart.

A cell is one message at one request, or several of each where the conversation is long.
"""

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.division import ceil_div
from memviz.metrics.memory_map.fate_map import FateMap
from memviz.metrics.memory_map.stretches import RECALLED_CODE, STEPS, Stretches

MAX_COLUMNS = 125
"""Columns of a grid. With more, a cell is less than 2 or 3 pixels wide where three maps
stand side by side."""
MAX_ROWS = 160
"""Rows of a grid, for the same reason."""
SIZES = (1, 2, 3, 4, 5, 8, 10, 15, 20)
"""Numbers of requests or messages that a cell may hold, and after these every multiple of
10."""


@dataclass(frozen=True, slots=True)
class View:
    """The part of a conversation that is looked at."""

    requests: range
    """Places of requests, from 1 (see :attr:`FateMap.places`). Where every turn has one
    request, they are the turns."""
    positions: range
    """Log positions of messages, from 0."""

    @property
    def requests_per_cell(self) -> int:
        """The number of requests that a column holds."""
        return choose_cell_size(len(self.requests), MAX_COLUMNS)

    @property
    def messages_per_cell(self) -> int:
        """The number of messages that a row holds."""
        return choose_cell_size(len(self.positions), MAX_ROWS)

    @property
    def in_full(self) -> bool:
        """True where every cell is one message at one request."""
        return self.requests_per_cell == self.messages_per_cell == 1


def choose_cell_size(length: int, most: int) -> int:
    """Return the smallest cell size with which ``length`` needs at most ``most`` cells."""
    least = ceil_div(length, most)
    for size in SIZES:
        if size >= least:
            return size
    return ceil_div(least, 10) * 10


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of a view, each with its most common code and the share of the cell that has it."""

    view: View
    codes: NDArray[np.uint8]
    """[rows x columns], indices into STEPS."""
    shares: NDArray[np.float64]
    """[rows x columns], the share of a cell's messages and requests that has its code; 0
    for an empty cell."""

    @cached_property
    def columns(self) -> tuple[range, ...]:
        """The places of requests in each column."""
        return _cut_into_cells(self.view.requests, self.view.requests_per_cell)

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """The log positions in each row."""
        return _cut_into_cells(self.view.positions, self.view.messages_per_cell)


def _cut_into_cells(whole: range, size: int) -> tuple[range, ...]:
    return tuple(
        range(start, min(start + size, whole.stop))
        for start in range(whole.start, whole.stop, size)
    )


_LEAST_SENT_FIRST = np.array(
    sorted(range(1, len(STEPS)), key=lambda code: STEPS[code].fate is Fate.VERBATIM)
)
"""All codes but *not yet there*, with *word for word* last. Of two codes that are equally
common in a cell the first of these is shown: the one of which less is sent."""


def build_grid(fates: FateMap, view: View) -> Grid:
    """Return the cells of ``view``.

    A cell takes the code that is most common in it, in this order of rules:

    1. A cell with any recalled message is *recalled*: recalls are rare and short, and
       would never be the most common.
    2. Messages that do not exist yet do not count.
    3. Of equally common codes it takes the one of which less is sent.
    """
    counts = _count_codes(fates, view)
    existing = counts[:, :, _LEAST_SENT_FIRST]
    # argmax takes the first of equal counts.
    most_common = _LEAST_SENT_FIRST[existing.argmax(axis=2)]
    codes = np.where(existing.any(axis=2), most_common, 0)
    codes[counts[:, :, RECALLED_CODE] > 0] = RECALLED_CODE
    code_counts = np.take_along_axis(counts, codes[:, :, None], axis=2)[:, :, 0]
    totals = np.maximum(existing.sum(axis=2), 1)
    shares = np.where(codes > 0, code_counts / totals, 0.0)
    return Grid(view, codes.astype(np.uint8), shares)


def _count_codes(fates: FateMap, view: View) -> NDArray[np.int64]:
    """Return how often each code occurs in each cell: [rows x columns x codes].

    A stretch (messages in a row with one code at one request) covers a part of its first
    row, a part of its last row, and all rows between in full. The rows in full are counted
    with a difference array: +1 where they begin, -1 behind their end, and then a cumulative
    sum. So a stretch takes the same time whatever its length.
    """
    row_size = view.messages_per_cell
    row_count = ceil_div(len(view.positions), row_size)
    column_count = ceil_div(len(view.requests), view.requests_per_cell)

    visible = _find_visible_stretches(fates, view)
    places = fates.places[visible.requests] - view.requests.start
    columns = places // view.requests_per_cell
    starts = visible.starts - view.positions.start
    stops = visible.stops - view.positions.start
    first_rows = starts // row_size
    last_rows = (stops - 1) // row_size

    # One line for each column and code, and in it a cell for each row. There is one row
    # more than are shown, for the -1 behind the last.
    shape = (column_count * len(STEPS), row_count + 1)
    line_starts = (columns * len(STEPS) + visible.codes) * shape[1]

    def sum_by_row(rows: NDArray[Any], amounts: NDArray[Any]) -> NDArray[Any]:
        cells = line_starts + rows
        return np.bincount(cells, amounts, shape[0] * shape[1]).reshape(shape)

    in_first_row = np.minimum(stops, (first_rows + 1) * row_size) - starts
    in_last_row = np.where(last_rows > first_rows, stops - last_rows * row_size, 0)
    in_part_rows = sum_by_row(first_rows, in_first_row)
    in_part_rows += sum_by_row(last_rows, in_last_row)

    ones = np.ones_like(first_rows)
    changes = sum_by_row(first_rows + 1, ones)
    changes -= sum_by_row(np.maximum(last_rows, first_rows + 1), ones)
    full_rows = np.cumsum(changes, axis=1)

    counts = (in_part_rows + row_size * full_rows)[:, :row_count].astype(np.int64)
    by_column: NDArray[np.int64] = counts.reshape(column_count, len(STEPS), row_count)
    return by_column.transpose(2, 0, 1)


def _find_visible_stretches(fates: FateMap, view: View) -> Stretches:
    """Return the parts of the stretches that lie in the requests and messages of ``view``."""
    in_rows = fates.stretches.within(view.positions)
    is_in_columns = _mark_requests_in(fates, view.requests)[in_rows.requests]
    return in_rows.pick(is_in_columns)


def _mark_requests_in(fates: FateMap, places: range) -> NDArray[np.bool_]:
    """Return a mask of the requests that stand at these places."""
    return (fates.places >= places.start) & (fates.places < places.stop)


def find_example(
    fates: FateMap, grid: Grid, place: float, position: float
) -> tuple[int, int] | None:
    """Return the request and the message that a click at ``place`` and ``position`` points
    at: the place of the request (see :meth:`FateMap.number_at`) and the log position.

    In a cell of several it is the latest request with the cell's code, and of that the
    first message with it. ``None`` for an empty cell.
    """
    # Cells lie around whole numbers: a click at 2.6 is one on place 3.
    view = grid.view
    column = floor(place - view.requests.start + 0.5) // view.requests_per_cell
    row = floor(position - view.positions.start + 0.5) // view.messages_per_cell
    if not (0 <= column < len(grid.columns) and 0 <= row < len(grid.rows)):
        return None
    code = grid.codes[row, column]
    if not code:
        return None
    requests, starts, _, codes = fates.stretches.within(grid.rows[row])
    is_in_column = _mark_requests_in(fates, grid.columns[column])[requests]
    has_code = is_in_column & (codes == code)
    # Stretches are in the order of requests, and of messages in each.
    last_request = requests[has_code][-1]
    first_stretch = np.searchsorted(requests[has_code], last_request)
    return int(fates.places[last_request]), int(starts[has_code][first_stretch])
