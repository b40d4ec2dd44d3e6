"""Values that show themselves in notebooks.

Jupyter and marimo ask the value at the end of a cell for ``_repr_html_``. What a run or a
sweep looks like is known to the dashboard alone, which no lower layer imports, so
``memviz/__init__.py`` says here who draws.
"""

from collections.abc import Callable

Draw = Callable[[object], str]
"""Returns the HTML of a value."""


class _Drawing:
    draw: Draw | None = None


def draw_outputs_with(draw: Draw) -> None:
    """Let ``draw`` make the HTML of all values."""
    _Drawing.draw = draw


class NotebookOutput:
    """A value that notebooks show as HTML; its ``repr`` is not changed by that."""

    def _repr_html_(self) -> str | None:
        draw = _Drawing.draw
        return None if draw is None else draw(self)
