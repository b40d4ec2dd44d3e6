"""The place that keeps the finished cells of sweeps, as a sweep sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class KeptCells(Protocol):
    """A place that keeps finished cells between sweeps, as JSON."""

    def find_cells(self, keys: Sequence[str]) -> dict[str, dict[str, object]]:
        """Return the cells of those of these keys that are there."""

    def keep_cell(self, key: str, cell: dict[str, object]) -> None:
        """Keep one cell."""

    def try_claim(self, name: str) -> bool:
        """Return whether nobody else has this claim; then it is the caller's until :meth:`release_claim`."""

    def release_claim(self, name: str) -> None:
        """Give up a claim."""
