"""The place where the library is kept, and a copy of it to take away."""

from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.errors import error_shown
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.engine import MEMORY
from memviz.storage.workspace import Workspace

MAX_DOWNLOAD_BYTES = 200_000_000
"""A larger copy is written beside the library: a download is held in memory."""
HELP = noop(
    "A copy of the whole library, to keep elsewhere. `memviz ui --db FILE` opens it."
)
BESIDE_HELP = noop(
    "Writes a copy of the whole library beside it: it is too large for a download."
)


def backup_controls() -> None:
    """Take a copy away, whatever is being saved meanwhile."""
    path = Path(workspace().store.path)
    if workspace().store.path == MEMORY:
        return
    name = f"{path.stem}-backup-{date.today()}.db"
    if _size(path) <= MAX_DOWNLOAD_BYTES:
        st.download_button(
            _("Back up"),
            partial(_copy, workspace()),
            file_name=name,
            mime="application/vnd.sqlite3",
            help=_(HELP),
            icon=":material/archive:",
            key="library-backup",
            on_click="ignore",
            width="stretch",
        )
    elif st.button(
        _("Back up"),
        icon=":material/archive:",
        help=_(BESIDE_HELP),
        key="library-backup",
        width="stretch",
    ):
        with st.spinner(_("Copying")), error_shown():
            workspace().store.back_up(path.with_name(name))
            st.success(
                plain(_("The copy is {path}.", path=path.with_name(name))),
                icon=":material/check:",
            )
    st.caption(plain(_("Kept in {path}", path=path)))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # removed: the page says so above
        return 0


def _copy(workspace: Workspace) -> bytes:
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        workspace.store.back_up(copy)
        return copy.read_bytes()
