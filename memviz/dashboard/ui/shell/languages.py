"""Texts of a conversation on the page, marked with their language for screen readers."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from memviz.core.text.language import LEAST_SHARE, READ_CHARS, SCRIPTS

_say_languages = st.components.v2.component(
    "memviz_languages",
    html="<span></span>",
    js=Path(__file__).with_name("languages.js").read_text(encoding="utf-8"),
)


def say_languages() -> None:
    """Mark every text that is written in a language's own script with that language, now and whenever it changes, in
    the browser: Streamlit's own elements and the text of charts take no ``lang``."""
    scripts = [[code, script.pattern] for code, script in SCRIPTS]
    _say_languages(
        data={"scripts": scripts, "share": LEAST_SHARE, "chars": READ_CHARS},
        key="languages",
    )
