"""The Pareto front of the settings of a sweep, by cost and facts kept, and the knee of that curve.

Tables of a sweep (:mod:`~memviz.tuning.results`) mark the front; charts and the answer to "which value?"
(:mod:`~memviz.tuning.best_of_each`) show its knee: the point from which on more cost keeps few further facts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAST_POINTS = 4
"""The fewest points that a knee is searched among: with fewer, it would depend on the choice of values."""
LEAST_DISTANCE = 0.15
"""The least height of a knee above the chord, in a curve scaled to 1 x 1: a nearly straight line has no knee."""


def mark_front(
    costs: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return true for each point on the Pareto front: no other point beats it.

    A point beats another one if it costs at most as much, gains at least as much, and is better in one of both. Equal
    points are all on the front. A point without a cost or a gain (NaN) is not.
    """
    is_comparable = ~(np.isnan(costs) | np.isnan(gains))
    is_beaten = find_winners(costs, gains) >= 0
    return is_comparable & ~is_beaten


def find_winners(
    costs: NDArray[np.float64], gains: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return for each point the number (0-based) of the point on the front that beats it, or -1.

    Of all points that cost at most as much it is the one that gains most, of these the cheapest, of these the first.
    -1 stands for a point that none beats, or that has no cost or gain (NaN).
    """
    winners = np.full(len(costs), -1, dtype=np.intp)
    priced_points = np.flatnonzero(~(np.isnan(costs) | np.isnan(gains)))
    # In this order a point can only be beaten by one that came before it: the cheapest first, of equal cost the best.
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
    """Return the row (0-based) from which on more cost keeps clearly fewer further facts; ``None`` without such a bend.

    Only rows on the front are searched, for elsewhere one pays more without keeping more.
    """
    front = np.flatnonzero(mark_front(costs, retentions))
    front = front[np.argsort(costs[front], kind="stable")]
    knee_number = find_knee(costs[front].tolist(), retentions[front].tolist())
    return None if knee_number is None else int(front[knee_number])


def find_knee(x: Sequence[float], y: Sequence[float]) -> int | None:
    """Return the number (0-based) of the point at which a rising curve flattens; ``None`` where it does not.

    The rule is that of Kneedle (Satopää, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, 2011): scale the
    curve to the unit square, and take the point farthest above the chord from the first point to the last. It counts
    as a knee if it is at least :data:`LEAST_DISTANCE` above the chord. Sweeps have few points, so nothing is smoothed
    and there is at most one knee.

    ``x`` must rise. There is no knee if ``y`` ends no higher than it begins, if there are fewer than
    :data:`LEAST_POINTS` points, or if a value is unknown (NaN).
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
