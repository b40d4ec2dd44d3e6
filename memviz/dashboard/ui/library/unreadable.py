"""A conversation that cannot be read, in the list: what is wrong with it, its stored rows as a file, deletion."""

from __future__ import annotations

import json

import streamlit as st

from memviz.dashboard.ui.library.state import LibraryState
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.storage.entries import UnreadableConversation
from memviz.storage.workspace import Workspace

ROWS_HELP = "Everything that is stored of it, as JSON. What is sound in it can be taken out by hand."


def unreadable_row(
    workspace: Workspace, state: LibraryState, damaged: UnreadableConversation
) -> None:
    """One conversation that is left aside."""
    with st.container(border=True, key=f"unreadable-{damaged.row}"):
        text, buttons = st.columns([3, 2], vertical_alignment="center")
        with text:
            st.markdown(f"**{plain(damaged.title)}**")
            st.warning(
                plain(f"Cannot be read, and is left aside: {damaged.problem}."),
                icon=":material/warning:",
            )
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            rows_download(workspace, damaged.row, damaged.title)
            if st.button(
                "Delete",
                icon=":material/delete:",
                key=f"delete-unreadable-{damaged.row}",
            ):
                workspace.store.delete_unreadable(damaged.row)
                state.deleted = (damaged.id, damaged.title)
                st.rerun()


def rows_download(workspace: Workspace, conversation: int | str, title: str) -> None:
    """Everything that is stored of a conversation (its row number, or its id), as a file."""
    st.download_button(
        "Stored rows",
        lambda: json.dumps(workspace.store.stored_rows(conversation), indent=1),
        file_name=f"{file_name(title)}-rows.json",
        mime="application/json",
        help=ROWS_HELP,
        icon=":material/download:",
        key=f"rows-{conversation}",
        on_click="ignore",
    )
