"""The bend of a curve of facts over costs: the point from which on more cost brings clearly less."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memviz.tuning.pareto import on_front

LEAST_POINTS = 4
"""Of fewer points a knee would only say where the values happen to lie."""
LEAST_DISTANCE = 0.15
"""Of a curve scaled to 1 x 1: nearer to the chord, it is nearly straight and bends nowhere in particular."""


def bend(costs: NDArray[np.float64], kept: NDArray[np.float64]) -> int | None:
    """Return the row (0-based) at which facts over cost bend, ``None`` where they do not. It is looked for among the
    rows that no other one beats in both, for only there one pays more to keep more."""
    front = np.flatnonzero(on_front(costs, kept))
    front = front[np.argsort(costs[front], kind="stable")]
    place = knee(costs[front].tolist(), kept[front].tolist())
    return None if place is None else int(front[place])


def knee(x: Sequence[float], y: Sequence[float]) -> int | None:
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
    above = up / up[-1] - across / across[-1]
    farthest = int(above.argmax())
    return farthest if above[farthest] >= LEAST_DISTANCE else None
