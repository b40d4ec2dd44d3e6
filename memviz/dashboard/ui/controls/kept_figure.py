"""Pictures of runs that are not drawn again while nothing about them has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure

from memviz.dashboard.charts.enlarged import enlarged
from memviz.dashboard.ui.shell.presenting import letter_scale
from memviz.engine.run import Run


class KeptFigure(BaseFigure):  # type: ignore[misc]  # plotly has no types
    """A figure that is only looked at any more: all that is left of it is its dictionary.

    Streamlit asks a figure for its dictionary at every rerun, and Plotly copies the whole figure for it. A dictionary
    instead of a figure would be checked property by property, which takes even longer.
    """

    def __init__(self, figure: go.Figure | dict[str, Any]) -> None:
        self._dictionary: dict[str, Any] = (
            figure if isinstance(figure, dict) else figure.to_dict()
        )

    def to_dict(self) -> dict[str, Any]:
        """The figure as a dictionary, which must not be changed."""
        return self._dictionary


def as_shown(figure: BaseFigure) -> BaseFigure:
    """A figure in letters as large as those of the page: larger before an audience."""
    scale = letter_scale()
    return figure if scale == 1 else KeptFigure(enlarged(figure.to_dict(), scale))


def kept_figure(
    run: Run, draw: Callable[..., go.Figure], *args: Hashable, **options: Hashable
) -> KeptFigure:
    """``draw(*args, **options)``, kept with ``run``, which is one of the runs that it shows."""
    return run.once(
        (draw, args, tuple(sorted(options.items()))),
        lambda: KeptFigure(draw(*args, **options)),
        is_picture=True,
    )
