"""Choose what a summarizer is told: the strategy's own instruction, one of several, or one's own."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.strategies.prompts import PROMPTS

OWN = "The strategy's own"
TITLES = [OWN, *(prompt.title for prompt in PROMPTS)]
HELP = "\n\n".join(f"**{prompt.title}**: {prompt.purpose}" for prompt in PROMPTS)


def prompt_picker(
    place: DeltaGenerator,
    key: str,
    own: str,
    *,
    first: str = OWN,
    side: str = "",
    height: int = 150,
) -> str:
    """The chosen instruction, in a box to be changed. ``own`` is the strategy's; ``side`` tells two pickers apart."""
    text_key = instruction_key(key)
    if widget_value(text_key) is None:
        set_widget(text_key, _instruction(first, own))
    place.selectbox(
        f"Prompt {side}".strip(),
        TITLES,
        index=TITLES.index(first),
        key=key,
        help=HELP,
        on_change=_take,
        args=(key, own),
    )
    label = "What the summarizer is told" + (f", {side}" if side else "")
    return str(place.text_area(label, key=text_key, height=height)).strip()


def instruction_key(key: str) -> str:
    """The key of the box that holds the instruction."""
    return f"{key}-instruction"


def _instruction(title: str, own: str) -> str:
    return next(
        (prompt.instruction for prompt in PROMPTS if prompt.title == title), own
    )


def _take(key: str, own: str) -> None:
    set_widget(instruction_key(key), _instruction(str(widget_value(key)), own))
