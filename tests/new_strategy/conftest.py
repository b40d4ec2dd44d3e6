"""A strategy that memviz does not know yet: a file of its own folder, or one in another package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import memviz
from memviz.strategies import ENTRY_POINT_GROUP, strategies
from tests.pages.conftest import _as_on_a_server_that_has_navigated, database

__all__ = [
    "_as_on_a_server_that_has_navigated",
    "database",
]  # what every test of a page has

ID, TITLE = "last_messages", "Last messages"
SOURCE = (Path(memviz.__file__).parent / "strategies" / "window.py").read_text(
    encoding="utf-8"
)
COPY = SOURCE.replace('"Sliding window"', f'"{TITLE}"')


def drop_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of a strategy's file, under another name and title, in memviz/strategies/."""
    (folder / f"{ID}.py").write_text(COPY, encoding="utf-8")
    package = importlib.import_module(
        "memviz.strategies"
    )  # its parent has a function of that name
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in a package with an entry point. Its module has a name of its own."""
    (folder / "other_package.py").write_text(COPY, encoding="utf-8")
    about = folder / "other_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n"
    )
    (about / "entry_points.txt").write_text(
        f"[{ENTRY_POINT_GROUP}]\n{ID} = other_package:Window\n"
    )
    monkeypatch.syspath_prepend(folder)


WAYS = {"a file dropped in": drop_in, "an installed package": install}


both_ways = pytest.mark.parametrize("way", WAYS, indirect=True)
"""For what has to do with how it came in. All else is told of it by the registry, which one way fills as the other
does."""


@pytest.fixture(autouse=True, params=["an installed package"])
def way(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """How the strategy came in. Every test of this folder runs with it, and leaves nothing of it behind."""
    folder = tmp_path / "new"
    folder.mkdir()
    WAYS[request.param](folder, monkeypatch)
    importlib.invalidate_caches()
    strategies.cache_clear()
    yield request.param
    monkeypatch.undo()
    sys.modules.pop(f"memviz.strategies.{ID}", None)
    sys.modules.pop("other_package", None)
    strategies.cache_clear()
