"""The request that nobody has answered yet, as a hollow column behind all others: it counts nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from memviz.charts.memory_map.fate_words import pending_words
from memviz.charts.palette import STEP_COLORS
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_grid import View
from memviz.metrics.memory_map.fate_map import pending_codes

MARK_PIXELS, LINE_PIXELS = 9, 2
WIDTH = 0.7
"""Of a column: so much of it is between the outlines."""


class PendingColumn(NamedTuple):
    """The column of a ``run`` that begins at place ``start``, in what is looked at."""

    run: Run
    record: TurnRecord
    view: View
    start: int

    @classmethod
    def of(cls, run: Run, view: View, start: int, last: int) -> PendingColumn | None:
        """The column, if the run has such a request and the ``last`` place is looked at."""
        if run.pending is None or view.requests.stop <= last:
            return None
        return cls(run, run.pending, view, start)

    @property
    def middle(self) -> float:
        """Where its middle is on the axis."""
        return self.start + (self.view.requests_per_cell - 1) / 2

    def outlines(self) -> Iterator[dict[str, Any]]:
        """One for each stretch of messages that the same would become of, in the colour of that."""
        shown, half = self.view.positions, WIDTH * self.view.requests_per_cell / 2
        codes = pending_codes(self.run)[shown.start : shown.stop].astype(np.int64)
        edges = np.flatnonzero(np.diff(np.r_[-1, codes, -1])).tolist()
        for start, stop in pairwise(edges):
            if codes[start]:
                yield {
                    "type": "rect",
                    "xref": "x",
                    "yref": "y",
                    "layer": "above",
                    "name": "pending",
                    "x0": self.middle - half,
                    "x1": self.middle + half,
                    "y0": shown.start + start + 0.5,
                    "y1": shown.start + stop + 0.5,
                    "fillcolor": "rgba(0,0,0,0)",
                    "line": {"color": STEP_COLORS[codes[start]], "width": LINE_PIXELS},
                }

    def mark(self, y: float, color: str) -> dict[str, Any]:
        """The hollow point above it, which says what it is."""
        return {
            "type": "scatter",
            "mode": "markers",
            "name": "pending",
            "x": [self.middle],
            "y": [y],
            "marker": {
                "symbol": "circle-open",
                "size": MARK_PIXELS,
                "color": color,
                "line": {"width": LINE_PIXELS},
            },
            "text": [pending_words(self.run, self.record)],
            "hoverinfo": "text",
            "showlegend": False,
        }
