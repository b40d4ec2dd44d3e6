"""Strategies of tests that do what none of the built-in ones does, known by ids, so that their runs can be stored and
read: one clears, shortens and summarizes, one keeps two kinds of notes, two run a library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from tests.engine.written_strategies import Clearing, Folding, Pipeline, Tracks

OWN: dict[str, type[Strategy]] = {
    "pipeline": Pipeline,
    "tracks": Tracks,
    "folding": Folding,
    "clearing": Clearing,
}


@contextmanager
def known() -> Iterator[None]:
    """As long as it lasts, these strategies are found by their ids."""
    with pytest.MonkeyPatch.context() as patch:
        for id, cls in OWN.items():
            patch.setattr(cls, "id", id)
            patch.setitem(strategies(), id, cls)
        yield
