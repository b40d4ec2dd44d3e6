"""The Facts page of a browser session: what stays between its runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from memviz.core.errors import MemvizError
from memviz.dashboard.ui.shell.state import of_session
from memviz.engine.judging import JudgedAnswer


@dataclass
class RetentionState:
    """The Facts page: what was wrong with the fact typed in last, and the answers of models that were judged, by
    who was asked what under which settings."""

    probe_error: MemvizError | None = None
    judged: dict[str, tuple[JudgedAnswer, ...]] = field(default_factory=dict)


def retention_state() -> RetentionState:
    """The state of the Facts page."""
    return of_session("retention", RetentionState)
