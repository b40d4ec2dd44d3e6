"""The facts by which a page says what a summary left out: those of the conversation, else those proposed from it."""

from __future__ import annotations

from contextlib import suppress

from memviz.conversation import Log
from memviz.errors import StorageError
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.transcripts.base import Probe
from memviz.ui.shell.presence import kept_until_left
from memviz.workspace import Workspace

LOGS_KEPT = 4
AT_ONCE_MESSAGES = 500
"""Facts of a longer conversation are proposed on the Facts page only: every sentence has to be read for that."""
GROWTH_MESSAGES = 20
"""A chat that grows is read again after so many messages; what was said since is still sent word for word."""


def known_facts(workspace: Workspace, conversation_id: str | None, log: Log) -> tuple[Probe, ...]:
    """The facts that the conversation brings and those typed in; where it brings none, proposed ones too. ``log`` may
    have grown since the conversation was saved."""
    probes = _saved(workspace, conversation_id)
    if any(not probe.by_user for probe in probes):
        return probes
    return (*_proposed(log, len(log) - len(log) % GROWTH_MESSAGES or len(log)), *probes)


def _saved(workspace: Workspace, id: str | None) -> tuple[Probe, ...]:
    """None of a chat that is not saved, that was deleted, or that cannot be read: the page says so elsewhere."""
    with suppress(StorageError):
        if id is not None and workspace.store.entry(id).probe_count:
            return workspace.conversation(id)[0].probes
    return ()


def _proposed(log: Log, length: int) -> tuple[Probe, ...]:
    return _proposed_of_beginning(log, length) if length <= AT_ONCE_MESSAGES else ()


@kept_until_left(LOGS_KEPT)
def _proposed_of_beginning(log: Log, length: int) -> tuple[Probe, ...]:
    return propose_probes(Log(log[:length]))
