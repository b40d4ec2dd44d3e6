"""The two settings whose break-even a browser session looks at."""

from __future__ import annotations

from dataclasses import dataclass

from memviz.dashboard.ui.shell.state import of_session


@dataclass
class CostsState:
    """Compare in dollars: the two settings whose break-even was asked for, by their index; ``None`` until chosen."""

    one: int | None = None
    other: int | None = None


def costs_state() -> CostsState:
    """The state of Compare in dollars."""
    return of_session("costs", CostsState)
