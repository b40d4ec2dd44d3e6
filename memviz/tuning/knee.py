"""The knee of a curve: where going on brings clearly less than before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LEAST_POINTS = 4
"""Of fewer points a knee would only say where the values happen to lie."""
LEAST_DISTANCE = 0.15
"""Of a curve scaled to 1 x 1: nearer to the chord, it is nearly straight and bends nowhere in particular."""


def knee(x: Sequence[float], y: Sequence[float]) -> int | None:
    """The number (0-based) of the point where a rising curve bends; ``None`` where it does not.

    The rule is that of Kneedle (Satopää, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, 2011): scale the
    curve to the unit square, and take the point that lies farthest above the chord from its first point to its last.
    It has to be at least :data:`LEAST_DISTANCE` above it. Sweeps have few points, so nothing is smoothed and there is
    one knee at most. ``x`` rises; a curve that does not rise from its first to its last point, has fewer than
    :data:`LEAST_POINTS` points or an unknown value (NaN) has no knee.
    """
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if (
        len(across) < LEAST_POINTS
        or not np.isfinite([across, up]).all()
        or up[-1] <= up[0]
    ):
        return None
    above = (up - up[0]) / (up[-1] - up[0]) - (across - across[0]) / (
        across[-1] - across[0]
    )
    farthest = int(above.argmax())
    return farthest if above[farthest] >= LEAST_DISTANCE else None
