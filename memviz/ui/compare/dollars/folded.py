"""Details of the dollars, closed at first."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


@st.fragment
def folded(question: str, key: str, icon: str, show: Callable[[], None]) -> None:
    """A question that ``show`` answers; the answer is made only when somebody opens it."""
    opened = st.expander(question, icon=icon, key=key, on_change="rerun")
    if opened.open:
        with opened:
            show()
