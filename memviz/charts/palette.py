"""One colour, one meaning, on every chart. All of it reads in light and dark and without colour vision."""

from __future__ import annotations

from typing import Any

PART_COLORS = {
    "system": "#8A929C",
    "summary": "#8D6BDB",
    "history": "#4196CC",
    "recalled": "#E69F00",
    "input": "#17A887",
    "tools": "#A26E44",
    "overhead": "#B4B4B4",
}
"""Colours of the parts of a request; fates use the same."""

PART_TITLES = {
    "system": "System prompt",
    "summary": "Summary",
    "history": "History",
    "recalled": "Recalled",
    "input": "Input",
    "tools": "Tools",
    "overhead": "Format overhead",
}
PART_HELP = {
    "system": "The system prompt, sent with every request.",
    "summary": "What a summarizer wrote about older messages.",
    "history": "Earlier messages, word for word.",
    "recalled": "Earlier messages that were brought back for this request.",
    "input": "The user's newest message. It is always sent, whole.",
    "tools": "Schemas of the tools offered, tool calls among the messages, and what the model recalled or thought.",
    "overhead": "3 tokens a message and 3 for the reply, as the OpenAI chat format adds.",
}
PART_ORDER = tuple(PART_COLORS)

FEW_TURNS = 12
FIXED_MARGINS = {"l": 80, "r": 10, "t": 50, "b": 50}
"""Pixels, with room for labels of seven digits: margins that Plotly measures make it draw everything twice."""
FAILURE_COLOR = "#D32F2F"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def setting_color(index: int) -> str:
    """Colour of the setting added as number ``index`` (0-based), as a token that Streamlit
    replaces by the theme's categorical colour, in light and in dark."""
    return f"#{index % 10 + 1:06d}"


def setting_dash(index: int) -> str:
    """Line dash of the setting added as number ``index`` (0-based)."""
    return DASHES[index % len(DASHES)]


def turn_ticks(turns: int) -> dict[str, Any]:
    """Ticks of a turn axis: whole numbers, one a turn where there are few."""
    return {"tickformat": ",d", "tick0": 0, "dtick": 1 if turns <= FEW_TURNS else None}
