"""A part of a fate map as a picture of limited size: cells of one request and one message, or of several where there
are too many."""

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.metrics.memory_map.fate_map import FateMap
from memviz.metrics.memory_map.steps import RECALLED_CODE, STEPS

MAX_COLUMNS = 125
MAX_ROWS = 160
"""Beyond this a cell is less than 2 or 3 pixels wide where three maps stand side by side."""
SIZES = (1, 2, 3, 4, 5, 8, 10, 15, 20)
"""How many requests or messages a cell may hold, and then every multiple of 10."""


@dataclass(frozen=True, slots=True)
class View:
    """The part of a conversation that is looked at: places of requests (from 1, see :attr:`FateMap.places`: turns, as
    long as every turn has one request) and log positions (0-based)."""

    requests: range
    positions: range

    @property
    def requests_per_cell(self) -> int:
        """The number of requests that a column holds."""
        return cell_size(len(self.requests), MAX_COLUMNS)

    @property
    def messages_per_cell(self) -> int:
        """The number of messages that a row holds."""
        return cell_size(len(self.positions), MAX_ROWS)

    @property
    def in_full(self) -> bool:
        """True where every cell is one message at one request."""
        return self.requests_per_cell == self.messages_per_cell == 1


def cell_size(length: int, most: int) -> int:
    """Return the least size of a cell with which ``length`` needs no more than ``most`` cells."""
    least = -(-length // most)
    return next((size for size in SIZES if size >= least), -(-least // 10) * 10)


@dataclass(frozen=True, eq=False)
class Grid:
    """``codes`` [rows x columns] are places in STEPS, ``shares`` how much of a cell's messages and requests has
    that code (0 for an empty cell). ``columns`` are the places of requests and ``rows`` the log positions that cells
    hold."""

    view: View
    codes: NDArray[np.uint8]
    shares: NDArray[np.float64]

    @cached_property
    def columns(self) -> tuple[range, ...]:
        """The places of the requests of every column."""
        return _cut(self.view.requests, self.view.requests_per_cell)

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """The log positions of every row."""
        return _cut(self.view.positions, self.view.messages_per_cell)


def _cut(whole: range, size: int) -> tuple[range, ...]:
    return tuple(
        range(start, min(start + size, whole.stop))
        for start in range(whole.start, whole.stop, size)
    )


_LEAST_SENT_FIRST = np.array(
    sorted(range(1, len(STEPS)), key=lambda code: STEPS[code].fate is Fate.VERBATIM)
)
"""Codes, *word for word* last: of two that are as common the one that is less sent is shown."""


def grid(fates: FateMap, view: View) -> Grid:
    """Return the cells of ``view``. A cell of several takes the code that is most common in it; where two are, the one
    of which less is sent; messages that do not exist yet do not count. But recalls are rare and short: a cell with any
    is *recalled*."""
    counts = _counts(fates, view)
    there = counts[:, :, _LEAST_SENT_FIRST]
    common = np.where(there.any(axis=2), _LEAST_SENT_FIRST[there.argmax(axis=2)], 0)
    common[counts[:, :, RECALLED_CODE] > 0] = RECALLED_CODE
    most = np.take_along_axis(counts, common[:, :, None], axis=2)[:, :, 0]
    shares = np.where(common > 0, most / np.maximum(there.sum(axis=2), 1), 0.0)
    return Grid(view, common.astype(np.uint8), shares)


def _counts(fates: FateMap, view: View) -> NDArray[np.int64]:
    """Return how often each code occurs in each cell: [rows x columns x codes].

    A stretch holds a part of its first row and of its last one, and all rows between, which are entered at both ends
    of the stretch alone: so this takes the same time for a stretch of any length.
    """
    size = view.messages_per_cell
    rows = -(-len(view.positions) // size)
    columns = -(-len(view.requests) // view.requests_per_cell)
    shown = fates.stretches.within(view.positions)
    shown = shown.picked(_in(fates, view.requests)[shown.requests])
    places = fates.places[shown.requests] - view.requests.start
    column = places // view.requests_per_cell
    starts = shown.starts - view.positions.start
    stops = shown.stops - view.positions.start
    first = starts // size
    last = (stops - 1) // size
    shape = (columns * len(STEPS), rows + 1)
    cell = (column * len(STEPS) + shown.codes) * shape[1]

    def entered(row: NDArray[Any], numbers: NDArray[Any]) -> NDArray[Any]:
        return np.bincount(cell + row, numbers, shape[0] * shape[1]).reshape(shape)

    parts = entered(first, np.minimum(stops, (first + 1) * size) - starts)
    parts += entered(last, np.where(last > first, stops - last * size, 0))
    whole = entered(first + 1, np.ones_like(first))
    whole -= entered(np.maximum(last, first + 1), np.ones_like(first))
    counts = parts + size * np.cumsum(whole, axis=1)
    cells: NDArray[np.int64] = (
        counts[:, :rows].astype(np.int64).reshape(columns, len(STEPS), rows)
    )
    return cells.transpose(2, 0, 1)


def _in(fates: FateMap, places: range) -> NDArray[np.bool_]:
    """Return which requests have these places."""
    return (fates.places >= places.start) & (fates.places < places.stop)


def example(
    fates: FateMap, grid: Grid, place: float, position: float
) -> tuple[int, int] | None:
    """Return what a click at ``place`` and ``position`` means: the place of the request (see :meth:`FateMap.number_at`)
    and the log position it points at. In a cell of several, the first message that has the cell's code at the latest
    request that has one. ``None`` for an empty cell."""
    view = grid.view
    column = floor(place - view.requests.start + 0.5) // view.requests_per_cell
    row = floor(position - view.positions.start + 0.5) // view.messages_per_cell
    if not (0 <= column < len(grid.columns) and 0 <= row < len(grid.rows)):
        return None
    code = grid.codes[row, column]
    if not code:
        return None
    requests, starts, _, codes = fates.stretches.within(grid.rows[row])
    is_shown = _in(fates, grid.columns[column])[requests] & (codes == code)
    requests = requests[is_shown]
    last = requests[-1]
    first = np.searchsorted(requests, last)
    return int(fates.places[last]), int(starts[is_shown][first])
