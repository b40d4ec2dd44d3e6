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
    "names": "#2F6F7E",
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
    "names": "Names",
    "overhead": "Format overhead",
}
PART_HELP = {
    "system": "The system prompt, sent with every request.",
    "summary": "What a summarizer wrote about older messages.",
    "history": "Earlier messages, word for word.",
    "recalled": "Earlier messages that were brought back for this request.",
    "input": "The user's newest message. It is always sent, whole.",
    "tools": "Schemas of the tools offered, tool calls among the messages, and what the model recalled or thought.",
    "names": "The names of those who speak, sent with their messages.",
    "overhead": "3 tokens a message and 3 for the reply, as the OpenAI chat format adds.",
}
PART_ORDER = tuple(PART_COLORS)

_FADING = (1.0, 0.58, 0.42, 0.26)
"""How strongly the summary's violet covers the page, the more often a summary was itself summarized the less. It
fades into the page, light or dark, in steps that can still be told apart."""


def faded(color: str, opacity: float) -> str:
    """``#RRGGBB`` let through by the page behind it."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


STEP_COLORS = (
    "rgba(0,0,0,0)", faded(PART_COLORS["system"], 0.12), *(faded(PART_COLORS["summary"], part) for part in _FADING),
    PART_COLORS["recalled"], PART_COLORS["history"],
)  # fmt: skip
STEP_TITLES = (
    "Not yet there", "Dropped", "Replaced by a summary", "Summarized 2-3 times", "Summarized 4-7 times",
    "Summarized 8 times or more", "Recalled", "Word for word",
)  # fmt: skip
"""Colours and titles of what can become of a message, by the codes of ``memviz.metrics.memory_map.steps.STEPS``."""
SUMMARIZATION_LINE = "#6A45C4"
"""Darker than the summary's violet, over which it is drawn."""
SUMMARIZATION_GLYPH = f"light-dark({SUMMARIZATION_LINE}, #BBA4F4)"
"""The same on a page, lighter in dark; style.css has it for the diamonds of charts."""

NOTE_PIXELS = 13
"""Of ticks and notes on charts; Streamlit's own have 12. Their colour is the page's own (style.css)."""

FEW_TURNS = 12
FIXED_MARGINS = {"l": 80, "r": 10, "t": 50, "b": 50}
"""Pixels, with room for labels of seven digits: margins that Plotly measures make it draw everything twice."""
TURN_TITLE = {"text": "turn", "standoff": 6}
"""Close to its axis: further away, a legend of several lines would cover it."""
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
