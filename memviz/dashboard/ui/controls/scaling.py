"""A button that scales the limits of a setting to the conversation, and what it did."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memviz.dashboard.ui.shell.state import Setting
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies import strategies
from memviz.tuning.scaling import is_scaled, presets_of, scaled, window_of

HELP = (
    "Sets its limits in tokens to the same shares of a window that is as large as this conversation needs. Limits made "
    "for a whole context window would never be reached in a short conversation."
)


def scale_control(setting: Setting, needed_tokens: Callable[[], int]) -> None:
    """The button, and once it was pressed from what the limits were scaled. Nothing for a strategy without limits in
    tokens."""
    if not presets_of(strategies()[setting.strategy_id]):
        return
    if setting.scaled is not None and is_scaled(setting.scaled, setting.parameters):
        st.caption(f":material/straighten: {plain(setting.scaled.words)}")
        st.button(
            "Back to the presets",
            key=f"unscale-{setting.uid}",
            icon=":material/undo:",
            type="tertiary",
            on_click=setting.scale,
            args=(None,),
        )
        return
    st.button(
        "Scale to this conversation",
        key=f"scale-{setting.uid}",
        icon=":material/straighten:",
        type="tertiary",
        on_click=_scale,
        args=(setting, needed_tokens),
        help=HELP,
    )
    if setting.not_scaled_words:
        st.caption(plain(setting.not_scaled_words))


def _scale(setting: Setting, needed_tokens: Callable[[], int]) -> None:
    cls, needed = strategies()[setting.strategy_id], needed_tokens()
    found = scaled(cls, needed)
    if found is not None:
        setting.scale(found)
        return
    setting.not_scaled_words = (
        f"A conversation of {needed:,} tokens needs no scaling: these limits are made for a window of "
        f"{window_of(presets_of(cls)):,}."
    )
