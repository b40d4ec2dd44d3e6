"""Choose how tokens are counted."""

from __future__ import annotations

import streamlit as st

from memviz.counters import COUNTERS


def counter_picker(current: str, key: str) -> str:
    """The chosen counter's name."""
    names = list(COUNTERS)
    return st.selectbox(
        "Token counter",
        names,
        index=names.index(current),
        key=key,
        format_func=lambda name: COUNTERS[name].title,
        help="How tokens are counted, for every number on this page.",
    )
