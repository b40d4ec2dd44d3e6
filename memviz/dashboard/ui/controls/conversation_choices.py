"""The conversations that the choosers of all pages offer."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from memviz.dashboard.ui.shell.text import conversation_labels, plain
from memviz.storage.entries import ConversationEntry
from memviz.storage.workspace import Workspace

CONVERSATIONS_LISTED = 200
MAX_NAMED = 3
ICON = ":material/warning:"


class ConversationChoices(NamedTuple):
    """Conversations by id, and their labels."""

    entries: dict[str, ConversationEntry]
    labels: dict[str, str]


def conversation_choices(
    workspace: Workspace, chosen: str | None
) -> ConversationChoices:
    """The newest conversations, and the chosen one however old it is. Those that cannot be read are named."""
    entries, unreadable = workspace.choices(CONVERSATIONS_LISTED, chosen)
    if unreadable:
        names = ", ".join(f"“{each.title}”" for each in unreadable[:MAX_NAMED])
        more = " and more" if len(unreadable) > MAX_NAMED else ""
        st.warning(
            plain(
                f"Left aside, because it cannot be read: {names}{more}. The Library says why."
            ),
            icon=ICON,
        )
    return ConversationChoices(entries, conversation_labels(entries.values()))
