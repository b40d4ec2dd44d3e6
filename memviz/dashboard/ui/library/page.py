"""The list of the library: the search, one row a conversation, and the parts of the address."""

import json
from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from memviz.core import page_titles
from memviz.core.division import ceil_div
from memviz.core.storage_errors import UnreadableConversationError
from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.chat_state import open_in_chat
from memviz.dashboard.ui.controls.conversations import size_words
from memviz.dashboard.ui.controls.study import open_in_compare
from memviz.dashboard.ui.library.conversation_view import conversation_view
from memviz.dashboard.ui.library.sharing import SHARED, share_buttons
from memviz.dashboard.ui.library.state import library_state
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    error_shown,
    level_columns,
    offer_file,
    popup,
    right_row,
    session_text,
    show_caption,
    show_error,
    show_info,
    show_title,
    show_warning,
)
from memviz.dashboard.ui.shell.frame import store, workspace
from memviz.dashboard.ui.shell.linked import (
    MAX_TEXT_CHARS,
    keep_in_address,
    parse_value,
    say_conversation_is_gone,
)
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.dashboard.words import bundled_words, shorten
from memviz.storage.entries import ConversationEntry, UnreadableConversation
from memviz.transcripts.export import EXPORTS

ROWS_ON_PAGE = 20
PAGE_KEY = "library-page"
SEARCH_KEY = "library-search"
MAX_DESCRIPTION_CHARS = 300


def undo_bar() -> None:
    """Draw the button that takes back the last deletion."""
    state = library_state()
    if state.deleted is None:
        return
    id, title = state.deleted
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.text(_("Deleted “{title}”.", title=bundled_words(title)))
        if button(_("Undo"), "library-undo", ":material/undo:"):
            store().restore(id)
            state.deleted = None
            st.rerun()


def shelf() -> None:
    """Search, one row a conversation, and pages where there are many."""
    search = session_text(
        _("Search titles and messages"), key=SEARCH_KEY, icon=":material/search:"
    )
    page = max(1, widget_value(PAGE_KEY) or 1)
    entries, unreadable, total = store().page(
        search, ROWS_ON_PAGE, (page - 1) * ROWS_ON_PAGE
    )
    if total and not entries and not unreadable:
        # Another search has fewer pages, or the last row of the last page was deleted.
        set_widget(PAGE_KEY, 1)
        st.rerun()
    if not total:
        show_info(
            _("Nothing matches. Try another word.")
            if search
            else _(
                "No conversation is saved yet. Import a file, or start one in {chat}.",
                chat=_(page_titles.CHAT),
            )
        )
        return
    pages = ceil_div(total, ROWS_ON_PAGE)
    if pages > 1:
        st.pagination(pages, key=PAGE_KEY)
    for damaged in unreadable:
        unreadable_row(damaged)
    for entry in entries:
        _draw_row(entry)


def _draw_row(entry: ConversationEntry) -> None:
    with box(f"conversation-{entry.id}"):
        text, buttons = level_columns([5, 4])
        with text:
            show_title(bundled_words(entry.title))
            st.caption(" · ".join(_facts(entry)))
            if entry.description:
                description = bundled_words(entry.description)
                show_caption(shorten(description, MAX_DESCRIPTION_CHARS))
        with buttons, right_row():
            _draw_actions(entry)
        if library_state().shown == entry.id:
            try:
                conversation_view(store(), entry.id)
            except UnreadableConversationError as error:
                show_error(error)
                rows_download(entry.id, entry.title)


def _facts(entry: ConversationEntry) -> Iterator[str]:
    """Yield how long a conversation is, its format, and when it was held and changed."""
    yield size_words([entry])
    yield counted(entry.message_count, "message")
    yield plain(_(entry.format.replace("_", " ")))
    if entry.probe_count:
        yield counted(entry.probe_count, "fact")
    if entry.held_at:
        yield _("held {held_at:%Y-%m-%d}", held_at=entry.held_at)
    yield _("changed {updated_at:%Y-%m-%d %H:%M} UTC", updated_at=entry.updated_at)


