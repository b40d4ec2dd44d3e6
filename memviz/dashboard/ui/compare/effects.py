"""The ten classic effects, to be opened from the first page."""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.controls.classic_effects import EFFECTS, Effect
from memviz.dashboard.ui.controls.links import follow
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, FACTS_VIEW, ask_view

SHOWN_KEY = "effects-shown"
PANEL_PIXELS = 380
SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}


@st.fragment
def classic_effects() -> None:
    """A button that opens a list: each effect in one sentence, and a click that shows it."""
    key = f"classic-effects-{widget_value(SHOWN_KEY) or 0}"  # another one, so a closed one, once an effect is shown
    opened = st.popover(
        "Classic effects",
        key=key,
        icon=":material/auto_stories:",
        type="tertiary",
        on_change="rerun",
        width="content",
    )
    if not opened.open:
        return
    with opened, st.container(width=PANEL_PIXELS, gap="xsmall"):
        st.markdown("**Ten classic effects**, each on a bundled conversation")
        for number, effect in enumerate(EFFECTS, 1):
            _effect(number, effect)


def _effect(number: int, effect: Effect) -> None:
    with st.container(gap=None, key=f"classic-effect-{number}"):
        if st.button(
            f"**{number}. {effect.title}**",
            key=f"show-effect-{number}",
            type="tertiary",
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            set_widget(SHOWN_KEY, (widget_value(SHOWN_KEY) or 0) + 1)
            ask_view(SWITCHES[effect.page], effect.view)
            follow(effect.page, effect.query)
        st.caption(plain(effect.sentence))
