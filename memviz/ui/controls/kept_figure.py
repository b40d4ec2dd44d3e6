"""Pictures of runs that are not drawn again while nothing about them has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import plotly.graph_objects as go

from memviz.engine.run import Run


class KeptFigure(go.Figure):
    """A figure that nobody changes any more, so that its dictionary need not be made again.

    Streamlit asks for the dictionary at every rerun, and Plotly copies the whole figure for it.
    """

    _dictionary: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figure as a dictionary, which must not be changed."""
        if self._dictionary is None:
            self._dictionary = super().to_dict()
        return self._dictionary


def kept_figure(run: Run, draw: Callable[..., go.Figure], *args: Hashable, **options: Hashable) -> KeptFigure:
    """``draw(*args, **options)``, kept with ``run``, which is one of the runs that it shows."""
    return run.once(
        (draw, args, tuple(sorted(options.items()))), lambda: KeptFigure(draw(*args, **options), _validate=False)
    )