def _draw_download(entry: ConversationEntry) -> None:
    kind = st.selectbox(
        _("Save as"),
        EXPORTS,
        format_func=lambda name: _(EXPORTS[name].title),
        key=f"save-as-{entry.id}",
    )
    export = EXPORTS[kind]
    here = workspace()  # the file is written in a thread of the server's own

    def write() -> str:
        transcript, _ = here.conversation(entry.id)
        return export.write(replace(transcript, title=entry.title))

    offer_file(
        _("Download"),
        write,
        file_name(entry.title) + export.suffix,
        export.mime,
        f"download-{entry.id}-{kind}",
        width="stretch",
    )


def _draw_actions(entry: ConversationEntry) -> None:
    state = library_state()
    is_shown = state.shown == entry.id
    if button(
        _("Close") if is_shown else _("Read"), f"read-{entry.id}", ":material/article:"
    ):
        state.shown = None if is_shown else entry.id
        st.rerun()
    if button(
        _(page_titles.COMPARE), f"compare-{entry.id}", ":material/stacked_line_chart:"
    ):
        open_in_compare(entry.id)
    if button(_(page_titles.CHAT), f"chat-{entry.id}", ":material/forum:"):
        open_in_chat(entry.id)
    with popup(
        "",
        ":material/more_horiz:",
        f"more-{entry.id}",
        help=_("Rename, download, delete"),
    ):
        _rename(entry)
        _draw_download(entry)
        share_buttons(entry)
        if button(
            _("Delete"), f"delete-{entry.id}", ":material/delete:", width="stretch"
        ):
            store().delete(entry.id)
            state.deleted = (entry.id, entry.title)
            st.rerun()


def _rename(entry: ConversationEntry) -> None:
    title = st.text_input(
        _("Title"), entry.title, key=f"title-{entry.id}", max_chars=200
    )
    if button(_("Rename"), f"rename-{entry.id}", ":material/edit:", width="stretch"):
        with error_shown():
            workspace().rename(entry.id, title)
            st.rerun()


ROWS_HELP = noop(
    "Everything that is stored of it, as JSON. What is sound in it can be taken out by hand."
)


def unreadable_row(damaged: UnreadableConversation) -> None:
    """Draw the row of a conversation that cannot be read and is left aside."""
    with box(f"unreadable-{damaged.row}"):
        text, buttons = level_columns([3, 2])
        with text:
            show_title(damaged.title)
            show_warning(
                _(
                    "Cannot be read, and is left aside: {problem}.",
                    problem=damaged.problem,
                )
            )
        with buttons, st.container(horizontal=True, horizontal_alignment="right"):
            rows_download(damaged.row, damaged.title)
            if button(
                _("Delete"), f"delete-unreadable-{damaged.row}", ":material/delete:"
            ):
                store().delete_unreadable(damaged.row)
                library_state().deleted = (damaged.id, damaged.title)
                st.rerun()


def rows_download(conversation: int | str, title: str) -> None:
    """Offer everything that is stored of a conversation (its row number, or its id) as a file."""
    library = store()
    offer_file(
        _("Stored rows"),
        lambda: json.dumps(library.stored_rows(conversation), indent=1),
        f"{file_name(title)}-rows.json",
        "application/json",
        f"rows-{conversation}",
        help=_(ROWS_HELP),
    )


SEARCH = "search"
PAGE = "page"
READ = "read"
MOST_PAGES = 100_000


def open_address() -> None:
    """Show what the address asks for, once in a session. To be called before anything of it is drawn."""
    state = library_state()
    if state.is_opened:
        return
    state.is_opened = True
    search = parse_value(st.query_params.get(SEARCH, "")[:MAX_TEXT_CHARS], None)
    page = parse_value(st.query_params.get(PAGE, ""), range(1, MOST_PAGES))
    if search:
        set_widget(SEARCH_KEY, search)
    if page:
        set_widget(PAGE_KEY, page)
    conversation_id = st.query_params.get(READ)
    if conversation_id and store().exists(conversation_id):
        state.shown = conversation_id
    elif conversation_id:
        say_conversation_is_gone()
    state.shared = st.query_params.get(SHARED)


def keep_address() -> None:
    """Write into the address what is open."""
    page = widget_value(PAGE_KEY) or 1
    keep_in_address(
        {
            SEARCH: widget_value(SEARCH_KEY),
            PAGE: str(page) if page > 1 else "",
            READ: library_state().shown,
            SHARED: library_state().shared,
        }
    )
