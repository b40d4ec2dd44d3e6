"""The Pareto front of settings, which no other one beats in both cost and facts kept, and its knee: the point from
which on more cost brings clearly less."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAST_POINTS = 4
"""Of fewer points a knee would only say where the values happen to lie."""
LEAST_DISTANCE = 0.15
"""Of a curve scaled to 1 x 1: nearer to the chord, it is nearly straight and bends nowhere in particular."""


def mark_front(
    costs: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return the points that no other one beats: none costs at most as much and gains at least as much, and is better
    in one of both. Of equal points all are on the front. A point without a cost or a gain (NaN) is not."""
    return (find_winners(costs, gains) < 0) & ~(np.isnan(costs) | np.isnan(gains))


def find_winners(
    costs: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return for each point the one on the front that beats it: of all that cost at most as much the one that gains
    most, of these the cheapest, of these the first. -1 for a point that none beats, or that has no cost or gain
    (NaN)."""
    winners = np.full(len(costs), -1, dtype=np.intp)
    priced_points = np.flatnonzero(~(np.isnan(costs) | np.isnan(gains)))
    # The cheapest first, of equal cost the best.
    order = np.lexsort((-gains[priced_points], costs[priced_points]))
    best = -1
    for point in priced_points[order].tolist():
        if best < 0 or gains[point] > gains[best]:
            best = point
        elif gains[point] < gains[best] or costs[point] > costs[best]:
            winners[point] = best
    return winners


def find_bend(
    costs: NDArray[np.float64], retentions: NDArray[np.float64]
) -> int | None:
    """Return the row (0-based) at which facts over cost bend, ``None`` where they do not. It is looked for among the
    rows that no other one beats in both, for only there one pays more to keep more."""
    front = np.flatnonzero(mark_front(costs, retentions))
    front = front[np.argsort(costs[front], kind="stable")]
    knee_number = find_knee(costs[front].tolist(), retentions[front].tolist())
    return None if knee_number is None else int(front[knee_number])


def find_knee(x: Sequence[float], y: Sequence[float]) -> int | None:
    """Return the number (0-based) of the point where a rising curve bends, from where on going on brings clearly less
    than before; ``None`` where it does not.

    The rule is that of Kneedle (Satopää, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, 2011): scale the
    curve to the unit square, and take the point that lies farthest above the chord from its first point to its last.
    It has to be at least :data:`LEAST_DISTANCE` above it. Sweeps have few points, so nothing is smoothed and there is
    one knee at most. ``x`` rises; a curve that does not rise from its first to its last point, has fewer than
    :data:`LEAST_POINTS` points or an unknown value (NaN) has no knee.
    """
    points = np.array([x, y], float).T
    if len(points) < LEAST_POINTS or not np.isfinite(points).all():
        return None
    across, up = (points - points[0]).T
    if up[-1] <= 0:
        return None
    height_above_chord = up / up[-1] - across / across[-1]
    farthest = int(height_above_chord.argmax())
    return farthest if height_above_chord[farthest] >= LEAST_DISTANCE else None
