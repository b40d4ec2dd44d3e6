"""A file in which several speak under names that do not show who the user is: who is it?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.core.errors import UnclearUserError
from memviz.dashboard.ui.library.conversation_picker import imported
from memviz.dashboard.ui.library.state import Import
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.workspace import Workspace
from memviz.transcripts.background import BackgroundReading

MOST_IN_SIGHT = 6
"""More names than these are in a list that opens."""


def ask_who_is_the_user(workspace: Workspace, made: Import, key: str) -> None:
    """The names that speak in a file; it is read again once one of them is chosen."""
    error = made.outcome.error
    if not isinstance(error, UnclearUserError) or made.file is None:
        return
    with st.container(border=True, key=f"user-{key}"):
        st.markdown(f"**{plain(made.outcome.name)}** does not show who the user is.")
        st.caption(plain(error.reason))
        name = _chosen(error.names, key)
        with st.container(horizontal=True):
            if st.button(
                "Import",
                type="primary",
                icon=":material/download:",
                key=f"user-import-{key}",
                disabled=name is None,
            ):
                with st.spinner("Reading"):
                    _read_again(workspace, made, name)
                st.rerun()
            if st.button(
                "Import nothing", icon=":material/close:", key=f"user-leave-{key}"
            ):
                made.left = True
                st.rerun()


def _chosen(names: Sequence[str], key: str) -> str | None:
    help = "Everybody else in the file becomes the assistant, under their names."
    if len(names) > MOST_IN_SIGHT:
        return st.selectbox(
            "Who is the user?", names, index=None, key=f"user-name-{key}", help=help
        )
    return st.radio(
        "Who is the user?",
        names,
        index=None,
        format_func=plain,
        key=f"user-name-{key}",
        horizontal=True,
        help=help,
    )


def _read_again(workspace: Workspace, made: Import, name: str | None) -> None:
    if made.file is None:
        return
    reading = BackgroundReading([made.file], made.format, user=name)
    while not reading.wait(1):
        pass
    again = imported(workspace, reading.outcomes[0], made.file, made.format)
    made.outcome, made.saved, made.notes, made.file = (
        again.outcome,
        again.saved,
        again.notes,
        again.file,
    )
