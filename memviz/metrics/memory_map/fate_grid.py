"""A part of a fate map as a picture of limited size: cells of one turn and one message, or of several where there
are too many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray

from memviz.metrics.memory_map.fate_map import RECALLED_CODE, STEPS, Codes, FateMap

MAX_COLUMNS, MAX_ROWS = 125, 160
"""Beyond this a cell is less than 2 or 3 pixels wide where three maps stand side by side."""
SIZES = (1, 2, 3, 4, 5, 8, 10, 15, 20)
"""How many turns or messages a cell may hold, and then every multiple of 10."""


@dataclass(frozen=True, slots=True)
class View:
    """The part of a conversation that is looked at: turns (1-based) and log positions (0-based)."""

    turns: range
    positions: range

    @property
    def turns_per_cell(self) -> int:
        """How many turns a column holds."""
        return cell_size(len(self.turns), MAX_COLUMNS)

    @property
    def messages_per_cell(self) -> int:
        """How many messages a row holds."""
        return cell_size(len(self.positions), MAX_ROWS)

    @property
    def in_full(self) -> bool:
        """Whether every cell is one message at one request."""
        return self.turns_per_cell == self.messages_per_cell == 1


def cell_size(length: int, most: int) -> int:
    """The least size of a cell with which ``length`` needs no more than ``most`` cells."""
    least = -(-length // most)
    return next((size for size in SIZES if size >= least), -(-least // 10) * 10)


@dataclass(frozen=True, eq=False)
class Grid:
    """``codes`` [rows x columns] are places in STEPS, ``shares`` how much of a cell's messages and requests has
    that code (0 for an empty cell). ``columns`` are the turns and ``rows`` the log positions that cells hold."""

    view: View
    codes: Codes
    shares: NDArray[np.float64]

    @cached_property
    def columns(self) -> tuple[range, ...]:
        """The turns of every column."""
        return _cut(self.view.turns, self.view.turns_per_cell)

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """The log positions of every row."""
        return _cut(self.view.positions, self.view.messages_per_cell)


def _cut(whole: range, size: int) -> tuple[range, ...]:
    return tuple(range(start, min(start + size, whole.stop)) for start in range(whole.start, whole.stop, size))


def grid(fates: FateMap, view: View) -> Grid:
    """The cells of ``view``. A cell of several takes the code that is most common in it, the lower code where two
    are; messages that do not exist yet do not count. But recalls are rare and short: a cell with any is *recalled*.
    """
    columns, rows = (-(-len(whole) // size) for whole, size in _sizes(view))
    picked = (fates.turns >= view.turns.start) & (fates.turns < view.turns.stop)
    codes = fates.codes[picked, view.positions.start : view.positions.stop]
    column = (fates.turns[picked] - view.turns.start) // view.turns_per_cell
    row = np.arange(codes.shape[1]) // view.messages_per_cell
    cell = (row[None, :] * columns + column[:, None]) * len(STEPS) + codes
    counts = np.bincount(cell.ravel(), minlength=rows * columns * len(STEPS)).reshape(rows, columns, len(STEPS))
    there = counts[:, :, 1:]
    common = np.where(there.any(axis=2), there.argmax(axis=2) + 1, 0)
    common[counts[:, :, RECALLED_CODE] > 0] = RECALLED_CODE
    share = np.take_along_axis(counts, common[:, :, None], axis=2)[:, :, 0] / np.maximum(there.sum(axis=2), 1)
    return Grid(view, common.astype(np.uint8), np.where(common > 0, share, 0.0))


def _sizes(view: View) -> tuple[tuple[range, int], tuple[range, int]]:
    return (view.turns, view.turns_per_cell), (view.positions, view.messages_per_cell)


def example(fates: FateMap, grid: Grid, turn: float, position: float) -> tuple[int, int] | None:
    """What a click at ``turn`` and ``position`` means: the turn and the log position it points at. In a cell of
    several, the first message that has the cell's code at the latest request that has one. ``None`` for an empty
    cell."""
    view = grid.view
    column = floor(turn - view.turns.start + 0.5) // view.turns_per_cell
    row = floor(position - view.positions.start + 0.5) // view.messages_per_cell
    if not (0 <= column < len(grid.columns) and 0 <= row < len(grid.rows)) or not grid.codes[row, column]:
        return None
    turns, positions = grid.columns[column], grid.rows[row]
    requests = np.flatnonzero((fates.turns >= turns.start) & (fates.turns < turns.stop))
    has = fates.codes[requests, positions.start : positions.stop] == grid.codes[row, column]
    latest = int(np.flatnonzero(has.any(axis=1))[-1])
    return int(fates.turns[requests[latest]]), positions.start + int(has[latest].argmax())
