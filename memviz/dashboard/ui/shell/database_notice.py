"""What every page says, and offers, where the database file was removed or replaced under a running server."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.shell.errors import show_error
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.workspace import Workspace

REMEDY = (
    "Nothing is saved at the moment. What was saved before is not lost: memviz still has it open, "
    "and can write it to a new file as long as it runs."
)
RESCUE, REOPEN = (
    "Save everything to a new file",
    "Go on with the file that is there now",
)
REOPEN_HELP = "For a backup that you have just restored. What only the file before held is gone then."


def database_notice(workspace: Workspace) -> None:
    """Say that the file is gone, and offer what can be done; nothing where all is well."""
    problem = workspace.store.problem
    if not problem:
        return
    place = st.empty()
    with place.container(border=True, key="database-problem"):
        st.error(plain(f"{problem} {REMEDY}"), icon=":material/error:")
        with st.container(horizontal=True):
            rescue = st.button(
                RESCUE, type="primary", icon=":material/save:", key="database-rescue"
            )
            reopen = Path(workspace.store.path).exists() and st.button(
                REOPEN,
                icon=":material/folder_open:",
                key="database-reopen",
                help=REOPEN_HELP,
            )
    try:
        if rescue:
            place.success(plain(_rescued(workspace)), icon=":material/check:")
        elif reopen:
            workspace.reopen()
            place.success(
                plain(f"memviz goes on with {workspace.store.path}."),
                icon=":material/check:",
            )
    except MemvizError as error:
        show_error(error)


def _rescued(workspace: Workspace) -> str:
    asked_for = workspace.store.path
    path = workspace.store.rescue()
    moved = f" Another file is at {asked_for}, so give memviz the new one when you start it the next time."
    return f"Everything is in {path}, and is saved there from now on.{moved if path != asked_for else ''}"
