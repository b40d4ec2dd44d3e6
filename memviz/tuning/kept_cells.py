"""The interface by which a sweep keeps its finished cells; a library (``memviz/storage``) implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class KeptCells(Protocol):
    """A store of finished cells as JSON, with claims that keep two sweeps from measuring the same cells."""

    def find_cells(self, keys: Sequence[str]) -> dict[str, dict[str, object]]:
        """Return the kept cells by key; keys without one are left out."""

    def keep_cell(self, key: str, cell: dict[str, object]) -> None:
        """Keep a cell under its key."""

    def try_claim(self, name: str) -> bool:
        """Take the claim of this name until :meth:`release_claim`; return false if another sweep has it."""

    def release_claim(self, name: str) -> None:
        """Give up a claim."""
