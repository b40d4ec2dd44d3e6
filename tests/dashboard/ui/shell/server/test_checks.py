"""A server whose visitors have a library each, while the database of these libraries is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memviz.core.storage_errors import DatabaseAwayError, StorageError
from memviz.dashboard.ui.shell import elements
from memviz.dashboard.ui.shell.server import checks
from memviz.dashboard.ui.shell.server.visitors import ProxiedVisitors
from memviz.models.access import IDENTITY_HEADER
from memviz.models.identities import BELIEVED_ADDRESSES, TRUSTED_PROXIES
from memviz.storage.library_places import LibraryFolder


@pytest.fixture
def _database_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def places() -> None:
        raise DatabaseAwayError("postgresql://ana@zebra.internal/class", "refused")

    monkeypatch.setenv(IDENTITY_HEADER, "X-Forwarded-User")
    monkeypatch.setenv(TRUSTED_PROXIES, "127.0.0.1")
    monkeypatch.setenv(BELIEVED_ADDRESSES, "")
    monkeypatch.setattr(checks, "own_places", places)
    for remembered in (checks.visitors, checks.checks):
        remembered.cache_clear()
    yield
    for remembered in (checks.visitors, checks.checks):
        remembered.cache_clear()


@pytest.mark.usefixtures("_database_away")
def test_an_error_of_the_database_is_shown_while_nobody_can_be_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(elements, "show_problem", shown.append)
    with pytest.raises(StorageError) as away:
        checks.visitors()
    elements.show_error(away.value)
    assert shown[0].startswith("The database of this server cannot be reached")


@pytest.mark.usefixtures("_database_away")
def test_a_server_behind_a_proxy_says_at_its_start_that_the_database_is_away() -> None:
    with pytest.raises(SystemExit, match="cannot be reached"):
        checks.checks()


@pytest.mark.usefixtures("_database_away")
def test_a_server_behind_a_proxy_knows_its_visitors_from_the_start_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as at_start:
        at_start.setattr(checks, "own_places", lambda: LibraryFolder(tmp_path))
        checks.checks()
    assert isinstance(checks.visitors(), ProxiedVisitors)
