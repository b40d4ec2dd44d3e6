"""Texts of lessons on the page: taken apart from their Markdown, and drawn with every letter escaped."""

from __future__ import annotations

from html import escape

import streamlit as st

from memviz.core.text.language import lang_attribute
from memviz.dashboard.lessons.lesson import Language, Text
from memviz.dashboard.lessons.markdown import as_html
from memviz.dashboard.ui.shell.terms import FirstMentions


def prose(text: Text, language: Language) -> None:
    """A text in Markdown. In English, words of the glossary explain themselves where it first has them."""
    said = text.said(language)
    if said:
        words_html = FirstMentions().html if language == "en" else escape
        st.html(
            f'<div class="memviz-prose"{lang_attribute(said)}>{as_html(said, words_html)}</div>'
        )
