"""Conversations that a class shares: by a link, and what teachers publish for everybody. Whoever wants to work with one
takes a copy into the own library."""

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from memviz.core.text.wording import counted
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.conversations import size_words
from memviz.dashboard.ui.library.conversation_view import conversation_view
from memviz.dashboard.ui.library.state import library_state
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    error_shown,
    header,
    level_columns,
    right_row,
    show_caption,
    show_info,
    show_title,
    show_toast,
)
from memviz.dashboard.ui.shell.frame import class_shelf, workspace
from memviz.dashboard.ui.shell.server.checks import (
    class_address,
    has_own_libraries,
    visitor_now,
)
from memviz.dashboard.words import bundled_words
from memviz.storage.class_shelf import SharedConversation
from memviz.storage.entries import ConversationEntry

SHARED = "shared"
"""The part of a link that names what is shared."""
WITHDRAWN = noop(
    "This link leads to nothing: what it led to was withdrawn, or its sharer has deleted their library."
)
COPY_HELP = noop(
    "The copy is yours, with its facts and recordings. Nobody sees what you do with it."
)

SHARE_HELP = noop(
    "Whoever of the class has the link reads the conversation as it is now. Teachers see it too, and can withdraw it."
)


def share_buttons(entry: ConversationEntry) -> None:
    """Draw the buttons that share a conversation of one's own as it is now."""
    if not has_own_libraries():
        return
    if button(
        _("Share by a link"),
        f"share-{entry.id}",
        ":material/link:",
        help=_(SHARE_HELP),
        width="stretch",
    ):
        with error_shown():
            class_shelf().share(visitor_now(), workspace(), entry.id)
            show_toast(_("Its link stands below “Shared by you”."))
    if visitor_now().is_teacher and button(
        _("Publish to the class"),
        f"publish-{entry.id}",
        ":material/school:",
        width="stretch",
    ):
        with error_shown():
            class_shelf().publish(visitor_now(), workspace(), entry.id)
            st.rerun()


def shared_with_me() -> None:
    """Show the conversation of the link that was followed, or say that there is none any more."""
    token = library_state().shared
    if not has_own_libraries() or token is None:
        return
    shared = class_shelf().find(token)
    if shared is None:
        show_info(_(WITHDRAWN), ":material/link_off:")
        return
    # What is listed further below is opened there.
    visitor = visitor_now()
    is_listed = shared.is_published or shared.may_be_withdrawn_by(visitor)
    if not is_listed:
        _draw_rows(_("Shared with you"), [shared])


def from_teacher() -> None:
    """Draw one row for each conversation that a teacher published."""
    if has_own_libraries():
        _draw_rows(_("From your teacher"), class_shelf().published())


def shared_by_link() -> None:
    """Draw one row for each conversation that this visitor shares by a link, and for a teacher those of others."""
    if not has_own_libraries():
        return
    visitor = visitor_now()
    of_all = class_shelf().shared_by_link()
    mine = [shared for shared in of_all if shared.sharer_id == visitor.id]
    _draw_rows(_("Shared by you"), mine)
    if visitor.is_teacher:
        of_others = [shared for shared in of_all if shared.sharer_id != visitor.id]
        _draw_rows(_("Shared by links in your class"), of_others)


def _draw_rows(title: str, rows: Sequence[SharedConversation]) -> None:
    if not rows:
        return
    header(title)
    for shared in rows:
        with error_shown(), box(f"shared-{shared.token}"):
            _draw_row(shared)


def _draw_row(shared: SharedConversation) -> None:
    library = class_shelf().store
    entry = library.entry(shared.conversation_id)
    text, buttons = level_columns([5, 4])
    with text:
        show_title(bundled_words(entry.title))
        facts = [size_words([entry]), counted(entry.message_count, "message")]
        show_caption(" · ".join([*facts, _source(shared)]))
    with buttons, right_row():
        _draw_buttons(shared)
    if shared.sharer_id == visitor_now().id and not shared.is_published:
        query = urlencode({SHARED: shared.token})
        st.code(f"{class_address()}/library?{query}", language=None)
    if library_state().shared == shared.token:
        conversation_view(library, shared.conversation_id)


def _source(shared: SharedConversation) -> str:
    """Return where a shared conversation is from, as a sentence."""
    if shared.sharer_name:
        return _("From {name}.", name=shared.sharer_name)
    return _("From your teacher.") if shared.is_published else _("From your class.")


def _draw_buttons(shared: SharedConversation) -> None:
    state = library_state()
    is_shown = state.shared == shared.token
    if button(
        _("Close") if is_shown else _("Read"),
        f"read-{shared.token}",
        ":material/article:",
    ):
        state.shared = None if is_shown else shared.token
        st.rerun()
    if button(
        _("Copy to my library"),
        f"copy-{shared.token}",
        ":material/library_add:",
        help=_(COPY_HELP),
    ):
        with error_shown():
            _copy(shared)
    if shared.may_be_withdrawn_by(visitor_now()) and button(
        _("Withdraw"), f"withdraw-{shared.token}", ":material/link_off:"
    ):
        class_shelf().withdraw(visitor_now(), shared.token)
        if is_shown:
            state.shared = None
        st.rerun()


def _copy(shared: SharedConversation) -> None:
    added = class_shelf().copy(shared, workspace(), _source(shared))
    title = bundled_words(added.entry.title)
    if added.was_there:
        show_toast(_("“{title}” is in your library already.", title=title))
    else:
        show_toast(_("“{title}” is in your library now.", title=title))
    st.rerun()
