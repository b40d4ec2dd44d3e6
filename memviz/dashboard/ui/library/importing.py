"""Files and texts on their way into the library: choosing them, reading them, and what became of each."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from memviz.core.errors import UnclearUserError
from memviz.core.process_memory import give_back
from memviz.core.text.wording import counted
from memviz.dashboard.ui.library.conversation_picker import (
    ask_who_is_the_user,
    imported,
    pick,
)
from memviz.dashboard.ui.library.state import Import, library_state
from memviz.dashboard.ui.shell.text import plain
from memviz.storage.entries import ConversationEntry
from memviz.transcripts.background import BackgroundReading, NamedBytes
from memviz.transcripts.loading import formats

AT_ONCE_SECONDS = 0.4
"""Most files are read in less: their outcome is there without a progress bar in between."""
REFRESH_SECONDS = 0.3
MAX_NOTES = 4
UPLOAD_HELP = (
    "Chat exports, API requests, logs of agents, chat databases, tables and plain text, also in a zip. "
    "The format of a file is detected by what is in it. Several files at once are fine."
)
FORMAT_HELP = (
    "Choose one only where the format of a file is not detected, or a wrong one is."
)
PASTE_HELP = "Any of the formats, or lines such as “User: …” and “Assistant: …”."


def import_controls() -> None:
    """Choose files, or paste a text; the reading begins at once."""
    state = library_state()
    files = st.file_uploader(
        "Import conversations",
        accept_multiple_files=True,
        help=UPLOAD_HELP,
        key=f"library-upload-{state.uploads}",
    )
    with st.popover("Paste text", icon=":material/content_paste:", width="stretch"):
        text = st.text_area(
            "A conversation as text",
            key=f"library-paste-{state.uploads}",
            height=240,
            help=PASTE_HELP,
            placeholder="User: Where does my sister live?\nAssistant: In Lisbon.",
        )
        pasted = st.button(
            "Import the text", icon=":material/download:", width="stretch"
        )
    titles = {name: known.title for name, known in formats().items()}
    format = st.selectbox(
        "Format",
        ["", *sorted(titles, key=lambda name: titles[name].casefold())],
        key="library-format",
        format_func=lambda name: titles.get(name, "Detect automatically"),
        help=FORMAT_HELP,
    )
    if files:
        state.read(
            [NamedBytes(file.name, file.getvalue()) for file in files], format or None
        )
        _give_back([file.file_id for file in files])
        st.rerun()
    if pasted:
        state.read(
            [NamedBytes("pasted text", text.encode("utf-8", "replace"))], format or None
        )
        st.rerun()


def _give_back(file_ids: Sequence[str]) -> None:
    """Let Streamlit forget what was uploaded: it would keep the bytes until the visitor closes the page."""
    context = get_script_run_ctx()
    if context is None or not isinstance(
        context.uploaded_file_mgr, MemoryUploadedFileManager
    ):
        return
    for file_id in file_ids:
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)


def import_panel() -> None:
    """Show how far the reading is, or what became of every file."""
    state = library_state()
    if state.reading is not None and not state.reading.wait(AT_ONCE_SECONDS):
        _progress(state.reading)
        return
    if state.reading is not None:
        reading = state.reading
        state.reading = None
        # Files behind a cancelled one have no outcome.
        read = zip(reading.outcomes, reading.files, strict=False)
        state.imports = [
            imported(outcome, file, reading.format) for outcome, file in read
        ]
        del reading, read
        give_back()
    for number, made in enumerate(state.imports):
        _show(made, f"{state.uploads}-{number}")


@st.fragment(run_every=REFRESH_SECONDS)
def _progress(reading: BackgroundReading) -> None:
    if reading.wait(0):
        st.rerun()
    share = 0.0
    what = "taking it apart"
    if reading.total:
        share = reading.done / reading.total
        what = f"conversation {reading.done:,} of {reading.total:,}"
    name = plain(reading.current)
    if len(reading.files) > 1:
        name += f" (file {len(reading.outcomes) + 1} of {len(reading.files)})"
    with st.container(border=True):
        st.progress(share, f"Reading {name}: {what}")
        if st.button("Cancel", icon=":material/close:", key="library-cancel"):
            reading.cancel()
            library_state().reading = None
            st.rerun()


def _show(made: Import, key: str) -> None:
    name = made.outcome.name
    loaded = made.outcome.loaded
    if isinstance(made.outcome.error, UnclearUserError) and made.file and not made.left:
        ask_who_is_the_user(made, key)
    elif loaded is None and not made.left:
        st.error(
            plain(f"{name} was not imported. {made.outcome.error}"),
            icon=":material/error:",
        )
    elif made.saved:
        st.success(plain(_sentence(name, made)), icon=":material/check:")
    elif made.left:
        st.info(plain(f"Nothing of {name} was imported."), icon=":material/info:")
    elif loaded is not None and len(loaded.transcripts) > 1:
        pick(made, key)


def _sentence(name: str, made: Import) -> str:
    saved = made.saved
    what = name
    if len(saved) != 1:
        what = f"{counted(len(saved), 'conversation')} of {name}"
    notes = made.notes
    if made.outcome.loaded:
        notes = [*map(str, made.outcome.loaded.failures), *notes]
    told = [f"Imported {what}: {_size(saved)}."]
    told += [f"Note: {note}" for note in notes[:MAX_NOTES]]
    if len(notes) > MAX_NOTES:
        more = counted(len(notes) - MAX_NOTES, "more note")
        told.append(f"And {more}, kept with the conversations.")
    return " ".join(told)


def _size(saved: list[ConversationEntry]) -> str:
    messages = counted(sum(entry.message_count for entry in saved), "message")
    kinds = ", ".join(dict.fromkeys(entry.format for entry in saved))
    title = formats()[kinds].title if kinds in formats() else kinds
    return f"{messages} in {counted(sum(entry.turn_count for entry in saved), 'turn')}, read as {title}"
