"""Keys that are heard from the first moment of a page, before what they move is drawn."""

from __future__ import annotations

import streamlit as st

from memviz.stage.files import keys_script

_keys = st.components.v2.component(
    "memviz_early_keys", html="<span></span>", js=f"{keys_script()}\nexport default () => {{}};"
)


def hear_keys() -> None:
    """Hear the keys that walk through requests, for players that are drawn later. To be called first of all."""
    _keys(key="early-keys")
