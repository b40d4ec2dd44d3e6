"""A switch with an explanation beside it."""

from __future__ import annotations

from typing import Literal

import streamlit as st


def switch(
    label: str,
    value: bool = False,
    *,
    key: str,
    help: str,
    persist_state: Literal["session"] | None = None,
) -> bool:
    """A toggle whose question mark stands beside it. Streamlit's own stands within the toggle's label, where a click on
    it, or a tap, would turn the toggle."""
    with st.container(
        horizontal=True,
        wrap=False,
        vertical_alignment="center",
        gap="xsmall",
        width="content",
    ):
        chosen = st.toggle(label, value, key=key, persist_state=persist_state)
        st.markdown("", help=help, width="content")
    return chosen
