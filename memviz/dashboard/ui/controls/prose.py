"""What a model said, as one reads it: its emphasis, lists and code are drawn, and all else stays text."""

from __future__ import annotations

import streamlit as st

from memviz.core.text.language import lang_attribute
from memviz.core.text.light_markdown import as_html, has_marks


def prose(text: str) -> None:
    """Draw ``text``. No letter of it is markup: see :mod:`memviz.core.text.light_markdown`."""
    if has_marks(text):
        st.html(
            f'<div class="memviz-prose"{lang_attribute(text)}>{as_html(text)}</div>'
        )
    else:
        st.text(text)
