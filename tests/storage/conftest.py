"""The databases that each contract of storage holds for: a file of SQLite, and a server of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memviz.transcripts.samples import sample
from tests.postgres import PostgresCluster, running_postgres

BOTH = ("file", "server")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresCluster]:
    """A server for all tests of this process."""
    with running_postgres() as cluster:
        yield cluster


@pytest.fixture
def server_library(postgres: PostgresCluster) -> Iterator[str]:
    """The address of an empty library on the server."""
    with postgres.library() as address:
        yield address


@pytest.fixture(params=BOTH)
def library(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or the address of a library of a test's own."""
    return library_of(request, str(tmp_path / "memviz.db"))


@pytest.fixture(params=BOTH)
def library_opened_once(request: pytest.FixtureRequest) -> str:
    """A library of a test's own that it opens once: in memory, or on the server."""
    return library_of(request, ":memory:")


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.slow)])
def library_or_slow(
    request: pytest.FixtureRequest, tmp_path: Path, new_libraries_are_copies: None
) -> str:
    """A library, the one on the server only among the slow tests. A module that takes it says pytest.mark.slow, by
    which such modules are known."""
    return library_of(request, str(tmp_path / "memviz.db"))


def library_of(request: pytest.FixtureRequest, file: str) -> str:
    """The file, or where the fixture's parameter says so, a library on the server."""
    if request.param == "file":
        return file
    address: str = request.getfixturevalue("server_library")
    return address


@pytest.fixture(scope="module", params=BOTH)
def shared_library(request: pytest.FixtureRequest) -> Iterator[str]:
    """A library that the tests of a module share: in memory, or on the server."""
    if request.param == "file":
        yield ":memory:"
        return
    cluster: PostgresCluster = request.getfixturevalue("postgres")
    with cluster.library() as address:
        yield address


@pytest.fixture
def one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new library holds one bundled conversation: to write all of them takes longer than what most tests do. For
    tests to which it makes no difference how many there are."""
    monkeypatch.setattr(
        "memviz.storage.workspace.bundled", lambda: {"household": sample("household")}
    )
