"""The address of the Library holds what is open there: the search, the page of its results, and the conversation that
is read."""

from __future__ import annotations

import streamlit as st

from memviz.dashboard.ui.library.page import PAGE_KEY, SEARCH_KEY
from memviz.dashboard.ui.library.state import LibraryState
from memviz.dashboard.ui.shell.linked import (
    LINK_OFF,
    MAX_TEXT_CHARS,
    keep_in_address,
    value_read,
)
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.storage.workspace import Workspace

SEARCH, PAGE, READ = "search", "page", "read"
MOST_PAGES = 100_000


def open_address(workspace: Workspace, state: LibraryState) -> None:
    """Show what the address asks for, once in a session. To be called before anything of it is drawn."""
    if state.is_opened:
        return
    state.is_opened = True
    search = value_read(st.query_params.get(SEARCH, "")[:MAX_TEXT_CHARS], None)
    page = value_read(st.query_params.get(PAGE, ""), range(1, MOST_PAGES))
    if search:
        set_widget(SEARCH_KEY, search)
    if page:
        set_widget(PAGE_KEY, page)
    read = st.query_params.get(READ)
    if read and workspace.store.exists(read):
        state.shown = read
    elif read:
        st.warning(
            "The conversation of the link is not on this server, or was deleted.",
            icon=LINK_OFF,
        )


def keep_address(state: LibraryState) -> None:
    """Write into the address what is open."""
    page = widget_value(PAGE_KEY) or 1
    keep_in_address(
        {
            SEARCH: widget_value(SEARCH_KEY),
            PAGE: str(page) if page > 1 else "",
            READ: state.shown,
        }
    )
