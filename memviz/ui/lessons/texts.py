"""Texts of lessons on the page: taken apart from their Markdown, and drawn with every letter escaped."""

from __future__ import annotations

import streamlit as st

from memviz.lessons.lesson import Language, Text
from memviz.lessons.markdown import as_html
from memviz.text.language import lang_attribute


def prose(text: Text, language: Language) -> None:
    """A text in Markdown."""
    said = text.said(language)
    if said:
        st.html(f'<div class="memviz-prose"{lang_attribute(said)}>{as_html(said)}</div>')
