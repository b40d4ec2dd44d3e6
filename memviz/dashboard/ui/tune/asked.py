"""The subject of a sweep: everything that decides what its cells hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.shell.state import widget_value
from memviz.models.names import OFFLINE
from memviz.storage.workspace import Workspace
from memviz.strategies.base import Strategy

SECONDS_KEY = "tune-seconds"
"""The control of the time that a sweep may take."""


@dataclass(frozen=True)
class Asked:
    """The subject of a sweep: everything that decides what its cells hold. ``conversations`` are ids with what tells
    that one was changed; ``firsts`` of how many messages of each, if not of all."""

    conversations: tuple[tuple[str, object], ...]
    firsts: tuple[int | None, ...]
    settings: tuple[Strategy, ...]
    counter: str
    summarizer: str = OFFLINE
    seconds: int | None = None
    """The time that it may take, if not as long as it takes."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The conversations."""
        return tuple(id for id, _stamp in self.conversations)

    @property
    def first(self) -> dict[str, int | None]:
        """The number of messages of each conversation that are replayed; ``None``: all."""
        return dict(zip(self.ids, self.firsts, strict=True))


def asked_for(
    workspace: Workspace,
    ids: Sequence[str],
    settings: Sequence[Strategy],
    study: CompareState,
) -> Asked:
    """The sweep of these settings over these conversations as they are now."""
    stamped = tuple((id, workspace.store.entry(id).updated_at) for id in ids)
    firsts = tuple(workspace.beginning(id, study.first_of(id)) for id in ids)
    return Asked(
        stamped,
        firsts,
        tuple(settings),
        study.counter,
        seconds=widget_value(SECONDS_KEY) or None,
    )
