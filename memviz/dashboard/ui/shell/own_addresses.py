"""Addresses that a session's own pages wrote into the browser: they ask for nothing that is not there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

import streamlit as st

from memviz.dashboard.ui.shell.state import set_widget, widget_value

WRITTEN_KEY = "written-links"
KEPT_WRITTEN = 20
"""How many addresses a session knows as its own: with clicks in quick succession, the browser's is a few behind."""
Query = Mapping[str, Sequence[str]]


def address_now() -> dict[str, list[str]]:
    """The query of the address that the browser shows."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def note_own(query: str) -> None:
    """The session's own page writes this query into the address."""
    parts = parse_qs(query)
    written = [
        address for address in widget_value(WRITTEN_KEY) or [] if address != parts
    ]
    set_widget(WRITTEN_KEY, [*written[-KEPT_WRITTEN:], parts])


def is_own(query: Query) -> bool:
    """Whether the session's own page wrote this query."""
    return query in (widget_value(WRITTEN_KEY) or ())


def forget_own(query: Query) -> None:
    """Whoever follows a link of this query from now on asks for what it names."""
    set_widget(
        WRITTEN_KEY,
        [address for address in widget_value(WRITTEN_KEY) or [] if address != query],
    )
