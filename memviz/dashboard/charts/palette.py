"""One colour, one meaning, on every chart, and the run of one setting, which has a colour and a
dash. All of it reads in light and dark and without colour vision.
"""

from dataclasses import dataclass
from typing import Any

from memviz.core.context import Fate
from memviz.core.translation import noop
from memviz.engine.run import Run
from memviz.metrics.memory_map.stretches import STEPS, Step
from memviz.metrics.retention.knowledge import FactState

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
    "system": noop("System prompt"),
    "summary": noop("Summary"),
    "history": noop("History"),
    "recalled": noop("Recalled"),
    "input": noop("Input"),
    "tools": noop("Tools"),
    "names": noop("Names"),
    "overhead": noop("Format overhead"),
}
PART_HELP = {
    "system": noop("The system prompt, sent with every request."),
    "summary": noop("What a summarizer wrote about older messages."),
    "history": noop("Earlier messages, word for word."),
    "recalled": noop("Earlier messages that were brought back for this request."),
    "input": noop("The user's newest message. It is always sent, whole."),
    "tools": noop(
        "Schemas of the tools offered, tool calls among the messages, and what the model recalled or "
        "thought."
    ),
    "names": noop(
        "The names of those who speak, sent with their messages, and 1 token of the format for each."
    ),
    "overhead": noop(
        "3 tokens and the role for each message, and 3 for the reply, as OpenAI's cookbook counts them."
    ),
}
PART_ORDER = tuple(PART_COLORS)
_FADING = (1.0, 0.58, 0.42, 0.26)
"""The opacity of the summary's violet, the more often a summary was itself summarized the less. It fades into the page,
light or dark, in steps that can still be told apart."""


@dataclass(frozen=True, slots=True)
class SettingRun:
    """One setting: its run, what it is called, and how it looks."""

    run: Run
    label: str
    index: int
    """Decides its colour and its dash."""

    @property
    def color(self) -> str:
        """The colour of the setting, as a token that the theme replaces."""
        return setting_color(self.index)


def fade_color(color: str, opacity: float) -> str:
    """``#RRGGBB`` let through by the page behind it."""
    red = int(color[1:3], 16)
    green = int(color[3:5], 16)
    blue = int(color[5:7], 16)
    return f"rgba({red},{green},{blue},{opacity:g})"


SHORTENED_COLOR = "#7FB069"

OPAQUE_COLOR = FactState.UNKNOWN.color
"""The colour of a block that nobody can read, and of the facts that may stand in it."""

_STEPS: dict[Step, tuple[str, str]] = {
    Step(Fate.NOT_YET): ("rgba(0,0,0,0)", noop("Not yet there")),
    Step(Fate.DROPPED): (fade_color(PART_COLORS["system"], 0.12), noop("Dropped")),
    Step(Fate.SUMMARIZED, 1): (
        fade_color(PART_COLORS["summary"], _FADING[0]),
        noop("Replaced by a summary"),
    ),
    Step(Fate.SUMMARIZED, 2): (
        fade_color(PART_COLORS["summary"], _FADING[1]),
        noop("Summarized 2-3 times"),
    ),
    Step(Fate.SUMMARIZED, 4): (
        fade_color(PART_COLORS["summary"], _FADING[2]),
        noop("Summarized 4-7 times"),
    ),
    Step(Fate.SUMMARIZED, 8): (
        fade_color(PART_COLORS["summary"], _FADING[3]),
        noop("Summarized 8 times or more"),
    ),
    Step(Fate.CLEARED): (
        fade_color(PART_COLORS["tools"], 0.5),
        noop("Sent as a placeholder"),
    ),
    Step(Fate.SHORTENED): (SHORTENED_COLOR, noop("Shortened")),
    Step(Fate.OPAQUE): (OPAQUE_COLOR, noop("Opaque")),
    Step(Fate.RECALLED): (PART_COLORS["recalled"], noop("Recalled")),
    Step(Fate.VERBATIM): (PART_COLORS["history"], noop("Word for word")),
}
"""The colour of cleared messages, which are results of tools: their brown, as faint as what is left of them."""

STEP_COLORS = tuple(_STEPS[step][0] for step in STEPS)

STEP_TITLES = tuple(_STEPS[step][1] for step in STEPS)
"""Colours and titles of what can become of a message, by the codes of ``memviz.metrics.memory_map.stretches.STEPS``."""

SUMMARIZATION_LINE = "#6A45C4"
"""Darker than the summary's violet, over which it is drawn."""

SUMMARIZATION_GLYPH = f"light-dark({SUMMARIZATION_LINE}, #BBA4F4)"
"""The colour of a summarization on a page, lighter in dark; style.css has it for the diamonds of charts."""

NOTE_PIXELS = 13
"""The size of ticks and notes on charts; Streamlit's own have 12. Their colour is the page's own (style.css)."""

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
