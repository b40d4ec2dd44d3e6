"""Entries of a legend that several charts share, as HTML; all text is escaped."""

from __future__ import annotations

from html import escape

import streamlit as st

from memviz.dashboard.ui.shell.terms import term_html


def legend_item(picture: str, words: str) -> str:
    """A :func:`swatch` or :func:`glyph` and what it means, with the word explained if it is one of the glossary."""
    return f'<span style="display:inline-flex;align-items:center;gap:0.4rem">{picture}{term_html(words)}</span>'


def swatch(color: str) -> str:
    """A square of a colour."""
    return f'<span style="width:0.9rem;height:0.9rem;border-radius:0.2rem;background:{color}"></span>'


def glyph(character: str, color: str) -> str:
    """A character in a colour."""
    return f'<span style="color:{color}">{character}</span>'


def stripe(index: int) -> str:
    """The colour of the setting that was added as number ``index`` (0-based), as the edge of a card: the same that its
    line has on the charts, in light and in dark."""
    light, dark = (
        st.get_option(f"theme.{scheme}.chartCategoricalColors")[index % 10]
        for scheme in ("light", "dark")
    )
    return f'<div class="memviz-stripe" style="background:light-dark({escape(light)},{escape(dark)})"></div>'
