"""The way of a newcomer into Compare: the first lesson, and the ten classic effects."""

import streamlit as st

from memviz.core.translation import _
from memviz.dashboard.lessons import lessons
from memviz.dashboard.lessons.lesson import Step, language_of_reader
from memviz.dashboard.lessons.library import classic_effects as effects
from memviz.dashboard.ui.controls.effects import query_of_effect
from memviz.dashboard.ui.controls.links import follow
from memviz.dashboard.ui.shell.elements import show_caption
from memviz.dashboard.ui.shell.state import set_widget, widget_value

FIRST_LESSON = "first-look"
SHOWN_KEY = "effects-shown"


def help_key() -> str:
    """Return the key of the help: another one, so a closed one, once an effect is shown."""
    return f"lost-{widget_value(SHOWN_KEY) or 0}"


def draw_first_steps() -> None:
    """Draw the way to the first lesson, and the classic effects: each in one sentence, and
    a click that shows it."""
    st.page_link(
        "pages/lessons.py",
        label=_(
            "The first lesson: {minutes} minutes",
            minutes=lessons()[FIRST_LESSON].minutes,
        ),
        icon=":material/school:",
        query_params={"lesson": FIRST_LESSON},
    )
    st.markdown(_("**Ten classic effects**, each on a bundled conversation"))
    for number, effect in enumerate(effects(), 1):
        _draw_effect(number, effect)


def _draw_effect(number: int, effect: Step) -> None:
    with st.container(gap=None, key=f"classic-effect-{number}"):
        if st.button(
            f"**{number}. {effect.title.said(language_of_reader())}**",
            key=f"show-effect-{number}",
            type="tertiary",
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            set_widget(SHOWN_KEY, (widget_value(SHOWN_KEY) or 0) + 1)
            view = effect.view
            follow(view.page, query_of_effect(effect), view.show)
        show_caption(effect.text.said(language_of_reader()))
