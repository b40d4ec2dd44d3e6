"""What every cell of a map has to be, from the run's own matrices, and a map made from such cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memviz import Fate, Run
from memviz.engine.generations import Generations
from memviz.metrics.memory_map.fate_map import LIST, FateMap
from memviz.metrics.memory_map.stretches import Stretches, encode_fate


def codes_of(run: Run) -> NDArray[np.uint8]:
    """The code of every cell: an array [requests x messages]."""
    return np.array(
        [
            [
                encode_fate(Fate(int(fate)), max(1, int(generation)))
                for fate, generation in zip(*rows, strict=True)
            ]
            for rows in zip(run.fates(), run.generations(), strict=True)
        ],
        np.uint8,
    ).reshape(len(run.requests), len(run.log))


def map_of(codes: list[list[int]], turns: list[int] | None = None) -> FateMap:
    """A map whose cells have these codes [requests x messages]."""
    cells = [
        (request, at, at + 1, code)
        for request, row in enumerate(codes)
        for at, code in enumerate(row)
        if code
    ]
    requests, starts, stops, found = np.array(cells, np.int32).reshape(-1, 4).T
    of_turns = np.arange(1, len(codes) + 1) if turns is None else np.array(turns)
    stretches = Stretches(requests, starts, stops, found.astype(np.uint8))
    return FateMap(
        len(codes[0]),
        of_turns,
        stretches,
        np.full((len(codes), 1), LIST),
        Generations([]),
    )


def drawn(fates: FateMap) -> NDArray[np.uint8]:
    """The cells of a map: an array [requests x messages]."""
    cells = np.zeros((len(fates.turns), fates.messages), np.uint8)
    for request, start, stop, code in zip(*fates.stretches, strict=True):
        cells[request, start:stop] = code
    return cells
