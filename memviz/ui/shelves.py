"""The pieces of the library page: import, search, and one row a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from memviz.errors import MemvizError
from memviz.storage.library import ConversationEntry
from memviz.transcripts.export import to_json
from memviz.ui.errors import show_error
from memviz.ui.state import LibraryState, chat_state, compare_state
from memviz.ui.text import counted, plain
from memviz.workspace import Workspace

PAGE_SIZE = 20
FORMATS_HELP = (
    "A JSON list of messages with role and content, or one message a line (JSONL), as the OpenAI API takes them."
)


def upload(workspace: Workspace, state: LibraryState) -> None:
    """Import files; each says what became of it."""
    files = st.file_uploader(
        "Import conversations", type=["json", "jsonl"], accept_multiple_files=True, help=FORMATS_HELP,
        key=f"library-upload-{state.uploads}",
    )  # fmt: skip
    if files:
        state.outcomes = [_import(workspace, file) for file in files]
        state.uploads += 1  # a fresh uploader, so that no file is imported twice
        st.rerun()
    for ok, sentence in state.outcomes:
        if ok:
            st.success(plain(sentence), icon=":material/check:")
        else:
            st.error(plain(sentence), icon=":material/error:")


def _import(workspace: Workspace, file: UploadedFile) -> tuple[bool, str]:
    try:
        entry, warnings = workspace.import_file(file.name, file.getvalue())
    except MemvizError as error:
        return False, f"{file.name} was not imported. {error}"
    noted = " ".join(f"Note: {warning}" for warning in warnings)
    size = f"{counted(entry.message_count, 'message')} in {counted(entry.turn_count, 'turn')}"
    return True, f"Imported {file.name}: {size}. {noted}".strip()


def undo_bar(workspace: Workspace, state: LibraryState) -> None:
    """The way back after a deletion."""
    if state.deleted is None:
        return
    id, title = state.deleted
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.text(f"Deleted “{title}”.")
        if st.button("Undo", icon=":material/undo:", key="library-undo"):
            workspace.restore(id)
            state.deleted = None
            st.rerun()


def shelf(workspace: Workspace, state: LibraryState) -> None:
    """Search, one row a conversation, and pages where there are many."""
    search = st.text_input(
        "Search titles and messages", key="library-search", icon=":material/search:", persist_state="session"
    )
    total = workspace.count(search)
    if not total:
        st.info(
            "Nothing matches. Try another word."
            if search
            else "No conversation is saved yet. Import a file, or start one in Chat.",
            icon=":material/info:",
        )
        return
    pages = -(-total // PAGE_SIZE)
    page = 1
    if pages > 1:
        page = st.pagination(pages, key="library-page") or 1
    for entry in workspace.conversations(search, PAGE_SIZE, (page - 1) * PAGE_SIZE):
        _row(workspace, state, entry)


def _row(workspace: Workspace, state: LibraryState, entry: ConversationEntry) -> None:
    with st.container(border=True, key=f"conversation-{entry.id}"):
        text, buttons = st.columns([3, 2], vertical_alignment="center")
        with text:
            st.markdown(f"**{plain(entry.title)}**")
            st.caption(" · ".join(_facts(entry)))
            if entry.description:
                st.caption(plain(entry.description))
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            _actions(workspace, state, entry)


def _facts(entry: ConversationEntry) -> Sequence[str]:
    facts = [counted(entry.turn_count, "turn"), counted(entry.message_count, "message")]
    facts.append(plain(entry.format.replace("_", " ")))
    if entry.probe_count:
        facts.append(counted(entry.probe_count, "probe"))
    return [*facts, f"{entry.updated_at:%Y-%m-%d %H:%M} UTC"]


def _actions(workspace: Workspace, state: LibraryState, entry: ConversationEntry) -> None:
    if st.button("Compare", icon=":material/stacked_line_chart:", key=f"compare-{entry.id}"):
        compare_state().open(entry.id)
        st.switch_page("pages/compare.py")
    if st.button("Chat", icon=":material/forum:", key=f"chat-{entry.id}"):
        chat_state().open(entry.id)
        st.switch_page("pages/chat.py")
    with st.popover("", icon=":material/more_horiz:", help="Rename, download, delete", key=f"more-{entry.id}"):
        title = st.text_input("Title", entry.title, key=f"title-{entry.id}", max_chars=200)
        if st.button("Rename", icon=":material/edit:", key=f"rename-{entry.id}", width="stretch"):
            try:
                workspace.rename(entry.id, title)
                st.rerun()
            except MemvizError as error:
                show_error(error)
        st.download_button(
            "Download as JSON", lambda: to_json(replace(workspace.conversation(entry.id)[0], title=entry.title)),
            file_name="conversation.json", mime="application/json", icon=":material/download:",
            key=f"download-{entry.id}", on_click="ignore", width="stretch",
        )  # fmt: skip
        if st.button("Delete", icon=":material/delete:", key=f"delete-{entry.id}", width="stretch"):
            workspace.delete(entry.id)
            state.deleted = (entry.id, entry.title)
            st.rerun()
