"""Targets of other packages: found by their entry point, offered like ours, and left out where they are broken."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memviz.code_export import ENTRY_POINT_GROUP, targets
from tests.cli.terminal import memviz
from tests.code_export.running import setting

SOURCE = """
from memviz.code_export import NoCodeError, Setting, Target


def write(setting: Setting) -> str:
    if setting.strategy.id != "window":
        raise NoCodeError(setting, "Mine")
    return f"keep({setting.strategy.window_size})"


TARGET = Target("Mine", "mine.py", "python", "", write)
NONE = "no target"
OTHER = Target("Other", "other.toml", "toml", "", write)
"""
ENTRIES = {
    "mine": "mine_for_memviz:TARGET",
    "plain_python": "mine_for_memviz:TARGET",
    "no_target": "mine_for_memviz:NONE",
    "no_language": "mine_for_memviz:OTHER",
    "no_name": "mine_for_memviz:THERE_IS_NONE",
    "no_module": "mine_that_is_missing:TARGET",
}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with a target of its own, one under the name of ours, and entries that are none."""
    (tmp_path / "mine_for_memviz.py").write_text(SOURCE, encoding="utf-8")
    about = tmp_path / "mine_for_memviz-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mine-for-memviz\nVersion: 1.0\n"
    )
    lines = [f"{name} = {place}" for name, place in ENTRIES.items()]
    (about / "entry_points.txt").write_text(
        "\n".join([f"[{ENTRY_POINT_GROUP}]", *lines, ""])
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    targets.cache_clear()
    yield
    monkeypatch.undo()
    sys.modules.pop("mine_for_memviz", None)
    targets.cache_clear()


@pytest.mark.usefixtures("installed")
class TestAnInstalledPackage:
    def test_its_target_stands_behind_ours_and_writes(self) -> None:
        assert list(targets())[-2:] == ["plain_python", "mine"]
        wanted = setting("window", parameters={"window_size": 7})
        assert targets()["mine"].write(wanted) == "keep(7)"
        assert targets()["plain_python"].title == "Plain Python"

    @pytest.mark.slow
    def test_the_command_writes_for_it(self, tmp_path: Path) -> None:
        arguments = ("sweep", "sample-trip", "-s", "window:window_size=7", "--keep", 0)
        arguments += ("--db", tmp_path / "library.db", "--code", "mine")
        assert memviz(*arguments).out == "keep(7)"

    def test_what_is_broken_is_left_out_and_the_log_says_so(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        broken = {name for name in ENTRIES if name.startswith("no_")}
        assert not broken & set(targets())
        for name in broken:
            said = [line for line in caplog.messages if name in line]
            assert len(said) == 1
            assert ENTRIES[name] in said[0]
            assert "is left out" in said[0]
        assert not [line for line in caplog.messages if "export mine " in line]
