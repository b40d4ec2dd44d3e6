"""Scrolling by itself: to the beginning of a page, to a new result, to the newest of a talk."""

from typing import Literal

import streamlit as st

from memviz.dashboard.stage.files import own_text

_scrolling = st.components.v2.component(
    "memviz_scrolling", js=own_text(__package__, "scrolling.js")
)


def scroll(to: Literal["top", "result", "end"], mark: int | str, key: str) -> None:
    """Scroll once for each new ``mark``: to the ``top`` of the page, to the ``result`` that is drawn behind this, or to
    the ``end`` of the box that this stands in."""
    _scrolling(data={"to": to, "key": key, "mark": mark}, key=key)
