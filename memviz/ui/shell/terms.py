"""Words that explain themselves where they stand: a dotted underline, the meaning under the pointer, at the keyboard's
focus or after a tap, and the glossary behind a click.

A page says ``term("recall")`` in Markdown, ``term_html("recall")`` in HTML, and ``tooltip("recall")`` of
:mod:`memviz.guide.glossary` for a ``help``. Legends and titles of axes on charts are explained without that.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from urllib.parse import quote

import streamlit as st

from memviz.errors import UnknownNameError
from memviz.guide.glossary import entry, shown_terms

ADDRESS = "guide?term="
"""Beside every page of memviz, wherever the server itself stands."""
_KNOWN = {
    form: {"term": one.term, "meaning": one.meaning} for one in shown_terms().values() for form in (*one.also, one.term)
}
_explain = st.components.v2.component(
    "memviz_terms",
    html="<span></span>",
    js=f"const TERMS = {json.dumps(_KNOWN)};\n" + Path(__file__).with_name("terms.js").read_text(encoding="utf-8"),
)


def explain_terms() -> None:
    """Let the browser show what words mean, on every page."""
    _explain(key="terms")


def term(word: str, shown: str | None = None) -> str:
    """A word of the glossary, or one of its forms, as Markdown that explains it; ``shown`` stands for it on the page.
    Raises :class:`memviz.guide.glossary.UnknownTermError`."""
    return f"[{shown or word}]({address(word)})"


def term_html(words: str) -> str:
    """Words that stand alone, as HTML: explained if the glossary has them, with an article or without, and in any case
    escaped."""
    try:
        return f'<a href="{escape(address(words.removeprefix("A ")))}" target="_blank">{escape(words)}</a>'
    except UnknownNameError:
        return escape(words)


def address(word: str) -> str:
    """Where the glossary explains a word, seen from any page."""
    return ADDRESS + quote(entry(word).term)
