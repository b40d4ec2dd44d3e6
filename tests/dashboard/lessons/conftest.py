"""The tests of lessons share a library, with what was replayed in it: lessons show the same runs again and again."""

from __future__ import annotations

import pytest

from memviz.storage.workspace import Workspace


@pytest.fixture(scope="session")
def workspace() -> Workspace:
    return Workspace(":memory:")
