"""Comparing runs by what they hold: two runs are equal only if they are the same object."""

from __future__ import annotations

from typing import Any

from memviz.engine.run import Run


def contents(run: Run | None) -> dict[str, Any] | None:
    """All that a run holds, to be compared."""
    return None if run is None else run.to_dict()
