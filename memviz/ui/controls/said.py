"""A text of a user or a model, as it is."""

from __future__ import annotations

from html import escape

import streamlit as st

from memviz.text.language import lang_attribute


def said(text: str) -> None:
    """Draw ``text`` with its line breaks. Where its script shows its language it is marked with it: a screen reader
    pronounces Chinese as English otherwise."""
    if language := lang_attribute(text):
        st.html(f'<p class="memviz-said"{language}>{escape(text)}</p>')
    else:
        st.text(text)
