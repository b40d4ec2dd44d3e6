"""What helps a visitor who is lost on a page: three sentences, beside its title."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

LOST_KEY = "lost"
PANEL_PIXELS = 340


class Lost(NamedTuple):
    """Three sentences for somebody who is lost: what to ``look`` at first on this page, what to ``touch``, and what the
    page ``answers``."""

    look: str
    touch: str
    answers: str


_ICONS = Lost(":material/visibility:", ":material/touch_app:", ":material/lightbulb:")


def lost_help(lost: Lost) -> None:
    """The button, and behind it the sentences."""
    with (
        st.popover("Lost?", key=LOST_KEY, type="tertiary", width="content"),
        st.container(width=PANEL_PIXELS, gap="small"),
    ):
        for icon, sentence in zip(_ICONS, lost, strict=True):
            st.markdown(f"{icon} {sentence}")
