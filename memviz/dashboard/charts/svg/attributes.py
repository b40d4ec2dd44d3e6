"""Attributes of elements of a drawing: colours as those of its style sheet, and lengths in pixels."""

from memviz.dashboard.charts.palette import setting_color

_VARIABLES = {setting_color(number): f"var(--setting-{number})" for number in range(10)}
"""The variable of each setting, by the token that stands in figures for its colour."""


def paint(color: str) -> str:
    """Return the colour, or the variable of the style sheet that a setting has: ``#000001`` is
    ``var(--setting-0)``."""
    return _VARIABLES.get(color, color)


def lengths(**pixels: float) -> dict[str, str]:
    """Return attributes in pixels, to a tenth of one: ``{"x": "12.5"}``."""
    return {name: f"{value:.1f}" for name, value in pixels.items()}
