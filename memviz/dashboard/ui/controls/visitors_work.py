"""What a visitor worked out over a conversation: wordings of summaries, and answers that were judged. They are kept
with the conversation where only this machine reaches the server. Where others do, they stay in the browser session:
nobody shall find the wording of another visitor in a replay of their own."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.dashboard.ui.shell.server.checks import is_shared
from memviz.engine.judged_answer import JudgedAnswer
from memviz.storage.workspace import RunKey, Workspace
from memviz.transcripts.base import Probe


def kept_wordings(workspace: Workspace, key: RunKey) -> dict[int, str]:
    """The wordings kept for the replay of ``key``, by their version."""
    return {} if is_shared() else workspace.wordings(key)


def keep_wording(
    workspace: Workspace, key: RunKey, version: int, text: str | None
) -> None:
    """Keep a wording of a version; ``None`` takes it back. Raises StorageError."""
    if not is_shared():
        workspace.keep_wording(key, version, text)


def kept_answers(
    workspace: Workspace, conversation_id: str, key: str
) -> tuple[JudgedAnswer, ...]:
    """The judged answers kept under ``key``."""
    return () if is_shared() else workspace.judged_answers(conversation_id, key)


def keep_answers(
    workspace: Workspace,
    conversation_id: str,
    key: str,
    probes: Sequence[Probe],
    answers: Sequence[JudgedAnswer],
) -> None:
    """Keep answers to ``probes`` under ``key``."""
    if not is_shared():
        workspace.keep_judged_answers(conversation_id, key, probes, answers)
