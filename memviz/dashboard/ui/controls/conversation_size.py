"""How long conversations are, in words."""

from __future__ import annotations

from collections.abc import Iterable

from memviz.core.text.wording import counted
from memviz.storage.entries import ConversationEntry
from memviz.storage.workspace import Workspace


def size_words(workspace: Workspace, entries: Iterable[ConversationEntry]) -> str:
    """``21 turns``, and where tools made them more requests than turns ``21 turns with 57 requests``."""
    sizes = [(entry.turn_count, workspace.request_count(entry)) for entry in entries]
    turns, requests = (
        sum(turns for turns, _ in sizes),
        sum(requests for _, requests in sizes),
    )
    return counted(turns, "turn") + (
        f" with {counted(requests, 'request')}" if requests > turns else ""
    )
