"""Recordings on the Library's page, and a copy of the library to take away.

A recording is what a real model answered, played without a key and without a network:
bundled ones, and those that a visitor opens.
"""

from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from memviz.core import page_titles
from memviz.core.text.wording import cost_words, counted, listed, seconds_words
from memviz.core.translation import _, noop
from memviz.dashboard.ui.library.state import library_state
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    error_shown,
    level_columns,
    offer_file,
    right_row,
    show_caption,
    show_success,
    show_title,
    show_toast,
)
from memviz.dashboard.ui.shell.frame import delete_own_library, store, workspace
from memviz.dashboard.ui.shell.server.checks import has_own_libraries
from memviz.dashboard.ui.shell.state import forget_session
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.dashboard.words import bundled_words
from memviz.models.recordings import bundled
from memviz.models.recordings.files import SUFFIX, write_recording
from memviz.models.recordings.recording import Recording, hole_words
from memviz.storage.sqlite_file import MEMORY
from memviz.storage.workspace import Workspace

OPEN_HELP = noop(
    "A file made with `memviz record`, or saved on {compare} under Download. It stays until you remove it."
)
MOST_HOLES = 5
ABOUT = noop(
    "What a language model answered, word for word. Where a recording was made for exactly the "
    "conversation and the setting that you look at, it is played in place of the built-in model: no key, no "
    "network, no cost."
)
MAX_DOWNLOAD_BYTES = 200_000_000
"""A larger copy is written beside the library: a download is held in memory."""
HELP = noop(
    "A copy of the whole library, to keep elsewhere. `memviz ui --db FILE` opens it."
)
DELETE_ALL = noop(
    "Your conversations, runs, recordings and paid answers are deleted for good, and what you share is withdrawn. You "
    "begin with a new library. "
    "Back up first what you want to keep."
)
ON_SERVER_HELP = noop(
    "This library is too large to be downloaded: `memviz backup` writes a copy of it."
)
BESIDE_HELP = noop(
    "Writes a copy of the whole library beside it: it is too large for a download."
)


def recordings() -> None:
    """Draw one row a recording, and a way to open another one."""
    own_names = workspace().recordings.opened
    head, way_in = st.columns([3, 1], vertical_alignment="bottom")
    head.header(_("Recordings"), anchor=False)
    with way_in.popover(
        _("Open a recording"), icon=":material/folder_open:", width="stretch"
    ):
        _open()
    st.caption(_(ABOUT))
    for name, recording in workspace().recordings.all.items():
        _draw_row(name, recording, is_own=name in own_names)


def _open() -> None:
    file = st.file_uploader(
        _("A file *{suffix}*", suffix=SUFFIX),
        key=f"library-recording-{library_state().uploads}",
        help=_(OPEN_HELP, compare=_(page_titles.COMPARE)),
    )
    if file is None:
        return
    with error_shown():
        recording = workspace().open_recording(file.getvalue(), file.name)
        library_state().uploads += 1  # a fresh control, so that nothing is opened twice
        show_toast(
            _(
                "Opened “{name}”: {replies}.",
                name=recording.name,
                replies=counted(recording.replies, "reply"),
            )
        )
        st.rerun()


def _draw_row(name: str, recording: Recording, *, is_own: bool) -> None:
    with box(f"recording-{name}"):
        text, buttons = level_columns([5, 4])
        with text:
            title = bundled_words(recording.about.title) or name
            show_title(f"{name}: {title}" if is_own else title)
            show_caption(" · ".join(_facts(name, recording)))
            if recording.is_cut:
                st.warning(
                    _(
                        "The file ends in the middle of a line. What is whole in it plays; take a whole copy."
                    )
                )
            if recording.holes:
                st.warning(
                    plain(" ".join(map(hole_words, recording.holes[:MOST_HOLES])))
                )
            if recording.about.note:
                with st.expander(_("How it was made")):
                    st.text(bundled_words(recording.about.note))
        with buttons, right_row():
            _draw_buttons(name, recording, is_own=is_own)


def _draw_buttons(name: str, recording: Recording, *, is_own: bool) -> None:
    offer_file(
        _("Download"),
        lambda: write_recording(recording),
        file_name(name) + SUFFIX,
        "application/jsonl",
        f"download-recording-{name}",
    )
    if is_own and button(_("Remove"), f"remove-recording-{name}", ":material/delete:"):
        workspace().remove_recording(name)
        show_toast(
            _(
                "Removed “{name}”. Its file plays again when you open it.",
                name=name,
            )
        )
        st.rerun()


def _facts(name: str, recording: Recording) -> Iterator[str]:
    """Yield what a recording says of itself. What nobody measured is said to be not recorded."""
    yield _("bundled") if name in bundled.recordings() else _("opened")
    yield listed(recording.models or (recording.about.model,))
    if recording.about.made_on:
        yield recording.about.made_on
    yield counted(recording.replies, "reply")
    yield counted(recording.settings, "setting")
    seconds = seconds_words(recording.seconds)
    cost = cost_words(recording.cost_usd, recorded=True)
    if seconds == cost:
        yield _("seconds and cost not recorded")
    else:
        yield _("took {seconds}", seconds=seconds)
        yield _("cost {cost}", cost=cost)


def backup_controls() -> None:
    """Take a copy away, whatever is being saved meanwhile."""
    path = store().file
    if store().path == MEMORY:
        return
    stem = "memviz"
    # A visitor's file is named after the visitor, which is nobody else's business.
    if path is not None and not has_own_libraries():
        stem = path.stem
    name = f"{stem}-backup-{date.today()}.db"
    # No visitor of a class makes files on the server.
    size = store().used_bytes if path is None else _size(path)
    if path is None and size > MAX_DOWNLOAD_BYTES:
        st.caption(_(ON_SERVER_HELP))
    elif path is None or has_own_libraries() or size <= MAX_DOWNLOAD_BYTES:
        offer_file(
            _("Back up"),
            partial(_copy, workspace()),
            name,
            "application/vnd.sqlite3",
            "library-backup",
            icon=":material/archive:",
            help=_(HELP),
            width="stretch",
        )
    elif button(
        _("Back up"),
        "library-backup",
        ":material/archive:",
        help=_(BESIDE_HELP),
        width="stretch",
    ):
        with st.spinner(_("Copying")), error_shown():
            store().back_up(path.with_name(name))
            show_success(_("The copy is {path}.", path=path.with_name(name)))
    if not has_own_libraries():
        show_caption(_("Kept in {path}", path=store().path))
    else:
        _offer_to_delete_all()


def _offer_to_delete_all() -> None:
    with st.popover(
        _("Delete everything"), icon=":material/delete_forever:", width="stretch"
    ):
        st.text(_(DELETE_ALL))
        if st.button(_("Delete everything of mine"), key="delete-all", width="stretch"):
            delete_own_library()
            forget_session()
            st.rerun()


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
