"""The conversations that the choosers of all pages offer."""

from __future__ import annotations

from typing import NamedTuple

from memviz.storage.library import ConversationEntry
from memviz.ui.shell.text import conversation_labels
from memviz.workspace import Workspace

CONVERSATIONS_LISTED = 200


class ConversationChoices(NamedTuple):
    """Conversations by id, and their labels."""

    entries: dict[str, ConversationEntry]
    labels: dict[str, str]


def conversation_choices(workspace: Workspace, chosen: str | None) -> ConversationChoices:
    """The newest conversations, and the chosen one however old it is."""
    entries = workspace.choices(CONVERSATIONS_LISTED, chosen)
    return ConversationChoices(entries, conversation_labels(entries.values()))
