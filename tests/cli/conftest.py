"""Every test of the command line has a library of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from memviz.storage.workspace import DATABASE_VARIABLE, Workspace
from tests.cli.terminal import written


@pytest.fixture(autouse=True)
def database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_libraries_are_copies: None
) -> Path:
    """The library's file; the current folder is empty."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv(DATABASE_VARIABLE, str(tmp_path / "library.db"))
    return tmp_path / "library.db"


@pytest.fixture
def library(database: Path) -> Workspace:
    """The library, as pages open it."""
    return Workspace(database)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A file with a conversation of 6 turns."""
    return written(tmp_path / "chat.json")
