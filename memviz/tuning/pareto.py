"""The Pareto front: what no other choice beats in both respects."""

import numpy as np
from numpy.typing import NDArray


def on_front(
    costs: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return the points that no other one beats: none costs at most as much and gains at least as much, and is better
    in one of both. Of equal points all are on the front. A point without a cost or a gain (NaN) is not."""
    return (beaten_by(costs, gains) < 0) & ~(np.isnan(costs) | np.isnan(gains))


def beaten_by(
    costs: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return for each point the one on the front that beats it: of all that cost at most as much the one that gains
    most, of these the cheapest, of these the first. -1 for a point that none beats, or that has no cost or gain
    (NaN)."""
    winners = np.full(len(costs), -1, dtype=np.intp)
    known = np.flatnonzero(~(np.isnan(costs) | np.isnan(gains)))
    # The cheapest first, of equal cost the best.
    order = np.lexsort((-gains[known], costs[known]))
    best = -1
    for point in known[order].tolist():
        if best < 0 or gains[point] > gains[best]:
            best = point
        elif gains[point] < gains[best] or costs[point] > costs[best]:
            winners[point] = best
    return winners
