"""What every page shares: navigation, the guard of deep links, the head of a page, the workspace."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.pages_manager import PagesManager

from memviz.dashboard import dashboard_folder
from memviz.errors import StorageError
from memviz.ui.shell.database_notice import database_notice
from memviz.ui.shell.errors import errors_shown
from memviz.ui.shell.presence import looked_at, watch_in_background
from memviz.ui.shell.server.checks import require_checks
from memviz.workspace import Workspace

PAGES = dashboard_folder() / "pages"
ICON = Path(__file__).with_name("icon.svg")  # a Material icon would be fetched from outside
STYLE = Path(__file__).with_name("style.css")
SIDEBAR_PIXELS = 340


def navigate() -> None:
    """Set the page up and run the one that was asked for."""
    st.set_page_config(page_title="memviz", page_icon=str(ICON), layout="wide", initial_sidebar_state=SIDEBAR_PIXELS)
    st.html(STYLE)
    compare = st.Page(PAGES / "compare.py", title="Compare", icon=":material/stacked_line_chart:")
    # The page at the root has no address of its own, so the root leads to Compare, and /compare works too.
    root = st.Page(_to(compare), title="memviz", url_path="start", default=True, visibility="hidden")
    page = st.navigation(
        [
            root,
            compare,
            st.Page(PAGES / "summaries.py", title="Summaries", icon=":material/compress:"),
            st.Page(PAGES / "memory_map.py", title="Memory map", icon=":material/grid_on:"),
            st.Page(PAGES / "retention.py", title="Retention", icon=":material/psychology_alt:"),
            st.Page(PAGES / "costs.py", title="Costs", icon=":material/payments:"),
            st.Page(PAGES / "tune.py", title="Tune", icon=":material/tune:"),
            st.Page(PAGES / "chat.py", title="Chat", icon=":material/forum:"),
            st.Page(PAGES / "library.py", title="Library", icon=":material/library_books:"),
        ],
        position="top",
    )
    with errors_shown():
        require_checks()
        page.run()
    looked_at(workspace())


def _to(page: StreamlitPage) -> Callable[[], None]:
    def lead() -> None:
        st.switch_page(page, query_params={name: st.query_params.get_all(name) for name in st.query_params})

    return lead


def open_page(question: str, sentence: str) -> None:
    """Begin a page: its title is the question it answers, the sentence says how."""
    if PagesManager.uses_pages_directory:
        # A first visit straight to a page below pages/ would run it without navigation.py.
        PagesManager.uses_pages_directory = False
        st.rerun()
    st.title(question, anchor=False)
    st.caption(sentence)
    with suppress(StorageError):  # a file that cannot be opened at all is said by the page, in its place
        database_notice(workspace())


def workspace() -> Workspace:
    """The workspace of this server. Raises StorageError if the database cannot be used."""
    return _workspace()


@st.cache_resource(show_spinner=False)
def _workspace() -> Workspace:
    opened = Workspace()
    watch_in_background(opened)
    # Everything imported so far stays for good; frozen, no garbage collection looks at it again.
    gc.collect()
    gc.freeze()
    return opened
